// A model inside the page: asks the worker (worker.js) in which it runs.
import { locate, readFile } from './files.js';
import { readTrace } from './trace.js';

const refusal = ({ kind, message }) => Object.assign(new Error(message), { kind });
const aborted = () => new DOMException('no longer wanted', 'AbortError');

function startWorker() {
  const script = locate('js/engine/worker.js');
  if (typeof script === 'string') return new Worker(script);
  const address = URL.createObjectURL(script);
  try {
    return new Worker(address);
  } finally {
    setTimeout(() => URL.revokeObjectURL(address), 10_000); // the worker has read it by then
  }
}

/**
 * Opens a model, a Blob or an address, as a source: {ask, close}.  `report` is told {done, total}
 * in bytes; `signal` ends it.
 */
export async function openModel({ model, name }, report, signal) {
  let engine;
  try {
    engine = await readFile('engine.wasm');
  } catch (e) {
    throw refusal({ kind: 'no engine', message: e.message });
  }
  if (signal.aborted) throw aborted();
  const worker = startWorker();
  return new Promise((resolve, reject) => {
    const fail = error => {
      worker.terminate();
      reject(error);
    };
    signal.addEventListener('abort', () => fail(aborted()), { once: true });
    worker.onerror = e => fail(refusal({ kind: 'stopped', message: e.message ?? 'no worker' }));
    worker.onmessage = ({ data }) => {
      if (data.error) fail(refusal(data.error));
      else if (data.isOpen) resolve(source(worker));
      else report(data);
    };
    worker.postMessage({ engine, model, name }, [engine]);
  });
}

function source(worker) {
  let id = 0,
    open = null; // {resolve, reject} of the newest question
  const fail = error => {
    open?.reject(error);
    open = null;
  };
  worker.onerror = e => fail(refusal({ kind: 'stopped', message: e.message }));
  worker.onmessage = ({ data }) => {
    if (data.id !== id) return; // of a question that nobody waits for any more
    if (data.error) return fail(refusal(data.error));
    open?.resolve(readTrace(data.trace));
    open = null;
  };
  return {
    /** Rejects with an AbortError when a newer question came. */
    ask(request) {
      fail(aborted());
      return new Promise((resolve, reject) => {
        open = { resolve, reject };
        worker.postMessage({ id: ++id, request });
      });
    },
    close() {
      fail(aborted());
      worker.terminate();
    },
  };
}
