// Pairs are an area, time is a share.  The area grows with the square at once; the share of the
// time that attention takes only shows on long texts, so it is measured at growing lengths.
import { clamp, draggable, isPhone, press, s, textWidth } from '../../base/dom.js';
import {
  LEAST,
  MOST,
  crossing,
  lengthScale,
  nextLength,
  pairs,
  secondsAt,
} from '../../base/cost.js';
import { S, set } from '../../state.js';
import { big, count, isChinese, pct, t, time } from '../../words.js';
import { label, pill, refocus } from '../../parts.js';
import { columnHead, isCausal, short } from './common.js';

// What is measured: a forward over a text of its own, so that typing does not measure again.
const SECONDS = 2.5,
  FIRST = 64,
  LONGEST = 8192,
  LEAST_READINGS = 4;
const measuring = (n, repeat) => ({ text: 'heed', then: [], measure: { tokens: n, repeat } });
/** Short forwards are done more often: what disturbs one is larger beside them. */
function timesOf(readings, n) {
  if (!readings.length) return 3;
  const { attention, rest } = secondsAt(readings, n);
  return attention + rest > 0.4 ? 1 : 5;
}

/** Learned positions end; others can be measured past what the model was trained on. */
const longest = model =>
  model.positions === 'learned' ? Math.min(LONGEST, model.context) : LONGEST;

/** What is known, and the length that is still to be measured (0: none). */
function known(context) {
  const scene = context.scene(),
    readings = [],
    asked = [];
  let trouble = '',
    n = 0;
  if (!scene) return { readings, asked, n, trouble };
  const limits = {
    first: FIRST,
    most: longest(scene.model),
    seconds: SECONDS,
    least: LEAST_READINGS,
  };
  while ((n = nextLength(readings, limits))) {
    const request = measuring(n, timesOf(readings, n)),
      answer = context.answer(request);
    asked.push(request);
    trouble = answer?.error ?? '';
    if (!answer || trouble) break;
    const { attention_seconds: attention, rest_seconds: rest } = answer.trace.header.measured;
    readings.push({ n, attention, rest });
  }
  return { readings, asked, n: trouble ? 0 : n, trouble };
}
const CURVE_LEAST = 3; // readings, before anything is drawn through them
const hasCurve = ({ readings, n }) =>
  readings.some(x => x.attention > 0) && (readings.length >= CURVE_LEAST || !n);
const share = z => z.attention / (z.attention + z.rest);

const JUMPS = [1000, 10000, 100000];
function jump(k, i, box) {
  const { x0, y0, Q, W, u, phone, causal } = box,
    me = S.len === k,
    x = phone ? W : x0 + Q - 12 * u,
    y = y0 + (phone ? 20 + i * 52 : 28 + i * 30) * u;
  const words = t('cWords')(short(k)),
    found = big(pairs(k, causal)) + t('cPairUnit'),
    bold = me ? 700 : 400;
  return s(
    'g',
    {
      class: 'jump',
      tabindex: 0,
      role: 'button',
      'aria-label': `${words}: ${found}`,
      'aria-pressed': String(me),
      ...press(() => set({ len: k })),
    },
    s('rect', {
      class: 'bed',
      x: x - (phone ? 150 : 222) * u,
      y: y - 19 * u,
      width: (phone ? 156 : 230) * u,
      height: (phone ? 46 : 28) * u,
      rx: 4 * u,
    }),
    phone
      ? [
          label(x, y, words, 13 * u, { 'text-anchor': 'end', class: me ? '' : 'quiet' }),
          label(x, y + 20 * u, found, 15 * u, { 'text-anchor': 'end', 'font-weight': bold }),
        ]
      : [
          label(x - 214 * u, y, words, 14 * u, { 'font-weight': bold }),
          label(x, y, found, 14 * u, { 'text-anchor': 'end', 'font-weight': bold }),
        ],
  );
}

