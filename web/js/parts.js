// The parts that every view shares: switches, ladder of layers, strip of heads, words, handles,
// and numbers that tell where they come from.
import { clamp, cssVar, draggable, h, press, range, s, unit } from './base/dom.js';
import { S, set } from './state.js';
import { t } from './words.js';

// ---------------------------------------------------------------- switches and icons
export const seg = (label, options, value, pick) =>
  h(
    'div',
    { class: 'seg', role: 'group', 'aria-label': label },
    options.map(([id, text]) =>
      h('button', { 'aria-pressed': String(id === value), onclick: () => pick(id) }, text),
    ),
  );

export const toggle = ([name, note], on, flip, changed = false) =>
  h(
    'button',
    {
      class: 'swrow',
      role: 'switch',
      'aria-checked': String(on),
      'data-changed': changed,
      onclick: () => flip(!on),
    },
    h('b', {}, name),
    h('small', {}, note),
    h('span', { class: 'knob' }),
  );

export const miniSwitch = (name, on, flip) =>
  h(
    'button',
    { class: 'mini', role: 'switch', 'aria-checked': String(on), onclick: flip },
    h('span', { class: 'knob' }),
    name,
  );

const PATHS = {
  light:
    'M10 6.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6M10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2' +
    'M4 4l1.4 1.4M14.6 14.6 16 16M16 4l-1.4 1.4M5.4 14.6 4 16',
  dark: 'M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z',
  projector:
    'M2.5 6.5h15v8h-15zM12.8 10.5a2.2 2.2 0 1 0-4.4 0 2.2 2.2 0 0 0 4.4 0' +
    'M5 14.5v2M15 14.5v2M5 9h.01',
  present: 'M2.5 4h15v10h-15zM10 14v3.5M6.5 17.5h7M8.5 6.8v4.4l3.6-2.2z',
  left: 'M12.5 4.5 7 10l5.5 5.5',
  right: 'M7.5 4.5 13 10l-5.5 5.5',
  table: 'M3.5 4.5h13v11h-13zM3.5 8.2h13M3.5 11.8h13M8 4.5v11',
  switch: 'M6 5.5h8a3 3 0 0 1 0 6H6a3 3 0 0 1 0-6ZM6 8.5h.01M4 15.5h12',
  origin: 'M10 2.5v5M10 17.5v-4M3 10.5h4.5M17 10.5h-4.5M10 7.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  pen: 'M4 16l.8-3.4L13.6 3.8l2.6 2.6-8.8 8.8zM11.8 5.6l2.6 2.6',
};
export const icon = name =>
  s(
    'svg',
    {
      viewBox: '0 0 20 20',
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 1.5,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      'aria-hidden': 'true',
    },
    s('path', { d: PATHS[name] }),
  );

// ---------------------------------------------------------------- numbers
const tell = from => e => {
  e?.stopPropagation?.();
  set({ origin: from, drawer: 'origin' });
};
/** A number in HTML that tells where it comes from. */
export const figure = (text, from, cls = '') =>
  from
    ? h('button', { class: `figure ${cls}`, onclick: tell(from) }, text)
    : h('span', { class: cls }, text);
/** Text in SVG; with a source it is a number that can be asked. */
export function label(x, y, text, px, { from, ...props } = {}) {
  if (!from) return s('text', { x, y, 'font-size': px, ...props }, text);
  const cls = `${props.class ?? ''} figure`;
  return s(
    'text',
    {
      x,
      y,
      'font-size': px,
      role: 'button',
      tabindex: -1,
      ...props,
      class: cls,
      ...press(tell(from)),
    },
    text,
  );
}

// ---------------------------------------------------------------- layers and heads
// Layers run down, a ladder; heads run across, a strip of pictures: never the same shape.
/** Every how many layers a rung is numbered, so that numbers do not touch. */
const everyNth = layers => (layers > 16 ? 5 : 1);

export function ladder(layers) {
  const el = h('div', { class: 'ladder', role: 'radiogroup', 'aria-label': t('layer') });
  const nth = everyNth(layers);
  const rungs = range(layers).map(l =>
    h(
      'button',
      {
        role: 'radio',
        'aria-label': t('layerN')(l + 1),
        onclick: () => set({ layer: l }),
      },
      h('i'),
      h('span', {}, (l + 1) % nth === 0 || l === 0 ? String(l + 1) : ''),
    ),
  );
  el.append(h('small', {}, t('layer')), ...rungs);
  el.update = () =>
    rungs.forEach((rung, l) => {
      const on = l === S.layer;
      rung.setAttribute('aria-checked', String(on));
      rung.tabIndex = on ? 0 : -1;
      rung.lastChild.textContent = on || (l + 1) % nth === 0 || l === 0 ? String(l + 1) : '';
      rung.toggleAttribute('data-near', nth > 1 && !on && Math.abs(l - S.layer) === 1);
    });
  el.update();
  return el;
}

/** One head as a small picture, always of the raw weights: darkness is weight. */
export function thumb(pen, x, y, size, rows, colour) {
  const n = rows.length,
    cell = size / n;
  pen.fillStyle = colour;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const w = rows[i][j];
      if (!(w >= 0.02)) continue;
      pen.globalAlpha = Math.min(1, w ** 0.7);
      const x0 = Math.round(x + j * cell),
        y0 = Math.round(y + i * cell);
      pen.fillRect(
        x0,
        y0,
        Math.max(1, Math.round(x + (j + 1) * cell) - x0),
        Math.max(1, Math.round(y + (i + 1) * cell) - y0),
      );
    }
  pen.globalAlpha = 1;
}

