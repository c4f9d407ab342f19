// What a model is made of: tensors, the parts they belong to, and the map of them.  A loaded model
// and one that is only supposed are the same here: a list of
// {name, layer?, place, shape, experts?}, as docs/trace.md has it.

// 'mix' are the mixers that are no attention.
export const PARTS = ['emb', 'att', 'mix', 'ffn', 'norm', 'head'];

const sizeOf = w => w.shape.reduce((a, b) => a * b, 1);

/** The role of a tensor: what it is drawn as. */
export function roleOf({ name, place }) {
  if (place === 'embedding') return name.startsWith('output') ? 'head' : 'emb';
  if (place === 'feed_forward') return 'ffn';
  if (place === 'norm_position') return 'norm';
  if (place === 'recurrent') return 'mix';
  if (/attn_qkv/.test(name)) return 'qkv';
  const found = name.match(/attn_(q|k|v|output)\./);
  return { q: 'q', k: 'k', v: 'v', output: 'o' }[found?.[1]] ?? 'o';
}
export const partOf = role => (PARTS.includes(role) ? role : 'att');

/** The tensors of a decoder as a formula has them, without biases. */
export function supposed({ V, d, L, E, tied, q, kv, F, gated }) {
  const out = [{ name: 'token_embd.weight', place: 'embedding', shape: [V, d] }];
  const add = (layer, name, place, shape, more) => out.push({ layer, name, place, shape, ...more });
  if (!tied) out.push({ name: 'output.weight', place: 'embedding', shape: [V, d] });
  out.push({ name: 'output_norm.weight', place: 'norm_position', shape: [d] });
  for (let l = 0; l < L; l++) {
    const many = E > 1 ? { experts: E } : {},
      suffix = E > 1 ? '_exps' : '';
    add(l, 'attn_norm.weight', 'norm_position', [d]);
    add(l, 'attn_q.weight', 'attention', [q, d]);
    add(l, 'attn_k.weight', 'attention', [kv, d]);
    add(l, 'attn_v.weight', 'attention', [kv, d]);
    add(l, 'attn_output.weight', 'attention', [d, q]);
    add(l, 'ffn_norm.weight', 'norm_position', [d]);
    if (E > 1) add(l, 'ffn_gate_inp.weight', 'feed_forward', [E, d]);
    if (gated) add(l, `ffn_gate${suffix}.weight`, 'feed_forward', [E * F, d], many);
    add(l, `ffn_up${suffix}.weight`, 'feed_forward', [E * F, d], many);
    add(l, `ffn_down${suffix}.weight`, 'feed_forward', [E * d, F], many);
  }
  return out;
}

/** Parameters by part, of which those in experts; `used` of the experts digest a word. */
export function tally(weights, used = 2) {
  const none = () => Object.fromEntries(PARTS.map(p => [p, 0])),
    part = none(),
    tensors = none();
  let total = 0,
    active = 0,
    experts = 0;
  for (const w of weights) {
    const n = sizeOf(w),
      p = partOf(roleOf(w)),
      share = w.experts ? Math.min(1, used / w.experts) : 1;
    part[p] += n;
    tensors[p]++;
    total += n;
    active += n * share;
    if (w.experts) experts += n;
  }
  return { part, tensors, total, active, experts };
}

// ---- the map
/** Splits a box into shares along x or y, in order. */
function split(box, sizes, isAcross) {
  const sum = sizes.reduce((a, b) => a + b, 0);
  let at = isAcross ? box.x : box.y;
  return sizes.map(n => {
    const length = sum ? ((isAcross ? box.w : box.h) * n) / sum : 0,
      from = at;
    at += length;
    return isAcross
      ? { x: from, y: box.y, w: length, h: box.h }
      : { x: box.x, y: from, w: box.w, h: length };
  });
}
const ROLES = ['q', 'k', 'v', 'o', 'mix', 'ffn', 'norm'];

/** A layer's tensors as pieces {role, n, expert?}: a fused q, k, v in three, experts one by one. */
function piecesOf(weights) {
  const pieces = new Map();
  const add = (role, n, key, more) => {
    const old = pieces.get(key);
    if (old) old.n += n;
    else pieces.set(key, { role, n, ...more });
  };
  for (const w of weights) {
    const role = roleOf(w),
      n = sizeOf(w);
    if (role === 'qkv') for (const r of ['q', 'k', 'v']) add(r, n / 3, r);
    else if (w.experts)
      for (let e = 0; e < w.experts; e++) add('ffn', n / w.experts, `ffn${e}`, { expert: e });
    else if (role === 'ffn') add('ffn', n, w.name.replace('.bias', '.weight'));
    else add(role, n, role);
  }
  return [...pieces.values()].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

/**
 * Tiles {role, layer?, expert?, n, x, y, w, h} whose areas are to scale: the embedding a column,
 * the layers rows of q, k, v, o, feed-forward, norms; then what belongs to no layer, and a head.
 */
export function treemap(weights, box) {
  const layers = new Map(),
    loose = { emb: [], norm: [], head: [] };
  for (const w of weights) {
    if (w.layer == null) loose[partOf(roleOf(w))]?.push(w);
    else if (layers.has(w.layer)) layers.get(w.layer).push(w);
    else layers.set(w.layer, [w]);
  }
  const sum = list => list.reduce((n, w) => n + sizeOf(w), 0),
    rows = [...layers.entries()],
    inRows = rows.reduce((n, [, list]) => n + sum(list), 0);
  const columns = [sum(loose.emb), inRows, sum(loose.norm), sum(loose.head)],
    [emb, stack, norm, head] = split(box, columns, true),
    tiles = [];
  const column = (role, area, list) =>
    split(area, list.map(sizeOf), false).forEach((b, i) =>
      tiles.push({ role, n: sizeOf(list[i]), ...b }),
    );
  column('emb', emb, loose.emb);
  const bands = split(
    stack,
    rows.map(([, list]) => sum(list)),
    false,
  );
  rows.forEach(([layer, list], i) => {
    const pieces = piecesOf(list),
      sizes = pieces.map(p => p.n);
    split(bands[i], sizes, true).forEach((b, k) => tiles.push({ ...pieces[k], layer, ...b }));
  });
  column('norm', norm, loose.norm);
  column('head', head, loose.head);
  return { tiles, emb, stack, norm, head };
}

// ---- feed-forward rows
/** Rows by how strongly they answer, strongest first; `half`: how many make half of the squares. */
export function strongest(values, count) {
  const order = Uint32Array.from(values, (_, i) => i).sort(
    (a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b,
  );
  let total = 0,
    sum = 0,
    half = 0;
  for (const v of values) total += v * v;
  while (half < order.length && sum < total / 2) sum += values[order[half++]] ** 2;
  return { rows: [...order.subarray(0, count)], half };
}
