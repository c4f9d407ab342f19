// 6 - Word order.  Two words change places; two switches make four corners.  In each corner every
// word's vector is compared with the same word's in the other sentence: the first is the filled
// bar, the second the line around it, and where they lie on each other the model cannot tell the
// sentences apart.
import {
  clear,
  cut,
  draggable,
  fitType,
  h,
  isPhone,
  press,
  range,
  s,
  textWidth,
  tween,
  unit,
} from '../base/dom.js';
import { S, set } from '../state.js';
import { difference, exchanged, exchangedText, matched, pairOf, wordsOf } from '../base/match.js';
import { isChinese, pairLike, pct, t, tiny } from '../words.js';
import { source, tapsOf } from '../scene.js';
import { icon, label, pill, refocus } from '../parts.js';

const CORNERS = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
]; // mask, positions
const ROUNDING = 1e-3; // what is less, of vectors of length 1, is called rounding
const SAMPLE = 16; // numbers of a vector that are drawn
const LOWEST = -8; // power of ten at the foot of the curves
const WIDTH_LEAST = 120; // pixels; with less the page is not laid out yet
const TYPING_MILLISECONDS = 300;
let context, ui;

// ---------------------------------------------------------------- the two sentences
/** Which words change places: the link's, if it fits, else the page's choice. */
function swapOf(words) {
  const [i, j] = S.swap.split('-').map(Number);
  return S.swap && words[i]?.isName && words[j]?.isName && i !== j ? [i, j] : pairOf(words);
}
/**
 * The second sentence, as a request names it: the same tokens, two words of them exchanged.  Models
 * that end a text with a token of their own are given the text; null: nothing to exchange.
 */
function second(tokens) {
  if (S.other) return { text: S.other };
  const words = wordsOf(tokens),
    swap = swapOf(words);
  if (!swap) return null;
  if (tokens.at(-1).special) return { text: exchangedText(words, ...swap).trim() };
  const ids = exchanged(words, ...swap).map(i => tokens[i]);
  return { text: '', then: ids.filter(x => !x.special).map(x => x.id) };
}

// ---------------------------------------------------------------- what is compared
const site = layer => ['resid_post', layer];
function vector(scene, layer, token) {
  const a = scene.array(...site(layer)),
    width = a?.shape[1];
  return a && a.values.subarray(token * width, (token + 1) * width);
}
/** Both scenes of a corner, or null where one was refused. */
const both = c => {
  const a = context.other(`a${c}`),
    b = context.other(`b${c}`);
  return a && b ? { a, b } : null;
};
const refusalOf = c => context.refusal(`a${c}`) || context.refusal(`b${c}`);

/** Differences of a corner in a layer: of each word of the first sentence that the second has. */
function differences(c, layer) {
  const pair = both(c);
  return ui.match.map((j, i) => {
    const a = pair && vector(pair.a, layer, i),
      b = j >= 0 && pair && vector(pair.b, layer, j);
    return a && b ? difference(a, b) : NaN;
  });
}
const most = list => Math.max(...list.filter(Number.isFinite));
const hasNumbers = c => ui.apart[c].some(Number.isFinite);
const isSame = c => hasNumbers(c) && most(ui.apart[c]) < ROUNDING;

/** A switch that leaves every number as it is does not apply to this model. */
function isIdle(one, two) {
  const [a, b] = [both(one)?.a, both(two)?.a].map(x => x?.array(...site(S.layer))?.values);
  return !!a && !!b && a.every((x, i) => x === b[i]);
}
function whyIdle(key) {
  const { model } = context.scene(),
    why = t('oWhyNot');
  if (!model.mixers.includes('attention')) return why.order;
  if (key === 'mask' && model.architecture === 'bert') return why.encoder;
  return key === 'positions' && model.positions === 'none' ? why.none : why.other;
}
/** The switches that change nothing here: of mask, positions. */
const idle = () =>
  [
    ['mask', isIdle(0, 2)],
    ['positions', isIdle(0, 1)],
  ].flatMap(([key, is]) => (is ? [key] : []));

