// 5 - Head wall.  All heads as small pictures on one canvas: layers run down, heads run across;
// many layers go on in a second column.  Two heads are pinned to be read; each can be switched off.
import { clamp, clear, cssVar, h, isPhone, range, s, tween, unit } from '../base/dom.js';
import { S, differs, nChanges, set } from '../state.js';
import { isChinese, pct, quote, t } from '../words.js';
import { source } from '../scene.js';
import { figure, flipHead, isOff, miniSwitch, thumb } from '../parts.js';
import { drawMatrix } from '../draw/matrix.js';

const KINDS = ['first', 'before', 'itself'],
  MORE_THAN = 0.5,
  GUESSES = 4;
let context, ui;

const model = () => context.scene().model;
/** All heads of layers with attention: [layer, head]. */
const heads = () =>
  range(model().layers)
    .filter(l => context.scene().hasAttention(l))
    .flatMap(l => range(model().heads).map(k => [l, k]));
const font = px => `${px}px ${getComputedStyle(document.body).fontFamily}`;

/** Mean shares of every head on this sentence, worked out once a scene. */
function shares() {
  const scene = context.scene();
  if (ui.sharesOf !== scene) {
    ui.shares = new Map(heads().map(([l, k]) => [`${l}.${k}`, scene.shares(l, k)]));
    ui.sharesOf = scene;
  }
  return ui.shares;
}
const isOfKind = (kind, l, k) => (shares().get(`${l}.${k}`)?.[kind] ?? 0) > MORE_THAN;
/** The kind of a head on this sentence, or none. */
const kindOf = (l, k) =>
  KINDS.filter(x => isOfKind(x, l, k)).sort(
    (a, b) => shares().get(`${l}.${k}`)[b] - shares().get(`${l}.${k}`)[a],
  )[0];
const pins = () => (S.pins.length ? S.pins : [[S.layer, S.head]]);
function pin(l, k) {
  const rest = S.pins.filter(([a, b]) => a !== l || b !== k);
  const last = rest.length < S.pins.length ? S.pins : [...pins().slice(-1), [l, k]];
  set({ layer: l, head: k, pins: last });
}

// ---------------------------------------------------------------- the wall
/** How the layers are laid out: the number of columns that makes the pictures largest. */
function grid(W, H, u) {
  const { layers, heads: across } = model(),
    left = 26 * u,
    top = 22 * u;
  let best = null;
  for (let columns = 1; columns <= 4; columns++) {
    const down = Math.ceil(layers / columns);
    const z = Math.min((W - columns * left) / (columns * across), (H - top) / down, 92 * u);
    if (!best || z > best.z * 1.15) best = { columns, down, z, left, top };
  }
  return best;
}
const place = (l, k, G) => {
  const column = Math.floor(l / G.down),
    width = G.left + model().heads * G.z;
  return [column * width + G.left + k * G.z, G.top + (l % G.down) * G.z];
};

/** One picture of every head, painted once a scene and copied from then on. */
function atlas(G) {
  const cell = Math.max(8, Math.round(G.z * (devicePixelRatio || 1)));
  const key = `${cell} ${S.theme}`;
  if (ui.atlasOf === context.scene() && ui.atlasKey === key) return ui.atlas;
  const canvas = h('canvas');
  canvas.width = cell * model().heads;
  canvas.height = cell * model().layers;
  const pen = canvas.getContext('2d'),
    colour = cssVar('--a');
  for (const [l, k] of heads())
    thumb(pen, k * cell, l * cell, cell, context.scene().rows(l, k), colour);
  Object.assign(ui, { atlas: { canvas, cell }, atlasOf: context.scene(), atlasKey: key });
  return ui.atlas;
}

