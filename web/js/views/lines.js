// 3 - Attention lines.  Who is this word looking at?  Ribbons as wide as the weights, and beside
// them the whole pattern as a matrix.
import { clear, h, isPhone, press, s, textWidth, tween, unit } from '../base/dom.js';
import { S, differs, set } from '../state.js';
import { isChinese, pct, quote, t } from '../words.js';
import { source } from '../scene.js';
import { chip, hatch, headStrip, label, ladder, miniSwitch, seg } from '../parts.js';
import { arcPath, headLength, headPath, loopPath, nest, ports, rise } from '../draw/arc.js';
import { drawMatrix } from '../draw/matrix.js';

const TOP_OUT = 4,
  TOP_IN = 6;
let context, ui;

const isHiding = () => S.hideSink && context.scene().n > 2;
/** The rows that are shown: raw, or without the first word. */
function shown() {
  const scene = context.scene();
  if (isHiding()) return scene.rowsWithoutFirst(S.layer, S.head);
  const rows = scene.rows(S.layer, S.head);
  return rows && { rows, sink: null };
}
/** Where a weight comes from: row i looks at j. */
const from = (i, j, value) =>
  source('pattern', S.layer, [S.head, i, j], value, isHiding() && i > 0 ? 'hidden' : 'pattern');

/** What is to be seen, flat: {"i.j": weight}, of the picked word or of those who look at it. */
function target() {
  const { rows } = shown(),
    out = {},
    i = S.sel;
  if (S.dir === 'out')
    rows[i].forEach((w, j) => {
      if (w > 0.001) out[`${i}.${j}`] = w;
    });
  else
    rows.forEach((row, k) => {
      if (k !== i && row[i] > 0.02) out[`${k}.${i}`] = row[i];
    });
  return out;
}

// ---------------------------------------------------------------- where things stand
function layout() {
  const u = unit(),
    { width: W, height: H } = ui.svg.getBoundingClientRect(),
    upright = isPhone();
  const { labels, n } = context.scene();
  let px = (upright ? 18 : 27) * u,
    widths;
  const measure = () =>
    labels.map(w => Math.max(textWidth(w, px, 700) + 12 * u, (px < 15 * u ? 16 : 30) * u));
  for (; ; px -= u) {
    widths = measure();
    const needed = widths.reduce((a, b) => a + b, 0) + (n - 1) * 4 * u;
    if (upright || needed <= W - 4 * u || px <= 9 * u) break;
  }
  const height = px * 1.5,
    full = Math.min(64 * u, H * 0.16);
  if (upright) {
    const step = Math.min(46 * u, (H - 8 * u) / n),
      most = Math.max(...widths);
    const place = widths.map((w, i) => ({ c: 4 * u + step * (i + 0.5), w }));
    return { u, W, H, upright, px, place, height, full, base: Math.min(most, W * 0.45) + 12 * u };
  }
  const total = widths.reduce((a, b) => a + b, 0);
  const space = n > 1 ? Math.min((W - total) / (n - 1), 12 * u) : 0;
  let x = (W - total - space * (n - 1)) / 2;
  const place = widths.map(w => {
    const c = x + w / 2;
    x += w + space;
    return { c, w };
  });
  return { u, W, H, upright, px, place, height, full, base: H - height - 56 * u };
}

// ---------------------------------------------------------------- ribbons
/** The looks of each word, strongest first: [word at the other end, weight]. */
function groupsOf(values) {
  const groups = new Map(),
    { n } = context.scene();
  for (const [key, w] of Object.entries(values)) {
    if (!(w > 0.0005) || key.split('.').some(k => k >= n)) continue; // on its way out
    const [i, j] = key.split('.').map(Number),
      [own, other] = S.dir === 'out' ? [i, j] : [j, i];
    if (!groups.has(own)) groups.set(own, []);
    groups.get(own).push([other, w]);
  }
  for (const list of groups.values()) list.sort((a, b) => b[1] - a[1]);
  return groups;
}

