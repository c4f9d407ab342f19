// 4 - Query, key, value.  Four beats of attention for one word in one head: ask, hold up a card,
// compare, add.  Each beat lights its symbol in the formula; the picture only ever grows.
import { clear, cut, fitType, h, isPhone, press, range, s, tween, unit } from '../base/dom.js';
import { S, differs, set } from '../state.js';
import { look, lookDivided } from '../base/attention.js';
import { entropy } from '../base/sampler.js';
import { fixed, isChinese, pct, quote, t, three } from '../words.js';
import { source, tapsOf } from '../scene.js';
import { chip, hatch, headStrip, label, ladder } from '../parts.js';
import { bars } from '../draw/vector.js';
import { side } from './qkv_side.js';

const SITES = ['attn_norm', 'q_rot', 'k_rot', 'v', 'pattern', 'z'];
const COLUMN_LEAST = { wide: 38, narrow: 30 }; // design pixels
const WIDTH_LEAST = 120; // pixels; with less the page is not laid out yet
const ROWS = { words: 42, q: 54, k: 54, p: 54, s: 30, w: 96, v: 58 }; // heights, design pixels
const FEEL = { words: 42, q: 54, k: 54, w: 150, v: 58 };
const BEAT_OF = { words: 0, q: 1, k: 2, p: 3, s: 3, w: 3, v: 4 };
let context, ui;

/** What the head does for the picked word; null: no attention here, or numbers that overflowed. */
function seeIt() {
  const l = look(context.scene(), S.layer, S.head, S.sel, S.sw.scale);
  return l && [...l.w, ...l.scores].every(Number.isFinite) ? l : null;
}
const whyNot = () => t(context.scene().hasAttention(S.layer) ? 'overflow' : 'noAttention');
const byWeight = w => [...w.keys()].sort((a, b) => w[b] - w[a]);
/** Weights if the scores were divided by what the slider says; null: it says nothing else. */
const inThought = l => (S.divisor ? lookDivided(l, S.divisor) : null);

// ---------------------------------------------------------------- where things stand
/** The words that get a column: all, or the picked one and the strongest. */
function columnsOf(l, most) {
  if (l.n <= most) return { words: range(l.n), left: [] };
  const order = byWeight(l.w).filter(j => j !== l.i),
    shown = [l.i, ...order.slice(0, most - 2)].sort((a, b) => a - b);
  return { words: shown, left: order.slice(most - 2).filter(j => l.seen[j]) };
}
function layout(l) {
  const u = unit(),
    { width: W, height: H } = ui.svg.getBoundingClientRect(),
    isNarrow = W < 560 * u;
  const left = (isNarrow ? 62 : 96) * u,
    gap = (isNarrow ? 3 : 8) * u;
  const least = COLUMN_LEAST[isNarrow ? 'narrow' : 'wide'] * u,
    columns = columnsOf(l, Math.max(3, Math.floor((W - left) / least)));
  const n = columns.words.length + (columns.left.length ? 1 : 0),
    cw = Math.min((W - left + gap) / n, 130 * u);
  // The shortest words stand little larger than the longest.
  const room = cw - gap - 2 * u,
    small = columns.words.map(j => fitType(context.scene().labels[j], 21 * u, 11 * u, room)),
    type = Math.min(21 * u, 1.3 * Math.min(...small));
  const share = S.depth === 'feel' ? FEEL : ROWS,
    total = Object.values(share).reduce((a, b) => a + b, 0),
    scale = Math.min(1.35 * u, H / total),
    rows = {};
  let y = 0;
  for (const [name, size] of Object.entries(share)) {
    rows[name] = { y, h: size * scale, mid: y + (size * scale) / 2 };
    y += size * scale;
  }
  const at = k => left + k * cw + (cw - gap) / 2;
  const width = Math.min(cw - gap, 104 * u);
  return { u, W, left, gap, cw, rows, columns, at, isNarrow, width, type };
}
/** The largest of each kind, for one scale a row. */
function peaks(l) {
  const most = lists => Math.max(1e-30, ...lists.map(list => list.reduce(larger, 0)));
  const seen = range(l.n).filter(j => l.seen[j]);
  return {
    q: most([l.q]),
    k: most(seen.map(j => l.k[j])),
    p: most(seen.map(j => l.terms[j])),
    v: most(seen.map(j => l.v[j])),
  };
}
const larger = (most, x) => Math.max(most, Math.abs(x));

