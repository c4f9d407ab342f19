// The engine of the page against the program: the worker that the page starts, in node, gives the
// traces that heed lab gives.  Needs build/wasm/engine.wasm (make config=wasm engine) and a heed
// with a server (HEED=path, else build/release/heed); skipped where one is absent.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { readTrace } from '../../web/js/engine/trace.js';

const path = name => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const ENGINE = path('build/wasm/engine.wasm'),
  HEED = process.env.HEED ?? path('build/release/heed'),
  SMALL = path('tests/fixtures/models/llama/model.gguf.bin');
const absent = [ENGINE, HEED].filter(name => !existsSync(name));
const skip = absent.length ? `not built: ${absent.join(', ')}` : false;

/** web/js/engine/worker.js in here: say(message) sends it one, next() is what it says next. */
function startWorker() {
  let listen;
  const said = [],
    waiting = [],
    progress = [];
  const hear = message => {
    if (message.total != null) progress.push(message);
    else if (waiting.length) waiting.shift()(message);
    else said.push(message);
  };
  const source = readFileSync(path('web/js/engine/worker.js'), 'utf8');
  new Function('addEventListener', 'postMessage', source)((kind, f) => (listen = f), hear);
  return {
    progress,
    say: message => listen({ data: message }),
    next: () => (said.length ? said.shift() : new Promise(resolve => waiting.push(resolve))),
  };
}
async function opened(model, name) {
  const worker = startWorker();
  worker.say({ engine: readFileSync(ENGINE), model, name });
  return { ...worker, answer: await worker.next() };
}
const asked = async (worker, id, request) => {
  worker.say({ id, request });
  const { trace, error } = await worker.next();
  assert.equal(error, undefined, error?.message);
  return readTrace(trace);
};

/** Runs heed lab, gives its address to f, ends it. */
async function withServer(models, f) {
  const child = spawn(HEED, ['lab', ...models, '--no-open', '--port', '0', '--threads', '1']);
  const ended = new Promise(resolve => child.on('exit', resolve));
  let errors = '';
  child.stderr.on('data', part => (errors += part));
  try {
    const address = await new Promise((resolve, reject) => {
      child.stdout.once('data', line => resolve(String(line).trim()));
      ended.then(() => reject(new Error(errors)));
    });
    await f(async request => {
      const answer = await fetch(`${address}api/trace`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
      });
      return readTrace(await answer.arrayBuffer());
    });
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

const SITES = ['embed', 'q_rot', 'pattern', 'attn_out', 'mlp_act', 'mlp_out', 'resid_post'];
const request = (text, more) => ({
  text,
  taps: SITES.map(site => ({ site })),
  logits: true,
  vocabulary: true,
  lens: { top: 3 },
  ...more,
});

/** The largest difference of two traces, by array; ids and bytes must be equal. */
function compare(a, b) {
  assert.deepEqual(a.header.tokens, b.header.tokens);
  assert.deepEqual([...a.arrays.keys()], [...b.arrays.keys()]);
  for (const [name, { values, shape, type }] of a.arrays) {
    const other = b.arrays.get(name);
    assert.deepEqual(shape, other.shape, name);
    if (type !== 'f32') {
      if (name !== 'lens_id') assert.deepEqual(values, other.values, name);
      continue;
    }
    let worst = 0;
    values.forEach((x, i) => (worst = Math.max(worst, Math.abs(x - other.values[i]))));
    assert.ok(worst <= 1e-4, `${name}: ${worst}`);
  }
}

test('the engine of the page computes what heed lab computes', { skip }, async () => {
  const cases = [
    [SMALL, 'the cat sat', {}],
    [SMALL, 'a b c', { switches: { causal_mask: false, positions: 'none', heads_off: [[0, 1]] } }],
    [path('models/tales.gguf'), 'Once upon a time there was a little', {}],
    [path('models/poems.gguf'), '床前明月光', { then: [5, 6] }],
  ];
  let n = 0;
  for (const [model, text, more] of cases) {
    const worker = await opened(await openAsBlob(model), 'm');
    assert.deepEqual(worker.answer, { isOpen: true });
    const own = await asked(worker, 1, request(text, more));
    await withServer([model], async ask => compare(own, await ask(request(text, more))));
    assert.equal(worker.progress.at(-1).total, readFileSync(model).length);
    n += own.arrays.size;
  }
  assert.ok(n > 100, `${n} arrays`);
});

test('the newest question wins, and what is wrong is said in a line', { skip }, async () => {
  const worker = await opened(await openAsBlob(SMALL), 'm');
  for (const id of [1, 2]) worker.say({ id, request: { text: 'the cat' } });
  assert.equal((await worker.next()).id, 2);
  worker.say({ id: 3, request: { text: 'a', taps: [{ site: 'none' }] } });
  const refused = await worker.next();
  assert.match(refused.error.message, /no such site/);
  assert.equal(refused.error.kind, 'wrong usage');
  assert.ok((await asked(worker, 4, { text: 'still there' })).header.tokens.length > 0);
});

test('files that are no models are refused', { skip }, async () => {
  const whole = readFileSync(SMALL);
  for (const bytes of [whole.subarray(0, 0), whole.subarray(0, 5000), whole.subarray(100)]) {
    const { answer } = await opened(new Blob([bytes]), 'broken');
    assert.equal(answer.error?.kind, 'damaged or wrong file', answer.error?.message);
    assert.match(answer.error.message, /^broken: /);
  }
  const { answer } = await opened({ size: 3e9, stream: () => new Blob([]).stream() }, 'large');
  assert.match(answer.error.message, /at most 2 GB/);
  const short = { size: 9, stream: () => new Blob(['GGUF']).stream() };
  assert.match((await opened(short, 'short')).answer.error.message, /4 of 9 bytes/);
});
