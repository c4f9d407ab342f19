// 8 - Parameter map.  Area is the number of parameters, exactly; layers run down.  The loaded model
// is drawn from its own tensors; a supposed one from a formula, and says so.  The third picture
// asks which rows of a layer's feed-forward answer the picked word.
import {
  clamp,
  clear,
  cut,
  h,
  isPhone,
  press,
  range,
  s,
  textWidth,
  tween,
  unit,
} from '../base/dom.js';
import { PARTS, partOf, roleOf, strongest, supposed, tally, treemap } from '../base/parameters.js';
import { S, differs, set } from '../state.js';
import { big, count, isChinese, pct, quote, t, three } from '../words.js';
import { source } from '../scene.js';
import { hatch, label, ladder, miniSwitch, redrawn, seg, slideBar } from '../parts.js';

let context, ui;
let part = ''; // the part that is picked, or ''

// ---------------------------------------------------------------- which model
const WEIGHTS = { text: 'heed', then: [], weights: true };
const SEEDS = { V: 100000, d: 4000, L: 32, E: 1, tied: 1, form: 's' };
const USED = 2; // experts that digest a word, in what is supposed
const KEYS = ['V', 'd', 'L', 'E', 'tied'];
const pack = p => [...KEYS.map(k => p[k]), p.form].join('.');
const unpack = text => {
  const values = text.split('.');
  return { ...Object.fromEntries(KEYS.map((k, i) => [k, Number(values[i])])), form: values[5] };
};
const isSupposed = () => !!S.pm && S.ptab === 'map';
const model = () => context.scene().model;
const ownWeights = () => context.answer(WEIGHTS)?.trace?.header.weights ?? null;
/** What the sliders say of the loaded model. */
const own = () => ({
  V: model().vocabulary,
  d: model().width,
  L: model().layers,
  E: Math.max(1, model().experts),
  tied: model().tied ? 1 : 0,
  form: 'o',
});
const parameters = () => (S.pm ? unpack(S.pm) : own());

/** Widths of a supposed model: in the seeds' form 4 d² and 8 d², or in the proportions of ours. */
function shape(p) {
  const m = model(),
    ratio = v => Math.max(1, Math.round((p.d * v) / m.width));
  if (p.form !== 'o') return { ...p, q: p.d, kv: p.d, F: 4 * p.d, gated: false };
  return {
    ...p,
    q: ratio(m.heads * m.head_width),
    kv: ratio(m.kv_heads * m.head_width),
    F: ratio(m.experts ? m.expert_width : m.ffn_width),
    gated: (ownWeights() ?? []).some(w => /ffn_gate(_exps)?\.weight/.test(w.name)),
  };
}
/** Tensors and their tally; of the loaded model, or of what is supposed. */
let made = { key: null };
function subject() {
  const weights = ownWeights(),
    key = `${S.pm}|${weights?.length}|${model().name}`;
  if (made.key === key) return made;
  const list = S.pm ? supposed(shape(unpack(S.pm))) : weights;
  if (!list) return null;
  const used = S.pm ? USED : model().experts_used;
  made = {
    key,
    list,
    sum: tally(list, used),
    own: weights ? tally(weights, model().experts_used) : null,
  };
  return made;
}

// ---------------------------------------------------------------- sliders
const LISTS = {
  V: [256, 1000, 4096, 8192, 16000, 32000, 50257, 64000, 100000, 128256, 151936, 200000],
  d: [
    64, 96, 128, 192, 256, 384, 512, 576, 768, 1024, 1280, 1600, 2048, 2560, 3072, 4000, 5120, 6144,
    8192, 12288, 16384,
  ],
  L: [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 30, 32, 36, 40, 48, 64, 80, 96, 120],
  E: [1, 2, 4, 8, 16, 32, 64],
};
const near = (list, v) =>
  list.reduce(
    (best, x, i) => (Math.abs(Math.log(x / v)) < Math.abs(Math.log(list[best] / v)) ? i : best),
    0,
  );
