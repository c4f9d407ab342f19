// The frame: spine, sentence bar, stage, caption, rail and drawer, keys; and the questions to the
// engine.  A view is one file and knows nothing of this one.
import { clamp, clear, h, isPhone, s } from './base/dom.js';
import { S, SWITCHES, differs, keepLink, nChanges, read, set, watch } from './state.js';
import { ask, choices, recorded } from './engine/sources.js';
import { readVocabulary } from './engine/trace.js';
import { pieceLabel, tokenBytes } from './base/pieces.js';
import { Scene } from './scene.js';
import { big, examplesLike, foreignExample, setLanguage, t } from './words.js';
import { icon, seg } from './parts.js';
import { drawer } from './drawer.js';
import * as models from './models.js';
import tokens from './views/tokens.js';
import lines from './views/lines.js';
import qkv from './views/qkv.js';
import wall from './views/wall.js';
import order from './views/order.js';
import lens from './views/lens.js';
import params from './views/params.js';
import cost from './views/cost.js';
import next from './views/next.js';

// A view's number is its place among the twelve of the lab; those that are not there keep theirs.
const VIEWS = [
  [1, tokens],
  [3, lines],
  [4, qkv],
  [5, wall],
  [6, order],
  [7, lens],
  [8, params],
  [9, cost],
  [12, next],
];
const KEYS = '1234567890-=';
const TEXT_MAX = 4000,
  TYPING_MILLISECONDS = 120,
  PROGRESS_MILLISECONDS = 500;
const THEMES = ['light', 'dark', 'projector'],
  DEPTHS = ['feel', 'steps', 'numbers'];

const root = document.documentElement,
  app = document.getElementById('app');
const bar = h('header', { class: 'bar' }),
  spine = h('nav', { class: 'spine' });
const stage = h('main', { class: 'stage' }),
  say = h('section', { class: 'say' });
const rail = h('aside', { class: 'rail' }),
  words = h('p', { 'aria-live': 'polite' });
app.append(spine, bar, stage, say, rail);

const at = () =>
  Math.max(
    0,
    VIEWS.findIndex(([, v]) => v.id === S.view),
  );
const viewNow = () => VIEWS[at()][1];

// ---------------------------------------------------------------- what is known
let live = null; // {view}: what stands on the stage
let scene = null; // of the sentence and the switches
let others = {}; // name -> what the view compares it with: a scene, or the error why there is none
const known = new Map(); // key -> scene: of the sentence and of the others
const pieces = new Map(); // model -> its vocabulary, id -> bytes
let trouble = '',
  progress = '', // of a long computation
  isEditing = false;

const context = {
  scene: () => scene,
  other: name => (others[name] instanceof Scene ? others[name] : null),
  refusal: name => (others[name] instanceof Error ? reasonOf(others[name]) : ''),
  plain: () => context.other('plain'),
  word: id => pieceLabel(pieces.get(scene.of)(id)),
  /** The text of a token in a generation, as it stands between others. */
  piece: step => (step.bytes ? pieceLabel(Uint8Array.from(step.bytes)) : step.text),
  ask: () => t('asks')[S.view],
  text: wholeText,
  switches: () => subjectOf().switches,
  /** Is there a program behind the page that others could ask as well? */
  isServed: () => choices().some(([name, kind]) => name === S.model && kind === 'server'),
  // what a view asked for besides its scene: {trace} or {error}, undefined as long as there is none
  answer: request => answers.get(answerKey(request)),
  forget: requests => {
    for (const r of requests) answers.delete(answerKey(r));
    redraw();
    askMore();
  },
};

/** The switches as a request names them. */
const switchesOf = (sw, off) => {
  const out = {};
  for (const k of Object.keys(SWITCHES)) if (!sw[k]) out[k] = k === 'positions' ? 'none' : false;
  if (off.length) out.heads_off = off;
  return out;
};
/** What a trace is of: the sentence and the switches of the page, but for what is given. */
const subjectOf = ({ text, then, sw, off } = {}) => ({
  text: text ?? S.text,
  then: then ?? (text == null ? S.then : []),
  switches: switchesOf({ ...S.sw, ...sw }, off ?? S.off),
});
const keyOf = subject => JSON.stringify([S.model, subject.text, subject.then, subject.switches]);