/** What is known once a scene: words, places, differences of all layers. */
function compare() {
  const scene = context.scene(),
    first = both(0) ?? [1, 2, 3].map(both).find(Boolean);
  ui.words = wordsOf(scene.tokens);
  ui.swap = S.other ? null : swapOf(ui.words);
  ui.pair = first;
  if (!first) return;
  ui.match = matched(first.a.tokens, first.b.tokens);
  ui.unlike = [ui.match.filter(j => j < 0).length, first.b.n - ui.match.filter(j => j >= 0).length];
  ui.apart = range(4).map(c => differences(c, S.layer));
  const layers = range(scene.model.layers).filter(l => first.a.array(...site(l)));
  ui.focus = focusOf(scene.tokens);
  ui.curve = range(4).map(c =>
    layers.map(l => {
      const pair = both(c),
        a = pair && vector(pair.a, l, ui.focus),
        b = pair && vector(pair.b, l, ui.match[ui.focus]);
      return [l, a && b ? difference(a, b) : NaN];
    }),
  );
  ui.shown = shown();
}
/** The word that is spoken of: the picked one; if that will not do, the first that has moved. */
function focusOf(tokens) {
  const can = i => ui.match[i] >= 0 && !tokens[i].special,
    all = range(tokens.length);
  if (can(S.sel)) return S.sel;
  return Math.max(0, all.find(i => can(i) && ui.match[i] !== i) ?? all.findIndex(can));
}
/** The words that are drawn: the exchanged ones, the picked one, then what stands between. */
function shown() {
  const room = isPhone() ? 3 : 4,
    has = i => ui.match[i] >= 0 && !context.scene().tokens[i].special,
    moved = ui.swap
      ? ui.swap.map(k => ui.words[k].to - 1)
      : range(ui.match.length).filter(i => ui.match[i] !== i);
  const all = range(ui.match.length),
    order = [ui.focus, ...moved.slice(0, 2), ...all.filter(i => i > Math.min(...moved)), ...all];
  return [...new Set(order)]
    .filter(has)
    .slice(0, room)
    .sort((a, b) => a - b);
}

// ---------------------------------------------------------------- a corner
function vectorPicture(box, m, { c, k, x, width, mid, room, u }) {
  const step = width / SAMPLE;
  let line = '';
  box.append(s('line', { class: 'zeroline', x1: x, x2: x + width, y1: mid, y2: mid }));
  for (let i = 0; i < SAMPLE; i++) {
    const a = (m[`a${c}.${k}.${i}`] ?? 0) * room,
      b = (m[`b${c}.${k}.${i}`] ?? 0) * room;
    box.append(
      s('rect', {
        class: 'va',
        x: x + i * step + 0.5,
        y: Math.min(mid, mid - a),
        width: Math.max(0.5, step - 1),
        height: Math.abs(a),
      }),
    );
    line += `${i ? 'V' : `M${x},`}${i ? mid - b : `${mid}V${mid - b}`}H${x + (i + 1) * step}`;
  }
  box.append(s('path', { class: 'vb', d: `${line}V${mid}`, 'stroke-width': 1.5 * u }));
}
const from = (c, i, value) => source('resid_post', S.layer, [i], value, 'difference', `a${c}`);