function drawNumbers(pen, G, u) {
  const ink = cssVar('--ink'),
    quiet = cssVar('--ink-3'),
    every = G.z < 15 * u ? 5 : 1;
  pen.font = font(11.5 * u);
  range(model().layers).forEach(l => {
    const [x, y] = place(l, 0, G),
      on = l === S.layer;
    if (!on && l && (l + 1) % every) return;
    if (!on && every > 1 && Math.abs(l - S.layer) === 1) return;
    pen.fillStyle = on ? ink : quiet;
    pen.textAlign = 'right';
    pen.fillText(String(l + 1), x - 8 * u, y + G.z / 2 + 4 * u);
  });
  range(G.columns).forEach(c =>
    range(model().heads).forEach(k => {
      if (G.z < 15 * u && k !== S.head && k % 4) return;
      const [x] = place(c * G.down, k, G);
      pen.fillStyle = k === S.head ? ink : quiet;
      pen.textAlign = 'center';
      pen.fillText(String(k + 1), x + G.z / 2, G.top - 8 * u);
    }),
  );
}
function drawPinned(pen, x, y, size, number, u) {
  const r = Math.min(8 * u, size * 0.4);
  pen.lineWidth = 2.5 * u;
  pen.strokeStyle = cssVar('--ink');
  pen.strokeRect(x - 1.5, y - 1.5, size + 3, size + 3);
  pen.fillStyle = cssVar('--pick');
  pen.beginPath();
  pen.arc(x + size, y, r, 0, 7);
  pen.fill();
  pen.lineWidth = 1.5 * u;
  pen.stroke();
  pen.fillStyle = cssVar('--pick-ink');
  pen.font = `700 ${font(Math.min(11 * u, r * 1.4))}`;
  pen.textAlign = 'center';
  pen.fillText(String(number), x + size, y + r / 2);
}
function draw(m) {
  if (!ui?.W) return;
  const { W, H, canvas } = ui,
    u = unit(),
    ratio = devicePixelRatio || 1,
    G = ui.grid,
    { canvas: all, cell } = atlas(G);
  canvas.width = Math.round(W * ratio);
  canvas.height = Math.round(H * ratio);
  canvas.style.width = `${W}px`;
  canvas.style.height = `${H}px`;
  const pen = canvas.getContext('2d'),
    pad = Math.max(1, G.z * 0.06),
    size = G.z - 2 * pad;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawNumbers(pen, G, u);
  for (const [l, k] of heads()) {
    const [x, y] = place(l, k, G).map(v => v + pad),
      shade = m[`${l}.${k}`];
    pen.globalAlpha = shade;
    pen.fillStyle = cssVar('--sunk');
    pen.fillRect(x, y, size, size);
    if (isOff(l, k)) {
      pen.strokeStyle = cssVar('--ink-3');
      pen.lineWidth = 1.25 * u;
      pen.beginPath();
      for (const d of [0, size]) {
        pen.moveTo(x + d, y);
        pen.lineTo(x + size - d, y + size);
      }
      pen.stroke();
    } else pen.drawImage(all, k * cell, l * cell, cell, cell, x, y, size, size);
    pen.globalAlpha = 1;
  }
  pins().forEach(([l, k], i) =>
    drawPinned(pen, ...place(l, k, G).map(v => v + pad), size, i + 1, u),
  );
  if (document.activeElement !== canvas) return;
  const [x, y] = place(S.layer, S.head, G);
  pen.strokeStyle = cssVar('--q');
  pen.lineWidth = 3 * u;
  pen.strokeRect(x - 1, y - 1, G.z + 2, G.z + 2);
}
function hit(e) {
  const box = ui.canvas.getBoundingClientRect(),
    x = e.clientX - box.left,
    y = e.clientY - box.top;
  return heads().find(([l, k]) => {
    const [a, b] = place(l, k, ui.grid);
    return x >= a && x < a + ui.grid.z && y >= b && y < b + ui.grid.z;
  });
}

