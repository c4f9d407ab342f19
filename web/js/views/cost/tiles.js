// Tiles: the same attention in another order of sums, without the table of all pairs.  Both forms
// are run on the sentence, and the largest difference is printed as it was measured.
import { isPhone, range, s, textWidth } from '../../base/dom.js';
import { bytes, count, isChinese, power, t, time, tiny } from '../../words.js';
import { S } from '../../state.js';
import { rank } from '../../base/sampler.js';
import { label } from '../../parts.js';
import { columnHead, isLarge, troubleOf, waiting } from './common.js';

const LENGTHS = { small: [256, 512, 1024], large: [128, 256, 512] };
const KEYS_AT_ONCE = 64; // BLOCK of src/tensor/op_attention.c
const tiled = () => ({ taps: [{ site: 'z' }], logits: true });
// Who asks for the pattern makes the model work it out whole.
const plain = () => ({ taps: [{ site: 'z' }, { site: 'pattern' }], logits: true });
const timing = (n, isPlain) => ({
  text: 'heed',
  then: [],
  measure: { tokens: n, chunk: n, repeat: 2, plain: isPlain },
});
const lengths = context => {
  const { model } = context.scene();
  const list = isLarge(context) ? LENGTHS.large : LENGTHS.small;
  return list.filter(n => model.positions !== 'learned' || n <= model.context);
};

const apart = (a, b) => {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
};
const probabilities = logits => {
  const best = logits[rank(logits)[0]],
    out = Float64Array.from(logits, x => Math.exp(x - best)),
    sum = out.reduce((a, b) => a + b, 0);
  return out.map(x => x / sum);
};
let kept = { key: null };
/** Largest differences, by layer of z, and of the next word's probabilities. */
function differences(context) {
  const a = context.answer(tiled())?.trace,
    b = context.answer(plain())?.trace;
  if (!a || !b) return null;
  if (kept.key === b) return kept;
  const { mixers } = context.scene().model;
  const layers = range(mixers.length).flatMap(l => {
    const x = a.arrays.get(`z:${l}`),
      y = b.arrays.get(`z:${l}`);
    if (!x || !y || mixers[l] !== 'attention') return [];
    return [
      {
        layer: l,
        most: apart(x.values, y.values),
        size: x.values.reduce((m, v) => Math.max(m, Math.abs(v)), 0),
      },
    ];
  });
  const next = apart(
    probabilities(a.arrays.get('next_logits').values),
    probabilities(b.arrays.get('next_logits').values),
  );
  kept = { key: b, layers, next, most: Math.max(0, ...layers.map(x => x.most)) };
  return kept;
}

// ---- the two forms: what lies in memory at one moment
function form(g, x, y, side, isPlain, u) {
  const n = 8, // blocks of a side
    z = side / n;
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      const now = i === 5 && j === 2,
        done = i < 5 || (i === 5 && j < 2);
      const cls = isPlain || now ? '' : done ? 'summed' : 'gone';
      const last = i === j ? `M${x + j * z},${y + i * z}v${z}h${z}z` : null;
      const box = { x: x + j * z, y: y + i * z, width: z, height: z };
      g.append(
        last
          ? s('path', { class: `pcell ${cls} edged`, d: last })
          : s('rect', { class: `pcell ${cls} edged`, ...box }),
      );
    }
  g.append(s('rect', { class: 'plotline', x, y, width: side, height: side }));
  if (!isPlain)
    g.append(label(x + 3 * z + 6 * u, y + 5.5 * z + 5 * u, String(KEYS_AT_ONCE), 12 * u, {}));
}
function forms(g, { W, u }) {
  const gap = 28 * u,
    side = Math.min(230 * u, (W - gap) / 2),
    y = 44 * u;
  [
    ['cPlain', 'cPlainNote', true],
    ['cTiled', 'cTiledNote', false],
  ].forEach(([name, note, isPlain], i) => {
    const x = i * (side + gap);
    g.append(columnHead(x, 17 * u, t(name), u));
    if (textWidth(t(note), 12 * u) < side + gap)
      g.append(label(x, 34 * u, t(note), 12 * u, { class: 'quiet' }));
    form(g, x, y + 4 * u, side, isPlain, u);
  });
  return y + side + 4 * u;
}

