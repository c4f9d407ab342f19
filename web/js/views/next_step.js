// 12 - Next token, one step.  The whole distribution goes from left to right through the
// repetition penalty, temperature, top-k and top-p to a ruler from 0 to 1.  Probability is ink;
// what is left over is hatched; the chosen one is the highlighter.  Worked out here from the
// model's logits, at every move of a handle.
import {
  clamp,
  clear,
  cut,
  draggable,
  h,
  isPhone,
  s,
  textWidth,
  tween,
  unit,
} from '../base/dom.js';
import { S, differs, set } from '../state.js';
import {
  draw as randomNumber,
  entropy,
  fallsOn,
  finalShare,
  penalise,
  rank,
  stages,
} from '../base/sampler.js';
import { count, isChinese, pct, t } from '../words.js';
import { source } from '../scene.js';
import { hatch, label, pill, refocus, slideBar } from '../parts.js';
import { copyLine } from './copy_line.js';

let context, ui;

const named = () => (S.present ? 8 : 12);
const u01 = () => randomNumber(S.seed, S.draws);

/** Stages and rows of the picture: the named tokens, then all others as one row. */
function work() {
  const own = context.scene().next(),
    history = context.scene().tokens.map(x => x.id),
    logits = penalise(own.logits, history, S.rep),
    ranked = S.rep === 1 ? own.ranked : rank(logits),
    st = stages(logits, ranked, S, own.logits),
    seen = new Set(history);
  const n = Math.min(named(), ranked.length),
    rows = [];
  let from = 0;
  for (let i = 0; i < n; i++) {
    rows.push({
      id: ranked[i],
      model: st.model[i],
      fined: st.fined[i],
      isSeen: seen.has(ranked[i]),
      heated: st.heated[i],
      share: st.afterK[i],
      from,
      final: finalShare(st, i),
      lost: i >= st.inK ? 'k' : i >= st.kept ? 'p' : null,
    });
    from += st.afterK[i];
  }
  const tail = { id: -1, n: ranked.length - n, from };
  for (const k of ['model', 'fined', 'heated', 'share', 'final']) tail[k] = 0;
  for (let i = n; i < ranked.length; i++) {
    tail.model += st.model[i];
    tail.fined += st.fined[i];
    tail.heated += st.heated[i];
    tail.share += st.afterK[i];
    tail.final += finalShare(st, i);
  }
  tail.lost = n >= st.inK ? 'k' : n >= st.kept ? 'p' : null;
  if (tail.n > 0) rows.push(tail);
  return { st, ranked, rows, pick: pickOf(st), n };
}
/** The rank that is chosen; -1: nothing is drawn yet. */
const pickOf = st => (S.T === 0 ? 0 : S.draws ? fallsOn(st, u01()) : -1);
const rowOf = (w, rank) => (rank < 0 ? -1 : Math.min(rank, w.n));
const wordOf = (w, rank) => context.word(w.ranked[rank]);

// ---------------------------------------------------------------- the picture
function columnsOf(W, u, phone) {
  const at = phone
    ? [0, 62, 62, 62, 172, 178, 262, 300, 342]
    : [0, 96, 206, 336, 476, 528, 706, 806, 856];
  const [lab, model, fined, heated, gate, sum, flow, ruler, end] = at.map(
    x => (x * W) / (phone ? 358 : 976),
  );
  return { lab, model, fined, heated, gate, sum, flow, ruler, end };
}

function ribbons(g, m, G) {
  const { C, rows, top, rh, H, u, pick } = G,
    height = H - top - 8 * u;
  let sum = 0;
  const ends = rows.map((_, i) => [sum, (sum += m[`z${i}`])]);
  const order = rows.map((_, i) => i).sort((a, b) => (a === pick) - (b === pick));
  for (const i of order) {
    const z = m[`z${i}`],
      y = top + (i + 0.5) * rh,
      half = Math.min(z * height, rh - 5 * u) / 2;
    if (z < 0.0015) continue;
    const a = top + ends[i][0] * height,
      b = top + ends[i][1] * height,
      x0 = C.flow,
      x1 = C.ruler,
      mid = (x0 + x1) / 2;
    const cls = `${i === pick ? ' picked' : ''}${rows[i].id < 0 ? ' tail' : ''}`,
      width = C.end - C.ruler;
    g.append(
      s('path', {
        class: `flow${cls}`,
        d:
          `M${x0},${y - half}C${mid},${y - half} ${mid},${a} ${x1},${a}` +
          `L${x1},${b}C${mid},${b} ${mid},${y + half} ${x0},${y + half}Z`,
      }),
      s('rect', {
        class: `segm${cls}`,
        x: C.ruler,
        y: a + 0.5,
        width,
        height: Math.max(1, b - a - 1),
      }),
    );
    if (b - a < 17 * u || (rows[i].id < 0 && i !== pick)) continue;
    const word = i === pick ? G.word : context.word(rows[i].id);
    const px = Math.min(17 * u, (width - 6 * u) / Math.max(1, textWidth(word, 1, 700)));
    g.append(
      label(C.ruler + width / 2, (a + b) / 2 + px * 0.36, word, px, {
        'text-anchor': 'middle',
        class: i === pick ? 'onpick' : 'onink',
        'font-weight': 700,
      }),
    );
  }
}

