// Attention of one head, for one word, on the numbers of a trace: products, scores, weights, sum.

/** The products of two vectors, number by number; their sum is the score q·k. */
export const products = (q, k) => Float64Array.from(q, (x, i) => x * k[i]);
export const sum = list => list.reduce((a, b) => a + b, 0);

/** Shares that sum to 1 over what is seen: exp(score ÷ divisor + bias), the others 0. */
export function softmax(scores, seen, divisor = 1, bias = null) {
  const raised = scores.map((x, j) => x / divisor + (bias?.[j] ?? 0));
  const most = Math.max(...raised.filter((_, j) => seen[j]));
  const powers = raised.map((x, j) => (seen[j] ? Math.exp(x - most) : 0)),
    total = sum(powers);
  return powers.map(x => x / total);
}

/** Σ weight × value, number by number. */
export function mix(weights, values) {
  const out = new Float64Array(values[0].length);
  weights.forEach((w, j) => values[j].forEach((x, i) => (out[i] += w * x)));
  return out;
}

/**
 * What the weights have in them besides the scores (the slopes of ALiBi): ln weight − score, up to
 * a constant; null where the scores alone give the weights.
 */
export function biasOf(weights, scores, seen, divisor) {
  const plain = softmax(scores, seen, divisor);
  if (weights.every((w, j) => Math.abs(w - plain[j]) < 1e-4)) return null;
  return weights.map((w, j) => (seen[j] && w > 0 ? Math.log(w) - scores[j] / divisor : 0));
}

/**
 * All about word i in a head of a layer, from the scene's arrays: the query q; of every word the
 * key, the value, the products and the score; which words it sees; divisor and bias that make
 * scores weights; the weights and z.  Heads share keys and values in groups.  null: no attention.
 */
export function look(scene, layer, head, i, isScaled = true) {
  const { model, n } = scene,
    { heads, kv_heads: groups, head_width: d } = model;
  const group = Math.floor((head * groups) / heads);
  const part = (name, at, of) => {
    const { values, shape } = scene.array(name, layer);
    return values.subarray(at * shape[1] + of * d, at * shape[1] + (of + 1) * d);
  };
  const pattern = scene.rows(layer, head);
  if (!pattern || !scene.array('q_rot', layer)) return null;
  const words = Array.from({ length: n }, (_, j) => j),
    w = Array.from(pattern[i]),
    q = part('q_rot', i, head),
    k = words.map(j => part('k_rot', j, group)),
    terms = k.map(x => products(q, x)),
    scores = terms.map(sum),
    divisor = isScaled ? 1 / model.attention_scale : 1;
  // What comes later is seen where any word looks ahead; what is seen may still have the share 0.
  const ahead = pattern.some((row, a) => row.some((x, b) => b > a && x > 0));
  const free = softmax(
      scores,
      words.map(j => ahead || j <= i),
      divisor,
    ),
    seen = words.map(j => (ahead || j <= i) && (w[j] > 0 || free[j] < 1e-30));
  return {
    i,
    n,
    d,
    group,
    q,
    k,
    terms,
    scores,
    seen,
    divisor,
    w,
    v: words.map(j => part('v', j, group)),
    z: part('z', i, head),
    bias: biasOf(w, scores, seen, divisor),
  };
}

/** The same word's weights if the scores were divided by something else. */
export const lookDivided = (l, divisor) => softmax(l.scores, l.seen, divisor, l.bias);