function costs(g, context, { X0, X1, y0, u }) {
  const list = lengths(context),
    rows = list.map(n => [timing(n, true), timing(n, false)].map(r => context.answer(r)));
  const measured = rows.flat().map(a => a?.trace?.header.measured),
    mostBytes = Math.max(1, ...measured.map(x => x?.step_bytes ?? 0)),
    mostTime = Math.max(1e-9, ...measured.map(x => x?.attention_seconds ?? 0)),
    lab = X0 + 92 * u,
    width = (X1 - lab) / 2 - 12 * u,
    xb = lab,
    xt = lab + width + 24 * u,
    rh = 48 * u;
  g.append(
    columnHead(X0, y0, t('cTileMem'), u),
    label(xb, y0 + 22 * u, t('cMemory'), 12 * u, { class: 'quiet' }),
    label(xt, y0 + 22 * u, t('cSeconds'), 12 * u, { class: 'quiet' }),
  );
  list.forEach((n, i) => {
    const y = y0 + 32 * u + i * rh;
    g.append(
      label(lab - 12 * u, y + 26 * u, t('cWords')(count(n)), 13 * u, {
        'text-anchor': 'end',
        'font-weight': 700,
      }),
    );
    rows[i].forEach((answer, k) => {
      const found = answer?.trace?.header.measured,
        by = y + 6 * u + k * 19 * u,
        cls = k ? 'pcell' : 'rawcell';
      if (!found) {
        g.append(label(xb, by + 11 * u, answer?.error ?? '…', 12 * u, { class: 'quiet' }));
        return;
      }
      for (const [x, v, most, text] of [
        [xb, found.step_bytes, mostBytes, bytes(found.step_bytes)],
        [xt, found.attention_seconds, mostTime, time(found.attention_seconds)],
      ]) {
        const w = Math.max(1, (v / most) * (width - 62 * u));
        g.append(
          s('rect', { class: cls, x, y: by, width: w, height: 13 * u }),
          S.depth === 'feel' ? '' : label(x + w + 6 * u, by + 11 * u, text, 12 * u, {}),
        );
      }
    });
  });
  const ky = y0 + 46 * u + list.length * rh;
  let x = lab;
  for (const [cls, text] of [
    ['rawcell', t('cPlain')],
    ['pcell', t('cTiled')],
  ]) {
    g.append(
      s('rect', { class: cls, x, y: ky - 11 * u, width: 16 * u, height: 12 * u }),
      label(x + 22 * u, ky, text, 12 * u),
    );
    x += textWidth(text, 12 * u) + 44 * u;
  }
  return ky;
}

// ---- how far apart they come out
const LOW = -9,
  HIGH = -3; // powers of ten of the scale
function figures(g, found, { y0, u }) {
  [
    ['cDiffZ', found.most],
    ['cDiffNext', found.next],
  ].forEach(([name, v], i) => {
    const y = y0 + (36 + i * 32) * u;
    g.append(
      label(0, y, tiny(v), 20 * u, { 'font-weight': 700 }),
      label(124 * u, y, t(name), 13 * u, { class: 'quiet' }),
    );
  });
}
function spread(g, found, { X0, X1, y0, y1, u }) {
  const top = y0 + 26 * u,
    bottom = y1 - 30 * u,
    lab = 34 * u,
    fx = v => {
      const p = v > 0 ? Math.log10(v) : LOW;
      return X0 + lab + ((Math.min(HIGH, Math.max(LOW, p)) - LOW) / (HIGH - LOW)) * (X1 - X0 - lab);
    };
  const { layers } = found,
    rh = Math.min(30 * u, (bottom - top) / Math.max(1, layers.length)),
    end = top + rh * layers.length,
    nth = rh < 13 * u ? 5 : 1;
  for (let p = LOW; p <= HIGH; p++) {
    const x = fx(10 ** p);
    g.append(
      s('line', { class: 'divide', x1: x, x2: x, y1: top - 6 * u, y2: end + 4 * u }),
      label(x, end + 20 * u, p === LOW ? '0' : power(p), 12 * u, {
        class: 'quiet',
        'text-anchor': 'middle',
      }),
    );
  }
  g.append(columnHead(X0, y0, t('cByLayer'), u));
  layers.forEach((r, i) => {
    const y = top + (i + 0.5) * rh,
      h = Math.max(2, Math.min(12 * u, rh * 0.6)),
      isMost = r.most === found.most;
    if ((r.layer + 1) % nth === 0 || r.layer === 0)
      g.append(
        label(X0 + lab - 10 * u, y + 4.5 * u, String(r.layer + 1), 12 * u, {
          'text-anchor': 'end',
          class: 'quiet',
        }),
      );
    g.append(
      s('rect', {
        class: isMost ? 'pcell' : 'pcell first',
        x: X0 + lab,
        y: y - h / 2,
        width: Math.max(0, fx(r.most) - X0 - lab),
        height: h,
      }),
    );
  });
}