function drawRow(g, m, G, i) {
  const { C, rows, top, rh, u, phone, pick, most, bar } = G,
    row = rows[i],
    y = top + i * rh,
    mid = y + rh / 2;
  const isTail = row.id < 0,
    px = isTail ? 12.5 * u : Math.min(17 * u, rh * 0.74),
    isPicked = i === pick;
  const room = phone ? C.gate - C.heated - 48 * u : C.fined - C.model - 52 * u;
  const whole = !isTail ? context.word(row.id) : phone ? '…' : t('others')(count(row.n));
  const name = cut(whole, px, (phone ? C.heated : C.model) - C.lab - 6 * u, 700);
  const tail = isTail ? ' tail' : '',
    at = context.scene().next().logits;
  const line = s('g', { class: `trow${row.lost ? ' gone' : ''}${isPicked ? ' picked' : ''}` });
  if (isPicked)
    line.append(
      s('rect', {
        class: 'pickbed',
        x: C.lab - 4 * u,
        y: y + 1.5 * u,
        width: Math.max(textWidth(name, px, 700), 22 * u) + 10 * u,
        height: rh - 3 * u,
        rx: 3 * u,
      }),
    );
  line.append(
    label(C.lab, mid + px * 0.36, name, px, {
      'font-weight': isPicked && !isTail ? 700 : 400,
      class: isTail ? 'quiet word' : 'word',
    }),
  );
  const one = (x, value, cls) =>
    line.append(
      s('rect', {
        class: `pb ${cls}${tail}`,
        x,
        y: mid - bar / 2,
        width: Math.max((value / most) * room, 0.75 * u),
        height: bar,
      }),
    );
  const tell = value =>
    isTail ? undefined : source('next_logits', null, [row.id], at[row.id], value);
  const isTold = S.depth !== 'feel' && (i < 3 || S.depth === 'numbers' || isTail);
  if (!phone) {
    one(C.model, m[`r${i}`], 'rawbar');
    if (isTold)
      line.append(
        label(C.model + (m[`r${i}`] / most) * room + 5 * u, mid + 4 * u, pct(row.model), 12 * u, {
          class: 'quiet',
          from: tell('next_logits'),
        }),
      );
    one(C.fined, m[`n${i}`], row.isSeen && S.rep !== 1 ? 'finedbar' : 'rawbar');
    if (isTold)
      line.append(
        label(C.fined + (m[`n${i}`] / most) * room + 5 * u, mid + 4 * u, pct(row.fined), 12 * u, {
          class: 'quiet',
          from: tell('fined'),
        }),
      );
  }
  one(C.heated, m[`t${i}`], 'tempbar');
  if (isTold && row.heated > 0)
    line.append(
      label(C.heated + (m[`t${i}`] / most) * room + 5 * u, mid + 4.5 * u, pct(row.heated), 13 * u, {
        class: 'val',
        'font-weight': i === 0 ? 700 : 400,
        from: tell('heated'),
      }),
    );
  if (row.lost === 'k')
    line.append(
      s('path', {
        class: 'cross',
        d: `M${C.gate + 16 * u},${mid - 4 * u}l${8 * u},${8 * u}m0,${-8 * u}l${-8 * u},${8 * u}`,
      }),
    );
  else line.append(s('line', { class: 'pass', x1: C.gate, x2: C.sum - 10 * u, y1: mid, y2: mid }));
  const width = C.flow - C.sum - 14 * u,
    start = C.sum + m[`f${i}`] * width,
    share = m[`s${i}`] * width;
  if (row.lost !== 'k') {
    line.append(
      s('rect', {
        class: `pb${row.lost ? ' out' : ''}${tail}`,
        x: start,
        y: mid - bar / 2,
        width: Math.max(share, 1.5 * u),
        height: bar,
      }),
    );
    if (rows[i + 1] && rows[i + 1].lost !== 'k')
      line.append(
        s('line', {
          class: 'stair',
          x1: start + share,
          x2: start + share,
          y1: mid + bar / 2,
          y2: mid + rh - bar / 2,
        }),
      );
  }
  g.append(line);
}

