// A window: which pairs are still worked out, how that grows, and what it does to the real answer.
import { clamp, draggable, isPhone, range, s, textWidth } from '../../base/dom.js';
import { pairs, pairsInWindow, sees } from '../../base/cost.js';
import { S, set } from '../../state.js';
import { big, count, isChinese, pct, quote, t } from '../../words.js';
import { label, pill, refocus } from '../../parts.js';
import { Scene } from '../../scene.js';
import { columnHead, isCausal, lengthBar, rowWord, waiting } from './common.js';

const ROWS = 5,
  WORDS_MAX = 24, // rows of the table; of a longer text the last ones
  KEPT_MAX = 8;

const windowed = () => ({
  logits: true,
  switches: { window: S.win, kept: S.kept },
});
/** The distribution through the window, once it is there. */
function after(context) {
  const trace = context.answer(windowed())?.trace;
  return trace ? new Scene(trace, '').next() : null;
}
/** The likeliest words before, with both probabilities; and the likeliest through the window. */
function guesses(context) {
  const before = context.scene().next(),
    then = after(context);
  if (!before || !then) return null;
  const ids = [...before.ranked.subarray(0, ROWS)];
  if (!ids.includes(then.ranked[0])) ids[ROWS - 1] = then.ranked[0];
  return ids.map(id => ({
    id,
    word: context.word(id),
    was: before.probability(id),
    is: then.probability(id),
  }));
}

function grip(g, spec) {
  const { key, line, x, y, text, name, now, to, at, u, svg } = spec;
  const nudge = e => {
    const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!d) return;
    e.stopPropagation();
    e.preventDefault();
    to(now + d);
    refocus(key);
  };
  const width = textWidth(text, 13 * u, 700) + 20 * u;
  const el = s(
    'g',
    {
      class: 'cutter',
      tabindex: 0,
      role: 'slider',
      'aria-label': name,
      'aria-valuenow': now,
      'data-key': key,
      onkeydown: nudge,
    },
    s('path', { class: 'edge', d: line }),
    s('rect', { class: 'hit', x: x - 44 * u, y: y - 20 * u, width: 88 * u, height: 40 * u }),
    pill(x, y, text, u, width),
  );
  draggable(
    el,
    () => svg.getBoundingClientRect(),
    (r, dx, dy, e) => to(at(e.clientX - r.left)),
  );
  g.append(el);
}

function table(g, box, context) {
  const { W, H, u, phone, svg } = box,
    scene = context.scene(),
    from = Math.max(0, scene.n - WORDS_MAX),
    N = scene.n - from,
    left = phone ? W : W * 0.5,
    lab = 78 * u,
    top = 62 * u,
    z = Math.min(54 * u, (left - lab - 4 * u) / N, phone ? 99 * u : (H - top - 14 * u) / N),
    R = z * N,
    gap = Math.min(1.5 * u, z * 0.1);
  const causal = isCausal(context);
  let live = 0;
  for (let i = 0; i < N; i++) {
    const y = top + i * z,
      me = from + i === S.sel,
      px = Math.min(15 * u, z * 0.8);
    if (me) g.append(s('rect', { class: 'rowmark', x: 0, y, width: lab + R, height: z }));
    g.append(
      rowWord(scene.labels[from + i], lab - 10 * u, y + z / 2 + px * 0.36, px, lab - 14 * u, {
        'font-weight': me ? 700 : 400,
      }),
    );
    for (let j = 0; j <= (causal ? i : N - 1); j++) {
      const on = sees(from + i, from + j, S.win, S.kept, causal),
        isKept = on && Math.abs(i - j) >= S.win;
      if (on) live++;
      g.append(
        s('rect', {
          class: on ? (isKept ? 'pcell first' : 'pcell') : 'pcell gone',
          x: lab + j * z + gap,
          y: y + gap,
          width: z - 2 * gap,
          height: z - 2 * gap,
        }),
      );
    }
  }
  const setWin = win => set({ win: clamp(win, 1, Math.max(1, scene.n)) }),
    setKept = kept => set({ kept: clamp(kept, 0, Math.min(KEPT_MAX, scene.n)) });
  const w = S.win,
    edge =
      w < N
        ? `M${lab},${top + w * z}${range(N - w)
            .map(() => `h${z}v${z}`)
            .join('')}`
        : '';
  const kept = clamp(S.kept - from, 0, N);
  grip(g, {
    key: 'keep',
    line: `M${lab + kept * z},${top - 6 * u}V${top + R}`,
    x: clamp(lab + kept * z, 44 * u, W - 44 * u),
    y: top - 20 * u,
    text: t('cKeep')(S.kept),
    name: t('cKeep')(''),
    now: S.kept,
    to: setKept,
    at: x => Math.round((x - lab) / z) + from,
    u,
    svg,
  });
  const half = Math.max(40, textWidth(t('cWin')(w), 13) / 2 + 12) * u;
  grip(g, {
    key: 'win',
    line: edge,
    x: Math.max(lab + half, lab + R - w * z - half),
    y: top + R - Math.max(z * 0.5, 11 * u),
    text: t('cWin')(w),
    name: t('cWin')(''),
    now: w,
    to: setWin,
    at: x => Math.round((lab + R - x - half) / z),
    u,
    svg,
  });
  g.append(
    label(lab + R, top + (causal ? 18 : -26) * u, `${live} / ${pairs(N, causal)}`, 20 * u, {
      'text-anchor': 'end',
      'font-weight': 700,
    }),
    label(lab + R, top + (causal ? 38 : -9) * u, t('cPairUnit').trim(), 13 * u, {
      'text-anchor': 'end',
      class: 'quiet',
    }),
  );
  return top + R;
}

