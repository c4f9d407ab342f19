// What a text of n tokens costs: pairs, bytes that are kept, seconds.  Numbers only.

/** Pairs of a word and a word it may look at; a causal model has half of the square. */
export const pairs = (n, isCausal = true) => (isCausal ? (n * (n + 1)) / 2 : n * n);

/** Does word i see word j?  As attention_sees of src/tensor/op_attention.c. */
export const sees = (i, j, window, kept, isCausal = true) =>
  (j <= i || !isCausal) && (j < kept || Math.abs(i - j) < window);

/** Pairs that a window leaves: the words nearer than `window`, and the first `kept`. */
export function pairsInWindow(n, window, kept, isCausal = true) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const low = Math.max(0, i - window + 1),
      high = isCausal ? i : Math.min(n - 1, i + window - 1),
      last = isCausal ? i : n - 1; // that it may see at all
    sum += high - low + 1 + Math.min(kept, low);
    sum += Math.max(0, Math.min(kept - 1, last) - high);
  }
  return sum;
}

/** Bytes of keys and values: two vectors for each layer, head that keeps some, and word. */
export const kvBytes = ({ layers, kvHeads, headWidth, bytes }, n = 1) =>
  2 * layers * kvHeads * headWidth * bytes * n;

/** Shapes of models that are well known, from the configurations published with them. */
export const KNOWN = [
  { name: 'Llama-2-7B', layers: 32, kvHeads: 32, headWidth: 128, bytes: 2 },
  { name: 'Qwen3-8B', layers: 36, kvHeads: 8, headWidth: 128, bytes: 2 },
  { name: 'Llama-3.1-8B', layers: 32, kvHeads: 8, headWidth: 128, bytes: 2 },
  { name: 'GPT-2', layers: 12, kvHeads: 12, headWidth: 64, bytes: 2 },
  { name: 'Llama-3.2-1B', layers: 16, kvHeads: 8, headWidth: 64, bytes: 2 },
];
/** The cache of a loaded model, in F16 as the models above. */
export const ownCache = model => ({
  name: model.name,
  layers: model.mixers.filter(m => m === 'attention').length,
  kvHeads: model.kv_heads,
  headWidth: model.head_width,
  bytes: 2,
});

// ---- time
const mix = (a, b, q) => Math.exp(Math.log(a) + (Math.log(b) - Math.log(a)) * q);

/**
 * Seconds at n words from readings [{n, attention, rest}], n ascending: between two readings along
 * the line that joins them (both axes logarithmic); outside them by formula: attention as the pairs
 * grow, the rest as the words do.
 */
export function secondsAt(readings, n) {
  const i = readings.findIndex(r => r.n >= n),
    a = readings[i - 1],
    b = readings[i];
  if (i > 0) {
    const q = Math.log(n / a.n) / Math.log(b.n / a.n);
    return { attention: mix(a.attention, b.attention, q), rest: mix(a.rest, b.rest, q) };
  }
  const r = i === 0 ? b : readings[readings.length - 1];
  return { attention: (r.attention * pairs(n)) / pairs(r.n), rest: (r.rest * n) / r.n };
}

/** The length at which attention takes as long as all the rest; null: not before `most`. */
export function crossing(readings, most = 1e7) {
  const isPast = n => {
    const { attention, rest } = secondsAt(readings, n);
    return attention >= rest;
  };
  let low = 1,
    high = most;
  if (!readings.length || !isPast(most)) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isPast(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Lengths to measure: each twice the last, as long as the next is expected within `seconds`. */
export function nextLength(readings, { first = 64, most, seconds, least = 3 }) {
  const last = readings[readings.length - 1];
  if (!last) return Math.min(first, most);
  const n = Math.min(2 * last.n, most);
  if (n <= last.n) return 0;
  const { attention, rest } = secondsAt(readings, n);
  return readings.length < least || attention + rest <= seconds ? n : 0;
}

// ---- the length slider: 16 to 100 000, logarithmic, on round numbers
export const LEAST = 16,
  MOST = 100000;
const round = n => {
  const k = 10 ** Math.floor(Math.log10(n)),
    m = n / k,
    parts = m < 2 ? 20 : m < 5 ? 10 : 5;
  return Math.min(MOST, Math.max(LEAST, Math.round((Math.round(m * parts) / parts) * k)));
};
const place = n => Math.log(n / LEAST) / Math.log(MOST / LEAST);
const back = q => round(LEAST * (MOST / LEAST) ** q);
function next(n, d) {
  let q = place(n);
  for (;;) {
    q += d * 0.005;
    const other = back(Math.min(1, Math.max(0, q)));
    if (other !== n || q < 0 || q > 1) return other;
  }
}
export const lengthScale = { place, back, next };