function ribbon(own, other, weight, geometry) {
  const { u, upright, base } = ui.layout,
    { centre, at, level, span, side } = geometry;
  const width = Math.max(weight * span, 0.75 * u);
  if (own === other)
    return s('path', {
      class: 'arc self',
      d: loopPath(at[other], base, side, upright, 13 * u),
      'stroke-width': Math.max(1.5 * u, Math.min(width, 9 * u)),
    });
  const start = S.dir === 'out' ? at[other] : centre[other],
    end = S.dir === 'out' ? centre[other] : at[other];
  const d = arcPath(start, end, base, level[other], side, upright, headLength(width, u) - u);
  const mix = `${Math.round(62 + 38 * Math.min(1, weight / 0.3))}%`;
  return s(
    'g',
    { class: `arc${ui.hot === other ? ' hot' : ''}`, style: { '--mix': mix } },
    s('path', { d, class: 'casing', 'stroke-width': width + 3 * u }),
    s('path', { d, class: 'body', 'stroke-width': width }),
    s('path', { class: 'tip', d: headPath(end, base, width, side, upright, u) }),
  );
}

function drawGroup(own, list, g, labels) {
  const L = ui.layout,
    { u, upright, full, base, place } = L,
    centre = place.map(p => p.c);
  const side = upright ? 1 : -1,
    room = upright ? L.W - base - 74 * u : base - full * 0.3 - 6 * u;
  const longest = Math.max(60 * u, ...centre.map(x => Math.abs(x - centre[S.sel])));
  const top = list.slice(0, S.dir === 'out' ? TOP_OUT : TOP_IN),
    rest = list.slice(top.length);
  const sum = top.reduce((a, x) => a + x[1], 0),
    shares = new Array(centre.length).fill(0);
  for (const [j, w] of top) shares[j] = w;
  // Many may look at one word: a smaller scale then, the same for all of them.
  const span =
    S.dir === 'in' ? Math.min(full, (place[own].w + 16 * u) / Math.max(0.01, sum)) : full;
  const at = ports(centre[own], shares, centre, span),
    level = {};
  for (const direction of [-1, 1])
    Object.assign(
      level,
      nest(
        top
          .filter(([j]) => Math.sign(centre[j] - centre[own]) === direction)
          .map(([j, w]) => ({ j, distance: Math.abs(centre[j] - centre[own]), width: w * span })),
        room,
        longest,
        3 * u,
      ),
    );
  drawGhost(own, g, { centre, room, longest, side });
  const far = j => Math.abs(centre[j] - centre[own]);
  for (const [j, w] of [...top].sort((a, b) => far(a[0]) - far(b[0])))
    g.append(ribbon(own, j, w, { centre, at, level, span, side }));
  if (S.dir === 'out') drawRest(own, sum, rest, g, labels);
  if (S.depth !== 'feel') numberRibbons(own, top, labels);
}

/** The state before the last change, as a grey outline. */
function drawGhost(own, g, { centre, room, longest, side }) {
  const { u, upright, full, base } = ui.layout;
  if (S.dir !== 'out' || own !== S.sel || !ui.ghost) return;
  const strongest = [...ui.ghost.keys()].sort((a, b) => ui.ghost[b] - ui.ghost[a]).slice(0, 3);
  for (const j of strongest) {
    const w = ui.ghost[j];
    if (j === own || j >= centre.length || Math.abs(w - (ui.now[`${own}.${j}`] ?? 0)) < 0.06)
      continue;
    const height = rise(Math.abs(centre[own] - centre[j]), longest, room);
    g.append(
      s('path', {
        class: 'ghost',
        d: arcPath(centre[own], centre[j], base, height, side, upright),
        'stroke-width': Math.max(2 * u, w * full),
      }),
    );
  }
}