// ---------------------------------------------------------------- rows
const isOn = name => BEAT_OF[name] <= S.beat;
const isLit = name => BEAT_OF[name] === S.beat;

function rowName(g, G, name, sign, words, hue) {
  const { u, rows, left, isNarrow } = G,
    { y, h: height, mid } = rows[name];
  const go = () => set({ beat: BEAT_OF[name] });
  g.append(
    s(
      'g',
      { class: `rowname${isOn(name) ? '' : ' later'}`, ...press(go) },
      s('rect', { class: 'hit', x: 0, y, width: left - 8 * u, height }),
      label(0, mid + (isNarrow || !words ? 5 : 1) * u, sign, (sign.length > 3 ? 14 : 19) * u, {
        'font-weight': 700,
        class: hue,
      }),
      isNarrow || !words ? '' : label(0, mid + 17 * u, words, 12 * u, { class: 'quiet' }),
    ),
  );
}
function rowNames(g, G) {
  const isFeel = S.depth === 'feel';
  rowName(g, G, 'q', 'Q', t('rowQ'), 'q');
  rowName(g, G, 'k', 'K', t('rowK'), 'k');
  if (!isFeel) {
    rowName(g, G, 'p', 'Q × K', t('rowP'), '');
    rowName(g, G, 's', S.sw.scale ? 'Σ ÷ √d' : 'Σ', '', '');
  }
  rowName(g, G, 'w', isFeel ? t('rowW') : 'softmax', isFeel ? '' : t('rowW'), 'a');
  rowName(g, G, 'v', '× V', t('rowV'), 'v');
}
function backdrop(g, G) {
  const { u, W, rows } = G,
    names = Object.keys(rows);
  for (const name of names.slice(1))
    g.append(s('line', { class: 'divide', x1: 0, x2: W, y1: rows[name].y, y2: rows[name].y }));
  const lit = names.filter(isLit),
    first = rows[lit[0]],
    last = rows[lit.at(-1)],
    height = last.y + last.h - first.y;
  g.append(
    s('rect', { class: 'band', x: -10 * u, y: first.y, width: W + 14 * u, height, rx: 4 * u }),
    s('rect', { class: 'bandbar', x: -10 * u, y: first.y, width: 4 * u, height, rx: 2 * u }),
  );
}

// ---------------------------------------------------------------- columns
function word(g, G, k, j) {
  const { u, at, cw, gap, width, rows, type } = G,
    { labels } = context.scene(),
    px = fitType(labels[j], type, 10.5 * u, cw - gap - 2 * u);
  g.append(
    chip(
      at(k),
      2 * u,
      Math.min(cw - gap, Math.max(width, 30 * u)),
      rows.words.h - 10 * u,
      cut(labels[j], px, cw - gap, 700),
      px,
      { picked: j === S.sel, dim: !ui.l.seen[j], on: press(() => set({ sel: j })) },
    ),
  );
}
function vectors(g, G, k, j) {
  const { u, at, width, rows } = G,
    { l, peak } = ui,
    x = at(k) - width / 2;
  const strip = (name, values, cls) => {
    const { mid, h: height } = rows[name];
    g.append(bars(x, mid, width, (height - 8 * u) / 2 / peak[name], values, cls));
  };
  if (j === l.i) {
    if (S.beat >= 1) strip('q', l.q, 'q');
  } else if (S.beat >= 3) strip('q', l.q, 'q copy');
  strip('k', l.k[j], isOn('k') ? 'k' : 'k later');
  if (rows.p) strip('p', l.terms[j], isOn('p') ? 'p' : 'p later');
  if (S.beat < 4) strip('v', l.v[j], 'v later');
  else {
    strip('v', l.v[j], 'v faint');
    strip(
      'v',
      l.v[j].map(v => v * l.w[j]),
      'v',
    );
  }
}
const scoreFrom = (j, value, how) => source('k_rot', S.layer, [j, ui.l.group * ui.l.d], value, how);
const weightFrom = (j, value) => source('pattern', S.layer, [S.head, S.sel, j], value);

