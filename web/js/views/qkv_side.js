// What stands beside the four beats: the classroom, what happens in fact, and the numbers of the
// beat: where Q and K come from, one pair of words dimension by dimension, what √d does, what z is
// made of.
import { clamp, h, s, unit } from '../base/dom.js';
import { S, set } from '../state.js';
import { lookDivided, mix } from '../base/attention.js';
import { entropy } from '../base/sampler.js';
import { fixed, pct, quote, t, three, tiny } from '../words.js';
import { source } from '../scene.js';
import { figure, label, miniSwitch, slideBar } from '../parts.js';
import { bars } from '../draw/vector.js';

const largest = w => Math.max(...w);

/** Fills the element for the beat.  `given`: what the view knows, see drawSide() there. */
export function side(el, given) {
  const { l, name } = given,
    b = S.beat - 1;
  const word = h('mark', {}, name),
    said = t('beatSay')[b]('\0').split('\0');
  el.append(
    h(
      'p',
      { class: 'asif' },
      h('small', {}, t('asIf')),
      said.flatMap((x, i) => (i ? [word, x] : [x])),
    ),
    h('p', { class: 'fact' }, h('small', {}, t('inFact')), ...withMatrix(t('beatDo')[b](l.d))),
    h('hr'),
  );
  [queryOf, keyOf, compare, add][b](el, given);
}

/** W_Q as W with a small Q. */
const withMatrix = text =>
  text.split(/(W_[QK])/).map(x => (x.startsWith('W_') ? h('b', {}, 'W', h('sub', {}, x[2])) : x));

// ---------------------------------------------------------------- strips that can be read
/**
 * Vectors one below the other on the same dimensions.  Pointing at one (or ← →) tells its numbers,
 * a click where they come from.  rows: {name, cls, values, from(i, value)}.
 */
function strips(el, rows, tall, hint = t('pointAt')) {
  const u = unit(),
    left = 36 * u,
    width = Math.max(60, el.clientWidth - left),
    height = tall * u,
    n = rows[0].values.length;
  const read = h('p', { class: 'readout', 'aria-live': 'polite' }, hint);
  const mark = s('rect', { class: 'cursor', y: 0, height: rows.length * height, width: 0 });
  let at = -1;
  const to = i => {
    at = clamp(i, 0, n - 1);
    mark.setAttribute('x', left + (at * width) / n);
    mark.setAttribute('width', Math.max(1.5, width / n));
    read.replaceChildren(
      `${at}: `,
      ...rows.flatMap(({ name, values, cls, from }, r) => [
        r ? ' · ' : '',
        h('b', { class: cls }, name),
        ' ',
        figure(three(values[at]), from(at, values[at])),
      ]),
    );
  };
  const place = e => {
    const box = svg.getBoundingClientRect();
    return [Math.floor(((e.clientX - box.left - left) / width) * n), e.clientY - box.top];
  };
  const tell = r => {
    const { values, from } = rows[clamp(r, 0, rows.length - 1)];
    set({ origin: from(at, values[at]), drawer: 'origin' });
  };
  const svg = s(
    'svg',
    {
      class: 'strips',
      width: left + width,
      height: rows.length * height,
      tabindex: 0,
      role: 'application',
      'aria-label': rows.map(r => r.name).join(', '),
      onpointermove: e => to(place(e)[0]),
      onclick: e => {
        to(place(e)[0]);
        tell(Math.floor(place(e)[1] / height));
      },
      onkeydown: e => {
        const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
        if (d) to(at + d);
        else if (e.key === 'Enter' && at >= 0) tell(rows.length - 1);
        else return;
        e.preventDefault();
        e.stopPropagation();
      },
    },
    mark,
    rows.map(({ name, cls, values }, r) => {
      const y = (r + 0.5) * height,
        most = values.reduce((a, x) => Math.max(a, Math.abs(x)), 1e-30);
      return [
        label(0, y + 5 * u, name, 14 * u, { class: cls, 'font-weight': 700 }),
        bars(left, y, width, (height / 2 - 2 * u) / most, values, cls),
      ];
    }),
  );
  el.append(svg, read);
}

// ---------------------------------------------------------------- beats 1, 2: how Q and K are made
function made(el, { scene, l }, j, sign, cls, site, group, values) {
  const norm = scene.array('attn_norm', S.layer),
    width = norm.shape[1];
  el.append(
    h(
      'h3',
      {},
      h('mark', {}, scene.labels[j]),
      h('span', { class: 'quiet' }, t('nNumbers')(width)),
    ),
  );
  strips(
    el,
    [
      {
        name: 'x',
        cls: 'x',
        values: norm.values.subarray(j * width, (j + 1) * width),
        from: (i, v) => source('attn_norm', S.layer, [j, i], v),
      },
    ],
    64,
  );
  const isTurned = scene.model.positions === 'rotary' && S.sw.positions;
  el.append(
    h(
      'h3',
      { class: 'times' },
      h('span', { class: `wbox ${cls}` }, 'W', h('sub', {}, sign)),
      h('b', { class: cls }, ` = ${sign}`),
      h('span', { class: 'quiet' }, t('nNumbers')(l.d)),
      isTurned ? h('small', {}, t('turned')) : '',
    ),
  );
  const from = (i, v) => source(site, S.layer, [j, group * l.d + i], v);
  strips(el, [{ name: sign, cls, values, from }], 72, '');
}
function queryOf(el, given) {
  made(el, given, S.sel, 'Q', 'q', 'q_rot', S.head, given.l.q);
}
function keyOf(el, given) {
  const { scene, l, key } = given,
    { heads, kv_heads: groups } = scene.model;
  made(el, given, key, 'K', 'k', 'k_rot', l.group, l.k[key]);
  if (groups < heads) el.append(h('p', { class: 'cap' }, t('sharedKeys')(heads, groups)));
}

