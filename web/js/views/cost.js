// 9 - Cost.  Pairs are an area, time is a share, memory is a bar, waiting is a staircase.  Five
// pictures under views/cost/, one length for all of them.
import { clear, h, s, tween, unit } from '../base/dom.js';
import { S, differs, set } from '../state.js';
import { t } from '../words.js';
import { hatch, redrawn, seg } from '../parts.js';
import pairs from './cost/pairs.js';
import cache from './cost/cache.js';
import window from './cost/window.js';
import tiles from './cost/tiles.js';
import pace from './cost/pace.js';

const PICTURES = { pairs, cache, window, tiles, pace };
const now = () => PICTURES[S.ctab] ?? pairs;
let context, ui;

function head() {
  const picture = now();
  clear(ui.head).append(
    h('h2', {}, context.ask()),
    h('span', { class: 'gap' }),
    picture.forget
      ? h('button', { class: 'again', onclick: () => picture.forget(context) }, t('cMeasureAgain'))
      : '',
    ...(picture.head?.() ?? []),
    seg(context.ask(), Object.entries(t('cTabs')), S.ctab, ctab => set({ ctab })),
  );
  ui.el.dataset.tab = S.ctab;
}
function draw(m) {
  if (!ui?.W || ui.W < 40) return;
  const { W, H, svg } = ui;
  const box = { W, H, u: unit(), svg, context, again: () => fit(true) };
  redrawn(svg, () => now().draw(m, clear(ui.g), box));
}
function fit(jump) {
  head();
  const box = ui.svg.getBoundingClientRect();
  ui.W = box.width;
  ui.H = box.height;
  ui.run(now().values(context), jump);
}

export default {
  id: 'cost',
  needs: given => ({
    logits: !!now().logits,
    more: now().requests(given),
  }),
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'costpic', role: 'group', 'aria-label': context.ask() }, hatch(), g);
    ui = { el, g, svg, head: h('header', { class: 'head' }), run: tween(draw) };
    el.append(ui.head, h('div', { class: 'costbox' }, svg));
    fit(true);
  },
  update: (before, isNew) => fit(isNew || !differs(before, 'len', 'win', 'kept')),
  play: () => now().play?.({ context, again: () => fit(true) }),
  /** The pictures are steps of the view. */
  step(d) {
    const keys = Object.keys(PICTURES),
      i = keys.indexOf(S.ctab) + d;
    if (i < 0 || i >= keys.length) return false;
    set({ ctab: keys[i] });
    return true;
  },
  table: () => now().table(context),
  caption: () => now().caption(context),
};