// ---------------------------------------------------------------- beside it
function card([l, k], i) {
  const scene = context.scene(),
    off = isOff(l, k),
    u = unit(),
    kind = kindOf(l, k),
    own = shares().get(`${l}.${k}`);
  const rows = scene.rows(l, k),
    left = 46 * u,
    side = ui.cardWidth - left;
  const svg = s('svg', {
    class: 'matrix small',
    width: ui.cardWidth,
    height: side + 2,
    role: 'img',
    'aria-label': `${t('layerN')(l + 1)} ${t('headN')(k + 1)}`,
  });
  if (rows)
    drawMatrix(svg, {
      rows,
      words: scene.labels,
      side: side - 1,
      left,
      top: 0,
      picked: S.sel,
      hot: -1,
      u,
      onPick: row => set({ sel: row }),
      onHover: () => {},
    });
  return h(
    'article',
    { class: 'headcard', 'data-off': off },
    h(
      'header',
      {},
      h('i', {}, String(i + 1)),
      h(
        'div',
        {},
        h('b', {}, `${t('layerN')(l + 1)} · ${t('headN')(k + 1)}`),
        kind
          ? h(
              'span',
              { class: 'role' },
              t('kinds')[kind],
              figure(pct(own[kind]), source('pattern', l, [k], own[kind], 'mean')),
            )
          : '',
      ),
      miniSwitch(h('span', { class: 'vh' }, t('headOn')), !off, () => flipHead(l, k)),
    ),
    svg,
  );
}
/** What the next word becomes: of the model as it is, and of the changed one. */
function effect() {
  const now = context.scene().next(),
    was = context.plain()?.next();
  if (!now || !was) return '';
  const rows = [...was.ranked.subarray(0, GUESSES)].map(id => [
    id,
    was.probability(id),
    now.probability(id),
  ]);
  const most = Math.max(...rows.flatMap(r => [r[1], r[2]])),
    words = context
      .scene()
      .labels.slice(-4)
      .join(isChinese() ? '' : ' ');
  const isChanged = context.scene() !== context.plain();
  return h(
    'section',
    { class: 'effect' },
    h(
      'h3',
      {},
      h('span', {}, `…${words}`),
      h('i', { class: 'slotmark' }),
      h('small', {}, S.off.length ? t('nOff')(S.off.length) : t('allOn')),
      isChanged ? h('small', { class: 'waskey' }, h('i'), t('was')) : '',
    ),
    h(
      'div',
      { class: 'bars' },
      rows.map(([id, before, after]) =>
        h(
          'div',
          {},
          h('b', {}, context.word(id)),
          h(
            'span',
            { class: 'track' },
            h('i', { class: 'now', style: { width: `${(after / most) * 100}%` } }),
            isChanged
              ? h('i', { class: 'before', style: { left: `${(before / most) * 100}%` } })
              : '',
          ),
          h('em', {}, figure(pct(after), source('next_logits', null, [id], after))),
          h(
            'small',
            {},
            isChanged && Math.abs(after - before) >= 0.005
              ? `${after > before ? '+' : '−'}${Math.abs((after - before) * 100).toFixed(0)}`
              : '',
          ),
        ),
      ),
    ),
  );
}
function legend() {
  clear(ui.legend).append(
    ...KINDS.map(kind =>
      h(
        'button',
        {
          'aria-pressed': String(S.kind === kind),
          title: t('kindNote'),
          onclick: () => set({ kind: S.kind === kind ? '' : kind }),
        },
        sign(kind),
        t('kinds')[kind],
        h('small', {}, String(heads().filter(([l, k]) => isOfKind(kind, l, k)).length)),
      ),
    ),
    h('span', { class: 'headnote' }, t('kindNote')),
  );
}
/** The sign of a kind: a four-by-four pattern, so that it is known without its colour. */
function sign(kind) {
  const on = { before: (i, j) => j === i - 1, first: (i, j) => j === 0, itself: (i, j) => i === j }[
    kind
  ];
  return s(
    'svg',
    { viewBox: '0 0 16 16', class: 'sign', 'aria-hidden': 'true' },
    range(4).flatMap(i =>
      range(i + 1).map(j =>
        s('rect', {
          x: j * 4 + 0.3,
          y: i * 4 + 0.3,
          width: 3.4,
          height: 3.4,
          class: on(i, j) ? 'on' : '',
        }),
      ),
    ),
  );
}

