// What the lab knows.  One flat object; every change goes through set(); the link in the address
// bar is this object, so that it opens the same view again.

export const SWITCHES = {
  scale: true,
  causal_mask: true,
  positions: true,
  residual: true,
  norm: true,
};

export const S = {
  view: 'lines',
  model: '', // '': the first that is there
  lang: navigator.language?.startsWith('zh') ? 'zh' : 'en',
  theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  depth: 'steps',
  present: false,
  drawer: '',
  origin: null,
  text: '',
  then: [], // the sentence, and tokens that were drawn for it
  sel: -1,
  layer: -1,
  head: 0, // -1: the last token, the middle layer
  dir: 'out',
  hideSink: true,
  kind: '',
  pins: [], // pins: [layer, head] of the wall's two cards
  sw: { ...SWITCHES },
  off: [], // off: [layer, head] that are switched off
  pinned: -1, // token whose probability the lens follows
  beat: 1, // of the four in which attention is shown
  divisor: 0, // that the scores are divided by in thought; 0: the model's own
  swap: '', // "i-j": words of the sentence that change places; '': the page chooses
  other: '', // a second sentence that was typed, instead
  way: 'step', // of view 12: one step, paths, two temperatures, the largest again and again
  runs: 10, // at each of the two temperatures
  rep: 1, // repetition penalty
  T: 1,
  k: 0,
  p: 1,
  seed: 42,
  draws: 0,
  ctab: 'pairs',
  len: 10000,
  win: 4,
  kept: 1, // ctab, len, win, kept: what the cost view shows
  cached: 'on',
  ptab: 'map',
  pm: '', // ptab, pm: what the parameter map shows; pm: the model that is only supposed
  seen: new Set(),
};

const listeners = new Set();
export const watch = f => listeners.add(f);
/** Brings the link up to date. */
export const keepLink = () => history.replaceState(null, '', `#${link()}`);
export function set(patch) {
  const before = { ...S };
  if ('text' in patch && patch.text !== S.text) Object.assign(S, { swap: '', other: '' });
  Object.assign(S, patch);
  keepLink();
  for (const f of listeners) f(before);
}
/** True if one of these fields has changed. */
export const differs = (before, ...keys) => keys.some(k => before[k] !== S[k]);
export const nChanges = () => S.off.length + Object.keys(SWITCHES).filter(k => !S.sw[k]).length;

const LINKED = {
  v: 'view',
  m: 'model',
  lang: 'lang',
  theme: 'theme',
  depth: 'depth',
  dr: 'drawer',
  t: 'text',
  sel: 'sel',
  L: 'layer',
  H: 'head',
  dir: 'dir',
  kind: 'kind',
  pin: 'pinned',
  beat: 'beat',
  div: 'divisor',
  swap: 'swap',
  o: 'other',
  way: 'way',
  rep: 'rep',
  T: 'T',
  k: 'k',
  p: 'p',
  seed: 'seed',
  n: 'draws',
  c: 'ctab',
  len: 'len',
  win: 'win',
  kept: 'kept',
  cached: 'cached',
  pt: 'ptab',
  pm: 'pm',
};
const pairs = list => list.map(x => x.join('-')).join('.');
const readPairs = text =>
  (text ?? '')
    .split('.')
    .filter(Boolean)
    .map(x => x.split('-').map(Number));

function link() {
  const q = new URLSearchParams();
  for (const [key, field] of Object.entries(LINKED)) if (S[field] !== '') q.set(key, S[field]);
  const off = Object.keys(SWITCHES).filter(k => !S.sw[k]);
  if (off.length) q.set('off', off.join('.'));
  if (S.off.length) q.set('heads', pairs(S.off));
  if (S.pins.length) q.set('pins', pairs(S.pins));
  if (S.then.length) q.set('then', S.then.join('.'));
  if (!S.hideSink) q.set('sink', 1);
  if (S.present) q.set('present', 1);
  return q;
}
/** Takes over what the link says; what it leaves out stays. */
export function read() {
  const q = new URLSearchParams(location.hash.slice(1));
  for (const [key, field] of Object.entries(LINKED)) {
    if (!q.has(key)) continue;
    const value = q.get(key),
      number = Number(value);
    if (typeof S[field] !== 'number') S[field] = value;
    else if (Number.isFinite(number)) S[field] = number;
  }
  for (const k of (q.get('off') ?? '').split('.'))
    if (k in SWITCHES) S.sw = { ...S.sw, [k]: false };
  S.off = readPairs(q.get('heads'));
  S.pins = readPairs(q.get('pins'));
  S.then = (q.get('then') ?? '').split('.').filter(Boolean).map(Number);
  S.hideSink = q.get('sink') !== '1';
  S.present = q.get('present') === '1';
}