// ---------------------------------------------------------------- handles
/** Where the cut of top-k stands, in rows: between ranks, then, in logarithms, in the last row. */
function placeOfK(G) {
  const last = G.rows.length - 1,
    all = G.w.ranked.length;
  if (S.k === 0 || S.k >= all) return last + 1;
  if (S.k <= last) return S.k;
  return last + clamp(Math.log(S.k - last + 1) / Math.log(all), 0.12, 0.9);
}
function kAt(place, G) {
  const last = G.rows.length - 1,
    all = G.w.ranked.length;
  if (place <= last + 0.06) return clamp(Math.round(place), 1, last);
  if (place > last + 0.92) return 0;
  return clamp(Math.round(all ** (place - last)) + last - 1, last + 1, all);
}
function handleK(g, G) {
  const { C, top, rh, u } = G,
    y = top + placeOfK(G) * rh,
    x0 = C.heated - 8 * u,
    x1 = C.sum - 10 * u;
  const nudge = e => {
    const d = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (!d) return;
    e.stopPropagation();
    e.preventDefault();
    set({ k: S.k === 0 ? (d < 0 ? G.w.ranked.length - 1 : 0) : Math.max(1, S.k + d) });
    refocus('k');
  };
  const mark = s(
    'g',
    {
      class: 'cutter',
      tabindex: 0,
      role: 'slider',
      'aria-label': t('dragK'),
      'aria-valuenow': S.k,
      'aria-valuemin': 1,
      'aria-valuemax': G.w.ranked.length,
      'data-key': 'k',
      onkeydown: nudge,
    },
    s('title', {}, t('dragK')),
    s('line', { x1: x0, x2: x1, y1: y, y2: y }),
    s('rect', { class: 'hit', x: x0, y: y - 16 * u, width: x1 - x0, height: 32 * u }),
    pill((C.gate + x1) / 2, y, S.k ? `k ${S.k}` : t('all'), u, (S.k > 999 ? 64 : 54) * u),
  );
  draggable(
    mark,
    () => ui.svg.getBoundingClientRect().top,
    (edge, dx, dy, e) => set({ k: kAt((e.clientY - edge - top) / rh, G) }),
  );
  g.append(mark);
}
function handleP(g, G) {
  const { C, top, H, u } = G,
    width = C.flow - C.sum - 14 * u,
    x = C.sum + S.p * width;
  const to = p => set({ p: clamp(Math.round(p * 100) / 100, 0.05, 1) });
  const nudge = e => {
    const d = { ArrowLeft: -0.01, ArrowRight: 0.01 }[e.key];
    if (!d) return;
    e.stopPropagation();
    e.preventDefault();
    to(S.p + d);
    refocus('p');
  };
  const mark = s(
    'g',
    {
      class: 'cutter',
      tabindex: 0,
      role: 'slider',
      'aria-label': t('dragP'),
      'aria-valuenow': S.p,
      'aria-valuemin': 0.05,
      'aria-valuemax': 1,
      'data-key': 'p',
      onkeydown: nudge,
    },
    s('title', {}, t('dragP')),
    s('line', { x1: x, x2: x, y1: top - 6 * u, y2: H - 8 * u }),
    s('rect', {
      class: 'hit',
      x: x - 16 * u,
      y: top - 30 * u,
      width: 32 * u,
      height: H - top + 24 * u,
    }),
    pill(clamp(x, C.sum + 20 * u, C.flow - 30 * u), top - 14 * u, `p ${S.p.toFixed(2)}`, u, 60 * u),
  );
  draggable(
    mark,
    () => S.p,
    (p, dx) => to(p + dx / width),
  );
  g.append(mark);
}
function headings(g, G) {
  const { C, u, phone, H } = G,
    head = (x, text) =>
      g.append(label(x, 20 * u, text, 13.5 * u, { class: 'colhead', 'font-weight': 700 }));
  for (const x of phone ? [] : [C.fined, C.heated, C.gate, C.sum, C.ruler])
    g.append(
      s('line', {
        class: 'divide',
        x1: x - 8 * u,
        x2: x - 8 * u,
        y1: 34 * u,
        y2: x === C.ruler ? 34 * u : H - 4 * u,
      }),
      s('path', {
        class: 'then',
        d: `M${x - 11 * u},${9 * u}l${6 * u},${6.5 * u}l${-6 * u},${6.5 * u}`,
      }),
    );
  if (!phone) head(C.model, t('pModel'));
  if (!phone) head(C.fined, t('pPenalty'));
  if (!phone) head(C.gate, t('pK'));
  head(C.heated, t('pT'));
  head(C.sum, t('pP'));
  head(C.ruler - (phone ? 8 * u : 0), t('pDraw'));
  g.append(
    slideBar({
      key: 'rep',
      name: t('pPenalty'),
      x: (phone ? C.lab : C.fined) + 2 * u,
      y: (phone ? 94 : 50) * u,
      width: (phone ? C.gate - 2 * u : C.heated - C.fined) - 20 * u,
      value: S.rep,
      text: `÷ ${S.rep.toFixed(2)}`,
      low: 1,
      high: 2,
      step: 0.05,
      pick: rep => set({ rep }),
      u,
    }),
    slideBar({
      key: 'T',
      name: t('pT'),
      x: C.heated + 2 * u,
      y: 50 * u,
      width: C.gate - C.heated - (phone ? 2 : 24) * u,
      value: S.T,
      text: `T ${S.T.toFixed(2)}`,
      low: 0,
      high: 2,
      step: 0.05,
      mark: 1,
      pick: T => set({ T }),
      u,
    }),
  );
}
function ruler(g, G, m) {
  const { C, top, H, u, phone, pick } = G,
    height = H - top - 8 * u,
    has = pick >= 0 && S.T > 0;
  for (const v of [0, 0.25, 0.5, 0.75, 1]) {
    const y = top + v * height;
    g.append(s('line', { class: 'tick', x1: C.end, x2: C.end + 5 * u, y1: y, y2: y }));
    if (!phone && !(has && Math.abs(v - m.u) * height < 18 * u))
      g.append(
        label(C.end + 9 * u, y + 4 * u, v % 1 ? v.toFixed(2) : String(v), 12 * u, {
          class: 'quiet',
        }),
      );
  }
  if (!has) return;
  const y = top + m.u * height,
    x = C.end + 2 * u,
    w = phone ? 0 : 74 * u;
  g.append(
    s(
      'g',
      { class: 'dart' },
      s('line', { x1: C.ruler - 3 * u, x2: C.end + 10 * u, y1: y, y2: y }),
      s('path', { d: `M${x},${y}l${11 * u},${-12 * u}h${w}v${24 * u}h${-w}z` }),
      phone
        ? ''
        : s(
            'text',
            { x: x + 13 * u, y: y + 5 * u, 'font-size': 14.5 * u, 'font-weight': 700 },
            u01().toFixed(4),
          ),
    ),
  );
}

