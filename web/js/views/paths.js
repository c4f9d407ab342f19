// 12 - Next token, paths: the largest each time, some that were drawn, and the beams of a beam
// search, as one tree from the sentence on.  A band is as wide as the product of probabilities up
// to its word; a word that is picked is where the sentence goes on.
import { clear, cut, h, isPhone, press, s, textWidth, unit } from '../base/dom.js';
import { addRivals, idsTo, nodesOf, treeOf } from '../base/paths.js';
import { layout } from '../draw/tree.js';
import { samplingOf } from '../base/command.js';
import { S, set } from '../state.js';
import { chance, isChinese, pct, t } from '../words.js';
import { label } from '../parts.js';
import { sourceOfStep } from '../scene.js';

const DRAWN = 3,
  BEAMS = 3,
  TOP = 6,
  LEAST = 0.03; // of a token that no path took
let context, ui;

const nTokens = () => (isPhone() ? 4 : 6);
const greedyWish = () => ({
  tokens: nTokens(),
  top: TOP,
  temperature: 0,
  top_k: 0,
  top_p: 1,
  min_p: 0,
  repetition_penalty: S.rep,
});
const drawnWish = i => ({
  tokens: nTokens(),
  top: TOP,
  ...samplingOf({ ...S, seed: S.seed + i }),
  min_p: 0,
});
const beamWish = () => ({ tokens: nTokens(), beams: BEAMS });
const drawnWishes = () => Array.from({ length: DRAWN }, (_, i) => drawnWish(i));

/** Every path that is there, with where the trace has its numbers. */
function pathsNow() {
  const scene = context.scene(),
    paths = [];
  const add = (way, wish, list, field) => {
    const steps = list.map((x, i) => ({ ...x, origin: [`${field}[${i}].model`, wish] }));
    for (const [i, x] of steps.entries())
      x.candidates = x.candidates?.map((c, k) => ({
        ...c,
        origin: [`${field}[${i}].candidates[${k}].model`, wish],
      }));
    paths.push({ way, wish, steps });
    return paths.at(-1);
  };
  const greedy = scene.generation(greedyWish());
  if (greedy) add('greedy', greedyWish(), greedy, 'generation');
  for (const wish of S.T > 0 ? drawnWishes() : []) {
    const steps = scene.generation(wish);
    if (steps) add('drawn', wish, steps, 'generation');
  }
  for (const [i, beam] of (scene.generation(beamWish()) ?? []).entries())
    Object.assign(add('beam', beamWish(), beam.tokens, `beams[${i}].tokens`), {
      rank: i + 1,
      log: beam.log_probability,
    });
  return paths;
}

/** What the model gives a whole path. */
const chanceOf = path => path.steps.reduce((p, x) => p * x.model, 1);

// ---------------------------------------------------------------- the picture
const KINDS = ['drawn', 'greedy', 'beam']; // the first that goes through a node gives its colour
const kindOf = node => KINDS.find(k => node.ways.has(k)) ?? 'rival';

