// One model in a worker of its own: the engine of src/lab/engine.h, compiled to WebAssembly.
//
//     in   {engine: ArrayBuffer, model: Blob or address, name}     first of all
//          {id, request}                                          the newest wins
//     out  {done, total}        bytes of the model so far (total 0: not known)
//          {isOpen: true}
//          {id, trace: ArrayBuffer}
//          {id?, error: {kind, message}}
//
// One file without imports, since a page that is a single file starts it from a Blob.

const MODEL_BYTES_MAX = 2e9; // a file and what is computed from it share 4 GiB of addresses
const REPORT_MILLISECONDS = 100;
const EBADF = 8; // what WASI answers for a file that is not open

let wasm = null, // what the engine exports
  printed = ''; // by the engine, before it stopped

const refusal = (kind, message) => Object.assign(new Error(message), { kind });

// ---------------------------------------------------------------- the system
/** The few calls of WASI that have a meaning here; there are no files. */
function system(module) {
  const view = () => new DataView(wasm.memory.buffer);
  const calls = {
    clock_time_get(clock, precision, to) {
      view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_write(descriptor, parts, n, to) {
      let written = 0;
      for (let i = 0; i < n; i++) {
        const at = view().getUint32(parts + 8 * i, true),
          length = view().getUint32(parts + 8 * i + 4, true);
        printed += new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, at, length));
        written += length;
      }
      view().setUint32(to, written, true);
      return 0;
    },
    proc_exit(status) {
      throw new Error(`exit ${status}`);
    },
  };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    (imports[from] ??= {})[name] = calls[name] ?? (() => EBADF);
  return imports;
}

/** The string of C at an address. */
function text(at) {
  const bytes = new Uint8Array(wasm.memory.buffer, at >>> 0);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}
const failure = () => refusal(text(wasm.engine_error_kind()), text(wasm.engine_error()));

/** The address of n bytes of the engine's memory. */
function room(n) {
  const at = wasm.engine_room(n) >>> 0;
  if (!at) throw failure();
  return at;
}
/** A copy of the bytes in a room of the engine. */
function place(bytes) {
  const at = room(bytes.length);
  new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
  return at;
}

// ---------------------------------------------------------------- opening
/** The model's bytes as a stream, and how many there will be; 0: the server does not say. */
async function stream(model) {
  if (typeof model !== 'string') return [model.stream(), model.size];
  const answer = await fetch(model);
  if (!answer.ok) throw refusal('input/output error', `${model}: HTTP ${answer.status}`);
  const isPacked = answer.headers.has('Content-Encoding'); // then the length is not the file's
  return [answer.body, isPacked ? 0 : Number(answer.headers.get('Content-Length') ?? 0)];
}

/** Gathers a stream in the engine's memory: [address, bytes]. */
async function gather([body, total]) {
  const reader = body.getReader(),
    parts = []; // while the length is not known
  let at = 0,
    done = 0,
    told = 0;
  const check = n => {
    if (n > MODEL_BYTES_MAX)
      throw refusal('limit exceeded', 'a model in the browser has at most 2 GB: use heed lab FILE');
  };
  check(total);
  if (total) at = room(total);
  for (;;) {
    const { done: isEnd, value } = await reader.read();
    if (isEnd) break;
    check(done + value.length);
    if (total && done + value.length > total)
      throw refusal('input/output error', 'the file has grown while it was read');
    if (total) new Uint8Array(wasm.memory.buffer, at + done, value.length).set(value);
    else parts.push(value);
    done += value.length;
    if (performance.now() - told < REPORT_MILLISECONDS) continue;
    told = performance.now();
    postMessage({ done, total });
  }
  postMessage({ done, total });
  if (done < total) throw refusal('input/output error', `${done} of ${total} bytes came`);
  if (total) return [at, done];
  at = room(done);
  for (let to = at; parts.length;) {
    const part = parts.shift();
    new Uint8Array(wasm.memory.buffer, to, part.length).set(part);
    to += part.length;
  }
  return [at, done];
}

async function open({ engine, model, name }) {
  const module = await WebAssembly.compile(engine),
    instance = await WebAssembly.instantiate(module, system(module));
  wasm = instance.exports;
  wasm._initialize();
  const [at, n] = await gather(await stream(model));
  if (!wasm.engine_open(at, n, place(new TextEncoder().encode(`${name}\0`)))) throw failure();
}

// ---------------------------------------------------------------- answering
function answer(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  if (!wasm.engine_answer(place(bytes), bytes.length)) throw failure();
  const at = wasm.engine_trace() >>> 0;
  return wasm.memory.buffer.slice(at, at + wasm.engine_trace_bytes());
}

/** What an error says to the page.  One without a kind has stopped the engine for good. */
function told(error) {
  if (error.kind) return { kind: error.kind, message: error.message };
  return { kind: 'stopped', message: (printed || String(error)).trim() };
}

let waiting = null; // the newest question; those before it are not answered any more
function answerNewest() {
  if (!waiting) return;
  const { id, request } = waiting;
  waiting = null;
  try {
    const trace = answer(request);
    postMessage({ id, trace }, [trace]);
  } catch (error) {
    postMessage({ id, error: told(error) });
  }
}

addEventListener('message', async ({ data }) => {
  if (data.request) {
    waiting = data;
    setTimeout(answerNewest); // after the messages that have come meanwhile
    return;
  }
  try {
    await open(data);
    postMessage({ isOpen: true });
  } catch (error) {
    postMessage({ error: told(error) });
  }
});