// ---------------------------------------------------------------- the view
function draw(m) {
  if (!ui?.w) return;
  const { W, H, w } = ui,
    u = unit(),
    phone = isPhone() || W < 640 * u,
    top = (phone ? 126 : 78) * u,
    { rows } = w;
  const rh = (H - top - 4 * u) / (rows.length + 0.15),
    g = clear(ui.g);
  const most = Math.max(0.25, ...rows.map((_, i) => Math.max(m[`r${i}`], m[`n${i}`], m[`t${i}`])));
  const G = {
    C: columnsOf(W, u, phone),
    W,
    H,
    u,
    phone,
    top,
    rh,
    rows,
    w,
    most,
    bar: Math.min(rh * 0.62, 18 * u),
    pick: rowOf(w, w.pick),
    word: w.pick >= 0 ? wordOf(w, w.pick) : '',
  };
  ribbons(g, m, G);
  rows.forEach((_, i) => drawRow(g, m, G, i));
  headings(g, G);
  handleK(g, G);
  handleP(g, G);
  ruler(g, G, m);
}
function take() {
  const id = ui.w.pick >= 0 ? ui.w.ranked[ui.w.pick] : -1;
  if (id >= 0) set({ then: [...S.then, id], sel: -1, draws: S.T === 0 ? 0 : S.draws + 1 });
}
function fit(jump) {
  const w = work(),
    m = { u: S.draws ? u01() : 0 },
    bits = entropy(w.st.model);
  clear(ui.foot).append(
    h(
      'button',
      { class: 'roll', disabled: S.T === 0, onclick: () => set({ draws: S.draws + 1 }) },
      S.draws ? t('again') : t('roll'),
    ),
    h('button', { class: 'act', disabled: w.pick < 0, onclick: take }, t('take')),
    h(
      'span',
      {},
      S.T === 0
        ? t('greedyNote')
        : `${t('seed')} ${S.seed}${S.draws ? ` · ${t('nth')(S.draws)}` : ''}`,
    ),
    h('span', {}, `${t('bits')} ${bits.toFixed(2)} bit`),
    copyLine(context, 24),
  );
  const box = ui.svg.getBoundingClientRect();
  Object.assign(ui, { W: box.width, H: box.height, w });
  w.rows.forEach((row, i) => {
    m[`r${i}`] = row.model;
    m[`n${i}`] = row.fined;
    m[`t${i}`] = row.heated;
    m[`s${i}`] = row.share;
    m[`f${i}`] = row.from;
    m[`z${i}`] = row.final;
  });
  ui.run(m, jump);
}