const listScale = list => ({
  place: v => near(list, v) / (list.length - 1),
  back: q => list[Math.round(q * (list.length - 1))],
  next: (v, d) => list[clamp(near(list, v) + d, 0, list.length - 1)],
});
function change(patch) {
  const p = { ...parameters(), ...patch };
  if (pack(p) !== pack(parameters())) set({ pm: pack(p) });
}
function knob(key, x, y, width, u) {
  const p = parameters(),
    list = LISTS[key],
    name = t(`p${key.toUpperCase()}`);
  return [
    label(x, y, name, 13.5 * u, { class: 'colhead', 'font-weight': 700 }),
    slideBar({
      key: `p${key}`,
      name,
      x,
      y: y + 25 * u,
      width,
      value: p[key],
      text: count(p[key]),
      low: list[0],
      high: list[list.length - 1],
      scale: listScale(list),
      pw: 74 * u,
      u,
      pick: v => change({ [key]: v }),
    }),
  ];
}

// ---------------------------------------------------------------- map
const CLASS = { emb: 'emb', head: 'emb out', q: 'q', k: 'k', v: 'v', o: 'a' };
/** Experts of a layer that digest the picked word, by the router of the loaded model. */
function routed(layer) {
  const a = S.pm ? null : context.scene().array('router', layer);
  if (!a) return null;
  const E = a.shape[1],
    row = a.values.subarray(S.sel * E, (S.sel + 1) * E),
    order = range(E).sort((x, y) => row[y] - row[x]);
  return new Set(order.slice(0, model().experts_used));
}
const ROUTER = { taps: [{ site: 'router' }] };
const isIdle = (tile, chosen) => tile.expert != null && chosen && !chosen.has(tile.expert);

function tileMark(tile, gap, chosen) {
  const cls = isIdle(tile, chosen) ? 'ffn idle' : (CLASS[tile.role] ?? tile.role),
    off = part && part !== partOf(tile.role) ? ' dim' : '',
    trim = length => Math.max(0.5, length - Math.min(gap, length * 0.2));
  return s('rect', {
    class: `tile ${cls}${off}`,
    x: tile.x,
    y: tile.y,
    width: trim(tile.w),
    height: trim(tile.h),
  });
}
const pick = name => {
  part = part === name ? '' : name;
  fit(true);
};
function map(g, box, found) {
  const { x, y, w, h: height, u } = box,
    laid = treemap(found.list, { x, y, w, h: height }),
    layers = Math.max(1, parameters().L),
    gap = Math.min(2 * u, (height / layers) * 0.14),
    groups = new Map(PARTS.map(p => [p, []])),
    chosen = new Map();
  for (const tile of laid.tiles) {
    if (tile.expert != null && !chosen.has(tile.layer))
      chosen.set(tile.layer, S.pm ? new Set(range(USED)) : routed(tile.layer));
    groups.get(partOf(tile.role)).push(tileMark(tile, gap, chosen.get(tile.layer)));
  }
  for (const [name, marks] of groups)
    if (marks.length)
      g.append(
        s(
          'g',
          {
            class: 'part',
            role: 'button',
            tabindex: 0,
            'aria-pressed': String(part === name),
            'aria-label': `${t('pParts')[name]} ${big(found.sum.part[name])}`,
            ...press(() => pick(name)),
          },
          marks,
        ),
      );
  names(g, laid, found.sum, box);
}