function wordOf(box, m, place, i, k) {
  const { c, x, top, bottom, width, u } = place,
    { labels } = context.scene(),
    isFocus = i === ui.focus,
    value = ui.apart[c][i],
    rowHeight = 26 * u;
  const px = fitType(labels[i], 19 * u, 9 * u, width - 6 * u),
    name = cut(labels[i], px, width, 700),
    barY = bottom - 8 * u,
    numberY = barY - 7 * u;
  if (isFocus)
    box.append(
      s('rect', {
        class: 'pickbed',
        x: x - 3 * u,
        y: top,
        width: Math.min(textWidth(name, px, 700) + 10 * u, width + 6 * u),
        height: rowHeight,
        rx: 3 * u,
      }),
    );
  box.append(
    label(x + 2 * u, top + rowHeight / 2 + px * 0.36, name, px, {
      class: isFocus ? 'onpick' : '',
      'font-weight': isFocus ? 700 : 400,
    }),
  );
  const low = S.depth === 'feel' ? barY - 6 * u : numberY - 18 * u,
    high = top + rowHeight + 2 * u;
  vectorPicture(box, m, { c, k, x, width, mid: (high + low) / 2, room: (low - high) / 2, u });
  box.append(
    s('rect', { class: 'track2', x, y: barY, width, height: 7 * u }),
    s('rect', {
      class: 'pb',
      x,
      y: barY,
      width: (width * Math.min(m[`d${c}.${k}`] ?? 0, ui.scale)) / ui.scale,
      height: 7 * u,
    }),
  );
  if (S.depth === 'feel') return;
  const text = tiny(value);
  box.append(
    label(x, numberY, text, fitType(text, 15 * u, 9 * u, width + 2 * u), {
      'font-weight': isFocus ? 700 : 400,
      from: from(c, i, value),
    }),
  );
}
function corner(g, m, c, [x, y, width, height], u, phone) {
  const [mask, positions] = CORNERS[c],
    isHere = S.sw.causal_mask === mask && S.sw.positions === positions,
    isNil = both(c) && isSame(c),
    pad = (phone ? 10 : 16) * u;
  const choose = () => set({ sw: { ...S.sw, causal_mask: mask, positions } });
  const box = s(
    'g',
    {
      class: `corner${isHere ? ' here' : ''}${isNil ? ' nil' : ''}`,
      role: 'radio',
      tabindex: isHere ? 0 : -1,
      'aria-checked': String(isHere),
      'aria-label': `${t('oMask')[mask ? 0 : 1]}, ${t('oPositions')[positions ? 0 : 1]}`,
      ...press(choose),
    },
    s('rect', { class: 'bed', x, y, width, height, rx: 8 * u }),
  );
  g.append(box);
  if (!both(c)) {
    const text = t('oRefused')(refusalOf(c));
    box.append(label(x + pad, y + 24 * u, cut(text, 13 * u, width - 2 * pad), 13 * u));
    return;
  }
  verdict(box, c, { x: x + pad, y: y + 21 * u, room: width - 2 * pad, isNil, u });
  const n = ui.shown.length,
    gap = (phone ? 8 : 14) * u,
    column = (width - 2 * pad + gap) / n;
  ui.shown.forEach((i, k) =>
    wordOf(
      box,
      m,
      {
        ...{ c, u, x: x + pad + k * column, width: column - gap },
        ...{ top: y + 28 * u, bottom: y + height - 12 * u },
      },
      i,
      k,
    ),
  );
}
/** In words: can the model tell; and with a mask, how many words stand before the picked one. */
function verdict(box, c, { x, y, room, isNil, u }) {
  const px = 12.5 * u,
    same = ui.unlike.some(Boolean) ? 'oZero' : 'oSame',
    words = t(!hasNumbers(c) ? 'overflow' : isNil ? same : 'oTell'),
    size = fitType(words, px, 9 * u, room);
  box.append(
    label(x, y, cut(words, size, room, 700), size, {
      class: isNil ? '' : 'quiet',
      'font-weight': isNil ? 700 : 400,
    }),
  );
  const seen = t('oSees')(ui.focus, ui.match[ui.focus]),
    { mask, positions } = tellers(CORNERS[c]),
    isMoved = ui.focus !== ui.match[ui.focus],
    isLeak = mask && !positions && isMoved && S.depth !== 'feel';
  if (isLeak && textWidth(seen, 12 * u) + textWidth(words, size) < room - 12 * u)
    box.append(label(x + room, y, seen, 12 * u, { class: 'quiet', 'text-anchor': 'end' }));
}