/** What the view asks for, of what is known by now. */
const needsOf = (model, tokens) => viewNow().needs({ ...context, model, tokens });

// What views asked for besides their scenes.
const answers = new Map();
const ANSWERS_MAX = 60;
const whole = request => {
  const subject = subjectOf();
  return { ...subject, ...request, switches: { ...subject.switches, ...request.switches } };
};
const answerKey = request => JSON.stringify([S.model, whole(request)]);

/** The question for what the view needs and the scene lacks; null: nothing. */
function question(found, subject, needs) {
  const request = { ...subject };
  let isNeeded = !found;
  for (const tap of needs.taps ?? []) {
    if (found?.has(tap)) continue;
    (request.taps ??= []).push(tap);
    isNeeded = true;
  }
  if (needs.logits && !found?.arrays.has('next_logits')) isNeeded = request.logits = true;
  const watched = needs.lens?.watch ?? [];
  if (needs.lens && (!found?.arrays.has('lens_id') || String(found.watched) !== String(watched))) {
    request.lens = needs.lens;
    isNeeded = true;
  }
  const wish = needs.generate?.find(w => !found?.generation(w)); // one at a time
  if (wish) isNeeded = request.generate = wish;
  if (!pieces.has(S.model)) isNeeded = request.vocabulary = true;
  return isNeeded ? request : null;
}

async function learn(subject, needs) {
  const key = keyOf(subject),
    found = known.get(key),
    request = question(found, subject, needs),
    of = S.model;
  if (!request) return found;
  stage.setAttribute('aria-busy', 'true');
  const trace = await ask(request);
  if (request.vocabulary) pieces.set(of, readVocabulary(trace));
  const result = found ?? Object.assign(new Scene(trace, key), { of });
  result.merge(trace, request.taps, request.generate);
  if (request.lens) result.watched = request.lens.watch ?? [];
  known.set(key, result);
  return result;
}

/** What the view asks for: it may need to know the model and the tokens first. */
async function needed() {
  const own = known.get(keyOf(subjectOf())),
    model = scene?.of === S.model ? scene.model : undefined,
    needs = needsOf(model, own?.tokens);
  if (needs) return needs;
  const found = await learn(subjectOf(), {});
  settle(found.model, found.n);
  return needsOf(found.model, found.tokens);
}

/** The other scenes that a view names; an answer that is refused stands for itself. */
async function learnOthers(list, goesOn) {
  const found = {},
    began = performance.now();
  for (const [i, [name, other]] of list.entries()) {
    if (performance.now() - began > PROGRESS_MILLISECONDS) {
      progress = t('computing')(i + 1, list.length);
      drawAbout();
    }
    found[name] = await learn(subjectOf(other), other).catch(e => {
      if (e.kind === 'gone' || e.name === 'AbortError') throw e;
      return e;
    });
    if (!goesOn()) break;
  }
  progress = '';
  return found;
}

let turn = 0,
  isUntouched = false; // the sentence is the page's own first choice
