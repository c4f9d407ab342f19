// The cache: ink is work.  Each row is a token that the model writes, each cell a word whose keys
// and values it needs; solid were worked out for it, pale ones lay in the cache.  Both ways are
// really run, and the words they write compared.
import { clamp, draggable, isPhone, press, range, s, textWidth } from '../../base/dom.js';
import { KNOWN, kvBytes, ownCache } from '../../base/cost.js';
import { pieceLabel } from '../../base/pieces.js';
import { S, set } from '../../state.js';
import { bytes, count, isChinese, t, time } from '../../words.js';
import { label, miniSwitch } from '../../parts.js';
import { columnHead, lengthBar, repeats, rowWord, troubleOf, waiting } from './common.js';

export const STEPS = 8;
export const writing = (context, cache) => ({
  generate: { tokens: STEPS, temperature: 0, repeat: repeats(context), top: 1 },
  switches: { cache },
});
const isOn = () => S.cached !== 'off';
const BIGGEST = 64 * 2 ** 30,
  CARD = 24e9;

let kv = 0, // the model whose formula is shown
  row = -1; // the step that is looked at; -1: the last

/** The steps with their times, once they are there. */
export function steps(context, cache) {
  const trace = context.answer(writing(context, cache))?.trace,
    seconds = trace?.arrays.get('step_seconds').values;
  return trace?.header.generation.map((x, i) => ({ ...x, seconds: seconds[i] }));
}
const sum = (list, key) => list.reduce((a, x) => a + x[key], 0);
export const wordOf = step =>
  pieceLabel(Uint8Array.from(step.bytes ?? new TextEncoder().encode(step.text)));
/** The first step at which two generations differ, or -1. */
const differs = (a, b) => range(Math.max(a.length, b.length)).findIndex(i => a[i]?.id !== b[i]?.id);

function work(g, box, context, list) {
  const { W, H, u, phone, svg } = box,
    n = context.scene().n,
    N = list.length,
    cols = n + N - 1,
    lab = 78 * u,
    clock = 62 * u,
    left = phone ? W : W * 0.5,
    top = 62 * u,
    x0 = lab,
    z = (left - lab - clock) / cols,
    zh = Math.min(46 * u, phone ? 30 * u : (H - top - 74 * u) / N),
    now = row < 0 ? N - 1 : clamp(row, 0, N - 1);
  const gap = Math.min(1.5 * u, z * 0.1);
  list.forEach((step, i) => {
    const y = top + i * zh,
      later = i > now,
      seen = n + i,
      px = Math.min(16 * u, zh * 0.6);
    if (i === now) g.append(s('rect', { class: 'nowrow', x: 0, y, width: left, height: zh }));
    g.append(
      rowWord(wordOf(step), lab - 10 * u, y + zh / 2 + px * 0.36, px, lab - 14 * u, {
        class: i === now ? 'onrow' : later ? 'quiet' : '',
        'font-weight': i === now ? 700 : 400,
      }),
    );
    for (let j = 0; j < seen; j++) {
      const isWork = j >= seen - step.computed,
        w = (z - 2 * gap) / 2,
        x = x0 + j * z + gap,
        cls = later ? 'later' : isWork ? '' : 'kept',
        place = { y: y + 2 * u, width: w, height: zh - 4 * u };
      g.append(
        s('rect', { class: `kcell ${cls}`, x, ...place }),
        s('rect', { class: `vcell ${cls}`, x: x + w, ...place }),
      );
    }
    if (S.depth !== 'feel' && !later)
      g.append(
        label(left - 4 * u, y + zh / 2 + 4.5 * u, time(step.seconds), 12.5 * u, {
          'text-anchor': 'end',
          'font-weight': i === now ? 700 : 400,
          class: i === now ? 'onrow' : 'quiet',
        }),
      );
  });
  const y = top + N * zh + 26 * u;
  g.append(
    rowWord(t('cWords')(count(n)), x0 + n * z - 3 * u, top - 8 * u, 12 * u, n * z, {
      class: 'quiet',
    }),
    s('line', {
      class: 'divide',
      x1: x0 + n * z,
      x2: x0 + n * z,
      y1: top - 22 * u,
      y2: top + N * zh,
    }),
  );
  let kx = lab;
  for (const [cls, text] of [
    ['', t('cNew')],
    ['kept', isOn() ? t('cKept') : null],
  ]) {
    if (!text) continue;
    g.append(
      s('rect', { class: `kcell ${cls}`, x: kx, y: y - 11 * u, width: 8 * u, height: 12 * u }),
      s('rect', {
        class: `vcell ${cls}`,
        x: kx + 8 * u,
        y: y - 11 * u,
        width: 8 * u,
        height: 12 * u,
      }),
      label(kx + 23 * u, y, text, 13 * u),
    );
    kx += textWidth(text, 13 * u) + 44 * u;
  }
  const hit = s('rect', {
    class: 'hit',
    x: 0,
    y: top,
    width: left,
    height: N * zh,
    style: { cursor: 'ns-resize', 'touch-action': 'none' },
  });
  const to = e => {
    row = clamp(Math.floor((e.clientY - svg.getBoundingClientRect().top - top) / zh), 0, N - 1);
    box.again();
  };
  draggable(hit, to, (_, dx, dy, e) => to(e));
  g.append(hit);
  return verdict(g, lab, y + 28 * u, context, u, left);
}
/** What both ways have computed, on as many lines as it takes; returns where it ends. */
function verdict(g, x, y, context, u, right) {
  const own = steps(context, isOn()),
    other = steps(context, !isOn()),
    tell = (word, list) => t(word)(count(sum(list, 'computed')), time(sum(list, 'seconds')));
  if (S.depth === 'feel') return y;
  const mine = tell('cSum', own);
  g.append(label(x, y, mine, 14 * u, { 'font-weight': 700 }));
  if (!other) return y + 12 * u;
  const note = tell(isOn() ? 'cOther' : 'cOtherOn', other),
    at = x + textWidth(mine, 14 * u, 700) + 14 * u,
    fits = at + textWidth(note, 13 * u) < right;
  g.append(label(fits ? at : x, fits ? y : y + 20 * u, note, 13 * u, { class: 'quiet' }));
  return y + (fits ? 12 : 32) * u;
}