// ---------------------------------------------------------------- curves over the layers
const LINES = ['both', 'mask', 'positions', 'nothing'];
function curves(g, [X, Y, W, H], u) {
  const layers = context.scene().model.layers,
    left = X + 34 * u,
    right = X + W - 6 * u,
    top = Y + 58 * u,
    base = Y + H - 112 * u;
  const x = l => (layers > 1 ? left + (l / (layers - 1)) * (right - left) : (left + right) / 2),
    y = v =>
      base - ((Math.max(LOWEST, Math.log10(Math.max(v, 1e-30))) - LOWEST) / -LOWEST) * (base - top);
  g.append(label(X, Y + 14 * u, t('oLayers'), 13.5 * u, { 'font-weight': 700 }));
  for (const power of [0, -2, -4, -6, -8])
    g.append(
      s('line', { class: 'grid2', x1: left, x2: right, y1: y(10 ** power), y2: y(10 ** power) }),
      label(
        left - 6 * u,
        y(10 ** power) + 4 * u,
        power ? `10⁻${'⁰¹²³⁴⁵⁶⁷⁸'[-power]}` : '1',
        12 * u,
        {
          class: 'quiet',
          'text-anchor': 'end',
        },
      ),
    );
  for (const c of [0, 1, 2, 3]) {
    const points = ui.curve[c].filter(([, v]) => Number.isFinite(v));
    const d = points.map(([l, v]) => `${x(l).toFixed(1)},${y(v).toFixed(1)}`).join('L');
    if (!d) continue;
    if (c === 3) g.append(s('path', { class: 'line nothing casing', d: `M${d}` }));
    g.append(s('path', { class: `line ${LINES[c]}`, d: `M${d}` }));
  }
  handle(g, { x, y, top, base, X, W, layers, u });
  key(g, [X, base + 34 * u, W], u);
}
/** The layer, dragged along the axis. */
function handle(g, { x, y, top, base, X, W, layers, u }) {
  const at = x(S.layer);
  const to = e => {
    const box = ui.svg.getBoundingClientRect(),
      step = layers > 1 ? x(1) - x(0) : 1,
      l = Math.round((e.clientX - box.left - x(0)) / step);
    if (l !== S.layer && l >= 0 && l < layers) set({ layer: l });
  };
  const nudge = e => {
    const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!d) return;
    e.stopPropagation();
    e.preventDefault();
    set({ layer: Math.max(0, Math.min(layers - 1, S.layer + d)) });
    refocus('orderlayer');
  };
  const text = t('layerN')(S.layer + 1),
    width = textWidth(text, 13 * u, 700) + 22 * u,
    px = Math.max(X + width / 2, Math.min(X + W - width / 2, at));
  const group = s(
    'g',
    {
      class: 'cutter',
      tabindex: 0,
      role: 'slider',
      'aria-label': t('layer'),
      'aria-valuenow': S.layer + 1,
      'aria-valuemin': 1,
      'aria-valuemax': layers,
      'data-key': 'orderlayer',
      onkeydown: nudge,
    },
    s('line', { x1: at, x2: at, y1: top - 8 * u, y2: base }),
    range(4).map(c => {
      const value = ui.apart[c][ui.focus];
      return Number.isFinite(value)
        ? s('circle', { class: `dot ${LINES[c]}`, cx: at, cy: y(value), r: 4 * u })
        : '';
    }),
    s('rect', { class: 'hit', x: X, y: top - 36 * u, width: W, height: base - top + 44 * u }),
    pill(px, top - 20 * u, text, u, width),
  );
  draggable(
    group,
    e => to(e),
    (start, dx, dy, e) => to(e),
  );
  g.append(group);
}
function key(g, [X, Y, W], u) {
  CORNERS.forEach(([mask, positions], c) => {
    const y = Y + c * 20 * u,
      name = `${t('oMask')[mask ? 0 : 1]}, ${t('oPositions')[positions ? 0 : 1]}`,
      value = ui.apart[c][ui.focus];
    const line = cls => s('path', { class: `line ${cls}`, d: `M${X},${y - 4 * u}H${X + 22 * u}` });
    if (c === 3) g.append(line('nothing casing'));
    const px = fitType(name, 12.5 * u, 9 * u, W - 90 * u);
    g.append(
      line(LINES[c]),
      label(X + 30 * u, y, isChinese() ? name.replace(', ', '，') : name, px),
      S.depth === 'feel'
        ? ''
        : label(X + W, y, tiny(value), 12.5 * u, {
            'text-anchor': 'end',
            'font-weight': 700,
            from: from(c, ui.focus, value),
          }),
    );
  });
}

