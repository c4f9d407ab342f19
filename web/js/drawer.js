// The drawer beside the stage: the numbers of the view, the switches, where a number comes from.
import { h } from './base/dom.js';
import { S, SWITCHES, set } from './state.js';
import { t } from './words.js';
import { figure, toggle } from './parts.js';

function table(view) {
  const data = view?.table?.();
  if (!data) return [h('h2', {}, t('dTable'))];
  const row = (cells, top) =>
    h(
      'tr',
      { 'data-top': top },
      cells.map(c => h('td', {}, Array.isArray(c) ? figure(c[0], c[1]) : c)),
    );
  return [
    h('h2', {}, t('dTable')),
    h('p', { class: 'lead' }, data.lead),
    h(
      'table',
      { class: 'num' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          data.head.map(x => h('th', { scope: 'col' }, x)),
        ),
      ),
      h(
        'tbody',
        {},
        data.rows.map((r, i) => row(r, i < 3)),
      ),
      data.foot ? h('tfoot', {}, row(data.foot, false)) : '',
    ),
  ];
}

function switches() {
  return [
    h('h2', {}, t('dSwitch')),
    h('p', { class: 'lead' }, t('switchLead')),
    h(
      'div',
      {},
      Object.keys(SWITCHES).map(k =>
        toggle(t('switches')[k], S.sw[k], on => set({ sw: { ...S.sw, [k]: on } }), !S.sw[k]),
      ),
    ),
    h('p', { class: 'lead gapped' }, t('pictureLead')),
    h(
      'div',
      {},
      toggle([t('hideFirst'), t('hideFirstNote')], S.hideSink, on => set({ hideSink: on })),
    ),
  ];
}

/** What each index of an array means, from its axes: "(H, T, S)" -> "head 2", "token 10 猫", ... */
function indices(array, at, scene) {
  const axes = array.axes
    .replace(/[()]/g, '')
    .split(',')
    .map(x => x.trim());
  const word = i => `${i} ${scene.labels[i] ?? ''}`;
  return at.map((i, k) => `${axes[k]} = ${/^[TS]$/.test(axes[k]) ? word(i) : i}`);
}

function origin(context) {
  const o = S.origin,
    scene = o?.of ? context.other(o.of) : context.scene(),
    array = o && scene?.array(o.name, o.layer);
  const row = (name, ...value) => h('div', {}, h('dt', {}, name), h('dd', {}, ...value));
  if (o?.field)
    return [
      h('h2', {}, t('dOrigin')),
      h('p', { class: 'lead' }, t('originLead')),
      h(
        'dl',
        { class: 'origin' },
        row(t('oValue'), h('b', {}, String(+o.value.toPrecision(9)).replace('-', '−'))),
        row(t('oHow'), t('how')[o.how]),
        row(t('oField'), h('code', {}, o.field)),
        row(t('oWish'), h('code', {}, JSON.stringify(o.wish))),
      ),
    ];
  if (!array) return [h('h2', {}, t('dOrigin')), h('p', { class: 'lead' }, t('originLead'))];
  return [
    h('h2', {}, t('dOrigin')),
    h('p', { class: 'lead' }, t('originLead')),
    h(
      'dl',
      { class: 'origin' },
      row(t('oValue'), h('b', {}, String(+o.value.toPrecision(9)).replace('-', '−'))),
      row(t('oHow'), t('how')[o.how] ?? ''),
      row(t('oArray'), h('code', {}, o.layer == null ? o.name : `${o.name} · L${o.layer}`)),
      row(
        t('oIndex'),
        h('code', {}, `[${o.at.join(', ')}]`),
        h('small', {}, indices(array, o.at, scene).join(', ')),
      ),
      row(t('oShape'), h('code', {}, `${array.type} ${array.axes} = ${array.shape.join(' × ')}`)),
    ),
    h('p', { class: 'lead' }, t('oCount')),
  ];
}

export function drawer(context, view) {
  if (S.drawer === 'switch') return switches();
  if (S.drawer === 'origin') return origin(context);
  return table(view);
}