/** Names stand above their columns, so that they hold for one row and for a hundred. */
function names(g, laid, sum, { x, y, h: height, u }) {
  const px = 13 * u,
    base = y - 9 * u,
    share = p => (S.depth === 'feel' ? '' : pct(sum.part[p] / sum.total));
  const name = (at, room, text, more, cls = '') => {
    const wide = textWidth(text, px, 700);
    if (wide > room + 2 * u) return 0;
    const fits = more && wide + textWidth(more, px) + 8 * u < room;
    g.append(
      s(
        'text',
        { x: at, y: base, 'font-size': px },
        s('tspan', { class: cls, 'font-weight': 700 }, text),
        fits ? s('tspan', { class: 'quiet', dx: 6 * u }, more) : '',
      ),
    );
    return wide + 8 * u;
  };
  const upright = (at, room, text) => {
    if (room > 16 * u)
      g.append(
        s(
          'text',
          {
            class: 'onemb nohit',
            'font-size': px,
            'font-weight': 700,
            transform: `translate(${at + room / 2 + 4.5 * u},${y + height - 12 * u}) rotate(-90)`,
          },
          text,
        ),
      );
  };
  const first = laid.tiles.filter(tile => tile.layer === 0),
    at = role => first.filter(tile => tile.role === role),
    width = list => list.reduce((a, b) => a + b.w, 0);
  if (!name(x, laid.emb.w - 4 * u, t('pParts').emb, share('emb')))
    upright(x, laid.emb.w, `${t('pParts').emb} ${share('emb')}`);
  if (laid.head.w > 1 && !name(laid.head.x, laid.head.w, t('pParts').head, share('head')))
    upright(laid.head.x, laid.head.w, `${t('pParts').head} ${share('head')}`);
  const qkvo = ['q', 'k', 'v', 'o'].map(role => at(role)[0]).filter(Boolean),
    narrowest = Math.min(...qkvo.map(tile => tile.w)),
    mix = at('mix'),
    ffn = at('ffn');
  let moved = 0;
  if (qkvo.length && narrowest > 12 * u)
    for (const tile of qkvo)
      g.append(
        label(tile.x + tile.w / 2, base, tile.role.toUpperCase(), px, {
          class: `h${CLASS[tile.role]}`,
          'text-anchor': 'middle',
          'font-weight': 700,
        }),
      );
  else if (qkvo.length) {
    const said = name(qkvo[0].x, width(qkvo) + width(ffn), t('pParts').att, '', 'ha');
    moved = Math.max(0, said - width(qkvo));
  }
  if (mix.length) name(mix[0].x, width(mix), t('pParts').mix, share('mix'));
  if (ffn.length) name(ffn[0].x + moved, width(ffn) - moved, t('pParts').ffn, share('ffn'));
}