export default {
  requests: context => [
    tiled(),
    plain(),
    ...(context.scene() ? lengths(context).flatMap(n => [timing(n, true), timing(n, false)]) : []),
  ],
  forget: context =>
    context.forget(lengths(context).flatMap(n => [timing(n, true), timing(n, false)])),
  values: () => ({ one: 1 }),
  draw(m, g, box) {
    const { W, H, u, context } = box,
      phone = isPhone(),
      half = phone ? W : W * 0.46,
      end = forms(g, { W: half, u }),
      y0 = end + 40 * u,
      X0 = phone ? 0 : W * 0.52,
      low = costs(g, context, { X0, X1: W, y0: phone ? y0 + 110 * u : 17 * u, u }),
      found = differences(context);
    g.append(columnHead(0, y0, t('cDiffs'), u));
    if (!found) {
      waiting(g, 0, y0 + 34 * u, [tiled(), plain()], context, u);
      return;
    }
    if (!found.layers.length) {
      g.append(label(0, y0 + 34 * u, t('noAttention'), 14 * u, { class: 'quiet' }));
      return;
    }
    figures(g, found, { y0, u });
    const top = low + 40 * u,
      y1 = phone ? top + (70 + 18 * found.layers.length) * u : H;
    spread(g, found, { X0, X1: W, y0: top, y1, u });
  },
  table(context) {
    const found = differences(context);
    return {
      lead: t('cDiffs'),
      head: [t('layer'), t('thDifference')],
      rows: (found?.layers ?? []).map(r => [String(r.layer + 1), tiny(r.most)]),
      foot: found ? [t('cDiffNext'), tiny(found.next)] : null,
    };
  },
  caption(context) {
    const found = differences(context);
    if (!found) return [troubleOf([tiled(), plain()], context) ?? t('cAsking')(1, 2)];
    if (!found.layers.length) return [t('noAttention')];
    const size = Math.max(...found.layers.map(x => x.size)),
      v = ['a', tiny(found.most)],
      scale = String(+size.toPrecision(2));
    const n = lengths(context).findLast(k => context.answer(timing(k, true))?.trace),
      a = n && context.answer(timing(n, true)).trace.header.measured,
      b = n && context.answer(timing(n, false))?.trace?.header.measured;
    const isLess = a && b && b.step_bytes < a.step_bytes;
    const fall = isLess && [a, b].map(x => bytes(x.step_bytes));
    const memory = !isLess
      ? ''
      : isChinese()
        ? `${count(n)} 词时，工作内存从 ${fall[0]} 降到 ${fall[1]}。`
        : ` At ${count(n)} words the working memory falls from ${fall[0]} to ${fall[1]}.`;
    return isChinese()
      ? ['换一个相加的次序，结果最多差 ', v, `（数值大到 ${scale}）：只是舍入。`, memory]
      : [
          'Added up in another order, the results differ by at most ',
          v,
          ` (values reach ${scale}): rounding only.`,
          memory,
        ];
  },
};