const allModels = context => [ownCache(context.scene().model), ...KNOWN];

function formula(g, a, n, { X0, X1, y, u }) {
  const values = [2, a.layers, a.kvHeads, a.headWidth, a.bytes, count(n)],
    names = t('cForm'),
    px = (X1 - X0 < 360 * u ? 15 : 18) * u,
    wide = values.map(
      (v, i) => Math.max(textWidth(String(v), px, 700), textWidth(names[i], 12 * u)) + 2 * u,
    ),
    gap = (X1 - X0 - wide.reduce((p, q) => p + q)) / 5;
  let x = X0;
  values.forEach((v, i) => {
    const centre = x + wide[i] / 2;
    g.append(
      label(centre, y, String(v), px, {
        'text-anchor': 'middle',
        'font-weight': 700,
        class: i === 2 ? 'kform' : '',
      }),
      label(centre, y + 19 * u, names[i], 12 * u, { 'text-anchor': 'middle', class: 'quiet' }),
    );
    if (i < 5)
      g.append(
        label(x + wide[i] + gap / 2, y - u, '×', 15 * u, {
          'text-anchor': 'middle',
          class: 'quiet',
        }),
      );
    x += wide[i] + gap;
  });
}

function memory(g, box, context, y0) {
  const { W, H, u, phone, again, n } = box,
    X0 = phone ? 0 : W * 0.56,
    X1 = W,
    rows = allModels(context),
    fx = v => X0 + (Math.min(v, BIGGEST) / BIGGEST) * (X1 - X0);
  kv = clamp(kv, 0, rows.length - 1);
  g.append(columnHead(X0, y0, t('cMem'), u), lengthBar(X0, y0 + 34 * u, X1 - X0, u));
  formula(g, rows[kv], n, { X0, X1, y: y0 + 86 * u, u });
  const by = y0 + 124 * u,
    rh = phone ? 48 * u : Math.min(52 * u, (H - by - 20 * u) / rows.length),
    card = fx(CARD),
    end = by + rh * rows.length;
  rows.forEach((r, i) => {
    const y = by + i * rh,
      v = kvBytes(r, n),
      me = i === kv,
      name = i === 0 ? `${r.name} (${t('cLoaded')})` : r.name,
      note = `${t('cPer')(bytes(kvBytes(r)))} · ${t('cHeads')(r.kvHeads)}`,
      nameWidth = textWidth(name, 14 * u, 700),
      value = bytes(v),
      half = Math.max(0.5, (fx(v) - X0) / 2),
      bar = { y: y + 24 * u, height: 12 * u };
    const room = X1 - X0 - nameWidth - textWidth(value, 16 * u, 700) - 36 * u;
    const pickIt = () => {
      kv = i;
      again();
    };
    g.append(
      s(
        'g',
        {
          class: `memrow${me ? ' on' : ''}`,
          tabindex: 0,
          role: 'button',
          'aria-pressed': String(me),
          'aria-label': `${r.name}: ${value}`,
          ...press(pickIt),
        },
        s('rect', {
          class: 'bed',
          x: X0 - 8 * u,
          y,
          width: X1 - X0 + 14 * u,
          height: rh - 3 * u,
          rx: 4 * u,
        }),
        label(X0, y + 17 * u, name, 14 * u, { 'font-weight': me ? 700 : 400 }),
        S.depth === 'feel' || textWidth(note, 12 * u) > room
          ? ''
          : label(X0 + nameWidth + 12 * u, y + 17 * u, note, 12 * u, { class: 'quiet' }),
        label(X1, y + 17 * u, value, 16 * u, { 'text-anchor': 'end', 'font-weight': 700 }),
        s('rect', { class: 'kcell', x: X0, width: half, ...bar }),
        s('rect', { class: 'vcell', x: X0 + half, width: half, ...bar }),
        s('line', { class: 'cardline', x1: card, x2: card, y1: y + 22 * u, y2: y + 39 * u }),
      ),
    );
  });
  const ky = end + 13 * u;
  g.append(
    s('line', { class: 'cardline', x1: card, x2: card, y1: ky - 11 * u, y2: ky + 2 * u }),
    label(card + 8 * u, ky, t('cCard'), 12 * u),
    label(X0, ky, t('cByForm'), 12 * u, {
      class: 'quiet',
      ...(textWidth(t('cByForm'), 12 * u) > card - X0 - 8 * u ? { display: 'none' } : {}),
    }),
  );
}