// ---------------------------------------------------------------- table beside it
const HUES = {
  emb: ['emb'],
  att: ['q', 'k', 'v', 'o'],
  mix: ['mix'],
  ffn: ['ffn'],
  norm: ['norm'],
  head: ['head'],
};
/** How the count comes about: a formula of what is supposed, tensors of what is loaded. */
function reason(key, found) {
  const { sum } = found;
  if (!S.pm) return sum.part[key] ? t('pTensors')(sum.tensors[key]) : '';
  const p = shape(unpack(S.pm)),
    d = count(p.d),
    many = p.E > 1 ? ` × ${p.E}` : '',
    isSquare = p.q === p.d && p.kv === p.d;
  return {
    emb: `${count(p.V)} × ${d}`,
    att: isSquare ? `4 × ${d}² × ${p.L}` : `2 × (${count(p.q)} + ${count(p.kv)}) × ${d} × ${p.L}`,
    ffn:
      p.F === 4 * p.d && !p.gated
        ? `8 × ${d}²${many} × ${p.L}`
        : `${p.gated ? 3 : 2} × ${d} × ${count(p.F)}${many} × ${p.L}`,
    norm: `(2 × ${p.L} + 1) × ${d}`,
    head: p.tied ? '' : `${count(p.V)} × ${d}`,
  }[key];
}
function total(g, { x, y, w, u }, found) {
  const { sum } = found,
    isMixture = sum.active < sum.total * 0.999,
    words = big(sum.total),
    other = big(sum.active);
  const room = w - 24 * u,
    wide = textWidth(words + (isMixture ? other : ''), 30 * u, 700),
    px = clamp((30 * u * room) / wide, 14 * u, 30 * u);
  g.append(
    label(x, y + 2 * u, t('pTotal'), 14 * u, { class: 'quiet' }),
    label(x, y + 38 * u, words, px, { 'font-weight': 700 }),
  );
  if (isMixture)
    g.append(
      label(x + w, y + 2 * u, t('pActive'), 14 * u, { class: 'quiet', 'text-anchor': 'end' }),
      label(x + w, y + 38 * u, other, px, { 'font-weight': 700, 'text-anchor': 'end' }),
      s('rect', { class: 'tile ffn idle', x, y: y + 50 * u, width: w, height: 8 * u }),
      s('rect', {
        class: 'pb',
        x,
        y: y + 50 * u,
        width: (w * sum.active) / sum.total,
        height: 8 * u,
      }),
    );
  else {
    const inLayers = found.list.filter(l => l.layer === 0),
      one = t('pLayer')(big(tally(inLayers).total));
    if (textWidth(words, px, 700) + textWidth(one, 14 * u) + 16 * u < w)
      g.append(label(x + w, y + 38 * u, one, 14 * u, { class: 'quiet', 'text-anchor': 'end' }));
  }
}
/** Shares of a part's roles, for the colours of its bar. */
function roles(key, found) {
  const byRole = new Map();
  for (const w of found.list) {
    const n = w.shape.reduce((a, b) => a * b, 1),
      role = roleOf(w);
    for (const r of role === 'qkv' ? ['q', 'k', 'v'] : [role])
      byRole.set(r, (byRole.get(r) ?? 0) + (role === 'qkv' ? n / 3 : n));
  }
  return HUES[key].filter(r => byRole.get(r)).map(r => [CLASS[r] ?? r, byRole.get(r)]);
}
function partRow(g, key, found, { x, y, w, rh, u }) {
  const { sum } = found,
    v = sum.part[key],
    on = part === key,
    name = t('pParts')[key],
    isShared = key === 'head' && !v,
    value = S.depth === 'numbers' ? count(v) : big(v);
  const why = isShared ? t('pShared') : reason(key, found),
    used = textWidth(name, 15 * u, 700) + (isShared ? 0 : textWidth(value, 15 * u, 700) + 12 * u),
    fits = S.depth !== 'feel' && textWidth(why, 12 * u) + used + 12 * u < w;
  const row = s(
    'g',
    {
      class: `prow${on ? ' on' : ''}`,
      role: 'button',
      tabindex: 0,
      'aria-pressed': String(on),
      'aria-label': `${name}: ${value}`,
      ...press(() => pick(key)),
    },
    s('rect', {
      class: 'bed',
      x: x - 8 * u,
      y: y - 2 * u,
      width: w + 16 * u,
      height: rh - 2 * u,
      rx: 4 * u,
    }),
    label(x, y + 17 * u, name, 15 * u, { 'font-weight': on ? 700 : 400 }),
    fits
      ? label(x + textWidth(name, 15 * u, 700) + 9 * u, y + 17 * u, why, 12 * u, { class: 'quiet' })
      : '',
    isShared || S.depth === 'feel'
      ? ''
      : label(x + w, y + 17 * u, value, 15 * u, { 'text-anchor': 'end', 'font-weight': 700 }),
  );
  let at = x;
  for (const [cls, n] of roles(key, found)) {
    const width = Math.max((n / sum.total) * w, 0.8);
    row.append(s('rect', { class: `tile ${cls}`, x: at, y: y + 24 * u, width, height: 12 * u }));
    at += width;
  }
  if (v && S.depth !== 'feel') {
    const isFull = at + 44 * u > x + w;
    row.append(
      label(isFull ? x + w - 4 * u : at + 6 * u, y + 34.5 * u, pct(v / sum.total), 12 * u, {
        class: isFull ? 'halo' : 'quiet',
        'text-anchor': isFull ? 'end' : 'start',
      }),
    );
  }
  g.append(row);
}
function beside(g, box, found) {
  const { x, y, w, u } = box,
    shown = PARTS.filter(key => found.sum.part[key] || key === 'head'),
    top = y + 74 * u,
    rh = isPhone() ? 56 * u : Math.min(58 * u, (box.h - 74 * u) / shown.length);
  total(g, box, found);
  shown.forEach((key, i) => partRow(g, key, found, { x, y: top + i * rh, w, rh, u }));
}