function growth(g, n, { X0, X1, y0, u, causal }) {
  const full = pairs(n, causal),
    left = pairsInWindow(n, S.win, S.kept, causal),
    width = X1 - X0;
  g.append(columnHead(X0, y0, t('cGrow')(count(n)), u), lengthBar(X0, y0 + 34 * u, width, u));
  [
    [t('cFull'), full],
    [t('cWindow'), left],
  ].forEach(([name, v], i) => {
    const y = y0 + (66 + i * 44) * u,
      length = Math.max(1, (v / full) * width);
    g.append(
      label(X0, y + 13 * u, name, 14 * u),
      label(X1, y + 13 * u, big(v), 16 * u, { 'text-anchor': 'end', 'font-weight': 700 }),
      s('rect', { class: 'pcell', x: X0, y: y + 19 * u, width: length, height: 13 * u }),
      s('rect', {
        class: 'goneband',
        x: X0 + length,
        y: y + 19 * u,
        width: Math.max(0, width - length),
        height: 13 * u,
      }),
    );
  });
}

function answers(g, m, list, { X0, X1, y0, H, u, phone }) {
  const most = Math.max(...list.flatMap(r => [r.was, r.is]), 1e-9),
    words = list.map(r => quote(r.word)),
    lw = Math.min(110 * u, Math.max(...words.map(w => textWidth(w, 16 * u))) + 12 * u),
    width = X1 - X0 - lw - 58 * u,
    rh = phone ? 36 * u : Math.min(36 * u, (H - y0 - 44 * u) / list.length);
  list.forEach((r, i) => {
    const y = y0 + 12 * u + i * rh,
      middle = y + rh / 2,
      was = X0 + lw + (r.was / most) * width;
    g.append(
      rowWord(words[i], X0 + lw - 10 * u, middle + 5.5 * u, 16 * u, lw - 8 * u),
      s('rect', {
        class: 'pb',
        x: X0 + lw,
        y: middle - 7 * u,
        width: Math.max(1, (m[`g${r.id}`] / most) * width),
        height: 14 * u,
      }),
      s('line', { class: 'wasline', x1: was, x2: was, y1: middle - 10 * u, y2: middle + 10 * u }),
      S.depth === 'feel'
        ? ''
        : label(X1, middle + 5 * u, pct(r.is), 14 * u, { 'text-anchor': 'end' }),
    );
  });
  const y = y0 + 34 * u + list.length * rh;
  g.append(
    s('line', { class: 'wasline', x1: X0 + lw, x2: X0 + lw, y1: y - 13 * u, y2: y + 3 * u }),
    label(X0 + lw + 9 * u, y, t('cWas'), 12 * u, { class: 'quiet' }),
  );
}

export default {
  logits: true,
  requests: () => [windowed()],
  values(context) {
    const m = { n: S.len };
    for (const r of guesses(context) ?? []) m[`g${r.id}`] = r.is;
    return m;
  },
  draw(m, g, box) {
    const { W, H, u, context } = box,
      phone = isPhone();
    g.append(columnHead(0, 17 * u, t('cWhich'), u));
    const end = table(g, { ...box, phone }, context),
      X0 = phone ? 0 : W * 0.58,
      y0 = phone ? end + 46 * u : 17 * u,
      y1 = y0 + 186 * u,
      list = guesses(context);
    growth(g, Math.round(m.n), { X0, X1: W, y0, u, causal: isCausal(context) });
    g.append(columnHead(X0, y1, t('cGuess'), u));
    if (list) answers(g, m, list, { X0, X1: W, y0: y1, H, u, phone });
    else waiting(g, X0, y1 + 34 * u, [windowed()], context, u);
  },
  play: () => set({ win: S.win > 1 ? S.win - 1 : 8 }),
  table(context) {
    return {
      lead: `${t('cWin')(S.win)}, ${t('cKeep')(S.kept)}`,
      head: [t('thGuess'), t('thBefore'), t('thAfter')],
      rows: (guesses(context) ?? []).map(r => [quote(r.word), pct(r.was, 1), pct(r.is, 1)]),
    };
  },
  caption(context) {
    const list = guesses(context),
      { n } = context.scene(),
      causal = isCausal(context),
      all = count(pairs(n, causal)),
      left = count(pairsInWindow(n, S.win, S.kept, causal));
    const start = isChinese()
      ? [`只看最近 ${S.win} 个词和开头 ${S.kept} 个：`, ['a', `${all} 对里算 ${left} 对`], '。']
      : [
          `Seeing only the last ${S.win} and the first ${S.kept}: `,
          ['a', `${left} of ${all} pairs`],
          '. ',
        ];
    if (!list) return start;
    const moved = x => Math.abs(x.is - x.was),
      r = list.reduce((most, x) => (moved(x) > moved(most) ? x : most)),
      first = after(context).ranked[0];
    const change = isChinese()
      ? `${quote(r.word)}的概率从 ${pct(r.was)} 变成 ${pct(r.is)}`
      : `${quote(r.word)} goes from ${pct(r.was)} to ${pct(r.is)}`;
    const now =
      first === r.id || first === context.scene().next().ranked[0]
        ? ''
        : isChinese()
          ? `，最可能的变成${quote(context.word(first))}`
          : `; ${quote(context.word(first))} now leads`;
    return [...start, `${change}${now}${isChinese() ? '。' : '.'}`];
  },
};
