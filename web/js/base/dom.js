// Elements, tweens and small tools.  No state of the lab lives here.

const SVG = 'http://www.w3.org/2000/svg';

function fill(el, props, kids) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value == null || value === false) continue;
    if (key.startsWith('on')) el.addEventListener(key.slice(2), value);
    else if (key === 'style')
      for (const [p, x] of Object.entries(value)) el.style.setProperty(p, x);
    else el.setAttribute(key, value === true ? '' : value);
  }
  for (const kid of kids.flat(3)) if (kid != null && kid !== false && kid !== '') el.append(kid);
  return el;
}
/** An HTML element. */
export const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
/** An SVG element. */
export const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);

export const clear = el => {
  el.replaceChildren();
  return el;
};
export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
export const range = n => Array.from({ length: n }, (_, i) => i);

/** Pixels for 16 design pixels: every drawing multiplies by it, so that Present enlarges all. */
export const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
export const cssVar = name =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const isPhone = () => innerWidth <= 760;

/** Handlers that make an SVG mark a button. */
export const press = f => ({
  onclick: f,
  onkeydown: e => {
    if (e.key !== 'Enter' && e.key !== ' ') return;
    e.preventDefault();
    e.stopPropagation();
    f(e);
  },
});

/** True if nothing may move. */
export const still = () =>
  document.documentElement.dataset.motion === 'off' ||
  matchMedia('(prefers-reduced-motion: reduce)').matches;

const ease = u => 1 - (1 - u) ** 3;

/**
 * Numbers that move: draw(values) is called with every state in between of a flat {key: number}.
 * A new target starts from what is on screen, so a movement can be cut short at any time.
 */
export function tween(draw, milliseconds = 250) {
  let now = {},
    frame = 0;
  return (target, jump = false) => {
    cancelAnimationFrame(frame);
    if (jump || still() || !Object.keys(now).length) {
      now = { ...target };
      draw(now);
      return;
    }
    const from = { ...now },
      keys = new Set([...Object.keys(from), ...Object.keys(target)]);
    const began = performance.now();
    const step = time => {
      const u = clamp((time - began) / milliseconds, 0, 1),
        e = ease(u);
      for (const k of keys) {
        const a = from[k] ?? 0;
        now[k] = a + ((target[k] ?? 0) - a) * e;
      }
      if (u === 1) now = { ...target };
      draw(now);
      if (u < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
}

let pen = null;
/** Width of a text in the page's own font. */
export function textWidth(text, px, weight = 400) {
  pen ??= document.createElement('canvas').getContext('2d');
  pen.font = `${weight} ${px}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
/** The text, cut with an ellipsis to fit the room. */
export function cut(text, px, room, weight = 400) {
  if (textWidth(text, px, weight) <= room) return text;
  let letters = [...text];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, px, weight) > room) letters.pop();
  return `${letters.join('')}…`;
}
/** The largest type, up to `most`, in which the text fits the room; never under `least`. */
export function fitType(text, most, least, room) {
  return clamp((most * room) / Math.max(1, textWidth(text, most, 700)), least, most);
}

/** A drag by mouse, pen, finger: move(start, dx, dy, event).  The mark may be redrawn meanwhile. */
export function draggable(el, begin, move) {
  el.addEventListener('pointerdown', e => {
    e.preventDefault();
    el.focus?.({ preventScroll: true });
    const start = begin(e),
      x0 = e.clientX,
      y0 = e.clientY;
    const on = ev => {
      if (ev.pointerId === e.pointerId) move(start, ev.clientX - x0, ev.clientY - y0, ev);
    };
    const off = () => {
      removeEventListener('pointermove', on);
      for (const name of ['pointerup', 'pointercancel']) removeEventListener(name, off);
    };
    addEventListener('pointermove', on);
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, off);
  });
}