// ---------------------------------------------------------------- whole model
function drawMap(g, { W, H, u }) {
  const phone = isPhone(),
    found = subject(),
    knobs = ['V', 'd', 'L', 'E'];
  if (phone) {
    const width = (W - 20 * u) / 2;
    knobs.forEach((k, i) =>
      g.append(...knob(k, (i % 2) * (width + 20 * u), (16 + Math.floor(i / 2) * 62) * u, width, u)),
    );
  } else {
    const gap = 32 * u,
      width = (W - 3 * gap) / 4;
    knobs.forEach((k, i) => g.append(...knob(k, i * (width + gap), 16 * u, width, u)));
  }
  const tw = phone ? W : W * 0.64,
    Y = (phone ? 164 : 90) * u,
    height = phone ? 300 * u : H - Y - 30 * u,
    foot = Y + height + 20 * u;
  if (!found) {
    const text = context.answer(WEIGHTS)?.error ?? t('pReading');
    g.append(label(0, Y + 20 * u, text, 14 * u, { class: 'quiet', role: 'status' }));
    return;
  }
  map(g, { x: 0, y: Y, w: tw, h: height, u }, found);
  // the loaded model at the same scale, so that a larger map is seen to be larger
  let right = tw;
  if (S.pm && found.own && found.own.total < found.sum.total * 0.7) {
    const side = Math.max(2.5 * u, Math.sqrt((found.own.total / found.sum.total) * tw * height)),
      text = t('pSame')(cut(model().name, 12 * u, 150 * u));
    g.append(
      s('rect', {
        class: `samescale${side > 44 * u ? ' open' : ''}`,
        x: tw - side,
        y: Y + height - side,
        width: side,
        height: side,
      }),
      label(tw, foot, text, 12 * u, { 'text-anchor': 'end' }),
    );
    right -= textWidth(text, 12 * u) + 16 * u;
  }
  const notes = [t(S.pm ? 'pIfNote' : 'pOwnNote'), t('pArea')];
  let x = 0;
  if (found.sum.experts) {
    g.append(
      s('rect', { class: 'tile ffn idle', x, y: foot - 10 * u, width: 16 * u, height: 12 * u }),
      label(22 * u, foot, t('pIdle'), 12 * u),
    );
    x = 40 * u + textWidth(t('pIdle'), 12 * u);
  }
  for (const [i, note] of notes.entries()) {
    const wide = textWidth(note, 12 * u);
    if (x + wide > right) continue;
    g.append(label(x, foot, note, 12 * u, { class: i || !S.pm ? 'quiet' : 'supposed' }));
    x += wide + 16 * u;
  }
  beside(
    g,
    phone
      ? { x: 0, y: foot + 36 * u, w: W, h: 400 * u, u }
      : { x: tw + 40 * u, y: Y + 10 * u, w: W - tw - 40 * u, h: H - Y - 10 * u, u },
    found,
  );
}