function band(G, node) {
  const { X, Y } = G,
    from = node.parent,
    x0 = X(from) + from.wide,
    x1 = X(node),
    mid = (x0 + x1) / 2,
    width = Math.max(1.25, node.chance * G.most);
  // Bands leave a word from top to bottom, each as wide as its chance.
  const y0 = Y(from) + from.out + width / 2 - from.total / 2,
    y1 = Y(node);
  from.out += width;
  return s('path', {
    class: `branch ${kindOf(node)}`,
    'stroke-width': width,
    d: `M${x0},${y0}C${mid},${y0} ${mid},${y1} ${x1},${y1}`,
  });
}
function word(G, node) {
  const { X, Y, u, px, room } = G,
    kind = kindOf(node),
    text = cut(context.piece(node.step).trim() || '␣', px, room - 10 * u, 700),
    wide = Math.max(textWidth(text, px, 700) + 8 * u, 20 * u),
    [field, wish] = node.step.origin;
  node.wide = wide;
  const go = () => set({ then: [...S.then, ...idsTo(node)], sel: -1, draws: 0 });
  const mark = s(
    'g',
    {
      class: `fork ${kind} ${[...node.ways].join(' ')}`,
      role: 'button',
      tabindex: 0,
      'aria-label': `${context.piece(node.step)} ${pct(node.step.model)}: ${t('fromHere')}`,
      ...press(go),
    },
    s('rect', {
      x: X(node),
      y: Y(node) - px * 0.75,
      width: wide,
      height: px * 1.5,
      rx: 3 * u,
    }),
    s('text', { x: X(node) + 4 * u, y: Y(node) + px * 0.36, 'font-size': px }, text),
  );
  const below = Y(node) + px * 0.75 + 13 * u,
    from = sourceOfStep(field, node.step.model, wish),
    number = label(X(node) + 4 * u, below, pct(node.step.model), 11.5 * u, {
      class: 'quiet',
      from,
    });
  return [mark, S.depth === 'feel' ? '' : number];
}
/** What stands behind the last word of a path: the place of a beam, and the chance of the whole. */
function ending(G, node) {
  const { X, Y, u } = G,
    beam = node.ends.find(x => x.rank),
    x = X(node) + node.wide + 6 * u,
    out = [];
  if (!node.ends.length || S.depth === 'feel') return out;
  if (beam)
    out.push(
      s('circle', { class: 'beammark', cx: x + 8 * u, cy: Y(node), r: 8.5 * u }),
      s(
        'text',
        {
          class: 'beamrank',
          x: x + 8 * u,
          y: Y(node) + 4.2 * u,
          'text-anchor': 'middle',
          'font-size': 12 * u,
        },
        String(beam.rank),
      ),
    );
  const path = beam ?? node.ends[0],
    value = beam ? Math.exp(beam.log) : node.chance,
    field = beam ? `beams[${beam.rank - 1}].log_probability` : 'generation[…].model';
  out.push(
    label(x + (beam ? 21 : 0) * u, Y(node) + 4 * u, chance(value), 11.5 * u, {
      class: 'quiet halo',
      from: sourceOfStep(field, value, path.wish, beam ? 'beam' : 'chance'),
    }),
  );
  return out;
}
function drawTree() {
  const { width: W, height: H } = ui.svg.getBoundingClientRect(),
    u = unit(),
    phone = isPhone(),
    paths = pathsNow(),
    root = treeOf(paths);
  ui.paths = paths;
  clear(ui.g);
  if (!paths.length) return;
  const px = (phone ? 13 : 16) * u,
    least = px * 2.5,
    most = Math.floor(H / least);
  const forks = nodesOf(root).filter(x => !x.children.length).length;
  addRivals(root, paths, Math.max(0, most - forks), LEAST);
  const { rows, depth } = layout(root),
    start = context.scene().labels.at(-1),
    first = textWidth(`…${start}`, px, 700) + 10 * u,
    end = (phone ? 58 : 104) * u,
    room = (W - first - end) / Math.max(1, depth - 0.2),
    high = Math.min((H - px * 2.4) / Math.max(1, rows - 1), px * 4);
  const top = (H - high * (rows - 1)) / 2 - px * 0.3;
  const G = {
    X: node => (node.depth ? first + (node.depth - 0.7) * room : 0),
    Y: node => top + node.row * high,
    u,
    px,
    room: room * 0.8,
    most: Math.min(high * 0.8, 40 * u),
  };
  root.wide = first;
  const nodes = nodesOf(root),
    marks = nodes.slice(1).map(x => word(G, x));
  for (const x of nodes) {
    x.out = 0;
    x.total = x.children.reduce((sum, c) => sum + Math.max(1.25, c.chance * G.most), 0);
  }
  const bands = nodes.slice(1).map(x => [x, band(G, x)]);
  bands.sort(([a], [b]) => (kindOf(a) === 'drawn') - (kindOf(b) === 'drawn'));
  ui.g.append(
    ...bands.map(([, path]) => path),
    label(0, G.Y(root) + px * 0.36, `…${start}`, px, { 'font-weight': 700, class: 'word halo' }),
    ...marks.flat(),
    ...nodes.flatMap(x => ending(G, x)),
  );
}
/** The tree comes last: it fills what legend and foot leave. */
function fit() {
  const kinds = t('pathKinds');
  clear(ui.legend).append(
    ...['greedy', 'drawn', 'beam', 'rival'].map(k =>
      h('span', {}, h('i', { class: k }), k === 'beam' ? `①–③ ${kinds[k]}` : kinds[k]),
    ),
  );
  clear(ui.foot).append(
    h(
      'button',
      { class: 'roll', disabled: S.T === 0, onclick: () => set({ seed: S.seed + DRAWN }) },
      t('otherPaths'),
    ),
    h('span', {}, t('fromHere')),
    h('span', {}, `T ${S.T.toFixed(2)} · ${t('seed')} ${S.seed}–${S.seed + DRAWN - 1}`),
  );
  drawTree();
}

export default {
  needs: () => ({
    generate: [greedyWish(), ...(S.T > 0 ? drawnWishes() : []), beamWish()],
  }),
  mount(el, given) {
    context = given;
    const g = s('g'),
      svg = s('svg', { class: 'nextpic', role: 'group', 'aria-label': t('ways').paths }, g);
    ui = {
      g,
      svg,
      paths: [],
      legend: h('div', { class: 'nexthead pathlegend' }),
      foot: h('footer', { class: 'nextfoot' }),
    };
    el.append(h('div', { class: 'nextbox pathbox' }, ui.legend, svg), ui.foot);
    fit();
  },
  update: fit,
  play: () => S.T > 0 && set({ seed: S.seed + DRAWN }),
  table: () => ({
    lead: t('ways').paths,
    head: ['', t('thText'), t('thShare')],
    rows: ui.paths.map(path => {
      const value = chanceOf(path);
      return [
        path.rank ? t('beamN')(path.rank) : t('pathKinds')[path.way],
        path.steps.map(context.piece).join(''),
        [chance(value), sourceOfStep('generation[…].model', value, path.wish, 'chance')],
      ];
    }),
  }),
  caption() {
    const { paths } = ui,
      greedy = paths.find(x => x.way === 'greedy'),
      beam = paths.find(x => x.rank === 1);
    if (!greedy || !beam) return [t('busy')];
    const [a, b] = [greedy, beam].map(x => ['', chance(chanceOf(x))]),
      isBetter = chanceOf(beam) > chanceOf(greedy) * 1.0001;
    if (isChinese())
      return isBetter
        ? ['每步取最大，整条路是 ', a, '；束搜索先绕一步，找到 ', b, ' 的一条。每个词都是岔路口。']
        : ['每步取最大，整条路是 ', a, '；束搜索也没有找到更好的。每个词都是岔路口。'];
    return isBetter
      ? ['The largest each time makes ', a, ' in all; beams that look around find ', b, '.']
      : ['The largest each time makes ', a, ' in all; the beams find nothing better.'];
  },
};