// ---------------------------------------------------------------- the view
function draw(m) {
  if (!ui?.pair || ui.W < WIDTH_LEAST) return;
  const { W, H } = ui,
    u = unit(),
    phone = isPhone(),
    g = clear(ui.g),
    beside = phone || W < 760 * u ? 0 : 256 * u;
  const named = (phone ? 0 : 26) * u,
    GW = W - (beside ? beside + 32 * u : 0),
    top = 24 * u,
    gap = (phone ? 8 : 12) * u,
    cw = (GW - named - gap) / 2,
    ch = phone ? 176 * u : (H - top - gap - 24 * u) / 2;
  const rowTop = r => top + r * (ch + gap + (phone ? 22 * u : 0)) + (phone ? 18 * u : 0);
  t('oPositions').forEach((text, i) =>
    g.append(
      label(named + i * (cw + gap) + cw / 2, 15 * u, text, 14 * u, {
        'text-anchor': 'middle',
        'font-weight': 700,
      }),
    ),
  );
  t('oMask').forEach((text, r) =>
    g.append(
      phone
        ? label(0, rowTop(r) - 6 * u, text, 13 * u, { 'font-weight': 700 })
        : s(
            'text',
            {
              'font-size': 14 * u,
              'font-weight': 700,
              'text-anchor': 'middle',
              transform: `translate(${14 * u},${rowTop(r) + ch / 2}) rotate(-90)`,
            },
            text,
          ),
    ),
  );
  CORNERS.forEach(([mask, positions], c) =>
    corner(
      g,
      m,
      c,
      [named + (positions ? 0 : 1) * (cw + gap), rowTop(mask ? 0 : 1), cw, ch],
      u,
      phone,
    ),
  );
  const foot = phone ? rowTop(1) + ch + 20 * u : H - 3 * u;
  legend(g, named, foot, GW, u);
  if (beside) curves(g, [W - beside, 0, beside, H], u);
  else if (phone) curves(g, [0, foot + 30 * u, W, 330 * u], u);
}
function legend(g, x, y, end, u) {
  let at = x;
  for (const [cls, text] of [
    ['va', t('oFirst')],
    ['vb', t('oSecond')],
  ]) {
    const size = { x: at, y: y - 10 * u, width: 12 * u, height: 12 * u };
    g.append(s('rect', { class: `${cls} key`, ...size }), label(at + 18 * u, y, text, 12.5 * u));
    at += 34 * u + textWidth(text, 12.5 * u);
  }
  const { width } = context.scene().model,
    sample = t('oSample')(Math.min(SAMPLE, width), width),
    scale = t('oScale')(ui.scale);
  if (at + textWidth(sample + scale, 12 * u) + 40 * u < end)
    g.append(label(at, y, sample, 12 * u, { class: 'quiet' }));
  if (at + textWidth(scale, 12 * u) < end)
    g.append(label(end, y, scale, 12 * u, { class: 'quiet', 'text-anchor': 'end' }));
}

/** Flat numbers of all corners: differences, and a sample of both vectors on one scale. */
function target() {
  const m = {};
  CORNERS.forEach((_, c) =>
    ui.shown.forEach((i, k) => {
      const pair = both(c),
        a = pair && vector(pair.a, S.layer, i),
        b = pair && vector(pair.b, S.layer, ui.match[i]);
      if (!a || !b) return;
      m[`d${c}.${k}`] = ui.apart[c][i] || 0;
      const every = a.length / SAMPLE,
        places = range(SAMPLE).map(x => Math.floor(x * every));
      const peak = Math.max(1e-30, ...places.flatMap(p => [Math.abs(a[p]), Math.abs(b[p])]));
      places.forEach((p, x) => {
        m[`a${c}.${k}.${x}`] = a[p] / peak || 0;
        m[`b${c}.${k}.${x}`] = b[p] / peak || 0;
      });
    }),
  );
  return m;
}