// ---------------------------------------------------------------- rows that answer
const ACTIVE = 10; // rows that are listed
const activations = () => ({ taps: [{ site: 'mlp_act', layer: Math.max(0, S.layer) }] });
const noRows = () => t(model().experts ? 'pMixture' : 'pNoRows');
function rowsNow() {
  const a = context.scene().array('mlp_act', S.layer);
  if (!a) return null;
  const [, F] = a.shape;
  return { a, F, values: a.values.subarray(S.sel * F, (S.sel + 1) * F) };
}
/** All rows in their order, from a zero line; several in one pixel: the strongest of them. */
function spectrum(g, found, top, { x, y, w, height, u }) {
  const { values, F } = found,
    columns = Math.min(F, Math.floor(w / Math.max(1, u))),
    most = values.reduce((m, v) => Math.max(m, Math.abs(v)), 1e-30),
    middle = y + height / 2,
    bar = w / columns;
  let path = '';
  for (let c = 0; c < columns; c++) {
    let low = 0,
      high = 0;
    const end = Math.ceil(((c + 1) * F) / columns);
    for (let i = Math.floor((c * F) / columns); i < end; i++) {
      low = Math.min(low, values[i]);
      high = Math.max(high, values[i]);
    }
    const a = middle - (high / most) * (height / 2),
      b = middle - (low / most) * (height / 2);
    path += `M${(x + (c + 0.5) * bar).toFixed(2)},${a.toFixed(2)}V${b.toFixed(2)}`;
  }
  g.append(
    s('line', { class: 'divide', x1: x, x2: x + w, y1: middle, y2: middle }),
    s('path', { class: 'rowbars', d: path, 'stroke-width': Math.max(0.6, bar * 0.9) }),
  );
  for (const r of top) {
    const px = x + ((r + 0.5) / F) * w,
      end = middle - (values[r] / most) * (height / 2);
    g.append(
      s('circle', { class: 'rowdot', cx: px, cy: end, r: 3.5 * u }, s('title', {}, String(r))),
    );
  }
}
/** The strongest rows down, the words across: area is the activation. */
function answering(g, found, top, { x, y, w, height, u }) {
  const { a, F, values } = found,
    { labels, n } = context.scene(),
    lab = 118 * u,
    cw = Math.min(60 * u, (w - lab) / n),
    rh = Math.min(34 * u, (height - 34 * u) / top.length),
    cell = Math.min(cw, rh) - 3 * u,
    at = (i, r) => a.values[i * F + r];
  let most = 1e-30;
  for (const r of top) for (let i = 0; i < n; i++) most = Math.max(most, Math.abs(at(i, r)));
  const y0 = y + 30 * u;
  g.append(
    s('rect', {
      class: 'colmark',
      x: x + lab + S.sel * cw,
      y: y + 4 * u,
      width: cw,
      height: y0 - y + rh * top.length,
    }),
    label(x, y + 22 * u, t('pRow'), 12 * u, { class: 'quiet' }),
    label(x + lab - 14 * u, y + 22 * u, t('pAnswer'), 12 * u, {
      class: 'quiet',
      'text-anchor': 'end',
    }),
  );
  for (let i = 0; i < n; i++) {
    const px = clamp(cw * 0.42, 11 * u, 15 * u);
    if (i === S.sel || cw > 26 * u)
      g.append(
        s(
          'text',
          {
            x: x + lab + (i + 0.5) * cw,
            y: y + 22 * u,
            'font-size': px,
            'text-anchor': 'middle',
            'font-weight': i === S.sel ? 700 : 400,
            ...press(() => set({ sel: i })),
          },
          i === S.sel ? labels[i] : cut(labels[i], px, cw, 400),
        ),
      );
  }
  top.forEach((r, k) => {
    const middle = y0 + (k + 0.5) * rh;
    g.append(
      label(x, middle + 5 * u, count(r), 14 * u, { 'font-weight': k < 3 ? 700 : 400 }),
      S.depth === 'feel'
        ? ''
        : label(x + lab - 14 * u, middle + 5 * u, three(values[r]), 14 * u, {
            'text-anchor': 'end',
            from: source('mlp_act', S.layer, [S.sel, r], values[r], 'mlp_act'),
          }),
    );
    for (let i = 0; i < n; i++) {
      const v = at(i, r),
        side = cell * Math.sqrt(Math.abs(v) / most);
      if (side < 0.7) continue;
      g.append(
        s('rect', {
          class: v < 0 ? 'actcell negative' : 'actcell',
          x: x + lab + (i + 0.5) * cw - side / 2,
          y: middle - side / 2,
          width: side,
          height: side,
        }),
      );
    }
  });
}
/** On a phone there is no room for the ladder: a slider instead; returns where the rest begins. */
function layerBar(g, W, u) {
  g.append(
    slideBar({
      key: 'layer',
      name: t('layer'),
      x: 0,
      y: 16 * u,
      width: W,
      value: S.layer + 1,
      text: t('layerN')(S.layer + 1),
      low: 1,
      high: Math.max(2, model().layers),
      step: 1,
      pw: 88 * u,
      u,
      pick: l => set({ layer: l - 1 }),
    }),
  );
  return 44 * u;
}
function drawRows(g, { W, H, u }) {
  const found = rowsNow(),
    phone = isPhone(),
    answer = context.answer(activations());
  if (!found) {
    const text = !answer ? t('pReading') : (answer.error ?? noRows());
    g.append(label(0, 24 * u, text, 14 * u, { class: 'quiet', role: 'status' }));
    return;
  }
  const y0 = phone ? layerBar(g, W, u) : 0,
    { rows, half } = strongest(found.values, phone ? 8 : ACTIVE),
    spread = phone ? 110 * u : Math.min(130 * u, H * 0.28),
    word = quote(context.scene().labels[S.sel]);
  g.append(
    label(0, y0 + 17 * u, t('pRowsOf')(S.layer + 1, count(found.F)), 14 * u, {
      'font-weight': 700,
    }),
  );
  const note = t('pHalf')(count(half), count(found.F));
  const isFree = textWidth(t('pRowsOf')(S.layer + 1, count(found.F)) + note, 14 * u, 700) < W - 30;
  if (S.depth !== 'feel' && isFree)
    g.append(label(W, 17 * u, note, 13 * u, { class: 'quiet', 'text-anchor': 'end' }));
  spectrum(g, found, rows, { x: 0, y: y0 + 28 * u, w: W, height: spread, u });
  const y = y0 + 28 * u + spread + 30 * u;
  g.append(label(0, y, cut(t('pStrong')(word), 14 * u, W, 700), 14 * u, { 'font-weight': 700 }));
  if (!phone) g.append(label(W, y, t('pHollow'), 12 * u, { class: 'quiet', 'text-anchor': 'end' }));
  answering(g, found, rows, { x: 0, y: y + 6 * u, w: W, height: H - y - 6 * u, u });
}

