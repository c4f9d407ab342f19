// Reading and writing: a staircase.  A text that is there is read at once; one that is being
// written comes word by word.  Every time here was taken on this machine.
import { isPhone, s, textWidth } from '../../base/dom.js';
import { S } from '../../state.js';
import { count, isChinese, t, time } from '../../words.js';
import { label } from '../../parts.js';
import { columnHead, repeats, rowWord, troubleOf, waiting } from './common.js';
import { steps, wordOf, writing } from './cache.js';

const ROWS_MAX = 26;
const together = context => {
  const { n } = context.scene();
  return { measure: { tokens: n, chunk: n, repeat: repeats(context) } };
};
/** The text and what the model writes after it, word by word: what is written is read like that. */
function wordByWord(context) {
  const written = steps(context, true),
    { n } = context.scene();
  if (!written) return null;
  const ids = written.slice(0, -1).map(x => x.id);
  return {
    then: [...S.then, ...ids],
    measure: { tokens: n + ids.length, chunk: 1, repeat: repeats(context) },
  };
}
const requests = context => {
  const one = wordByWord(context);
  return [writing(context, true), together(context), ...(one ? [one] : [])];
};
/** The same with a place for what cannot be asked yet. */
const wanted = context => [...requests(context), { measure: {} }].slice(0, 3);

/** Seconds: of the text at once, then at which each of its words and of those written is done. */
function found(context) {
  const [, whole, one] = requests(context),
    { n } = context.scene();
  const measured = context.answer(whole)?.trace?.header.measured,
    at = one && context.answer(one)?.trace?.arrays.get('measured_seconds').values;
  if (!measured || !at) return null;
  const each = [...at].map((v, i) => v - (i ? at[i - 1] : 0));
  return {
    n,
    together: measured.seconds,
    byOne: [...at.subarray(0, n)],
    written: each.slice(n),
    words: steps(context, true).map(wordOf),
  };
}
const sum = list => list.reduce((a, x) => a + x, 0);
const middle = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const pace = (n, seconds) => t('cSpeed')(count(+(n / seconds).toPrecision(3)));

function stairs(g, list, context, { W, H, u, phone, y }) {
  const { labels } = context.scene(),
    from = Math.max(0, list.n - (ROWS_MAX - list.written.length)),
    shown = list.n - from,
    rows = shown + list.written.length,
    lab = 84 * u,
    top = y + 24 * u,
    rh = Math.min(26 * u, phone ? 22 * u : (H - top - 34 * u) / rows),
    start = from ? list.byOne[from - 1] : 0,
    last = list.byOne[list.n - 1],
    end = last - start + sum(list.written),
    fx = v => lab + (v / end) * (W - lab - 8 * u);
  const ticks = phone ? 2 : 4;
  for (let k = 0; k <= ticks; k++) {
    const x = fx((k / ticks) * end);
    g.append(
      s('line', { class: 'divide', x1: x, x2: x, y1: top - 6 * u, y2: top + rows * rh + 4 * u }),
      label(x, top + rows * rh + 22 * u, k ? time((k / ticks) * end) : '0', 12 * u, {
        class: 'quiet',
        'text-anchor': k === ticks ? 'end' : 'middle',
      }),
    );
  }
  const word = (text, i, cls) => {
    const px = Math.min(14 * u, rh * 0.84);
    g.append(
      rowWord(text, lab - 10 * u, top + (i + 0.5) * rh + px * 0.36, px, lab - 14 * u, {
        class: cls,
      }),
    );
  };
  const bar = (cls, a, b, i) =>
    s('rect', {
      class: cls,
      x: fx(a),
      y: top + i * rh + u,
      width: Math.max(1.5, fx(b) - fx(a)),
      height: Math.max(1, rh - 2 * u),
    });
  g.append(
    s('rect', {
      class: 'readbar',
      x: fx(0),
      y: top,
      width: Math.max(1.5, fx(Math.min(list.together, end)) - fx(0)),
      height: shown * rh,
    }),
  );
  let at = 0;
  for (let i = 0; i < shown; i++) {
    const done = list.byOne[from + i] - start;
    word(labels[from + i], i, '');
    g.append(bar('onebar', at, done, i));
    at = done;
  }
  list.written.forEach((seconds, k) => {
    word(list.words[k], shown + k, 'onrow');
    g.append(bar('writebar', at, at + seconds, shown + k));
    at += seconds;
  });
}

function legend(g, list, { W, u, phone }) {
  const items = [
    ['readbar', t('cTogether'), pace(list.n, list.together), time(list.together)],
    ['onebar', t('cByOne'), pace(list.n, list.byOne[list.n - 1]), time(list.byOne[list.n - 1])],
    [
      'writebar',
      t('cWriting'),
      pace(list.written.length, sum(list.written)),
      time(sum(list.written)),
    ],
  ];
  const left = phone ? 0 : 84 * u;
  let x = left,
    y = 42 * u;
  for (const [cls, name, speed, seconds] of items) {
    const text = S.depth === 'feel' ? '' : `${speed} · ${seconds}`,
      width = 30 * u + textWidth(name, 14 * u) + textWidth(text, 14 * u, 700);
    if (x > left && x + width > W) {
      x = left;
      y += 22 * u;
    }
    g.append(
      s('rect', { class: cls, x, y: y - 11 * u, width: 16 * u, height: 12 * u }),
      s(
        'text',
        { x: x + 22 * u, y, 'font-size': 14 * u },
        name,
        s('tspan', { dx: 8 * u, 'font-weight': 700 }, text),
      ),
    );
    x += width + 22 * u;
  }
  return y;
}

export default {
  requests: context => (context.scene() ? requests(context) : []),
  forget: context => context.forget(requests(context).slice(1)),
  values: () => ({ one: 1 }),
  draw(m, g, box) {
    const { u, context } = box,
      list = found(context),
      phone = isPhone();
    g.append(columnHead(0, 17 * u, t('cPace'), u));
    if (!list) {
      waiting(g, 0, 48 * u, wanted(context), context, u);
      return;
    }
    const y = legend(g, list, { ...box, phone });
    stairs(g, list, context, { ...box, phone, y });
  },
  table(context) {
    const list = found(context);
    if (!list) return { lead: t('cPace'), head: [], rows: [] };
    const { labels } = context.scene();
    return {
      lead: `${t('cTogether')}: ${time(list.together)}`,
      head: [t('cByOne'), t('thDone')],
      rows: [
        ...list.byOne.map((v, i) => [labels[i], time(v)]),
        ...list.written.map((v, k) => [`+ ${list.words[k]}`, `+ ${time(v)}`]),
      ],
    };
  },
  caption(context) {
    const list = found(context);
    if (!list) {
      const all = wanted(context);
      return [
        troubleOf(all, context) ??
          t('cAsking')(all.filter(r => context.answer(r)).length + 1, all.length),
      ];
    }
    const last = list.byOne[list.n - 1],
      ratio = last / list.together,
      times = +ratio.toPrecision(2),
      one = middle(list.written);
    const isFaster = ratio > 1;
    return isChinese()
      ? [
          `${list.n} 个词一起读要 `,
          ['', time(list.together)],
          `，一个一个读要 ${time(last)}`,
          isFaster ? `，是 ${times} 倍` : '',
          `；写的时候只能一个接一个，每个 ${time(one)}。`,
        ]
      : [
          `${list.n} words are read together in `,
          ['', time(list.together)],
          `, one by one in ${time(last)}`,
          isFaster ? `, ${times} times as long` : '',
          `; writing has to go one by one, ${time(one)} a word.`,
        ];
  },
};
