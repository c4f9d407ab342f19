// 12 - Next token.  Four ways to look at the choice: one step of it, the paths that it opens, the
// same beginning at two temperatures, and the largest taken again and again.  Each is a file.
import { clear, h } from '../base/dom.js';
import { S, differs, set } from '../state.js';
import { t } from '../words.js';
import { seg } from '../parts.js';
import step from './next_step.js';
import paths from './paths.js';
import twin from './twin.js';
import loop from './loop.js';

const WAYS = { step, paths, twin, loop };
const way = () => WAYS[S.way] ?? step;

let el, context;

function put() {
  const names = Object.keys(WAYS).map(k => [k, t('ways')[k]]);
  clear(el).append(
    h(
      'header',
      { class: 'head' },
      h('h2', {}, context.ask()),
      h('span', { class: 'gap' }),
      seg(t('asks').next, names, WAYS[S.way] ? S.way : 'step', id => set({ way: id })),
    ),
  );
  way().mount(el, context);
}

export default {
  id: 'next',
  needs: () => ({ logits: true, ...way().needs() }),
  slot: () => way().slot?.() ?? '',
  mount(given, itsContext) {
    [el, context] = [given, itsContext];
    put();
  },
  update(before, isNew) {
    if (differs(before, 'way')) put();
    else way().update(before, isNew);
  },
  play: () => way().play?.(),
  table: () => way().table?.() ?? null,
  caption: () => way().caption(),
};