/** Did the model spell the sentence?  Of letters it makes one token each, of 汉字 several. */
const isSpelt = (found, letters) => found.n > letters * (/[a-z]/.test(S.text) ? 0.6 : 1.6);
/** Asks for what is missing, then draws.  A newer call takes over. */
async function refresh() {
  const own = ++turn;
  try {
    if (await models.ready(drawAbout)) forget();
  } catch (e) {
    return own === turn ? fail(e, 'notOpened') : undefined;
  }
  if (own !== turn) return undefined;
  const letters = [...S.text].length;
  trouble = letters > TEXT_MAX ? t('tooLong')(letters) : letters || S.then.length ? '' : t('empty');
  if (trouble) return drawBar();
  try {
    const needs = await needed();
    const found = await learn(subjectOf(), needs);
    if (own !== turn) return undefined;
    if (isUntouched && isSpelt(found, letters)) {
      isUntouched = false;
      S.text = foreignExample(S.text);
      return refresh();
    }
    isUntouched = false;
    const list = Object.entries(needs.others ?? {});
    if (needs.plain) list.push(['plain', { sw: SWITCHES, off: [], logits: true }]);
    const compared = await learnOthers(list, () => own === turn);
    if (own !== turn) return undefined;
    scene = found;
    others = compared;
    const used = new Set([scene, ...Object.values(others)]);
    for (const [key, x] of known) if (!used.has(x)) known.delete(key);
  } catch (e) {
    if (e.name === 'AbortError' || own !== turn) return undefined;
    return fail(e);
  }
  stage.setAttribute('aria-busy', 'false');
  progress = '';
  show();
  // A view sees what is generated as it comes.
  const isMore = needsOf(scene.model, scene.tokens)?.generate?.some(w => !scene.generation(w));
  return isMore && own === turn ? refresh() : undefined;
}
/** Another model: the scene goes when there is one to follow it. */
function forget() {
  pieces.delete(S.model); // the file of this name may be another one
  known.clear();
  if (recorded()) isUntouched = false;
  keepLink();
}
/** What an error says to the reader. */
function reasonOf(e, otherwise = 'refused') {
  if (e.kind === 'gone') return t('gone');
  return (t('troubles')[e.kind ?? e.name] ?? t(otherwise))(e.message);
}
/** Says what went wrong, beside what can still be shown. */
function fail(e, otherwise) {
  trouble = e.name === 'AbortError' && scene ? '' : reasonOf(e, otherwise);
  progress = '';
  stage.setAttribute('aria-busy', 'false');
  // A recording cannot follow: the view that stands there stays as it was.
  if (e.kind === 'recorded' && live?.view === viewNow()) Object.assign(S, drawn);
  keepLink();
  const needs = scene?.of === S.model && needsOf(scene.model, scene.tokens);
  if (needs && !question(scene, subjectOf(), needs)) return show();
  if (scene) {
    live?.view.leave?.();
    live = null;
    clear(stage).append(h('p', { class: 'absent' }, trouble));
    drawSpine();
    clear(words);
  }
  return drawBar();
}
/** Brings what is picked into the model and the sentence that are there. */
function settle(model, n) {
  if (wantsLast) S.sel = n - 1;
  wantsLast = false;
  if (S.layer < 0) S.layer = Math.floor((model.layers - 1) / 2);
  S.layer = clamp(S.layer, 0, model.layers - 1);
  S.head = clamp(S.head, 0, model.heads - 1);
  S.sel = S.sel < 0 ? n - 1 : clamp(S.sel, 0, n - 1);
  const exists = ([l, k]) => l < model.layers && k < model.heads;
  S.pins = S.pins.filter(exists);
  S.off = S.off.filter(exists);
}
/** What the view reads besides the scene, one question after the other; drawn after each. */
let isAsking = false;
async function askMore() {
  if (isAsking || !scene) return;
  isAsking = true;
  for (;;) {
    const list = needsOf(scene.model, scene.tokens)?.more,
      request = list?.find(r => !answers.has(answerKey(r)));
    if (!request) break;
    const key = answerKey(request),
      ofScene = scene;
    try {
      const trace = await ask(whole(request));
      if (request.taps && !request.switches && !request.text) ofScene.merge(trace);
      answers.set(key, { trace });
    } catch (e) {
      if (e.name === 'AbortError') break;
      answers.set(key, { error: reasonOf(e) });
    }
    if (answers.size > ANSWERS_MAX) answers.delete(answers.keys().next().value);
    redraw();
  }
  isAsking = false;
}
function redraw() {
  if (live?.view !== viewNow()) return;
  live.view.update({ ...S }, false);
  if (S.drawer === 'table') drawRail();
  speak();
}
let drawn = { ...S },
  drawnKey = ''; // what is on the stage
/** Puts the scene on the stage: the view that is there is told what changed, another is put up. */
function show() {
  settle(scene.model, scene.n);
  const before = drawn,
    isNew = drawnKey !== scene.key;
  drawn = { ...S };
  drawnKey = scene.key;
  const isOther =
    !live ||
    live.view !== viewNow() ||
    !!before.drawer !== !!S.drawer ||
    differs(before, 'lang', 'theme', 'depth', 'present');
  drawRail();
  if (isOther) mount();
  else live.view.update(before, isNew);
  if (S.drawer === 'table') drawRail(); // its numbers are the view's
  drawBar();
  drawSpine();
  speak();
  askMore();
}