export default {
  requests: context =>
    context.scene() ? [writing(context, isOn()), writing(context, !isOn())] : [],
  forget: context => context.forget([writing(context, true), writing(context, false)]),
  head: () => [miniSwitch(t('cCache'), isOn(), () => set({ cached: isOn() ? 'off' : 'on' }))],
  values: () => ({ n: S.len }),
  draw(m, g, box) {
    const { u, context, W } = box,
      phone = isPhone(),
      list = steps(context, isOn());
    g.append(columnHead(0, 17 * u, t('cWork'), u));
    let y = phone ? 330 * u : 0;
    if (list) y = work(g, { ...box, phone }, context, list);
    else waiting(g, 0, 56 * u, [writing(context, isOn()), writing(context, !isOn())], context, u);
    memory(g, { ...box, phone, n: Math.round(m.n), W }, context, phone ? y + 30 * u : 17 * u);
  },
  play(box) {
    const N = steps(box.context, isOn())?.length ?? STEPS;
    row = ((row < 0 ? N - 1 : row) + 1) % N;
    box.again();
  },
  table(context) {
    const on = steps(context, true) ?? [],
      off = steps(context, false) ?? [];
    return {
      lead: t('cWork'),
      head: [t('thStep'), t('cCache'), t('thTime'), t('thWithout'), t('thTime')],
      rows: on.map((x, i) => [
        wordOf(x),
        count(x.computed),
        time(x.seconds),
        off[i] ? count(off[i].computed) : '—',
        off[i] ? time(off[i].seconds) : '—',
      ]),
      foot: [
        t('sum'),
        count(sum(on, 'computed')),
        time(sum(on, 'seconds')),
        count(sum(off, 'computed')),
        time(sum(off, 'seconds')),
      ],
    };
  },
  caption(context) {
    const on = steps(context, true),
      off = steps(context, false),
      model = allModels(context)[kv],
      price = ['k', bytes(kvBytes(model, S.len))];
    if (!on || !off) {
      const both = [writing(context, true), writing(context, false)];
      return [troubleOf(both, context) ?? t('cAsking')(on || off ? 2 : 1, 2)];
    }
    const first = differs(on, off),
      a = count(sum(on, 'computed')),
      b = count(sum(off, 'computed')),
      same = first < 0 ? t('cSame') : t('cNotSame')(first + 1);
    return isChinese()
      ? [
          `写 ${on.length} 个词：存着算 ${a} 词，不存算 `,
          ['k', `${b} 词`],
          `，${same}。代价：${kv ? `${model.name} 的 ` : ''}${count(S.len)} 词要存 `,
          price,
          '。',
        ]
      : [
          `${on.length} new words: ${a} words of work with the cache, `,
          ['k', `${b} without`],
          `; ${same}. The price: `,
          price,
          ` for ${count(S.len)} words${kv ? ` in ${model.name}` : ''}.`,
        ];
  },
};