function score(g, G, k, j, value) {
  const { u, at, rows, isNarrow, cw } = G,
    isBest = ui.best === j;
  const text = fixed(value, S.depth === 'numbers' ? 3 : 1);
  const px = fitType(text, (isNarrow ? 11 : 14) * u, 8 * u, cw - 2 * u);
  g.append(
    label(at(k), rows.s.mid + 5 * u, text, px, {
      'text-anchor': 'middle',
      'font-weight': isBest ? 700 : 400,
      from: scoreFrom(j, ui.l.scores[j], 'score'),
    }),
  );
}
function weight(g, G, k, j, share) {
  const { u, at, rows, width, cw } = G,
    base = rows.w.y + rows.w.h - 6 * u,
    room = rows.w.h - 28 * u,
    bar = Math.min(width, 56 * u),
    x = at(k) - bar / 2;
  if (S.beat < 3) {
    g.append(s('line', { class: 'zero later', x1: x, x2: x + bar, y1: base, y2: base }));
    return;
  }
  const outline = (cls, v) =>
    s('rect', { class: cls, x, y: base - v * room, width: bar, height: Math.max(v * room, 0.5) });
  g.append(outline('weight', Math.max(share, 1 / room)));
  if (ui.thought) g.append(outline('thought', ui.thought[j]));
  else if (ui.ghost) g.append(outline('was', ui.ghost[j] ?? 0));
  const w = ui.thought ?? ui.l.w,
    isTold = S.depth === 'numbers' || (ui.rank[j] < 3 && w[j] > 0.02);
  if (S.depth === 'feel' || !isTold) return;
  const text = pct(w[j], S.depth === 'numbers' ? 1 : 0),
    top = Math.max(share, ui.thought?.[j] ?? 0);
  g.append(
    label(at(k), base - top * room - 6 * u, text, fitType(text, 14 * u, 9 * u, cw - 5 * u), {
      'text-anchor': 'middle',
      class: ui.thought ? 'mind' : 'wt',
      from: ui.thought ? scoreFrom(j, w[j], 'divided') : weightFrom(j, w[j]),
    }),
  );
}
function column(g, G, m, k, j) {
  const { u, at, width, rows } = G,
    x = at(k) - width / 2,
    bottom = rows.v.y + rows.v.h,
    { l } = ui;
  word(g, G, k, j);
  if (!l.seen[j]) {
    const y = rows.k.y + 6 * u;
    g.append(s('rect', { class: 'veil', x, y, width, height: bottom - y - 6 * u, rx: 4 * u }));
    return;
  }
  vectors(g, G, k, j);
  if (rows.s && isOn('s')) score(g, G, k, j, m[`s${j}`] ?? 0);
  weight(g, G, k, j, m[`w${j}`] ?? 0);
  const choose = () => {
    ui.key = j;
    drawSide();
  };
  const name = context.scene().labels[j];
  for (const r of ['k', 'p', 'v'].filter(r => rows[r]))
    g.append(
      s('rect', {
        class: 'hit keyhit',
        role: 'button',
        'aria-label': name,
        x,
        y: rows[r].y,
        width,
        height: rows[r].h,
        ...press(choose),
      }),
    );
}
/** Words without a column: their sum, hatched. */
function others(g, G) {
  const { u, at, rows, cw, gap, columns } = G,
    k = columns.words.length,
    share = columns.left.reduce((sum, j) => sum + ui.l.w[j], 0);
  const base = rows.w.y + rows.w.h - 6 * u,
    height = Math.max(1, share * (rows.w.h - 28 * u)),
    text = cw < 60 * u ? `+${columns.left.length}` : t('nOthers')(columns.left.length),
    px = fitType(text, 13 * u, 9 * u, cw - gap);
  g.append(label(at(k), 24 * u, text, px, { 'text-anchor': 'middle', class: 'quiet' }));
  if (S.beat < 3) return;
  const width = Math.min(cw - gap, 56 * u);
  g.append(
    s('rect', { class: 'pb tail', x: at(k) - width / 2, y: base - height, width, height }),
    S.depth === 'feel'
      ? ''
      : label(at(k), base - height - 6 * u, pct(share), 12 * u, {
          'text-anchor': 'middle',
          class: 'restlabel',
        }),
  );
}
function draw(m) {
  if (!ui?.l || ui.layout.W < WIDTH_LEAST) return;
  const g = clear(ui.g),
    G = ui.layout,
    { at, columns, rows } = G;
  backdrop(g, G);
  rowNames(g, G);
  if (S.beat >= 3) {
    const { mid } = rows.q;
    const last = columns.words.filter(j => ui.l.seen[j]).length - 1;
    g.append(s('line', { class: 'carry', x1: at(0), x2: at(last), y1: mid, y2: mid }));
  }
  columns.words.forEach((j, k) => column(g, G, m, k, j));
  if (columns.left.length) others(g, G);
}