function square(n, g, box) {
  const { x0, y0, Q, u, phone, W, causal, own } = box,
    side = Math.max((n / MOST) * Q, 1.5 * u),
    all = pairs(n, causal),
    words = t('cWords')(count(n)),
    unitWidth = textWidth(t('cPairUnit'), 16 * u);
  const formula = causal ? `${count(n)} × ${count(n + 1)} ÷ 2` : `${count(n)} × ${count(n)}`,
    room = (phone ? W : Q) - textWidth(big(all), 30 * u, 700) - unitWidth - 24 * u;
  g.append(
    columnHead(x0, 17 * u, t(causal ? 'cPairs' : 'cPairsFull'), u),
    s(
      'text',
      { x: x0, y: 60 * u, 'font-size': 30 * u, 'font-weight': 700 },
      big(all),
      s('tspan', { 'font-size': 16 * u, 'font-weight': 400, class: 'quiet' }, t('cPairUnit')),
    ),
  );
  if (S.depth !== 'feel' && textWidth(formula, 14 * u) < room)
    g.append(
      label(phone ? W : Q, 60 * u, formula, 14 * u, { 'text-anchor': 'end', class: 'quiet' }),
    );
  const half = `M${x0},${y0}V${y0 + side}H${x0 + side}Z`;
  g.append(
    s('rect', { class: 'plot', x: x0, y: y0, width: Q, height: Q }),
    s('rect', {
      class: causal ? 'square soft' : 'square',
      x: x0,
      y: y0,
      width: side,
      height: side,
    }),
    causal ? s('path', { class: 'square', d: half }) : '',
  );
  for (const k of [10000, 1000]) {
    const d = (k / MOST) * Q;
    g.append(
      s('rect', { class: n > k ? 'decade over' : 'decade', x: x0, y: y0, width: d, height: d }),
    );
  }
  g.append(...JUMPS.map((k, i) => jump(k, i, box)));
  const beside = Math.max(side, n < 10000 ? (10000 / MOST) * Q : 0) + 10 * u,
    isFree = side < Q * 0.16 && beside + textWidth(words, 14 * u, 700) < Q - (phone ? 0 : 240 * u);
  if (isFree)
    g.append(
      label(x0 + beside, Math.max(y0 + side, y0 + 12 * u), words, 14 * u, {
        'font-weight': 700,
      }),
    );
  const foot = t('cThis')(count(own), count(pairs(own, causal))),
    note = t('cMaskHalf');
  g.append(label(x0, y0 + Q + 19 * u, foot, 13 * u, { 'font-weight': 700 }));
  if (causal && S.depth !== 'feel' && textWidth(foot + note, 13 * u, 700) + 20 * u < Q)
    g.append(
      label(x0 + Q, y0 + Q + 19 * u, note, 12 * u, { 'text-anchor': 'end', class: 'quiet' }),
    );
}