// ---------------------------------------------------------------- spine
function drawSpine() {
  const logo = s(
    'svg',
    { viewBox: '0 0 60 12', 'aria-hidden': 'true' },
    s('path', { class: 'body', d: 'M50 12C50 1 44 1.8 30 1.8S9 1 9 9' }),
    s('path', { class: 'tip', d: 'M5 7.2h8L9 12z' }),
  );
  const stations = VIEWS.map(([number, v]) =>
    h(
      'li',
      {},
      h(
        'button',
        {
          'aria-current': v.id === S.view ? 'page' : null,
          'data-seen': S.seen.has(v.id),
          onclick: () => set({ view: v.id }),
        },
        h('i', {}, String(number)),
        h('span', {}, t('views')[v.id]),
      ),
    ),
  );
  const other = S.lang === 'zh' ? 'en' : 'zh';
  const turnTheme = THEMES[(THEMES.indexOf(S.theme) + 1) % THEMES.length];
  clear(spine).append(
    h('h1', { class: 'mark' }, logo, 'heed'),
    h('ol', { style: { '--stations': VIEWS.length } }, stations),
    h(
      'div',
      { class: 'foot' },
      seg(
        t('depth'),
        DEPTHS.map(d => [d, t(d)]),
        S.depth,
        depth => set({ depth }),
      ),
      h(
        'div',
        { class: 'row' },
        h(
          'button',
          {
            class: 'plain',
            lang: other === 'zh' ? 'zh-CN' : 'en',
            'aria-label': t('language'),
            onclick: () => set({ lang: other }),
          },
          t('languageShort'),
        ),
        h(
          'button',
          {
            class: 'plain',
            'aria-label': `${t('theme')}: ${t(S.theme)}`,
            title: t(S.theme),
            onclick: () => set({ theme: turnTheme }),
          },
          icon(S.theme),
        ),
        h(
          'button',
          {
            class: 'plain',
            'aria-label': t('present'),
            title: t('present'),
            onclick: () => set({ present: true }),
          },
          icon('present'),
        ),
      ),
    ),
  );
  if (isPhone())
    spine.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
}

