// From logits to one token: repetition penalty, temperature, top-k, top-p, draw; over the whole
// vocabulary.
//
// The stages and their order are those of src/generate/sampler.h (Hugging Face's), and the random
// numbers are those of src/base/rng.h: the same seed draws the same token here and in heed.

const MASK = (1n << 64n) - 1n;
const rotate = (x, bits) => ((x << bits) | (x >> (64n - bits))) & MASK;

/** Uniform numbers in [0, 1) from a seed: xoshiro256** seeded by splitmix64. */
export function generator(seed) {
  let state = BigInt(seed) & MASK;
  const splitmix = () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  };
  const s = [splitmix(), splitmix(), splitmix(), splitmix()];
  return () => {
    const result = (rotate((s[1] * 5n) & MASK, 7n) * 9n) & MASK,
      t = (s[1] << 17n) & MASK;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45n);
    return Number(result >> 11n) * 2 ** -53;
  };
}
/** The n-th number (from 1) of a seed. */
export function draw(seed, n) {
  const next = generator(seed);
  let u = 0;
  for (let i = 0; i < n; i++) u = next();
  return u;
}

/** Token ids from the likeliest down, of equals the lower id first. */
export function rank(logits) {
  const ids = Uint32Array.from(logits, (_, i) => i);
  return ids.sort((a, b) => logits[b] - logits[a] || a - b);
}

/** Logits after a repetition penalty r, once a token that occurred: l > 0 ? l / r : l * r. */
export function penalise(logits, history, penalty) {
  if (penalty === 1) return logits;
  const out = Float64Array.from(logits);
  for (const id of new Set(history)) out[id] = out[id] > 0 ? out[id] / penalty : out[id] * penalty;
  return out;
}

/** Shares of the ranked tokens at a temperature > 0; they sum to 1. */
function shares(logits, ranked, temperature) {
  const out = new Float64Array(ranked.length),
    best = logits.reduce((most, x) => Math.max(most, x), -Infinity);
  let total = 0;
  for (let i = 0; i < ranked.length; i++)
    total += out[i] = Math.exp((logits[ranked[i]] - best) / temperature);
  for (let i = 0; i < out.length; i++) out[i] /= total;
  return out;
}

/**
 * Every stage, by rank: model (of `own`, the logits before a penalty), fined (after the penalty),
 * heated (after the temperature), inK (how many pass top-k), afterK (shares among those), kept (how
 * many pass top-p too), total (what they have of afterK).
 * Temperature 0 keeps the likeliest alone.
 */
export function stages(logits, ranked, { T, k, p }, own = logits) {
  const fined = shares(logits, ranked, 1),
    model = own === logits ? fined : shares(own, ranked, 1),
    n = ranked.length;
  if (T === 0) {
    const one = new Float64Array(n);
    one[0] = 1;
    return { model, fined, heated: one, afterK: one, inK: 1, kept: 1, total: 1 };
  }
  const heated = shares(logits, ranked, T),
    inK = k > 0 ? Math.min(k, n) : n;
  let mass = 0;
  for (let i = 0; i < inK; i++) mass += heated[i];
  const afterK = new Float64Array(n);
  for (let i = 0; i < inK; i++) afterK[i] = heated[i] / mass;
  let kept = p < 1 ? 0 : inK,
    total = p < 1 ? 0 : 1;
  for (; p < 1 && kept < inK && (kept === 0 || total < p); kept++) total += afterK[kept];
  return { model, fined, heated, afterK, inK, kept, total };
}
/** Share of a rank among those that are left. */
export const finalShare = (st, i) => (i < st.kept ? st.afterK[i] / st.total : 0);
/** The rank on which a number in [0, 1) falls. */
export function fallsOn(st, u) {
  let sum = 0;
  for (let i = 0; i < st.kept; i++) {
    sum += finalShare(st, i);
    if (u <= sum) return i;
  }
  return st.kept - 1;
}
/** Bits of uncertainty of a list of shares. */
export const entropy = list => list.reduce((sum, x) => (x > 0 ? sum - x * Math.log2(x) : sum), 0);