/** What the strongest leave over: one hatched stub, so that the sum is honest. */
function drawRest(own, sum, rest, g, labels) {
  const { u, upright, full, base, place, height } = ui.layout,
    share = rest.reduce((a, x) => a + x[1], 0);
  if (share <= 0.004) return;
  const width = share * full,
    x = place[own].c + (sum * full) / 2 + width / 2,
    reach = 30 * u;
  g.append(
    s('path', {
      class: 'rest',
      d: upright ? `M${base},${x}h${reach}` : `M${x},${base}v${-reach}`,
      'stroke-width': Math.max(width, 1),
    }),
  );
  if (S.depth === 'feel') return;
  const text = t('rest')(rest.length, pct(share));
  if (upright)
    labels.append(label(base + reach + 6 * u, x + 4 * u, text, 12 * u, { class: 'restlabel' }));
  else
    labels.append(
      label(
        Math.min(place[own].c - place[own].w / 2, ui.layout.W - textWidth(text, 12 * u)),
        base + height + 42 * u,
        text,
        12 * u,
        { class: 'restlabel' },
      ),
    );
}

function numberRibbons(own, top, labels) {
  const { u, W, upright, base, place, height } = ui.layout;
  top.forEach(([j, w], rank) => {
    if (w < 0.03 || (rank > 2 && S.depth !== 'numbers')) return;
    const px = (rank === 0 ? 17 : 14) * u,
      [i, k] = S.dir === 'out' ? [own, j] : [j, own];
    const props = { class: 'wt', from: from(i, k, w) };
    if (upright) {
      ui.back.append(
        s('line', { class: 'leader', x1: base, x2: W - 44 * u, y1: place[j].c, y2: place[j].c }),
      );
      labels.append(
        label(W, place[j].c + px * 0.36, pct(w), px, { ...props, 'text-anchor': 'end' }),
      );
    } else
      labels.append(
        label(place[j].c, base + height + 23 * u, pct(w), px, {
          ...props,
          'text-anchor': 'middle',
        }),
      );
  });
}

function draw(values) {
  if (!ui?.layout) return;
  ui.now = values;
  const g = clear(ui.arcs),
    labels = clear(ui.labels);
  for (const line of [...ui.back.querySelectorAll('.leader')]) line.remove();
  for (const [own, list] of groupsOf(values)) drawGroup(own, list, g, labels);
}

// ---------------------------------------------------------------- words and matrix
function drawWords() {
  const L = ui.layout,
    { u, upright, base, place, height } = L,
    { labels, n } = context.scene();
  const isMasked = S.sw.causal_mask && S.dir === 'out' && S.sel < n - 1;
  const back = clear(ui.back),
    g = clear(ui.words);
  if (isMasked && upright) {
    const y = place[S.sel].c + height / 2 + 3 * u;
    back.append(
      s('rect', {
        class: 'veil',
        x: 0,
        y,
        width: base - 4 * u,
        height: L.H - y - 8 * u,
        rx: 4 * u,
      }),
    );
  } else if (isMasked) {
    const x0 = place[S.sel].c + place[S.sel].w / 2 + 3 * u,
      x1 = place[n - 1].c + place[n - 1].w / 2;
    back.append(s('rect', { class: 'veil', x: x0, y: base, width: x1 - x0, height, rx: 4 * u }));
    if (S.depth !== 'feel' && textWidth(t('masked'), 12 * u) < x1 - x0 + 20 * u)
      back.append(
        label((x0 + x1) / 2, base - 9 * u, t('masked'), 12 * u, {
          class: 'quiet',
          'text-anchor': 'middle',
        }),
      );
  }
  labels.forEach((word, i) => {
    const on = {
      ...press(() => set({ sel: i })),
      onpointerenter: e => e.pointerType === 'mouse' && hover(i),
      onpointerleave: () => hover(-1),
    };
    const x = upright ? base - 10 * u - place[i].w / 2 : place[i].c;
    const y = upright ? place[i].c - height / 2 : base;
    g.append(
      chip(x, y, place[i].w, height, word, L.px, {
        picked: i === S.sel,
        dim: isMasked && i > S.sel,
        on,
      }),
    );
  });
  const { sink } = shown();
  if (sink && !upright && S.sel > 0 && S.dir === 'out' && S.depth !== 'feel')
    back.append(
      label(place[0].c - place[0].w / 2, L.H - 2 * u, t('sinkNote')(pct(sink[S.sel])), 12 * u, {
        class: 'quiet',
        from: source('pattern', S.layer, [S.head, S.sel, 0], sink[S.sel]),
      }),
    );
}
function hover(j) {
  if (ui.hot === j) return;
  ui.hot = j;
  draw(ui.now);
  matrix();
}
function matrix() {
  const box = ui.matrixBox,
    u = unit();
  if (!box.clientWidth) return;
  const left = 52 * u,
    top = 50 * u,
    side = Math.min(box.clientWidth - left, box.clientHeight - top - 30 * u);
  if (side < 40) return;
  ui.matrix.setAttribute('height', side + top + 2);
  drawMatrix(ui.matrix, {
    rows: shown().rows,
    words: context.scene().labels,
    side,
    left,
    top,
    picked: S.sel,
    hot: ui.hot,
    u,
    onPick: i => set({ sel: i }),
    onHover: hover,
  });
  clear(ui.matrixKey).append(
    h('span', {}, `↓ ${t('looking')}`),
    h('span', {}, `→ ${t('lookedAt')}`),
  );
}