// ---------------------------------------------------------------- beat 3: one pair, and √d
function compare(el, { scene, l, key, thought, scoreFrom, weightFrom }) {
  el.append(
    h(
      'h3',
      { class: 'sumline' },
      h('mark', {}, scene.labels[S.sel]),
      ' · ',
      h('b', { class: 'k' }, scene.labels[key]),
      ' = ',
      figure(fixed(l.scores[key], 2), scoreFrom(key, l.scores[key], 'score')),
      l.divisor === 1 ? '' : ` ÷ ${three(l.divisor)}`,
      ' → ',
      figure(pct(l.w[key]), weightFrom(key, l.w[key]), 'a'),
    ),
  );
  const rows = [
    { name: 'Q', cls: 'q', values: l.q, from: queryFrom(l) },
    { name: 'K', cls: 'k', values: l.k[key], from: keyFrom(l, key, 'k_rot') },
    { name: 'Q×K', cls: 'p', values: l.terms[key], from: keyFrom(l, key, 'product') },
  ];
  strips(el, rows, 24, l.bias ? t('hasBias') : undefined);
  el.append(
    h('hr'),
    miniSwitch(t('scaleSwitch'), S.sw.scale, () =>
      set({ sw: { ...S.sw, scale: !S.sw.scale }, divisor: 0 }),
    ),
    divisors(el, l, thought),
  );
}
const queryFrom = l => (i, v) => source('q_rot', S.layer, [S.sel, S.head * l.d + i], v);
const keyFrom = (l, j, how) => (i, v) => source('k_rot', S.layer, [j, l.group * l.d + i], v, how);

/** Largest share against the divisor, from the real scores; the slider chooses a divisor. */
function divisors(el, l, thought) {
  const u = unit(),
    width = Math.max(120, el.clientWidth),
    top = 6 * u,
    base = 58 * u,
    own = Math.log2(l.divisor),
    high = Math.max(6, Math.ceil(Math.log2(l.d)));
  const at = S.divisor ? Math.log2(S.divisor) : own,
    pill = 58 * u,
    x = v => pill / 2 + (v / high) * (width - pill),
    y = share => base - share * (base - top);
  const points = Array.from({ length: 49 }, (_, i) => (i * high) / 48);
  const line = points.map(
    v => `${x(v).toFixed(1)},${y(largest(lookDivided(l, 2 ** v))).toFixed(1)}`,
  );
  const w = thought ?? l.w,
    share = largest(w);
  const slider = slideBar({
    key: 'divisor',
    name: t('ifDivided'),
    ...{ x: 0, y: base + 24 * u, width, low: 0, high, step: 0.05, u, mark: own },
    value: at,
    text: `÷ ${three(2 ** at)}`,
    pick: v => set({ divisor: Math.abs(v - own) < 0.03 ? 0 : +(2 ** v).toPrecision(3) }),
  });
  const svg = s(
    'svg',
    { class: 'dplot', width, height: base + 38 * u },
    [0, 0.5, 1].map(v => s('line', { class: 'grid', x1: x(0), x2: x(high), y1: y(v), y2: y(v) })),
    s('path', { class: 'on', d: `M${line.join('L')}` }),
    s('line', { class: 'own', x1: x(own), x2: x(own), y1: y(1), y2: y(0) }),
    label(x(own) + 5 * u, own > 1 ? y(1) + 9 * u : y(0) - 4 * u, t('ownDivisor'), 11 * u, {
      class: 'quiet halo',
    }),
    s('line', { class: 'cursor', x1: x(at), x2: x(at), y1: y(share), y2: base + 14 * u }),
    s('circle', { class: 'on', cx: x(at), cy: y(share), r: 5 * u }),
    slider,
  );
  return h(
    'figure',
    {},
    h(
      'figcaption',
      {},
      t('ifShare'),
      ' ',
      h('b', { class: 'a' }, pct(share)),
      ` · ${t('entropyIs')(entropy(w).toFixed(2))}`,
    ),
    svg,
    h('small', { class: 'cap' }, t('ifNote')),
  );
}

// ---------------------------------------------------------------- beat 4: what z is made of
function add(el, { scene, l, order, name, weightFrom }) {
  const top = order.slice(0, 3),
    rest = order.slice(3),
    share = rest.reduce((sum, j) => sum + l.w[j], 0);
  el.append(h('h3', {}, t('newWord')(quote(name))));
  const from = (i, v) => source('z', S.layer, [S.sel, S.head * l.d + i], v);
  strips(el, [{ name: 'z', cls: 'v', values: l.z, from }], 56);
  const brick = (cls, w, ...inner) =>
    h('div', { class: cls, style: { flex: String(Math.max(w, 0.001)) } }, ...inner);
  el.append(
    h('small', { class: 'cap' }, t('madeOf')),
    h(
      'div',
      { class: 'mix' },
      top.map(j =>
        brick(
          l.w[j] < 0.15 ? 'thin' : '',
          l.w[j],
          ...(l.w[j] < 0.07
            ? []
            : [h('b', {}, scene.labels[j]), figure(pct(l.w[j]), weightFrom(j, l.w[j]))]),
        ),
      ),
      rest.length
        ? brick(
            'rest',
            share,
            share > 0.06 ? h('span', {}, `${t('nOthers')(rest.length)} ${pct(share)}`) : '',
          )
        : '',
    ),
  );
  if (S.depth !== 'numbers') return;
  const sums = mix(l.w, l.v),
    apart = sums.reduce((most, x, i) => Math.max(most, Math.abs(x - l.z[i])), 0);
  el.append(h('p', { class: 'cap' }, t('sumCheck')(tiny(apart))));
}
