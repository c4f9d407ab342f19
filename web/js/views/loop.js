// 12 - Next token, the largest again and again: temperature 0 for a long while, and the loop that
// the model falls into, found and named.  The repetition penalty is tried on it.
import { clear, h, press } from '../base/dom.js';
import { findLoop } from '../base/paths.js';
import { S, set } from '../state.js';
import { isChinese, pct, t } from '../words.js';
import { seg } from '../parts.js';
import { sourceOfStep } from '../scene.js';

const TOKENS = 200,
  PENALTIES = [1, 1.1, 1.3];
let context, ui;

const wish = () => ({
  tokens: TOKENS,
  top: 1,
  temperature: 0,
  top_k: 0,
  top_p: 1,
  min_p: 0,
  repetition_penalty: S.rep,
});
const tell = (steps, i) => () =>
  set({
    origin: sourceOfStep(`generation[${i}].model`, steps[i].model, wish()),
    drawer: 'origin',
  });

function fit() {
  const steps = context.scene().generation(wish()),
    penalties = PENALTIES.includes(S.rep) ? PENALTIES : [...PENALTIES, S.rep];
  clear(ui.head).append(
    h('span', {}, t('pPenalty')),
    seg(
      t('pPenalty'),
      penalties.map(r => [r, r === 1 ? t('none') : `÷ ${r}`]),
      S.rep,
      rep => set({ rep }),
    ),
  );
  clear(ui.text);
  if (!steps) {
    ui.text.append(t('busy'));
    return;
  }
  ui.steps = steps;
  ui.loop = findLoop(steps.map(x => x.id));
  ui.text.append(
    h('span', { class: 'given' }, context.text()),
    ...steps.map((x, i) => token(steps, x, i)),
  );
}
/** A token of the text; in the loop every second round is darker, so that rounds can be counted. */
function token(steps, x, i) {
  const { loop } = ui,
    round = loop ? Math.floor((i - loop.from) / loop.period) : -1,
    isIn = round >= 0 && round < loop.times;
  return h(
    'span',
    {
      class: 'run',
      role: 'button',
      'data-round': isIn ? round % 2 : null,
      title: `${i + 1} · ${pct(x.model)}`,
      ...press(tell(steps, i)),
    },
    context.piece(x),
  );
}

export default {
  needs: () => ({ generate: [wish()] }),
  mount(el, given) {
    context = given;
    ui = {
      head: h('div', { class: 'nexthead' }),
      text: h('div', { class: 'looptext', tabindex: 0 }),
      steps: null,
    };
    el.append(h('div', { class: 'nextbox loopbox' }, ui.head, ui.text));
    fit();
  },
  update: fit,
  table() {
    if (!ui.steps) return null;
    return {
      lead: t('ways').loop,
      head: ['', t('thWord'), t('thShare')],
      rows: ui.steps.map((x, i) => [
        String(i + 1),
        context.word(x.id),
        [pct(x.model, 1), sourceOfStep(`generation[${i}].model`, x.model, wish())],
      ]),
    };
  },
  caption() {
    const { steps, loop } = ui,
      zh = isChinese();
    if (!context.scene().generation(wish())) return [t('busy')];
    const n = steps.length,
      ended = steps.at(-1).ends;
    if (!loop && zh)
      return [`每步取最大，${n} 个词元里没有连着重复三遍的一段${ended ? '，它自己停了' : ''}。`];
    if (!loop)
      return [
        `The largest each time: ${n} tokens, and none of them come three times in a row`,
        ended ? '; the model ended the text.' : '.',
      ];
    const { from, period, times, lasts } = loop,
      what = ['', zh ? `${period} 个词元` : `${period} token${period > 1 ? 's' : ''}`];
    return zh
      ? [
          `每步取最大：从第 ${from + 1} 个词元起，`,
          what,
          ` 重复了 ${times} 遍${lasts ? '，到最后也没出来。' : '，然后走了出来。'}`,
        ]
      : [
          `The largest each time: from token ${from + 1} on, `,
          what,
          ` repeat${period > 1 ? '' : 's'} ${times} times`,
          lasts ? ', to the end.' : ', then it gets out.',
        ];
  },
};
