// 1 - Tokens.  The sentence as the model gets it: pieces, their numbers, their bytes, and the row
// of the embedding that each becomes.
import { clear, cssVar, h, unit } from '../base/dom.js';
import { S, set } from '../state.js';
import { hexBytes, tokenBytes } from '../base/pieces.js';
import { count, isChinese, t, three } from '../words.js';
import { source } from '../scene.js';
import { figure } from '../parts.js';
import { drawVector } from '../draw/vector.js';

let context, ui;

const bytesOf = i => tokenBytes(context.scene().tokens[i]);

function card(i) {
  const scene = context.scene(),
    token = scene.tokens[i],
    bytes = bytesOf(i);
  const isPart = scene.tokens.some((x, k) => k !== i && x.unit === token.unit);
  return h(
    'button',
    {
      class: 'tcard',
      'aria-pressed': String(i === S.sel),
      'data-part': isPart,
      'data-joined': i > 0 && scene.tokens[i - 1].unit === token.unit,
      onclick: () => set({ sel: i }),
    },
    h('b', {}, scene.labels[i]),
    h('span', {}, String(token.id)),
    h('small', {}, token.special ? t('tkSpecial') : hexBytes(bytes)),
  );
}

function vector() {
  const scene = context.scene(),
    array = scene.array('embed', 0),
    width = array.shape[1];
  const row = array.values.subarray(S.sel * width, (S.sel + 1) * width);
  const canvas = h('canvas', {
    class: 'vector',
    tabindex: 0,
    role: 'img',
    'aria-label': scene.labels[S.sel],
  });
  const length = scene.norm('embed', 0, S.sel);
  const read = h('span', { class: 'read' });
  const tell = k => {
    clear(read).append(
      figure(`[${k}] ${three(row[k])}`, source('embed', 0, [S.sel, k], row[k], '')),
    );
  };
  const place = e => Math.min(width - 1, Math.floor((e.offsetX / canvas.clientWidth) * width));
  canvas.addEventListener('pointermove', e => tell(place(e)));
  canvas.addEventListener('click', e => {
    const k = place(e);
    set({ origin: source('embed', 0, [S.sel, k], row[k], ''), drawer: 'origin' });
  });
  clear(ui.vector).append(
    h(
      'h3',
      {},
      h('mark', {}, scene.labels[S.sel]),
      t('tkRow')(count(scene.tokens[S.sel].id), width),
    ),
    canvas,
    h(
      'p',
      {},
      figure(t('tkLength')(three(length)), source('embed', 0, [S.sel], length, 'embed')),
      read,
    ),
  );
  const room = ui.vector.clientWidth;
  drawVector(canvas, row, room, Math.max(64, 84 * unit()), cssVar('--ink-2'));
}

function fit() {
  const { n } = context.scene();
  clear(ui.cards).append(...Array.from({ length: n }, (_, i) => card(i)));
  vector();
}

export default {
  id: 'tokens',
  needs: () => ({ taps: [{ site: 'embed' }] }),
  mount(el, given) {
    context = given;
    ui = { cards: h('div', { class: 'tcards' }), vector: h('section', { class: 'tvector' }) };
    el.append(h('header', { class: 'head' }, h('h2', {}, context.ask())), ui.cards, ui.vector);
    fit();
  },
  update: fit,
  table() {
    const scene = context.scene();
    return {
      lead: t('asks').tokens,
      head: [t('tkPiece'), t('tkId'), t('tkBytes')],
      rows: scene.tokens.map((x, i) => [scene.labels[i], String(x.id), hexBytes(bytesOf(i))]),
    };
  },
  caption() {
    const scene = context.scene(),
      plainTokens = scene.tokens.filter(x => !x.special);
    const letters = [...S.text].length,
      n = plainTokens.length,
      all = count(scene.model.vocabulary);
    const unitOf = scene.tokens[S.sel].unit,
      parts = scene.tokens.filter(x => x.unit === unitOf).length;
    const name = scene.labels[S.sel].replace(/[₁-₉]$/, ''),
      size = bytesOf(S.sel).length;
    const head = isChinese()
      ? [`${letters} 个字符切成 `, ['', `${n} 个词元`], `，词表里一共有 ${all} 种。`]
      : [
          `${letters} characters become `,
          ['', `${n} token${n > 1 ? 's' : ''}`],
          ` out of ${all}. `,
        ];
    if (scene.tokens[S.sel].special) return head;
    if (parts > 1)
      return isChinese()
        ? [...head, ['pick', name], ` 不在词表里，要 ${parts} 个词元拼成。`]
        : [...head, ['pick', name], ` is not among them: it takes ${parts} tokens.`];
    return isChinese()
      ? [...head, ['pick', name], ` 是第 ${scene.tokens[S.sel].id} 号，${size} 个字节。`]
      : [
          ...head,
          ['pick', name],
          ` is number ${scene.tokens[S.sel].id}, ${size} byte${size > 1 ? 's' : ''}.`,
        ];
  },
};