// ---------------------------------------------------------------- formula
/** HTML boxes; every symbol is a button that leads to its beat. */
function formula() {
  const symbol = (beat, cls, name, ...inner) =>
    h(
      'button',
      { class: `sym ${cls}`, 'aria-label': name, onclick: () => set({ beat }) },
      ...inner,
    );
  const root = s(
    'svg',
    { viewBox: '0 0 34 24', 'aria-hidden': 'true' },
    s('path', { d: 'M1.5 13.5 5 11.5 10 22 16 2H33' }),
    s('text', { x: 18.5, y: 21, 'font-size': 21 }, 'd'),
  );
  return h(
    'div',
    { class: 'formula', role: 'group', 'aria-label': 'softmax(Q·K⊤ ÷ √d) · V' },
    h('span', { class: 'fn' }, 'softmax'),
    h('span', { class: 'paren' }, '('),
    h(
      'span',
      { class: 'frac' },
      h('span', {}, symbol(1, 'q', 'Q', 'Q'), symbol(2, 'k', 'K', 'K', h('sup', {}, '⊤'))),
      symbol(3, 'den', '√d', root),
    ),
    h('span', { class: 'paren' }, ')'),
    h('span', { class: 'times' }, '·'),
    symbol(4, 'v', 'V', 'V'),
  );
}
function light() {
  ui.el.dataset.beat = S.beat;
  ui.el.toggleAttribute('data-unscaled', !S.sw.scale);
  ui.beats.forEach((b, i) => {
    b.setAttribute('aria-current', i + 1 === S.beat ? 'step' : 'false');
    b.toggleAttribute('data-done', i + 1 < S.beat);
  });
}

// ---------------------------------------------------------------- the view
/** The word whose card is looked at beside the picture: the one that was clicked, or the best. */
const keyWord = () => (ui.key >= 0 && ui.l.seen[ui.key] ? ui.key : ui.order[0]);
function drawSide() {
  const scene = context.scene(),
    { l, order, thought } = ui;
  side(clear(ui.side), {
    ...{ scene, l, order, thought, scoreFrom, weightFrom },
    key: keyWord(),
    name: scene.labels[S.sel],
  });
}
function fit(jump) {
  S.beat = Math.min(4, Math.max(1, Math.round(S.beat)));
  ui.l = seeIt();
  light();
  ui.ladder.update();
  ui.strip.update();
  clear(ui.g);
  clear(ui.side);
  if (!ui.l) {
    ui.g.append(label(0, 40, whyNot(), 16 * unit()));
    return;
  }
  const { l } = ui,
    m = {};
  ui.order = byWeight(l.w).filter(j => l.seen[j]);
  ui.rank = Object.fromEntries(ui.order.map((j, r) => [j, r]));
  ui.best = ui.order[0];
  ui.thought = inThought(l);
  ui.peak = peaks(l);
  ui.layout = layout(l);
  l.w.forEach((w, j) => {
    m[`w${j}`] = w;
    m[`s${j}`] = l.scores[j] / l.divisor;
  });
  drawSide();
  ui.run(m, jump);
}

