// Small parts that the five pictures of the cost view share.
import { cut, s } from '../../base/dom.js';
import { LEAST, MOST, lengthScale } from '../../base/cost.js';
import { S, set } from '../../state.js';
import { count, isChinese, t } from '../../words.js';
import { label, slideBar } from '../../parts.js';

export const columnHead = (x, y, text, u) =>
  label(x, y, text, 14 * u, { class: 'colhead', 'font-weight': 700 });

/** Does a word see those before it only? */
export const isCausal = context =>
  S.sw.causal_mask && context.scene().model.architecture !== 'bert';

/** What was refused, of these questions; or undefined. */
export const troubleOf = (requests, context) =>
  requests.map(r => context.answer(r)).find(a => a?.error)?.error;

/** Large models are measured at shorter lengths and less often, so that nobody waits. */
export const isLarge = context => context.scene().model.parameters.total >= 5e7;
export const repeats = context => (isLarge(context) ? 2 : 9);

/** 10 000 as a label of an axis. */
export function short(n) {
  if (isChinese()) return n >= 10000 ? `${+(n / 10000).toPrecision(3)}\u00a0万` : String(n);
  return n >= 1000 ? `${+(n / 1000).toPrecision(3)}k` : String(n);
}

export const lengthBar = (x, y, width, u) =>
  slideBar({
    key: 'len',
    name: t('cLen'),
    x,
    y,
    width,
    value: S.len,
    text: t('cWords')(count(S.len)),
    low: LEAST,
    high: MOST,
    scale: lengthScale,
    pw: 108 * u,
    u,
    pick: len => set({ len }),
  });

/** A word at the left of a row, or the number of words that stand there together. */
export const rowWord = (text, x, y, px, room, props = {}) =>
  label(x, y, cut(text, px, room, 700), px, { 'text-anchor': 'end', ...props });

/** How far the model is with its answers; and what it refused. */
export function waiting(g, x, y, requests, context, u) {
  const done = requests.filter(r => context.answer(r)).length;
  g.append(
    s(
      'text',
      { x, y, 'font-size': 14 * u, class: 'quiet', role: 'status' },
      troubleOf(requests, context) ?? t('cAsking')(done + 1, requests.length),
    ),
  );
}