// ---------------------------------------------------------------- sentence bar
function drawBar() {
  if (isEditing) {
    drawAbout();
    return;
  }
  const focus = [...bar.querySelectorAll('.tok')].indexOf(document.activeElement);
  const slot = scene && live?.view.slot?.();
  const line = h(
    'div',
    { class: 'text', role: 'group', 'aria-label': t('sentence') },
    (scene?.labels ?? []).map((w, i) =>
      h(
        'button',
        {
          class: 'tok',
          'aria-pressed': String(i === S.sel),
          'data-special': scene.tokens[i].special,
          onclick: () => set({ sel: i }),
        },
        w,
      ),
    ),
    slot == null ? null : h('span', { class: 'tok slot', 'data-full': !!slot }, slot || ' '),
    h(
      'button',
      { class: 'pen', 'aria-label': t('edit'), title: t('edit'), onclick: edit },
      icon('pen'),
    ),
  );
  clear(bar).append(
    h('div', { class: 'about' }),
    h('div', { class: 'lines' }, line),
    h(
      'div',
      { class: 'acts' },
      h('button', { class: 'act', onclick: another }, t('another')),
      h(
        'button',
        {
          class: 'act phonebits',
          'aria-label': t('more'),
          onclick: () => set({ drawer: S.drawer ? '' : 'table' }),
        },
        '⋯',
      ),
      h('button', { class: 'plain leave', onclick: () => set({ present: false }) }, t('leave')),
    ),
  );
  drawAbout();
  if (isPhone()) {
    const on = bar.querySelector('[data-full]') ?? bar.querySelector('[aria-pressed="true"]');
    if (on) line.scrollLeft = on.offsetLeft - line.offsetLeft - line.clientWidth / 2;
  }
  if (focus >= 0) bar.querySelectorAll('.tok')[focus]?.focus();
}
function drawAbout() {
  const about = bar.querySelector('.about'),
    n = nChanges(),
    model = scene?.model;
  if (!about) return;
  const kind = recorded() ? `${t('kindsOfModel').recording} · ` : '';
  const isOpen = scene?.of === S.model;
  const name = isOpen && `${kind}${model.name} · ${t('parameters')(big(model.parameters.total))}`;
  clear(about).append(
    models.modelButton(name || models.shortName() || t('models')),
    models.comingLine() ?? '',
    n
      ? h(
          'span',
          { class: 'flag' },
          t('changed')(n),
          h('button', { onclick: () => set({ sw: { ...SWITCHES }, off: [] }) }, t('restore')),
        )
      : '',
    progress ? h('span', { role: 'status' }, progress) : '',
    trouble ? h('span', { class: 'trouble', role: 'alert' }, trouble) : '',
  );
}
/** The sentence with the tokens that were drawn for it, as text. */
function wholeText() {
  if (!S.then.length || !scene) return S.text;
  const bytes = scene.tokens
    .slice(-S.then.length)
    .flatMap(x => (x.special ? [] : [...tokenBytes(x)]));
  return S.text + new TextDecoder().decode(Uint8Array.from(bytes));
}
/** Typing in place: what is typed goes through the model at once. */
function edit() {
  const old = { text: S.text, then: S.then };
  const box = h('input', { class: 'edit', 'aria-label': t('edit'), value: wholeText() });
  let timer = 0;
  const end = () => {
    clearTimeout(timer);
    if (!isEditing) return;
    isEditing = false;
    if (box.value !== wholeText()) set({ text: box.value, then: [], sel: -1, draws: 0 });
    else drawBar();
  };
  box.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => set({ text: box.value, then: [], sel: -1, draws: 0 }),
      TYPING_MILLISECONDS,
    );
  });
  box.addEventListener('keydown', e => {
    if (e.key === 'Escape') {
      isEditing = false;
      set({ ...old, sel: -1 });
    } else if (e.key === 'Enter' && !e.isComposing) end();
  });
  box.addEventListener('blur', end);
  isEditing = true;
  clear(bar.querySelector('.lines')).append(box);
  box.focus();
  box.select();
}
/** Another model reads the same sentence; what else was picked belongs to the one before. */
function pick(model) {
  isUntouched = examplesLike(S.text).includes(wholeText());
  trouble = '';
  set({ model, text: wholeText(), then: [], sel: -1, draws: 0, pinned: -1, off: [], pins: [] });
}
/** The trace of this sentence with what all views need, as a file that the page opens again. */
async function save() {
  const every = VIEWS.map(([, v]) => v.needs(scene)).filter(Boolean),
    taps = new Map(every.flatMap(needs => needs.taps ?? []).map(x => [JSON.stringify(x), x]));
  const lens = every.find(needs => needs.lens)?.lens;
  const all = { taps: [...taps.values()], logits: true, lens };
  const write = async needs => {
    const { bytes } = await ask({ ...question(null, subjectOf(), needs), vocabulary: true });
    models.saveFile(
      bytes,
      `${[...S.text]
        .slice(0, 40)
        .join('')
        .replace(/[\\/:*?"<>|]/g, '_')}.trace`,
    );
  };
  try {
    await write(all).catch(e => {
      if (e.kind !== 'limit exceeded') throw e;
      return write(viewNow().needs(scene)); // of a long sentence, this view's alone
    });
  } catch (e) {
    fail(e);
  }
}
function another() {
  const list = examplesLike(S.text),
    text = list[(list.indexOf(S.text) + 1) % list.length];
  set({ text, then: [], sel: -1, draws: 0 });
}

// ---------------------------------------------------------------- caption, rail
function drawSay() {
  clear(say).append(
    words,
    h(
      'div',
      { class: 'turn' },
      h('button', { 'aria-label': t('before'), onclick: () => step(-1) }, icon('left')),
      h('button', { 'aria-label': t('after'), onclick: () => step(1) }, icon('right')),
    ),
  );
}
/** A caption is strings and [class, text]; class "pick" is the picked word. */
function speak() {
  const parts = live?.view.caption() ?? [];
  clear(words).append(
    ...parts.map(x => {
      if (typeof x === 'string') return x;
      return x[0] === 'pick' ? h('mark', {}, x[1]) : h('b', { class: x[0] }, x[1]);
    }),
  );
}
function drawRail() {
  const tabs = [
    ['table', 'dTable'],
    ['switch', 'dSwitch'],
    ['origin', 'dOrigin'],
  ];
  app.toggleAttribute('data-drawer', !!S.drawer);
  clear(rail).append(
    S.drawer && scene ? h('div', { class: 'drawer' }, drawer(context, live?.view)) : '',
    h(
      'div',
      { class: 'tabs' },
      tabs.map(([id, key]) =>
        h(
          'button',
          {
            'aria-pressed': String(S.drawer === id),
            onclick: () => set({ drawer: S.drawer === id ? '' : id }),
          },
          icon(id),
          t(key),
        ),
      ),
    ),
  );
}