export default {
  needs: () => ({}),
  slot() {
    const w = ui?.w;
    return w && w.pick >= 0 ? wordOf(w, w.pick) : '';
  },
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'nextpic', role: 'group', 'aria-label': context.ask() }, hatch(), g);
    ui = { g, svg, foot: h('footer', { class: 'nextfoot' }), run: tween(draw) };
    el.append(
      h('div', { class: 'nextbox' }, svg),
      ui.foot,
    );
    fit(true);
  },
  update: (before, isNew) => fit(isNew && !differs(before, 'draws')),
  play: () => S.T > 0 && set({ draws: S.draws + 1 }),
  table() {
    const { rows } = ui.w,
      { logits } = context.scene().next();
    return {
      lead: t('asks').next,
      head: [t('thWord'), t('thModel'), t('thSampled')],
      rows: rows.map(r => [
        r.id < 0 ? t('others')(count(r.n)) : context.word(r.id),
        r.id < 0
          ? pct(r.model, 1)
          : [pct(r.model, 1), source('next_logits', null, [r.id], logits[r.id])],
        r.final > 0 ? pct(r.final, 1) : '—',
      ]),
      foot: [
        t('sum'),
        pct(rows.reduce((a, r) => a + r.model, 0)),
        pct(rows.reduce((a, r) => a + r.final, 0)),
      ],
    };
  },
  caption: () => (S.T === 0 ? captionGreedy() : ui.w.pick < 0 ? captionBefore() : captionDrawn()),
};

function captionGreedy() {
  const best = ['pick', wordOf(ui.w, 0)];
  return isChinese()
    ? ['温度是 0：不抽，直接取最大的 ', best, '；再来一万次也是它。']
    : ['Temperature 0: nothing is drawn, the largest is taken: ', best, '. It would be again.'];
}
function captionBefore() {
  const { st, rows } = ui.w,
    tail = rows.at(-1),
    has = tail.id < 0,
    best = ['pick', wordOf(ui.w, 0)];
  const own = pct(st.model[0]),
    others = pct(has ? tail.model : 0),
    n = count(has ? tail.n : 0);
  const kept = count(st.kept);
  return isChinese()
    ? [
        '模型最看好 ',
        best,
        `（${own}），没有画出的 ${n} 个词一共 ${others}；`,
        `留下 ${kept} 个，抽一个。`,
      ]
    : [
        'The model likes ',
        best,
        ` best (${own}); the ${n} tokens not drawn have ${others} together. `,
        `${kept} are left, and one of them is drawn.`,
      ];
}
function captionDrawn() {
  const { st, pick } = ui.w,
    word = ['pick', wordOf(ui.w, pick)],
    u = u01().toFixed(4);
  const share = ['', pct(finalShare(st, pick))],
    own = pct(st.model[pick]);
  return isChinese()
    ? [`随机数 ${u} 落在 `, word, ` 的那一段上；模型本来给它 ${own}，最后是 `, share, '。']
    : [
        `The random number ${u} falls on `,
        word,
        `; the model gave it ${own}, in the end it has `,
        share,
        '.',
      ];
}