/** The second sentence: its words are buttons, two of which change places; or it is typed. */
function secondLine() {
  const isUnlike = !!ui.pair && ui.unlike.some(Boolean);
  ui.unlikeNote.textContent = isUnlike ? t('oUnlike')(...ui.unlike) : '';
  if (ui.isTyping) return;
  const line = clear(ui.line),
    { b } = ui.pair ?? {};
  line.append(h('span', { class: 'which' }, t('oSecond')));
  if (S.other) {
    const box = typed();
    line.append(box);
    if (ui.wantsFocus) box.focus();
    ui.wantsFocus = false;
    const back = () => set({ other: '' });
    line.append(h('button', { class: 'act', onclick: back }, t('oBack')));
  } else if (b && ui.swap) {
    const order = range(ui.words.length),
      [i, j] = ui.swap,
      { labels } = context.scene();
    [order[i], order[j]] = [j, i];
    line.append(
      h(
        'div',
        { class: 'text', role: 'group', 'aria-label': t('oSwapHint') },
        order.map(k => wordButton(k, labels)),
      ),
    );
  }
  if (!S.other) {
    const own = () => {
      set({ other: context.text() });
      ui.wantsFocus = true;
    };
    line.append(
      h(
        'button',
        { class: 'pen', 'aria-label': t('oOwn'), title: t('oOwn'), onclick: own },
        icon('pen'),
      ),
    );
  }
  if (ui.swap) line.append(h('small', {}, t('oSwapHint')));
  line.append(ui.unlikeNote);
}
function wordButton(k, labels) {
  const { from: start, to, isName } = ui.words[k],
    isMoved = ui.swap.includes(k);
  const choose = () => {
    if (!isMoved) set({ swap: [ui.swap[1], k].join('-') });
  };
  const text = labels.slice(start, to).join('');
  return h(
    'button',
    { class: 'tok', 'data-moved': isMoved, disabled: !isName, onclick: choose },
    text.replace(/([^₁-₉])[₁-₉](\1[₁-₉])+/gu, '$1'),
  );
}
function typed() {
  const box = h('input', { class: 'edit', 'aria-label': t('oOwn'), value: S.other });
  let timer = 0;
  box.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => set({ other: box.value || ' ' }), TYPING_MILLISECONDS);
  });
  box.addEventListener('focus', () => (ui.isTyping = true));
  box.addEventListener('blur', () => (ui.isTyping = false));
  return box;
}
function notes() {
  const keys = idle(),
    all = keys.length > 1 ? ['both'] : keys,
    parts = all.map(key => t('oNoEffect')[key] + whyIdle(key));
  clear(ui.note).append(...parts);
  ui.note.hidden = !parts.length;
}
function fit(jump) {
  compare();
  const sentence = pairLike(S.text),
    prepared = () => set({ text: sentence, then: [], sel: -1, draws: 0 });
  clear(ui.head).append(
    h('h2', {}, context.ask()),
    h('span', { class: 'gap' }),
    S.text === sentence
      ? ''
      : h('button', { class: 'act', onclick: prepared }, t('oPrepared')(sentence)),
  );
  secondLine();
  notes();
  clear(ui.g);
  if (!ui.pair) {
    return;
  }
  ui.scale = Math.max(1, Math.ceil(2 * most(ui.apart.flat())) / 2);
  const box = ui.svg.getBoundingClientRect();
  ui.W = box.width;
  ui.H = box.height;
  ui.run(target(), jump);
}

export default {
  id: 'order',
  needs({ model, tokens }) {
    if (!model || !tokens) return null;
    const b = second(tokens),
      taps = tapsOf(['resid_post'], model, tokens.length, S.layer),
      others = {};
    if (!b) return { taps };
    CORNERS.forEach(([causal_mask, positions], c) => {
      const sw = { causal_mask, positions };
      others[`a${c}`] = { sw, taps };
      others[`b${c}`] = { ...b, sw, taps };
    });
    return { taps, others };
  },
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'orderpic', role: 'group', 'aria-label': context.ask() }, g);
    ui = { el, g, svg, run: tween(draw) };
    ui.head = h('header', { class: 'head' });
    ui.line = h('div', { class: 'secondline' });
    ui.unlikeNote = h('small', { class: 'unlike', 'aria-live': 'polite' });
    ui.note = h('p', { class: 'ordernote', hidden: true });
    el.append(ui.head, ui.line, ui.note, h('div', { class: 'orderbox' }, svg));
    fit(true);
  },
  update: () => fit(false),
  play() {
    const here = CORNERS.findIndex(
      ([mask, positions]) => mask === S.sw.causal_mask && positions === S.sw.positions,
    );
    const [causal_mask, positions] = CORNERS[(here + 1) % 4];
    set({ sw: { ...S.sw, causal_mask, positions } });
  },
  table() {
    if (!ui.pair) return null;
    const { labels } = context.scene();
    return {
      lead: `${t('layerN')(S.layer + 1)} · ${t('how').difference}`,
      head: [t('thWord'), ...t('oShort')],
      rows: range(ui.match.length)
        .filter(i => ui.match[i] >= 0)
        .map(i => [
          labels[i],
          ...CORNERS.map((_, c) => [tiny(ui.apart[c][i]), from(c, i, ui.apart[c][i])]),
        ]),
    };
  },
  caption() {
    const why = range(4).map(refusalOf).find(Boolean);
    if (!ui.pair) return [why ? t('oRefused')(why) : t('oNoPair')];
    return caption();
  },
};