// ---------------------------------------------------------------- the view
function draw() {
  if (!ui?.W || ui.W < 40) return;
  const { W, H } = ui,
    box = { W, H, u: unit() };
  redrawn(ui.svg, () => (S.ptab === 'rows' ? drawRows : drawMap)(clear(ui.g), box));
}
const tab = () => (S.ptab === 'rows' ? 'rows' : S.pm ? 'if' : 'own');
const TABS = {
  own: { ptab: 'map', pm: '' },
  if: { ptab: 'map', pm: pack(SEEDS) },
  rows: { ptab: 'rows' },
};
function fit(jump) {
  const p = parameters();
  clear(ui.head).append(
    h('h2', {}, context.ask()),
    h('span', { class: 'gap' }),
    isSupposed() ? miniSwitch(t('pTied'), !!p.tied, () => change({ tied: p.tied ? 0 : 1 })) : '',
    seg(context.ask(), Object.entries(t('pTabs')), tab(), id => set(TABS[id])),
  );
  ui.el.dataset.tab = S.ptab;
  ui.ladder.update();
  const box = ui.svg.getBoundingClientRect();
  ui.W = box.width;
  ui.H = box.height;
  ui.run({ one: 1 }, jump);
}
/** The rows of the drawer's table. */
function rowTable() {
  const found = rowsNow();
  if (!found) return { lead: t('layerN')(S.layer + 1), head: [], rows: [] };
  const { rows } = strongest(found.values, 24);
  return {
    lead: `${quote(context.scene().labels[S.sel])} · ${t('layerN')(S.layer + 1)}`,
    head: [t('pRow'), t('pAnswer')],
    rows: rows.map(r => [
      count(r),
      [three(found.values[r]), source('mlp_act', S.layer, [S.sel, r], found.values[r], 'mlp_act')],
    ]),
  };
}
function rowCaption() {
  const found = rowsNow(),
    me = ['pick', context.scene().labels[S.sel]];
  if (!found) return [context.answer(activations()) ? noRows() : t('pReading')];
  const { rows, half } = strongest(found.values, 1),
    top = count(rows[0]),
    value = S.depth === 'feel' ? '' : ` (${three(found.values[rows[0]])})`,
    many = t('pHalf')(count(half), count(found.F));
  return isChinese()
    ? ['在 ', me, ` 上，第 ${S.layer + 1} 层前馈最强的是第 `, ['', top], ` 行${value}；${many}。`]
    : [
        'At ',
        me,
        `, row `,
        ['', top],
        ` of layer ${S.layer + 1}’s feed-forward answers most${value}; ${many}.`,
      ];
}
function mapCaption() {
  const found = subject();
  if (!found) return [t('pReading')];
  const { sum } = found,
    all = ['', big(sum.total)],
    lead = ['emb', 'att', 'mix', 'ffn'].sort((a, b) => sum.part[b] - sum.part[a])[0],
    share = pct(sum.part[lead] / sum.total),
    ratio = three(+(sum.part.ffn / sum.part.att).toPrecision(2));
  const who = isChinese() ? (S.pm ? '按公式，' : '') : S.pm ? 'By formula: of ' : 'Of ';
  if (sum.active < sum.total * 0.999) {
    const used = ['', big(sum.active)],
      E = parameters().E,
      part = pct(sum.active / sum.total);
    return isChinese()
      ? [`${who}${E} 个专家，一共 `, all, ' 个参数；每个词只用到 ', used, `，${part}。`]
      : [
          `${S.pm ? 'By formula: ' : ''}${E} experts hold `,
          all,
          ' parameters; each word uses ',
          used,
          `, ${part}.`,
        ];
  }
  const emb = pct(sum.part.emb / sum.total);
  let more = '';
  if (sum.part.att && sum.part.ffn)
    more = isChinese()
      ? `前馈是注意力的 ${ratio} 倍，词表占 ${emb}。`
      : ` Feed-forward is ${ratio} times attention, the embedding ${emb}.`;
  return isChinese()
    ? [who, all, ' 个参数里，', ['', `${t('pParts')[lead]}占 ${share}`], `。${more}`]
    : [who, all, ' parameters, ', ['', `${share} are ${t('pParts')[lead]}`], `.${more}`];
}