/** Time: two shares that fill the height, over a logarithmic length. */
function times(n, g, box, found) {
  const { X0, X1, top, bottom, hy, u, phone } = box,
    { readings } = found,
    fx = k => X0 + lengthScale.place(k) * (X1 - X0),
    now = secondsAt(readings, n),
    q = share(now);
  const edge = Array.from({ length: 121 }, (_, i) => LEAST * (MOST / LEAST) ** (i / 120)).map(
    k =>
      `L${fx(k).toFixed(1)},${(top + share(secondsAt(readings, k)) * (bottom - top)).toFixed(1)}`,
  );
  g.append(
    s('rect', { class: 'timerest', x: X0, y: top, width: X1 - X0, height: bottom - top }),
    s('path', { class: 'timeattn', d: `M${X0},${top}${edge.join('')}L${X1},${top}Z` }),
  );
  const last = readings[readings.length - 1],
    lim = fx(last.n),
    first = fx(readings[0].n),
    isFar = n > last.n || n < readings[0].n;
  for (const r of readings)
    g.append(
      s('circle', {
        class: 'reading',
        cx: fx(r.n),
        cy: top + share(r) * (bottom - top),
        r: 4 * u,
      }),
    );
  for (const x of [first, lim])
    g.append(s('line', { class: 'divide dash', x1: x, x2: x, y1: top - 20 * u, y2: bottom }));
  g.append(
    label((first + lim) / 2, top - 8 * u, t('cMeasured'), 12 * u, {
      'text-anchor': 'middle',
      class: 'quiet',
    }),
    label(lim + 7 * u, top - 8 * u, t('cFormula'), 12 * u, { class: 'quiet' }),
  );
  // the two figures
  [
    [t('cAttn'), now.attention, q, 'timea'],
    [t('cRest'), now.rest, 1 - q, ''],
  ].forEach(([name, v, part, cls], i) => {
    const x = X0 + (i * (X1 - X0)) / 2,
      y = hy + 42 * u;
    g.append(
      s('rect', {
        class: i ? 'keyrest' : 'timeattn',
        x,
        y: y - 11 * u,
        width: 12 * u,
        height: 12 * u,
      }),
      s(
        'text',
        { x: x + 19 * u, y, 'font-size': 16 * u, class: cls },
        name,
        s('tspan', { dx: 8 * u, 'font-weight': 700, 'font-size': 20 * u }, time(v)),
        S.depth === 'feel' || phone
          ? ''
          : s('tspan', { dx: 8 * u, class: 'quiet', 'font-size': 14 * u }, pct(part)),
      ),
    );
  });
  if (isFar)
    g.append(label(X1, hy, t('cGuessed'), 13 * u, { 'text-anchor': 'end', class: 'quiet' }));
  return fx;
}

function cross(g, box, fx, { readings }) {
  const { X0, X1, top, bottom, u } = box,
    n = crossing(readings),
    last = readings[readings.length - 1].n;
  if (n == null || n > MOST || n < LEAST) return;
  const x = fx(n),
    y = (top + bottom) / 2,
    text = t(n > last ? 'cHalfFar' : 'cHalf')(count(+n.toPrecision(2))),
    width = textWidth(text, 14 * u, 700),
    place =
      x - 15 * u - width > X0
        ? { x: x - 15 * u, y: y + 5 * u, anchor: 'end' }
        : { x: clamp(x, X0 + width / 2, X1 - width / 2), y: y - 16 * u, anchor: 'middle' };
  g.append(
    s('circle', { class: 'cross2', cx: x, cy: y, r: 7 * u }),
    label(place.x, place.y, text, 14 * u, {
      'text-anchor': place.anchor,
      'font-weight': 700,
      class: 'onplot',
    }),
  );
}

/** The length is dragged on the axis itself. */
function axis(n, g, box, fx) {
  const { X0, X1, top, bottom, u, svg } = box;
  for (const k of [16, 100, 1000, 10000, 100000])
    g.append(
      s('line', { class: 'tick', x1: fx(k), x2: fx(k), y1: bottom, y2: bottom + 5 * u }),
      label(fx(k), bottom + 50 * u, short(k), 12 * u, {
        class: 'quiet',
        'text-anchor': k === LEAST ? 'start' : k === MOST ? 'end' : 'middle',
      }),
    );
  const text = t('cWords')(count(n)),
    width = textWidth(text, 13 * u, 700) + 20 * u,
    x = fx(n),
    at = clamp(x, X0 + width / 2, X1 - width / 2);
  const nudge = e => {
    const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!d) return;
    e.stopPropagation();
    e.preventDefault();
    set({ len: lengthScale.next(S.len, d * (e.shiftKey ? 10 : 1)) });
    refocus('cutlen');
  };
  const handle = s(
    'g',
    {
      class: 'cutter',
      tabindex: 0,
      role: 'slider',
      'aria-label': t('cLen'),
      'aria-valuenow': S.len,
      'aria-valuemin': LEAST,
      'aria-valuemax': MOST,
      'data-key': 'cutlen',
      onkeydown: nudge,
    },
    s('line', { class: 'casing', x1: x, x2: x, y1: top, y2: bottom }),
    s('line', { x1: x, x2: x, y1: top, y2: bottom + 10 * u }),
    s('rect', { class: 'hit', x: X0, y: top, width: X1 - X0, height: bottom - top + 42 * u }),
    pill(at, bottom + 22 * u, text, u, width),
  );
  const go = e => {
    const left = svg.getBoundingClientRect().left;
    set({ len: lengthScale.back(clamp((e.clientX - left - X0) / (X1 - X0), 0, 1)) });
  };
  draggable(handle, go, (_, dx, dy, e) => go(e));
  g.append(handle);
}

