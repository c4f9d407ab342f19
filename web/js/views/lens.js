// 7 - One layer after another.  The residual river: what attention and the feed-forward add flows
// in from both banks.  Width is the length of the vectors, to scale.  Beside it, on the same rungs,
// the lens: what the model would say if it ended there.
import {
  clear,
  cut,
  fitType,
  h,
  isPhone,
  press,
  range,
  s,
  textWidth,
  tween,
  unit,
} from '../base/dom.js';
import { S, differs, set } from '../state.js';
import { isChinese, pct, quote, t, three } from '../words.js';
import { source } from '../scene.js';
import { chip, hatch, label, miniSwitch } from '../parts.js';

const ROW_LEAST = 24,
  ROW_MOST = 72; // design pixels: that a row of the lens needs, that a rung gets
let context, ui;

// ---------------------------------------------------------------- what is read
const nLayers = () => {
  const id = context.scene().array('lens_id');
  return id.shape[0] - 1;
};
/** The likeliest token and its probability after layer l (-1: the embedding) at token i. */
function guess(l, i) {
  const id = context.scene().array('lens_id'),
    p = context.scene().array('lens_probability');
  const [, n, k] = id.shape,
    at = ((l + 1) * n + i) * k;
  return {
    id: id.values[at],
    p: p.values[at],
    from: source('lens_probability', null, [l + 1, i, 0], p.values[at]),
  };
}
/** The probability of the token that is followed, at the picked token. */
function followed(l) {
  const name = S.pinned >= 0 ? 'lens_watched' : 'lens_final',
    a = context.scene().array(name);
  const n = a.shape[1],
    at = (l + 1) * n + S.sel;
  const value = a.values[at],
    place = S.pinned >= 0 ? [l + 1, S.sel, 0] : [l + 1, S.sel];
  return { p: value, from: source(name, null, place, value) };
}
const followedId = () => (S.pinned >= 0 ? S.pinned : guess(nLayers() - 1, S.sel).id);
/** The layer from which on the last guess stays. */
function settles(i) {
  let l = nLayers() - 1;
  const last = guess(l, i).id;
  while (l > 0 && guess(l - 1, i).id === last) l--;
  return l;
}
/** Lengths of what the picked token is (e), and of what each layer adds to it. */
function additions() {
  const scene = context.scene(),
    norm = (name, l) => scene.norm(name, l, S.sel) || 0;
  return {
    e: norm('resid_pre', 0),
    attention: range(nLayers()).map(l => norm('attn_out', l)),
    ffn: range(nLayers()).map(l => norm('mlp_out', l)),
  };
}
const sum = list => list.reduce((a, b) => a + b, 0);

/** Rows of the lens: the layers that are read, and the rungs that each row covers. */
function rowsOf(height, u) {
  const L = nLayers(),
    step = Math.ceil(L / Math.max(4, Math.floor(height / (ROW_LEAST * u))));
  const rows = [];
  for (let to = L - 1; to >= 0; to -= step) {
    const from = Math.max(0, to - step + 1),
      has = S.layer >= from && S.layer <= to;
    rows.unshift({ from, to, layer: has ? S.layer : to, on: has });
  }
  return rows;
}