export default {
  id: 'params',
  needs: given => ({
    more: [
      WEIGHTS,
      ...(S.ptab === 'rows' ? [activations()] : []),
      ...(given.scene()?.model.experts ? [ROUTER] : []),
    ],
  }),
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'parampic', role: 'group', 'aria-label': context.ask() }, hatch(), g);
    ui = {
      el,
      g,
      svg,
      head: h('header', { class: 'head' }),
      ladder: ladder(model().layers),
      run: tween(draw),
    };
    el.append(ui.head, ui.ladder, h('div', { class: 'parambox' }, svg));
    fit(true);
  },
  update: (before, isNew) => fit(isNew || !differs(before, 'pm')),
  play() {
    if (S.ptab === 'rows') set({ layer: (S.layer + 1) % model().layers });
    else set({ pm: S.pm ? '' : pack(SEEDS) });
  },
  step(d) {
    const keys = Object.keys(TABS),
      i = keys.indexOf(tab()) + d;
    if (i < 0 || i >= keys.length) return false;
    set(TABS[keys[i]]);
    return true;
  },
  table() {
    if (S.ptab === 'rows') return rowTable();
    const found = subject();
    if (!found) return { lead: t('pReading'), head: [], rows: [] };
    const { sum } = found;
    return {
      lead: t(S.pm ? 'pIfNote' : 'pOwnNote'),
      head: [t('thPart'), t('thCount'), t('thShareOf')],
      rows: PARTS.filter(k => sum.part[k]).map(k => [
        t('pParts')[k],
        count(sum.part[k]),
        pct(sum.part[k] / sum.total, 1),
      ]),
      foot: [t('sum'), count(sum.total), ''],
    };
  },
  caption: () => (S.ptab === 'rows' ? rowCaption() : mapCaption()),
};