export default {
  id: 'qkv',
  needs({ model }) {
    if (!model) return null;
    const n = new TextEncoder().encode(S.text).length + S.then.length,
      taps = tapsOf(SITES, model, n, S.layer),
      scaled = { sw: { scale: true }, taps: taps.filter(tap => tap.site === 'pattern') };
    return { taps, others: S.sw.scale ? {} : { scaled } };
  },
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'beatpic', role: 'group', 'aria-label': context.ask() }, hatch(), g);
    const beats = range(4).map(i =>
      h(
        'button',
        { onclick: () => set({ beat: i + 1 }) },
        h('i', {}, String(i + 1)),
        h('span', {}, t('beats')[i]),
      ),
    );
    ui = { el, g, svg, beats, key: -1, ghost: null, run: tween(draw) };
    ui.side = h('aside', { class: 'beatside' });
    ui.ladder = ladder(context.scene().model.layers);
    ui.strip = headStrip(context.scene);
    el.append(
      h(
        'header',
        { class: 'beathead' },
        h(
          'ol',
          { class: 'beats' },
          beats.map(b => h('li', {}, b)),
        ),
        formula(),
      ),
      ui.ladder,
      h('div', { class: 'beatbox' }, svg),
      h('div', { class: 'stripbox' }, h('h3', { class: 'striphead' }, t('head')), ui.strip),
      ui.side,
    );
    fit(true);
  },
  update(before, isNew) {
    if (differs(before, 'sel', 'text', 'then')) {
      ui.key = -1;
      ui.ghost = null;
    } else if (isNew || differs(before, 'layer', 'head')) ui.ghost = ui.l ? ui.l.w : null;
    fit(differs(before, 'beat'));
  },
  step(d) {
    const beat = S.beat + d;
    if (beat < 1 || beat > 4) return false;
    set({ beat });
    return true;
  },
  play: () => set({ beat: (S.beat % 4) + 1 }),
  table() {
    const l = seeIt(),
      { labels } = context.scene();
    if (!l) return null;
    const order = byWeight(l.w).filter(j => l.seen[j]);
    return {
      lead: [quote(labels[S.sel]), t('layerN')(S.layer + 1), t('headN')(S.head + 1)].join(' · '),
      head: [t('thWord'), 'q·k', S.sw.scale ? '÷ √d' : '÷ 1', t('thWeight')],
      rows: order.map(j => [
        labels[j],
        [three(l.scores[j]), scoreFrom(j, l.scores[j], 'score')],
        [three(l.scores[j] / l.divisor), scoreFrom(j, l.scores[j] / l.divisor, 'scaled')],
        [pct(l.w[j], 1), weightFrom(j, l.w[j])],
      ]),
      foot: [
        t('sum'),
        '',
        '',
        pct(
          order.reduce((a, j) => a + l.w[j], 0),
          1,
        ),
      ],
    };
  },
  caption() {
    const l = seeIt();
    if (!l) return [whyNot()];
    const name = j => context.scene().labels[j],
      order = byWeight(l.w).filter(j => l.seen[j]),
      parts = { l, order, me: ['pick', name(S.sel)], name };
    return [captionAsk, captionCards, captionCompare, captionAdd][S.beat - 1](parts);
  },
};

// ---------------------------------------------------------------- captions
const own = (name, j) =>
  j === S.sel ? (isChinese() ? '自己' : 'itself') : isChinese() ? quote(name(j)) : name(j);
const amount = w => {
  if (S.depth !== 'feel') return pct(w);
  if (isChinese()) return w > 0.5 ? '大半' : '一部分';
  return w > 0.5 ? 'most' : 'some';
};