// ---------------------------------------------------------------- river
function stairs(edge, widths, sign, ys, bottom) {
  const end = l => (l + 1 < widths.length ? ys(l + 1) : bottom);
  const steps = widths.map((w, l) => `H${edge + sign * w}V${end(l)}`);
  return `M${edge},${ys(0)}${steps.join('')}H${edge}Z`;
}
/** A flow from the bank into the stream. */
function inflow(start, edge, y, width, most, cls, sign, u) {
  const w = Math.max(1, Math.min(width, most)),
    at = edge + (sign * w) / 2,
    r = Math.min(most * 0.5 + w / 2, 16 * u);
  return s('path', {
    class: `inflow ${cls}`,
    'stroke-width': w,
    d: `M${start},${y}H${at + sign * r}Q${at},${y} ${at},${y + r * 0.8}`,
  });
}
function river(m, g, box) {
  const { x0, width, top, rh, bottom, u, phone } = box,
    L = nLayers(),
    centre = x0 + width * 0.46;
  const a = range(L).map(l => m[`a${l}`]),
    f = range(L).map(l => m[`f${l}`]);
  const keeps = S.sw.residual,
    up = list => list.map((v, i) => (keeps ? sum(list.slice(0, i + 1)) : v));
  const A = up(a),
    F = up(f),
    whole = m.e + Math.max(...A.map((v, i) => v + F[i]), 1e-9);
  const scale = (width - (phone ? 70 : 112) * u) / whole,
    self = m.e * scale;
  const left = centre - self / 2,
    right = centre + self / 2,
    tip = x0 + 34 * u,
    far = x0 + width - 34 * u;
  const ya = l => top + l * rh + rh * 0.3,
    yf = l => top + l * rh + rh * 0.74;
  const widths = list => list.map(v => v * scale);
  g.append(
    s('rect', {
      class: 'stream self',
      x: left,
      y: top - 8 * u,
      width: Math.max(1, self),
      height: (keeps ? bottom + 12 * u : ya(0)) - top + 8 * u,
    }),
    s('path', { class: 'stream attn', d: stairs(left, widths(A), -1, ya, bottom + 12 * u) }),
    s('path', { class: 'stream ffn', d: stairs(right, widths(F), 1, yf, bottom + 12 * u) }),
  );
  for (let l = 0; l < L; l++) {
    const on = l === S.layer ? ' on' : '',
      edges = [left - (A[l] - a[l]) * scale, right + (F[l] - f[l]) * scale];
    g.append(
      inflow(tip, edges[0], ya(l), a[l] * scale, rh * 0.62, `attn${on}`, -1, u),
      inflow(far, edges[1], yf(l), f[l] * scale, rh * 0.62, `ffn${on}`, 1, u),
    );
    if (!keeps && l)
      g.append(
        s('line', {
          class: 'dam',
          x1: centre - 26 * u,
          x2: centre + 26 * u,
          y1: top + l * rh,
          y2: top + l * rh,
        }),
      );
    if (S.depth === 'feel' || !(on || (S.depth === 'numbers' && rh > 13 * u))) continue;
    const weight = { 'font-weight': on ? 700 : 400 },
      from = (name, v) => source(name, l, [S.sel], v);
    g.append(
      label(tip - 5 * u, ya(l) + 4.5 * u, three(ui.add.attention[l]), 12 * u, {
        ...weight,
        'text-anchor': 'end',
        class: 'timea halo',
        from: from('attn_out', ui.add.attention[l]),
      }),
      label(far + 5 * u, yf(l) + 4.5 * u, three(ui.add.ffn[l]), 12 * u, {
        ...weight,
        class: 'halo',
        from: from('mlp_out', ui.add.ffn[l]),
      }),
    );
  }
  if (!keeps)
    g.append(
      label(centre + 34 * u, Math.max(ya(0), top + 13 * u), t('lost'), 13 * u, {
        'font-weight': 700,
        class: 'halo',
      }),
    );
}

function rungs(g, box) {
  const { x0, width, top, rh, u, phone } = box,
    L = nLayers(),
    every = rh < 13 * u ? 5 : 1;
  g.append(
    label(x0 - 4 * u, top - 8 * u, t('layer'), 12 * u, { 'text-anchor': 'end', class: 'quiet' }),
  );
  for (let l = 0; l < L; l++) {
    const on = l === S.layer,
      y = top + (l + 0.5) * rh;
    const isNamed =
      on || (((l + 1) % every === 0 || l === 0) && !(every > 1 && Math.abs(l - S.layer) === 1));
    g.append(
      s(
        'g',
        {
          class: `rung${on ? ' on' : ''}`,
          role: 'radio',
          tabindex: on ? 0 : -1,
          'aria-checked': String(on),
          'aria-label': t('layerN')(l + 1),
          ...press(() => set({ layer: l })),
        },
        s('rect', {
          class: 'hit',
          x: 0,
          y: y - rh / 2,
          width: phone ? x0 : x0 + width,
          height: rh,
        }),
        s('line', { x1: 0, x2: (on ? 12 : 8) * u, y1: y, y2: y }),
        isNamed
          ? s(
              'text',
              { x: x0 - 4 * u, y: y + 4.5 * u, 'text-anchor': 'end', 'font-size': 12 * u },
              String(l + 1),
            )
          : '',
      ),
    );
  }
}