// ---------------------------------------------------------------- stage
/** → and ←: inside a view first, then to the next. */
function step(d) {
  if (live?.view.step?.(d)) return;
  set({ view: VIEWS[(at() + d + VIEWS.length) % VIEWS.length][1].id });
}
function mount() {
  live?.view.leave?.();
  const view = viewNow();
  S.seen.add(view.id);
  const el = h('section', { class: `view v-${view.id}`, 'aria-label': t('views')[view.id] });
  clear(stage).append(el);
  live = { view };
  view.mount(el, context);
}
function dress() {
  setLanguage(S.lang);
  root.lang = S.lang === 'zh' ? 'zh-CN' : 'en';
  root.dataset.theme = S.theme;
  root.dataset.depth = S.depth;
  root.toggleAttribute('data-present', S.present);
}

let wantsLast = false; // sel: -1 while a scene is up, whose marks may still be moving
watch(before => {
  dress();
  if (S.sel < 0 && scene) {
    wantsLast = true;
    S.sel = before.sel;
  }
  if (differs(before, 'lang')) drawSay();
  refresh();
});

// ---------------------------------------------------------------- keys
const turnIn = (list, value) => list[(list.indexOf(value) + 1) % list.length];
const KEY_ACTIONS = {
  ArrowRight: () => step(1),
  PageDown: () => step(1),
  ArrowLeft: () => step(-1),
  PageUp: () => step(-1),
  ArrowUp: () => set({ layer: clamp(S.layer - 1, 0, scene.model.layers - 1) }),
  ArrowDown: () => set({ layer: clamp(S.layer + 1, 0, scene.model.layers - 1) }),
  '[': () => set({ head: clamp(S.head - 1, 0, scene.model.heads - 1) }),
  ']': () => set({ head: clamp(S.head + 1, 0, scene.model.heads - 1) }),
  ',': () => set({ sel: clamp(S.sel - 1, 0, scene.n - 1) }),
  '.': () => set({ sel: clamp(S.sel + 1, 0, scene.n - 1) }),
  s: () => set({ hideSink: !S.hideSink }),
  d: () => set({ depth: turnIn(DEPTHS, S.depth) }),
  l: () => set({ lang: S.lang === 'zh' ? 'en' : 'zh' }),
  t: () => set({ theme: turnIn(THEMES, S.theme) }),
  p: () => set({ present: !S.present }),
  e: () => edit(),
  m: () => models.chooseModel(),
  Escape: () => set({ present: false, drawer: '' }),
  ' ': () => live?.view.play?.(),
};
addEventListener('keydown', e => {
  if (!scene || e.metaKey || e.ctrlKey || e.altKey || /input|textarea/i.test(e.target.tagName))
    return;
  if (e.target.closest?.('dialog')) return;
  const number = KEYS.indexOf(e.key) + 1,
    found = VIEWS.find(([n]) => n === number);
  const action = found
    ? () => set({ view: found[1].id })
    : KEY_ACTIONS[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (!action || (e.key === ' ' && e.target.tagName === 'BUTTON')) return;
  e.preventDefault();
  action();
});

let width = 0,
  height = 0;
new ResizeObserver(() => {
  const isOther = stage.clientWidth !== width || (!isPhone() && stage.clientHeight !== height);
  width = stage.clientWidth;
  height = stage.clientHeight;
  if (isOther && live) {
    mount();
    speak();
  }
}).observe(stage);

read();
dress();
if (!S.text && !S.then.length) {
  S.text = t('examples')[0];
  isUntouched = true;
}
models.startModels({ pick, save, fail });
drawSpine();
drawSay();
drawRail();
drawBar();
refresh();