// ---------------------------------------------------------------- the view
function fit(jump) {
  const u = unit(),
    box = ui.box.getBoundingClientRect(),
    target = {};
  if (!heads().length) {
    clear(ui.side).append(h('p', {}, t('noAttention')));
    return;
  }
  legend();
  ui.W = Math.floor(box.width);
  ui.H = isPhone() ? 440 * u : Math.floor(box.height);
  ui.grid = grid(ui.W, ui.H, u);
  if (isPhone()) ui.H = Math.ceil(ui.grid.top + ui.grid.down * ui.grid.z + 4);
  const room = ui.side.clientWidth,
    two = !isPhone() && room > 300 * u && pins().length > 1;
  const below = (pins().length < 2 && room <= 300 * u ? 216 : 172) * u;
  const tall = isPhone() ? Infinity : ui.side.clientHeight - below;
  ui.cardWidth = Math.max(120 * u, Math.min(320 * u, two ? (room - 24 * u) / 2 : room, tall));
  clear(ui.side).append(
    h(
      'div',
      { class: 'cards' },
      pins().map(card),
      pins().length < 2 ? h('p', { class: 'hint' }, t('pinHint')) : '',
    ),
    effect(),
  );
  for (const [l, k] of heads()) target[`${l}.${k}`] = !S.kind || isOfKind(S.kind, l, k) ? 1 : 0.16;
  ui.target = target;
  ui.run(target, jump);
}
function listen(canvas, tip) {
  canvas.addEventListener('click', e => {
    const found = hit(e);
    if (found) pin(...found);
  });
  canvas.addEventListener('pointermove', e => {
    const found = hit(e),
      box = ui.box.getBoundingClientRect();
    tip.hidden = !found;
    if (!found) return;
    const kind = kindOf(...found);
    const parts = [t('layerN')(found[0] + 1), t('headN')(found[1] + 1)];
    tip.textContent = [...parts, ...(kind ? [t('kinds')[kind]] : [])].join(' · ');
    tip.style.left = `${Math.min(e.clientX - box.left + 14, box.width - 150)}px`;
    tip.style.top = `${e.clientY - box.top + 18}px`;
  });
  canvas.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  for (const name of ['focus', 'blur'])
    canvas.addEventListener(name, () => ui.run(ui.target, true));
  canvas.addEventListener('keydown', e => {
    const d = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      e.key
    ];
    if (d)
      set({
        layer: clamp(S.layer + d[0], 0, model().layers - 1),
        head: clamp(S.head + d[1], 0, model().heads - 1),
      });
    else if (e.key === 'Enter') pin(S.layer, S.head);
    else if (e.key === 'x') flipHead(S.layer, S.head);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
}

export default {
  id: 'wall',
  needs: () => ({ taps: [{ site: 'pattern' }], logits: true, plain: true }),
  mount(el, given) {
    context = given;
    const canvas = h('canvas', { tabindex: 0, role: 'application', 'aria-label': context.ask() });
    const tip = h('div', { class: 'tip', hidden: true });
    ui = {
      canvas,
      legend: h('div', { class: 'legend' }),
      box: h('div', { class: 'wallbox' }, canvas, tip),
      side: h('aside', { class: 'wallside' }),
      run: tween(draw),
    };
    el.append(
      h('header', { class: 'head' }, h('h2', {}, context.ask())),
      ui.legend,
      ui.box,
      ui.side,
    );
    listen(canvas, tip);
    fit(true);
  },
  update: (before, isNew) => fit(isNew || !differs(before, 'kind')),
  table() {
    const rows = heads().map(([l, k]) => [l, k, shares().get(`${l}.${k}`)]);
    return {
      lead: t('kindNote'),
      head: [t('thHead'), ...KINDS.map(x => t('kinds')[x])],
      rows: rows.map(([l, k, x]) => [
        `${l + 1} · ${k + 1}`,
        ...KINDS.map(kind => [pct(x[kind]), source('pattern', l, [k], x[kind], 'mean')]),
      ]),
    };
  },
  caption() {
    if (!heads().length) return [t('noAttention')];
    const isChanged = context.plain() && context.scene() !== context.plain();
    return isChanged ? captionChanged() : captionKinds();
  },
};

/** What the changes to the model did to what it liked best. */
function captionChanged() {
  const now = context.scene().next(),
    was = context.plain().next(),
    id = was.ranked[0];
  const a = pct(was.probability(id)),
    b = ['a', pct(now.probability(id))],
    n = nChanges();
  const word = context.word(id),
    isHeads = n === S.off.length,
    several = n > 1 ? 's' : '';
  if (isChinese())
    return [
      isHeads ? `关掉 ${n} 个头，` : `模型改了 ${n} 处，`,
      ['a', quote(word)],
      ` 的概率从 ${a} 变成 `,
      b,
      '。',
    ];
  return [
    isHeads ? `With ${n} head${several} off, ` : `With ${n} change${several}, `,
    ['a', word],
    ` goes from ${a} to `,
    b,
    '.',
  ];
}
function captionKinds() {
  const all = heads().length,
    n = kind => heads().filter(([l, k]) => isOfKind(kind, l, k)).length;
  if (isChinese())
    return [
      `在这一句上，${all} 个头里 `,
      ['a', `${n('first')} 个`],
      `多半停在首词上，${n('before')} 个多半看前一个词，${n('itself')} 个多半看自己。`,
    ];
  return [
    `On this sentence, of ${all} heads `,
    ['a', String(n('first'))],
    ` mostly rest on the first word, ${n('before')} look at the previous one, `,
    `${n('itself')} at themselves.`,
  ];
}