// ---------------------------------------------------------------- lens
function cell(g, layer, i, x, y, width, height, u, on) {
  const { id, p } = guess(layer, i),
    word = context.word(id),
    isFinal = id === guess(nLayers() - 1, i).id && layer >= settles(i);
  const pad = 3 * u,
    room = width - 2 * pad,
    px = fitType(word, Math.min(15 * u, (height - 9 * u) * 0.9), 9 * u, room + 2 * u);
  const isPinned = id === followedId(),
    base = y + height,
    bed = Math.min(height - 2 * u, 38 * u);
  g.append(
    s(
      'g',
      {
        class: `lcell${isPinned ? ' pin' : ''}${isFinal ? ' final' : ''}`,
        role: 'button',
        tabindex: on ? 0 : -1,
        'aria-label': `${t('layerN')(layer + 1)}: ${word} ${pct(p)}`,
        ...press(() => set({ pinned: S.pinned === id ? -1 : id, sel: i, layer })),
      },
      s(
        'title',
        {},
        `${context.scene().labels[i]} · ${t('layerN')(layer + 1)}: ${word} ${pct(p, 1)}`,
      ),
      s('rect', {
        class: 'bed',
        x: x + 1.5 * u,
        y: base - bed,
        width: width - 3 * u,
        height: bed - 2 * u,
        rx: 3 * u,
      }),
      s(
        'text',
        {
          x: x + width / 2,
          y: base - 11 * u - Math.max(0, bed - 34 * u) * 0.3,
          'text-anchor': 'middle',
          'font-size': px,
          'font-weight': isFinal ? 700 : 400,
          opacity: isFinal ? 1 : 0.64 + 0.36 * Math.min(1, p * 2.2),
        },
        cut(word, px, room + 3 * u, 700),
      ),
      s('rect', { class: 'base', x: x + pad, y: base - 6.5 * u, width: room, height: u }),
      s('rect', {
        class: 'prob',
        x: x + pad,
        y: base - 8 * u,
        width: Math.max(1, room * p),
        height: 3.5 * u,
      }),
    ),
  );
}
function lensTable(g, box, x0, width) {
  const { top, rh, bottom, rows, u } = box,
    { labels, n } = context.scene(),
    cw = Math.min(96 * u, width / n);
  g.append(
    label(x0, 17 * u, t('lens'), 13.5 * u, { 'font-weight': 700 }),
    s('rect', {
      class: 'colmark',
      x: x0 + S.sel * cw,
      y: top - 4 * u,
      width: cw,
      height: bottom - top + 8 * u,
    }),
  );
  for (let i = 0; i < n; i++) {
    const px = fitType(labels[i], 17 * u, 9 * u, cw - 6 * u);
    g.append(
      chip(
        x0 + (i + 0.5) * cw,
        top - 37 * u,
        cw - 4 * u,
        28 * u,
        cut(labels[i], px, cw - 3 * u, 700),
        px,
        { picked: i === S.sel, on: press(() => set({ sel: i })) },
      ),
    );
    for (const row of rows)
      cell(
        g,
        row.layer,
        i,
        x0 + i * cw,
        top + row.from * rh,
        cw,
        (row.to - row.from + 1) * rh,
        u,
        row.on && i === S.sel,
      );
  }
  return x0 + n * cw;
}
function followedBars(g, box, x, width) {
  const { top, rh, bottom, rows, u } = box,
    most = Math.max(0.35, ...rows.map(r => followed(r.layer).p));
  g.append(
    label(x, 17 * u, t('followed'), 12 * u, { class: 'quiet' }),
    label(x, top - 16 * u, cut(quote(context.word(followedId())), 17 * u, width, 700), 17 * u, {
      'font-weight': 700,
    }),
  );
  rows.forEach((row, i) => {
    const { p, from } = followed(row.layer),
      y = top + ((row.from + row.to + 1) / 2) * rh,
      length = Math.max(1, (p * (width - 44 * u)) / most);
    g.append(
      s('rect', {
        class: row.on ? 'pb' : 'pb rawbar',
        x,
        y: y - 6 * u,
        width: length,
        height: 12 * u,
      }),
    );
    if (S.depth !== 'feel' && (row.on || i === rows.length - 1 || S.depth === 'numbers'))
      g.append(
        label(x + length + 5 * u, y + 4.5 * u, pct(p), 12 * u, {
          from,
          'font-weight': row.on ? 700 : 400,
        }),
      );
  });
  g.append(s('line', { class: 'base', x1: x, x2: x, y1: top, y2: bottom }));
}
function lensOfOne(g, box, x0, W) {
  const { top, rh, rows, u } = box;
  g.append(label(x0, top - 12 * u, t('lensShort'), 13 * u, { 'font-weight': 700 }));
  for (const row of rows) {
    const y = top + row.from * rh,
      height = (row.to - row.from + 1) * rh,
      { p, from } = guess(row.layer, S.sel);
    cell(g, row.layer, S.sel, x0, y, W - x0 - 50 * u, height, u, row.on);
    if (S.depth !== 'feel')
      g.append(
        label(W, y + height / 2 + 4 * u, pct(p), 12 * u, {
          'text-anchor': 'end',
          class: 'quiet',
          from,
        }),
      );
  }
}

