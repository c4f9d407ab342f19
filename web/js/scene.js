// One sentence through one model: a trace, and what the views ask of it.  A view never fetches; it
// says what it needs, and finds it here.
import { range } from './base/dom.js';
import { rank } from './base/sampler.js';
import { tokenLabels } from './base/pieces.js';

const siteKey = ({ site, layer }) => (layer == null ? site : `${site}:${layer}`);

export class Scene {
  /** `key` tells sentences and switches apart: scenes with one key may be merged. */
  constructor(trace, key) {
    const { header } = trace;
    Object.assign(this, { key, model: header.model, tokens: header.tokens, arrays: trace.arrays });
    this.labels = tokenLabels(header.tokens);
    this.n = header.tokens.length;
    this.sites = new Set(); // taps that were asked for
    this.watched = []; // tokens that the lens follows
    this.ranked = null;
    this.generated = new Map(); // a wish as JSON -> its steps, or its beams
  }

  /** What was generated for a wish (of `generate` in a request); null: nothing yet. */
  generation(wish) {
    return this.generated.get(JSON.stringify(wish)) ?? null;
  }

  merge(trace, taps = [], wish = null) {
    for (const [k, a] of trace.arrays) this.arrays.set(k, a);
    for (const tap of taps) this.sites.add(siteKey(tap));
    if (!wish) return;
    const { beams, generation } = trace.header;
    this.generated.set(JSON.stringify(wish), beams ?? generation);
  }

  /** Was this tap asked for?  (A layer may have no array of it.) */
  has(tap) {
    return this.sites.has(tap.site) || this.sites.has(siteKey(tap));
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

/** Numbers of a site for one token of a text of n, in one layer. */
const WIDTHS = {
  q: m => m.heads * m.head_width,
  k: m => m.kv_heads * m.head_width,
  pattern: (m, n) => m.heads * n,
  resid_post: m => m.width,
};
Object.assign(WIDTHS, { q_rot: WIDTHS.q, k_rot: WIDTHS.k, v: WIDTHS.k, z: WIDTHS.q });
Object.assign(WIDTHS, { attn_norm: WIDTHS.resid_post });
const AT_ONCE = 6e6; // numbers

/**
 * Taps of some sites: of all layers where that is little, so that a step from layer to layer asks
 * nothing; else of one.  `n` is about how many tokens there are.
 */
export function tapsOf(sites, model, n, layer) {
  const one = sites.reduce((sum, site) => sum + n * WIDTHS[site](model, n), 0);
  return sites.map(site => (one * model.layers <= AT_ONCE ? { site } : { site, layer }));
}

/**
 * Where a number comes from, for the drawer: an array of the trace and a place in it; `of` names
 * the scene if it is another than that of the sentence.
 */
export const source = (name, layer, at, value, how = name, of = '') => ({
  name,
  layer,
  at,
  value,
  how,
  of,
});

/** The same of a number in what was generated: a path in the trace's header, and the wish. */
export const sourceOfStep = (field, value, wish, how = 'step') => ({ field, value, wish, how });
