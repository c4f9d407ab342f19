// The models: which one is looked into, how far it is in coming, the dialog in which another is
// chosen, files that are dropped on the page.
import { clear, h, s } from './base/dom.js';
import * as sources from './engine/sources.js';
import { S, SWITCHES } from './state.js';
import { fileName, size, t } from './words.js';

// ---------------------------------------------------------------- what is on its way
let coming = null; // {name, done, total, began}

/** What is read, how fast, and for how long still. */
function progress({ name, done, total, began }) {
  if (total && done === total) return t('preparing')(fileName(name));
  const rate = done / Math.max(0.001, (performance.now() - began) / 1000);
  const amount = total ? t('ofTotal')(size(done), size(total)) : size(done);
  const left = total && done ? t('left')(Math.ceil((total - done) / rate)) : '';
  return t('reading')(fileName(name), amount, size(rate)) + left;
}

/** The line that stands in the sentence bar while a model comes; null: none does. */
export function comingLine() {
  if (!coming?.done) return null;
  const { done, total } = coming;
  return h(
    'span',
    { class: 'coming', role: 'status' },
    total ? h('progress', { max: total, value: done, 'aria-label': t('models') }) : '',
    progress(coming),
    h('button', { onclick: sources.close }, t('cancel')),
  );
}

/** Takes over the sentence and the switches that a recording was made with. */
function adopt({ text, then, switches, watch }) {
  const sw = { ...SWITCHES };
  for (const k of Object.keys(sw)) sw[k] = (switches[k] ?? true) === true || switches[k] === 'on';
  Object.assign(S, { text, then, sw, off: switches.heads_off ?? [], pinned: watch[0] ?? -1 });
  Object.assign(S, { sel: -1, draws: 0 });
}

let looked = null; // the search for what there is
const look = () =>
  (looked ??= sources.discover().catch(e => {
    looked = null; // the server may come back
    throw e;
  }));
/**
 * Opens the model that the link names, else the first.  `tell` is called when there is more to say.
 * Resolves with true where another than before was opened.
 */
export async function ready(tell) {
  if (!sources.has(S.model)) await look();
  const [first] = sources.choices()[0] ?? [''];
  const name = S.model || sources.opened() || first;
  if (!sources.has(name)) {
    S.model = sources.opened() ?? '';
    throw Object.assign(new Error(name), { kind: 'no such model' });
  }
  const began = performance.now();
  const report = ({ done, total }) => tell((coming = { name, done, total, began }));
  try {
    const isOther = await sources.use(name, report);
    if (isOther && sources.recorded()) adopt(sources.recorded());
    S.model ||= name;
    return isOther;
  } catch (e) {
    if (S.model === name) S.model = sources.opened() ?? '';
    throw e;
  } finally {
    if (coming?.name === name) coming = null;
  }
}

// ---------------------------------------------------------------- the dialog
let actions = null; // {pick(name), fail(error), save()}: what the frame does
const dialog = h('dialog', {
  class: 'models',
  onclick: e => e.target === dialog && dialog.close(),
});
const input = h('input', { type: 'file', hidden: true, accept: '.gguf,.trace' });
input.addEventListener('change', () => {
  if (input.files.length) take(input.files[0]);
  input.value = '';
});

/** A file of the user: a model, or a recording. */
async function take(file) {
  dialog.close();
  try {
    actions.pick(await sources.add(file));
  } catch (e) {
    actions.fail(e);
  }
}

function fill() {
  const choose = name => {
    dialog.close();
    actions.pick(name);
  };
  const save = () => {
    dialog.close();
    actions.save();
  };
  const one = ([name, kind]) =>
    h(
      'li',
      {},
      h(
        'button',
        { 'aria-current': String(name === sources.opened()), onclick: () => choose(name) },
        h('b', {}, fileName(name)),
        h('small', {}, t('kindsOfModel')[kind]),
      ),
    );
  const box = h(
    'div',
    {},
    h('h2', {}, t('models')),
    h('ul', {}, sources.choices().map(one)),
    h('button', { class: 'act', onclick: () => input.click() }, t('openFile')),
    h('button', { class: 'act', onclick: save }, t('saveTrace')),
    h('p', {}, t('dropNote')),
    input,
  );
  clear(dialog).append(box);
}

/** What the model of the link is called. */
export const shortName = () => fileName(S.model);

/** The button with a model's name, which opens the dialog. */
export const modelButton = text =>
  h(
    'button',
    { class: 'model', 'aria-haspopup': 'dialog', title: t('models'), onclick: chooseModel },
    text,
    s('svg', { viewBox: '0 0 10 6', 'aria-hidden': 'true' }, s('path', { d: 'M1 1l4 4 4-4' })),
  );
export function chooseModel() {
  fill();
  dialog.showModal();
}

/** Bytes as a file of the user's. */
export function saveFile(bytes, name) {
  const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Puts the dialog on the page and takes what is dropped on it. */
export function startModels(given) {
  actions = given;
  document.body.append(dialog);
  const hasFile = e => e.dataTransfer?.types.includes('Files');
  const show = on => document.documentElement.toggleAttribute('data-drop', on);
  addEventListener('dragover', e => {
    if (!hasFile(e)) return;
    e.preventDefault();
    document.documentElement.style.setProperty('--drop', JSON.stringify(t('dropHere')));
    show(true);
  });
  addEventListener('dragleave', e => e.relatedTarget || show(false));
  addEventListener('drop', e => {
    if (!hasFile(e)) return;
    e.preventDefault();
    show(false);
    if (e.dataTransfer.files.length) take(e.dataTransfer.files[0]);
  });
}