// ---------------------------------------------------------------- the view
function draw(m) {
  if (!ui?.W) return;
  const { W, H } = ui,
    u = unit(),
    phone = isPhone(),
    narrow = W < 720 * u,
    g = clear(ui.g),
    top = 64 * u;
  const rh = Math.min((H - top - 18 * u) / nLayers(), (phone ? ROW_MOST : 2 * ROW_MOST) * u),
    bottom = top + nLayers() * rh,
    rungWidth = 30 * u;
  const width = phone ? W * 0.5 : Math.min(W * (narrow ? 0.42 : 0.29), 380 * u),
    rows = rowsOf(bottom - top, u);
  const box = { x0: rungWidth, width, top, rh, bottom, rows, u, phone },
    x = rungWidth + width + (phone ? 10 : 24) * u;
  const on = rows.find(r => r.on),
    pinWidth = phone || narrow ? 0 : 112 * u;
  if (on)
    g.append(
      s('rect', {
        class: 'rungband',
        x: 0,
        y: top + on.from * rh,
        width: W,
        height: (on.to - on.from + 1) * rh,
        rx: 4 * u,
      }),
    );
  rungs(g, box);
  const side = phone || narrow ? 12 * u : 13 * u;
  g.append(
    label(phone ? 0 : rungWidth + 6 * u, 17 * u, t('addsAttention'), side, {
      class: 'timea',
      'font-weight': 700,
    }),
    label(rungWidth + width, 17 * u, t('addsFfn'), side, {
      'text-anchor': 'end',
      'font-weight': 700,
    }),
  );
  river(m, g, box);
  const word = context.scene().labels[S.sel],
    chipWidth = Math.max(textWidth(word, 20 * u, 700) + 14 * u, 36 * u);
  const end = rungWidth + width,
    isFree =
      end - textWidth(t('widthIs'), 12 * u) > rungWidth + width * 0.46 + chipWidth / 2 + 8 * u;
  if (!phone && isFree)
    g.append(
      label(end, top - 14 * u, t('widthIs'), 12 * u, { 'text-anchor': 'end', class: 'quiet' }),
    );
  g.append(
    chip(rungWidth + width * 0.46, top - 40 * u, chipWidth, 32 * u, word, 20 * u, { picked: true }),
  );
  if (phone) return lensOfOne(g, box, x, W);
  const right = lensTable(g, box, x, W - x - pinWidth);
  return pinWidth ? followedBars(g, box, right + 22 * u, pinWidth - 22 * u) : undefined;
}
function fit(jump) {
  const box = ui.svg.getBoundingClientRect(),
    m = {};
  ui.W = box.width;
  ui.H = box.height;
  ui.add = additions();
  clear(ui.head).append(
    h('h2', {}, context.ask()),
    h('span', { class: 'gap' }),
    ...['residual', 'norm'].map(k =>
      miniSwitch(t('switches')[k][0], S.sw[k], () => set({ sw: { ...S.sw, [k]: !S.sw[k] } })),
    ),
  );
  m.e = ui.add.e;
  ui.add.attention.forEach((v, l) => {
    m[`a${l}`] = v;
    m[`f${l}`] = ui.add.ffn[l];
  });
  ui.run(m, jump);
}

export default {
  id: 'lens',
  needs: () => ({
    taps: [{ site: 'resid_pre', layer: 0 }, { site: 'attn_out' }, { site: 'mlp_out' }],
    lens: { top: 3, watch: S.pinned >= 0 ? [S.pinned] : [] },
  }),
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'blockpic', role: 'group', 'aria-label': context.ask() }, hatch(), g);
    ui = { g, svg, head: h('header', { class: 'head' }), run: tween(draw) };
    el.append(ui.head, h('div', { class: 'blockbox' }, svg));
    fit(true);
  },
  update: (before, isNew) => fit(isNew || differs(before, 'sel')),
  play: () => set({ layer: (S.layer + 1) % nLayers() }),
  table() {
    const rows = range(nLayers()).map(l => {
      const { id, p, from } = guess(l, S.sel);
      return [String(l + 1), context.word(id), [pct(p, 1), from]];
    });
    return {
      lead: quote(context.scene().labels[S.sel]),
      head: [t('layer'), t('thGuess'), t('thShare')],
      rows,
    };
  },
  caption() {
    const me = ['pick', context.scene().labels[S.sel]],
      add = additions(),
      last = guess(nLayers() - 1, S.sel);
    const word = quote(context.word(last.id)),
      k = settles(S.sel) + 1,
      p = S.depth === 'feel' ? '' : ` ${pct(last.p)}`;
    const ratio = sum(add.ffn) / sum(add.attention),
      times = three(+ratio.toPrecision(2));
    if (!S.sw.residual)
      return isChinese()
        ? ['没有残差，', me, ` 在第 1 层就丢了：每层只传下它自己做的。最后猜${word}${p}。`]
        : [
            'Without the residual, ',
            me,
            ` is lost at layer 1: only what a layer made goes on. The end is ${word}${p}.`,
          ];
    const more = !(ratio > 0)
      ? ''
      : isChinese()
        ? `前馈一共添的是注意力的 ${times} 倍。`
        : ` Feed-forward adds ${times} times as much as attention.`;
    return isChinese()
      ? ['在 ', me, ' 上，猜测到', ['a', `第 ${k} 层`], `才定下来：${word}${p}。`, more]
      : ['At ', me, ', the guess settles at ', ['a', `layer ${k}`], `: ${word}${p}.`, more];
  },
};