// ---------------------------------------------------------------- caption
/** What in this corner can tell the order: a switch that is on and does something. */
function tellers([mask, positions]) {
  const idlers = idle();
  return {
    mask: mask && !idlers.includes('mask'),
    positions: positions && !idlers.includes('positions'),
    reads: !context.scene().model.mixers.includes('attention'),
  };
}
function caption() {
  const { causal_mask, positions } = S.sw,
    c = CORNERS.findIndex(([a, b]) => a === causal_mask && b === positions),
    place = [ui.focus, ui.match[ui.focus]];
  if (!both(c)) return [t('oRefused')(refusalOf(c))];
  if (!hasNumbers(c)) return [t('overflow')];
  const value = ui.apart[c][ui.focus],
    facts = { value, place, me: ['pick', context.scene().labels[ui.focus]] };
  const tell = tellers(CORNERS[c]);
  if (isSame(c)) return captionSame(c, tell, facts);
  if (value < ROUNDING) return captionBlind(tell, facts);
  const isLeak = tell.mask && !tell.positions && !ui.unlike.some(Boolean);
  return isLeak ? captionMask(facts) : captionMoved(tell, facts);
}
function captionSame(c, { mask, positions }, { me }) {
  const worst = tiny(most(ui.apart[c])),
    isBare = !mask && !positions,
    isExact = worst === '0';
  if (isChinese())
    return [
      isBare ? '没有遮罩，也没有位置：' : '在这一层，',
      me,
      ' 和每个词在两句里',
      ['', '一样'],
      `，最多差 ${worst}${isExact ? '' : '，是舍入'}`,
      isBare ? '；谁先谁后，模型分不出。' : '。',
    ];
  return [
    isBare ? 'Without mask and positions ' : 'In this layer ',
    me,
    ' and every word are ',
    ['', 'the same'],
    ` in both: ${worst} apart at most${isExact ? '' : ', rounding'}.`,
    isBare ? ' The model cannot tell the order.' : '',
  ];
}
/** The picked word saw the same words in both sentences. */
function captionBlind({ mask }, { me, value, place: [before, after] }) {
  const by = tiny(value);
  if (mask && before === 0 && after === 0)
    return isChinese()
      ? [me, ` 站在最前，遮罩让它只看得见自己：差 ${by}。看看换位的词。`]
      : [me, ` comes first and sees only itself: ${by} apart. Look at the exchanged words.`];
  return isChinese()
    ? [me, ` 到这一层为止看见的，两句里一样：差 ${by}，只是舍入。看看换位的词，或往上几层。`]
    : [
        me,
        ` has seen the same in both up to this layer: ${by} apart, rounding. `,
        'Look at the exchanged words, or further up.',
      ];
}
/** How far a word has moved: in shares of its length, or in words. */
const moves = value => {
  const text = pct(value);
  if (isChinese())
    return S.depth === 'feel' ? ['变了', ['', '许多']] : ['变了自身长度的 ', ['', text]];
  return S.depth === 'feel'
    ? ['moves ', ['', 'a long way']]
    : ['moves by ', ['', text], ' of its length'];
};
/** Without positions the mask alone tells the order: by how many words each one sees. */
function captionMask({ me, value, place: [before, after] }) {
  const isMoved = before !== after;
  if (isChinese())
    return [
      '没有位置，',
      me,
      ' 的向量仍然',
      ...moves(value),
      isMoved
        ? `：它前面原来有 ${before} 个词，换后 ${after} 个，`
        : '：它前面的词各自看见的不一样，',
      '遮罩自己就透露了先后。',
    ];
  return [
    'Without positions ',
    me,
    ' still ',
    ...moves(value),
    isMoved
      ? `: it saw ${before} word${before === 1 ? '' : 's'} before it, now ${after}; `
      : ': the words before it each saw other words; ',
    'the mask gives the order away.',
  ];
}
function captionMoved({ mask, positions, reads }, { me, value }) {
  const isOwn = !!S.other;
  const why = (zh, en) => (isChinese() ? `；${zh}。` : `; ${en}.`);
  let end = why('这里只有位置在说谁先谁后', 'here only the positions tell the order');
  if (reads) end = why('它按顺序读，先后自然知道', 'it reads in order, and so knows it');
  else if (isOwn && ui.unlike.some(Boolean))
    end = why('不过两句的词元不全一样', 'but not all their tokens are the same');
  else if (mask && positions)
    end = why('位置和遮罩都在说谁先谁后', 'positions and mask both tell the order');
  else if (!positions)
    end = why(
      '两样都拆了还有差别：词不全一样，或有窗口、有按顺序读的层',
      'and neither is there: other words, a window, or layers that read in order',
    );
  if (isChinese())
    return [isOwn ? '两句之间，' : '两个词换了位，', me, ' 的向量', ...moves(value), end];
  return [
    isOwn ? 'Between the sentences ' : 'Two words change places, and ',
    me,
    ' ',
    ...moves(value),
    end,
  ];
}