export const isOff = (layer, head) => S.off.some(([l, k]) => l === layer && k === head);
export const flipHead = (layer, head) =>
  set({
    off: isOff(layer, head)
      ? S.off.filter(([l, k]) => l !== layer || k !== head)
      : [...S.off, [layer, head]],
  });

export function headStrip(scene) {
  const el = h('div', { class: 'strip', role: 'radiogroup', 'aria-label': t('head') });
  const cells = range(scene().model.heads).map(k =>
    h(
      'button',
      {
        role: 'radio',
        'aria-label': t('headN')(k + 1),
        onclick: () => set({ head: k }),
      },
      h('canvas'),
      h('span', {}, String(k + 1)),
    ),
  );
  el.append(...cells);
  el.update = () => {
    const ratio = devicePixelRatio || 1,
      colour = cssVar('--a');
    cells.forEach((b, k) => {
      const canvas = b.firstChild,
        rows = scene().rows(S.layer, k);
      const px = Math.round((canvas.clientWidth || 44 * unit()) * ratio);
      canvas.width = canvas.height = px;
      if (rows) thumb(canvas.getContext('2d'), 0, 0, px, rows, colour);
      b.setAttribute('aria-checked', String(k === S.head));
      b.tabIndex = k === S.head ? 0 : -1;
      b.toggleAttribute('data-off', isOff(S.layer, k));
    });
  };
  return el;
}

// ---------------------------------------------------------------- words and handles in SVG
/** A word: text on its own rule, as in the sentence bar. */
export function chip(x, y, width, height, text, px, { picked = false, dim = false, on = {} } = {}) {
  const cls = `chip${picked ? ' picked' : ''}${dim ? ' dim' : ''}`;
  return s(
    'g',
    {
      class: cls,
      transform: `translate(${x},${y})`,
      role: 'button',
      tabindex: picked ? 0 : -1,
      'aria-label': text,
      'aria-pressed': String(picked),
      ...on,
    },
    s('rect', { class: 'bed', x: -width / 2, y: 0, width, height, rx: 3 * unit() }),
    s('line', { class: 'rule', x1: -width / 2, x2: width / 2, y1: height, y2: height }),
    s(
      'text',
      {
        x: 0,
        y: height / 2 + px * 0.36,
        'text-anchor': 'middle',
        'font-size': px,
        'font-weight': picked ? 700 : 400,
      },
      text,
    ),
  );
}

/** The only dark handle: the value stands on the thing that is dragged. */
export const pill = (x, y, text, u, width) =>
  s(
    'g',
    { class: 'pill' },
    s('rect', { x: x - width / 2, y: y - 11 * u, width, height: 22 * u, rx: 11 * u }),
    s(
      'text',
      { x, y: y + 4.6 * u, 'text-anchor': 'middle', 'font-size': 13 * u, 'font-weight': 700 },
      text,
    ),
  );

/** A slider's scale: from a value to its share of the way, back, and to a neighbour. */
const evenScale = (low, high, step) => {
  const fit = v => +clamp(Math.round(v / step) * step, low, high).toFixed(3);
  return {
    place: v => (v - low) / (high - low),
    back: q => fit(low + q * (high - low)),
    next: (v, d) => fit(v + d * step),
  };
};
/**
 * A slider in SVG between `low` and `high`, in equal steps or on a `scale` of its own; `key` finds
 * it again when it is redrawn.
 */
export function slideBar(spec) {
  const { key, name, x, y, width, value, text, low, high, step, mark, pick, u } = spec;
  const { scale = evenScale(low, high, step), pw = 58 * u } = spec;
  const place = v => x + pw / 2 + scale.place(v) * (width - pw);
  const drop = px => pick(scale.back(clamp((px - x - pw / 2) / (width - pw), 0, 1)));
  const nudge = e => {
    const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!d) return;
    e.stopPropagation();
    e.preventDefault();
    pick(scale.next(value, d));
    refocus(key);
  };
  const at = place(value);
  const g = s(
    'g',
    {
      class: 'slide',
      tabindex: 0,
      role: 'slider',
      'aria-label': name,
      'aria-valuenow': value,
      'aria-valuemin': low,
      'aria-valuemax': high,
      'data-key': key,
      onkeydown: nudge,
    },
    s('line', { class: 'groove', x1: x, x2: x + width, y1: y, y2: y }),
    s('line', { class: 'done', x1: x, x2: at, y1: y, y2: y }),
    mark == null
      ? ''
      : s('line', {
          class: 'tick',
          x1: place(mark),
          x2: place(mark),
          y1: y - 6 * u,
          y2: y + 6 * u,
        }),
    s('rect', { class: 'hit', x: x - 6 * u, y: y - 22 * u, width: width + 12 * u, height: 44 * u }),
    pill(at, y, text, u, pw),
  );
  draggable(
    g,
    e => {
      const left = g.ownerSVGElement.getBoundingClientRect().left;
      const jump = e.clientX - left;
      if (Math.abs(jump - at) > pw / 2) drop(jump);
      return left;
    },
    (left, dx, dy, e) => drop(e.clientX - left),
  );
  return g;
}
/** A redrawn handle gets its focus back. */
export const refocus = key =>
  requestAnimationFrame(() => document.querySelector(`[data-key="${key}"]`)?.focus());

/** Draws anew; what had the focus by its key has it again. */
export function redrawn(svg, draw) {
  const key = svg.contains(document.activeElement) && document.activeElement.dataset.key;
  draw();
  if (key) svg.querySelector(`[data-key="${key}"]`)?.focus({ preventScroll: true });
}

export const hatch = () =>
  s(
    'defs',
    {},
    s(
      'pattern',
      {
        id: 'hatch',
        width: 6,
        height: 6,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      s('line', { x1: 0, x2: 0, y1: 0, y2: 6, class: 'hatchline' }),
    ),
  );
