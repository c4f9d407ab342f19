// What can be looked into: models behind the server or beside the page, files that were opened in
// it, recordings.  One of them is open and answers.
import { modelsOfPage, locate } from './files.js';
import { serverModel, serverModels } from './http.js';
import { readTrace, recording } from './trace.js';
import { openModel } from './wasm.js';

const aborted = () => new DOMException('no longer wanted', 'AbortError');
const refusal = (kind, message) => Object.assign(new Error(message), { kind });

const found = new Map(); // name -> {kind, open(report, signal): a source}
let now = null, // {name, source}: what is open
  opening = null; // {name, promise, controller}: what is on its way

/** [name, kind] of all that is there; kind is "server", "page" or "recording". */
export const choices = () => [...found].map(([name, { kind }]) => [name, kind]);
export const has = name => found.has(name);
/** Name of what is open; undefined: nothing yet. */
export const opened = () => now?.name;
/** The question that a recording answers: {text, then, switches, watch}; null for a model. */
export const recorded = () => now?.source.recorded ?? null;
export const ask = request => now.source.ask(request);
export const close = () => opening?.controller.abort();

const readRecording = buffer => recording(readTrace(buffer));
async function fetchRecording(address, report, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw refusal('input/output error', `${address}: HTTP ${answer.status}`);
  return readRecording(await answer.arrayBuffer());
}

/** Looks what there is: the recording in the address, models beside the page or behind it. */
export async function discover() {
  const address = new URLSearchParams(location.search).get('trace');
  if (address) {
    const open = (report, signal) => fetchRecording(address, report, signal);
    found.set(address, { kind: 'recording', open });
  }
  const inPage = modelsOfPage();
  for (const name of inPage ?? []) {
    const open = (...told) => openModel({ model: locate(`models/${name}.gguf`), name }, ...told);
    found.set(name, { kind: 'page', open });
  }
  if (inPage) return;
  try {
    for (const name of await serverModels())
      found.set(name, { kind: 'server', open: async () => serverModel(name) });
  } catch (e) {
    if (!address) throw e; // a recording needs no server
  }
}

/** Takes a file of the user among the choices; its name there. */
export async function add(file) {
  const magic = await file.slice(0, 8).text(),
    { name } = file;
  if (magic === 'heedtrc1')
    found.set(name, {
      kind: 'recording',
      open: async () => readRecording(await file.arrayBuffer()),
    });
  else if (magic.startsWith('GGUF'))
    found.set(name, {
      kind: 'page',
      open: (report, signal) => openModel({ model: file, name }, report, signal),
    });
  else throw refusal('no model', name);
  if (now?.name === name) now.name = ''; // what was open under this name is another one
  return name;
}

/**
 * Opens a choice in place of the one that is open; one on its way to another gives up.  `report` is
 * told {done, total} in bytes.  Resolves with true where it was not open before.
 */
export function use(name, report) {
  if (now?.name === name) {
    close();
    return Promise.resolve(false);
  }
  if (opening?.name === name) return opening.promise;
  close();
  const controller = new AbortController();
  const own = (opening = { name, controller });
  own.promise = (async () => {
    try {
      const source = await found.get(name).open(report, controller.signal);
      if (controller.signal.aborted) {
        source.close();
        throw aborted();
      }
      now?.source.close();
      now = { name, source };
      return true;
    } finally {
      if (opening === own) opening = null;
    }
  })();
  return own.promise;
}