export default {
  requests(context) {
    const { n, asked } = known(context);
    return n ? asked.slice(-1) : [];
  },
  forget: context => context.forget(known(context).asked),
  values: () => ({ n: S.len }),
  draw(m, g, { W, H, u, svg, context }) {
    const phone = isPhone(),
      n = Math.round(m.n),
      causal = isCausal(context),
      Q = phone ? W * 0.56 : Math.min(H - 112 * u, W * 0.39),
      y0 = 84 * u;
    const box = { x0: 0, y0, Q, W, u, phone, causal, svg, own: context.scene().n };
    square(n, g, box);
    Object.assign(box, {
      X0: phone ? 0 : W * 0.47,
      X1: W - (phone ? 0 : 4 * u),
      top: phone ? y0 + Q + 134 * u : 112 * u,
      bottom: H - 62 * u,
      hy: phone ? y0 + Q + 58 * u : 17 * u,
    });
    const found = known(context),
      { X0, X1, top, bottom, hy } = box,
      busy = found.n ? t('cBusy')(count(found.n)) : found.trouble;
    g.append(columnHead(X0, hy, t('cTime'), u));
    let fx = k => X0 + lengthScale.place(k) * (X1 - X0);
    if (hasCurve(found)) {
      fx = times(n, g, box, found);
    } else
      g.append(
        s('rect', { class: 'timerest', x: X0, y: top, width: X1 - X0, height: bottom - top }),
      );
    const isBare = !hasCurve(found);
    if (busy || isBare)
      g.append(
        label(X0 + 10 * u, bottom - 12 * u, busy || t('noAttention'), 13 * u, {
          class: 'quiet',
          role: 'status',
        }),
      );
    axis(n, g, box, fx);
    if (!isBare) cross(g, box, fx, found);
  },
  play: () => set({ len: { 1000: 10000, 10000: 100000 }[S.len] ?? 1000 }),
  table(context) {
    const { readings } = known(context);
    return {
      lead: t('cMeasured'),
      head: [t('cLen'), t('cAttn'), t('cRest'), t('cAttn')],
      rows: readings.map(r => [count(r.n), time(r.attention), time(r.rest), pct(share(r))]),
    };
  },
  caption(context) {
    const found = known(context),
      n = S.len,
      all = ['a', big(pairs(n, isCausal(context))) + (isChinese() ? '对' : ' pairs')];
    const start = isChinese()
      ? [`${count(n)} 个词就是 `, all, '；长 10 倍，对数约 100 倍。']
      : [`${count(n)} words make `, all, '; ten times as long, about a hundred times the pairs. '];
    if (!hasCurve(found)) return start;
    const last = found.readings[found.readings.length - 1].n,
      q = share(secondsAt(found.readings, n)),
      isFar = n > last || n < found.readings[0].n;
    const most = q > 0.5;
    const part =
      S.depth !== 'feel'
        ? pct(q)
        : isChinese()
          ? most
            ? '大半'
            : '小半'
          : most
            ? 'most'
            : 'less than half';
    return isChinese()
      ? [...start, isFar ? '推算下来，注意力占 ' : '这时注意力占 ', ['a', part], ' 的时间。']
      : [
          ...start,
          isFar ? 'By extrapolation, attention takes ' : 'Attention takes ',
          ['a', part],
          ' of the time.',
        ];
  },
};