// ---------------------------------------------------------------- the view
/** The three biggest moves of the picked word after a change: before → after. */
function moves() {
  if (!ui.ghost || S.dir === 'in' || S.depth === 'feel') return [];
  const row = shown().rows[S.sel],
    { labels } = context.scene();
  return [...row.keys()]
    .map(j => [j, ui.ghost[j] ?? 0, row[j]])
    .filter(([, a, b]) => Math.abs(a - b) > 0.05)
    .sort((x, y) => Math.abs(y[2] - y[1]) - Math.abs(x[2] - x[1]))
    .slice(0, 3)
    .map(([j, a, b]) =>
      h('span', { class: b > a ? 'up' : 'down' }, h('b', {}, labels[j]), ` ${pct(a)} → ${pct(b)}`),
    );
}
function fit(jump) {
  const has = !!shown();
  clear(ui.head).append(
    h('h2', {}, S.dir === 'in' ? t('askIn') : context.ask()),
    h('span', { class: 'moves', 'aria-live': 'polite' }, has ? moves() : []),
    h('span', { class: 'gap' }),
    seg(
      context.ask(),
      [
        ['out', t('out')],
        ['in', t('in')],
      ],
      S.dir,
      dir => set({ dir }),
    ),
    miniSwitch(t('hideFirst'), S.hideSink, () => set({ hideSink: !S.hideSink })),
  );
  ui.ladder.update();
  ui.strip.update();
  for (const g of [ui.arcs, ui.words, ui.back, ui.labels, ui.matrix]) clear(g);
  if (!has) {
    ui.back.append(label(0, 40, t('noAttention'), 16 * unit(), {}));
    return;
  }
  ui.layout = layout();
  drawWords();
  ui.aim = target();
  ui.aimAt = context.scene().n;
  ui.run(ui.aim, jump);
  matrix();
}

export default {
  id: 'lines',
  needs: () => ({ taps: [{ site: 'pattern' }] }),
  mount(el, given) {
    context = given;
    ui = { hot: -1, ghost: null, now: {}, aim: {}, aimAt: -1, run: tween(draw) };
    for (const name of ['back', 'arcs', 'words', 'labels']) ui[name] = s('g', { class: name });
    ui.svg = s(
      'svg',
      { class: 'arcs', role: 'group' },
      hatch(),
      ui.back,
      ui.arcs,
      ui.words,
      ui.labels,
    );
    ui.head = h('header', { class: 'head' });
    ui.matrix = s('svg', { class: 'matrix', width: '100%' });
    ui.matrixKey = h('p', { class: 'matkey' });
    ui.matrixBox = h('aside', { class: 'matbox' }, ui.matrix, ui.matrixKey);
    ui.ladder = ladder(context.scene().model.layers);
    ui.strip = headStrip(context.scene);
    el.append(
      ui.head,
      ui.ladder,
      h('div', { class: 'arcbox' }, ui.svg),
      ui.matrixBox,
      h('div', { class: 'stripbox' }, h('h3', { class: 'striphead' }, t('head')), ui.strip),
    );
    fit(true);
  },
  update(before, isNew) {
    const isSame = ui.aimAt === context.scene().n && !differs(before, 'sel', 'dir');
    if (!isSame) ui.ghost = null;
    else if (isNew || differs(before, 'layer', 'head', 'hideSink')) {
      ui.ghost = [];
      for (const [key, w] of Object.entries(ui.aim)) ui.ghost[Number(key.split('.')[1])] = w;
    }
    fit(false);
  },
  table() {
    const scene = context.scene(),
      found = shown();
    if (!found) return null;
    const row = found.rows[S.sel],
      order = [...row.keys()].filter(j => row[j] > 0).sort((a, b) => row[b] - row[a]);
    return {
      lead: [quote(scene.labels[S.sel]), t('layerN')(S.layer + 1), t('headN')(S.head + 1)].join(
        ' · ',
      ),
      head: [t('thWord'), t('thWeight')],
      rows: order.map(j => [scene.labels[j], [pct(row[j], 1), from(S.sel, j, row[j])]]),
      foot: [
        t('sum'),
        pct(
          row.reduce((a, b) => a + b, 0),
          1,
        ),
      ],
    };
  },
  caption() {
    const { labels, n } = context.scene(),
      found = shown(),
      i = S.sel,
      me = ['pick', labels[i]];
    const place = [t('layerN')(S.layer + 1), t('headN')(S.head + 1)];
    if (!found) return [t('noAttention')];
    return S.dir === 'in'
      ? captionIn(found.rows, labels, me, place)
      : captionOut(found.rows[i], labels, n, me, place);
  },
};

