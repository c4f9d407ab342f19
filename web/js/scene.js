// One sentence through one model: a trace, and what the views ask of it.  A view never fetches; it
// says what it needs, and finds it here.
import { range } from './base/dom.js';
import { rank } from './base/sampler.js';
import { tokenLabels } from './base/pieces.js';

export class Scene {
  /** `key` tells sentences and switches apart: scenes with one key may be merged. */
  constructor(trace, key) {
    const { header } = trace;
    Object.assign(this, { key, model: header.model, tokens: header.tokens, arrays: trace.arrays });
    this.labels = tokenLabels(header.tokens);
    this.n = header.tokens.length;
    this.sites = new Set(); // that were asked for
    this.watched = []; // tokens that the lens follows
    this.ranked = null;
  }

  merge(trace) {
    for (const [k, a] of trace.arrays) this.arrays.set(k, a);
  }

  /** The array of a site, or undefined: the layer may have none. */
  array(name, layer) {
    return this.arrays.get(layer == null ? name : `${name}:${layer}`);
  }

  hasAttention(layer) {
    return !!this.array('pattern', layer);
  }

  /** Weights of a head: n rows of n. */
  rows(layer, head) {
    const a = this.array('pattern', layer),
      { n } = this;
    if (!a) return null;
    return range(n).map(i => a.values.subarray((head * n + i) * n, (head * n + i + 1) * n));
  }

  /** The same without the first word, whose shares are `sink`; the others then sum to 1. */
  rowsWithoutFirst(layer, head) {
    const raw = this.rows(layer, head);
    if (!raw) return null;
    const rows = raw.map((row, i) =>
      row.map((w, j) => {
        const left = 1 - row[0];
        if (i === 0) return w;
        return j === 0 || left < 1e-6 ? 0 : w / left;
      }),
    );
    return { rows, sink: raw.map(row => row[0]) };
  }

  /** Mean shares that the words behind the first give: to it, to the one before, to themselves. */
  shares(layer, head) {
    const rows = this.rows(layer, head),
      out = { first: 0, before: 0, itself: 0 };
    for (let i = 1; i < this.n; i++) {
      out.first += rows[i][0] / (this.n - 1);
      out.before += rows[i][i - 1] / (this.n - 1);
      out.itself += rows[i][i] / (this.n - 1);
    }
    return out;
  }

  /** The next token: logits, ids from the likeliest down, and the model's probability of one. */
  next() {
    const logits = this.array('next_logits')?.values;
    if (!logits) return null;
    this.ranked ??= rank(logits);
    const best = logits[this.ranked[0]];
    this.total ??= logits.reduce((sum, x) => sum + Math.exp(x - best), 0);
    return {
      logits,
      ranked: this.ranked,
      probability: id => Math.exp(logits[id] - best) / this.total,
    };
  }

  /** Length of a token's vector at a site. */
  norm(name, layer, token) {
    const a = this.array(name, layer);
    if (!a) return NaN;
    const width = a.shape[1],
      from = token * width;
    let sum = 0;
    for (let i = from; i < from + width; i++) sum += a.values[i] ** 2;
    return Math.sqrt(sum);
  }
}

/** Where a number comes from, for the drawer: an array of the trace and a place in it. */
export const source = (name, layer, at, value, how = name) => ({ name, layer, at, value, how });
