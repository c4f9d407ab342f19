// 12 - Next token, two temperatures: one beginning, the same seeds, T = 0.1 beside T = 1.5; the
// texts that came out are counted.
import { clear, h, isPhone } from '../base/dom.js';
import { tally } from '../base/paths.js';
import { S, set } from '../state.js';
import { isChinese, t } from '../words.js';
import { figure } from '../parts.js';
import { sourceOfStep } from '../scene.js';

const RUNS = 10,
  TOKENS = 8,
  UNLIKELY = 0.01;
const TEMPERATURES = [0.1, 1.5];
let context, ui;

const wish = (temperature, seed) => ({
  tokens: TOKENS,
  top: 1,
  temperature,
  top_k: 0,
  top_p: 1,
  min_p: 0,
  repetition_penalty: 1,
  seed,
});
const seeds = () => Array.from({ length: S.runs }, (_, i) => i + 1);
/** The runs of a temperature that are there: [{seed, steps}]. */
const runsOf = temperature =>
  Array.from({ length: RUNS }, (_, i) => i + 1)
    .map(seed => ({ seed, steps: context.scene().generation(wish(temperature, seed)) }))
    .filter(x => x.steps);

/** What is known of both temperatures. */
const work = () =>
  TEMPERATURES.map(temperature => {
    const runs = runsOf(temperature),
      texts = tally(runs.map(x => x.steps.map(y => y.id)));
    return { temperature, runs, texts };
  });

/** One text that came out: how often, as bars and as a number, and its words. */
function row({ temperature, runs }, text) {
  const n = text.runs.length,
    { steps } = runs[text.runs[0]],
    own = text.runs.map(i => runs[i].seed);
  const from = sourceOfStep(
    `seed = ${own.join(', ')}`,
    n,
    wish(temperature, own[0]),
    'tally',
  );
  return h(
    'li',
    {},
    h('span', { class: 'tallybars', 'aria-hidden': 'true' }, own.map(() => h('i'))),
    figure(`${n}×`, from, 'times'),
    h(
      'span',
      { class: 'words' },
      steps.map((x, i) =>
        figure(
          context.piece(x),
          sourceOfStep(`generation[${i}].model`, x.model, wish(temperature, own[0])),
          x.model < UNLIKELY ? 'unlikely' : '',
        ),
      ),
    ),
  );
}
function column(side) {
  return h(
    'section',
    {},
    h(
      'h3',
      {},
      h('b', {}, `T = ${side.temperature}`),
      ' ',
      t('nRuns')(side.runs.length, side.texts.length),
    ),
    h('ol', {}, side.texts.map(text => row(side, text))),
  );
}
/** Stops the runs, or goes on with them: those that are there stay. */
const turn = () => set({ runs: S.runs ? 0 : RUNS });

function fit() {
  ui.sides = work();
  const done = ui.sides[0].runs.length + ui.sides[1].runs.length,
    isRunning = S.runs > 0 && done < 2 * RUNS;
  clear(ui.box).append(...ui.sides.map(column));
  ui.button.textContent = isRunning ? t('stop') : t('goOn');
  ui.button.disabled = done === 2 * RUNS;
  ui.bar.value = done;
  ui.status.textContent = `${done} / ${2 * RUNS}`;
}

export default {
  needs: () => ({ generate: seeds().flatMap(n => TEMPERATURES.map(T => wish(T, n))) }),
  mount(el, given) {
    context = given;
    ui = {
      box: h('div', { class: 'nextbox twinbox' }),
      button: h('button', { class: 'roll', onclick: turn }),
      bar: h('progress', { max: 2 * RUNS, 'aria-label': t('ways').twin }),
      status: h('span', { role: 'status' }),
    };
    const foot = h(
      'footer',
      { class: 'nextfoot' },
      ui.button,
      ui.bar,
      ui.status,
      h('span', { class: 'gap' }),
      h('span', {}, h('span', { class: 'unlikely' }, t('thWord')), ` ${t('unlikely')}`),
      isPhone() ? '' : h('span', {}, t('sameSeeds')(RUNS)),
    );
    el.append(ui.box, foot);
    fit();
  },
  update: fit,
  play: turn,
  table: () => ({
    lead: t('ways').twin,
    head: ['T', t('thTimes'), t('thText')],
    rows: ui.sides.flatMap(({ temperature, runs, texts }) =>
      texts.map(x => [
        String(temperature),
        String(x.runs.length),
        runs[x.runs[0]].steps.map(context.piece).join(''),
      ]),
    ),
  }),
  caption() {
    const [cold, hot] = ui.sides,
      n = side => ['', String(side.texts.length)];
    if (!cold.runs.length || !hot.runs.length) return [t('busy')];
    return isChinese()
      ? [
          `同一个开头，种子也一样：0.1 写 ${cold.runs.length} 遍，出来 `,
          n(cold),
          ` 种；1.5 写 ${hot.runs.length} 遍，出来 `,
          n(hot),
          ' 种。',
        ]
      : [
          `One beginning, the same seeds: ${cold.runs.length} runs at 0.1 give `,
          n(cold),
          ` text${cold.texts.length > 1 ? 's' : ''}, ${hot.runs.length} at 1.5 give `,
          n(hot),
          '.',
        ];
  },
};