const roughly = w =>
  isChinese()
    ? w > 0.5
      ? '大半'
      : w > 0.3
        ? '一大份'
        : '一部分'
    : w > 0.5
      ? 'most'
      : w > 0.3
        ? 'a large part'
        : 'some';
const amount = w => (S.depth === 'feel' ? roughly(w) : pct(w));

function captionOut(row, labels, n, me, place) {
  const order = [...row.keys()].filter(j => row[j] > 0.004).sort((a, b) => row[b] - row[a]),
    [a, b] = order;
  const later = S.sw.causal_mask && S.sel < n - 1;
  if (S.sel === 0 && S.sw.causal_mask)
    return isChinese()
      ? ['第一个词 ', me, ' 只看得见它自己。']
      : ['The first word ', me, ' can see only itself.'];
  if (a == null)
    return isChinese()
      ? [me, ' 在这个头里只看首词。']
      : [me, ' looks at nothing but the first word in this head.'];
  const name = j =>
    j === S.sel ? (isChinese() ? '自己' : 'itself') : isChinese() ? quote(labels[j]) : labels[j];
  const second =
    b == null || row[b] < 0.01
      ? ''
      : isChinese()
        ? `，${amount(row[b])} 给了${name(b)}`
        : ` and ${amount(row[b])} to ${name(b)}`;
  return isChinese()
    ? [
        `在${place.join('')}，`,
        me,
        ' 把 ',
        ['a', amount(row[a])],
        ' 的注意力给了 ',
        ['a', name(a)],
        second,
        later ? '；后面的词它看不见。' : '。',
      ]
    : [
        `In ${place.join(', ')}, `,
        me,
        ' gives ',
        ['a', amount(row[a])],
        ' of its attention to ',
        ['a', name(a)],
        second,
        later ? '; later words it cannot see.' : '.',
      ];
}
function captionIn(rows, labels, me, place) {
  const i = S.sel,
    who = [...rows.keys()]
      .filter(k => k !== i && rows[k][i] > 0.02)
      .sort((x, y) => rows[y][i] - rows[x][i])[0];
  if (who == null)
    return isChinese()
      ? [`在${place.join('')}，没有哪个词在看 `, me, '。']
      : [`In ${place.join(', ')} no word looks at `, me, '.'];
  const share = amount(rows[who][i]);
  return isChinese()
    ? [
        `在${place.join('')}，最在意 `,
        me,
        ' 的是 ',
        ['a', quote(labels[who])],
        `：它把 ${share} 的注意力放在这里。`,
      ]
    : [
        `In ${place.join(', ')} the word that cares most about `,
        me,
        ' is ',
        ['a', labels[who]],
        `: ${share} of its attention lands here.`,
      ];
}