function captionAsk({ l, me }) {
  const [layer, head] = [t('layerN')(S.layer + 1), t('headN')(S.head + 1)];
  return isChinese()
    ? [`在${layer}${head}，`, me, ' 发出一个问题 ', ['q', 'Q'], `：${l.d} 个数。`]
    : [`In ${layer}, ${head}, `, me, ' sends out a question, ', ['q', 'Q'], `: ${l.d} numbers.`];
}
function captionCards({ l, order, me }) {
  const n = order.length,
    hidden = l.n - n;
  if (isChinese())
    return [
      me,
      ` 看得见 ${n} 个词，各举一张牌 `,
      ['k', 'K'],
      hidden ? `；后面的 ${hidden} 个词它看不见。` : '；牌上写什么，没有人教过。',
    ];
  return [
    me,
    ` can see ${n} word${n > 1 ? 's' : ''}, each with a card, `,
    ['k', 'K'],
    hidden ? `; ${hidden} later ones it cannot see.` : '; nobody taught them what to write on it.',
  ];
}
function captionCompare({ l, order, me, name }) {
  const j = order[0],
    value = three(l.scores[j] / l.divisor);
  if (S.divisor) return captionThought(l, me);
  const before = context.other('scaled')?.rows(S.layer, S.head)?.[S.sel];
  if (!S.sw.scale && before) return captionUnscaled(l, Array.from(before), me);
  const isTold = S.depth !== 'feel';
  if (isChinese())
    return [
      ['k', own(name, j)],
      ' 的牌最合 ',
      me,
      ' 的问题',
      ...(isTold ? ['：分数 ', ['a', value]] : []),
      '，分到 ',
      ['a', amount(l.w[j])],
      '；所有份额加起来是 100 %。',
    ];
  return [
    'The card of ',
    ['k', own(name, j)],
    ' fits the question of ',
    me,
    ' best: ',
    ...(isTold ? ['score ', ['a', value], ', '] : []),
    'share ',
    ['a', amount(l.w[j])],
    '; all shares add up to 100 %.',
  ];
}
const bits = w => entropy(w).toFixed(2);
function captionUnscaled(l, before, me) {
  const [a, b] = [before, l.w].map(w => pct(Math.max(...w)));
  return isChinese()
    ? [
        '拆掉 ÷ √d，模型重算一遍：',
        me,
        ` 最大的一份从 ${a} 变成 `,
        ['a', b],
        `，不确定从 ${bits(before)} 变成 ${bits(l.w)} 比特。`,
      ]
    : [
        'Without ÷ √d, the model run again: the largest share of ',
        me,
        ` goes from ${a} to `,
        ['a', b],
        `, its uncertainty from ${bits(before)} to ${bits(l.w)} bits.`,
      ];
}
function captionThought(l, me) {
  const w = inThought(l),
    [a, b] = [l.w, w].map(x => pct(Math.max(...x))),
    by = three(S.divisor);
  return isChinese()
    ? [
        `要是分数除以 ${by}，而不是 ${three(l.divisor)}：`,
        me,
        ` 最大的一份会从 ${a} 变成 `,
        ['a', b],
        '。页面算的，模型没变。',
      ]
    : [
        `If scores were divided by ${by} instead of ${three(l.divisor)}, the largest share of `,
        me,
        ` would go from ${a} to `,
        ['a', b],
        '. Reckoned by the page; the model is not changed.',
      ];
}
function captionAdd({ l, order, me, name }) {
  const [a, b] = order,
    first = ['v', amount(l.w[a])],
    second = b != null && l.w[b] >= 0.01;
  if (isChinese())
    return [
      '新的 ',
      me,
      ' 里，',
      first,
      ` 来自${own(name, a)}${second ? `，${amount(l.w[b])} 来自${own(name, b)}` : ''}`,
      '：这就是这个头给它的 ',
      ['v', 'z'],
      '。',
    ];
  return [
    'In the new ',
    me,
    ', ',
    first,
    ` comes from ${own(name, a)}${second ? `, ${amount(l.w[b])} from ${own(name, b)}` : ''}`,
    ': that is what this head gives it, ',
    ['v', 'z'],
    '.',
  ];
}
