// The engine behind the server: one question at a time, the newest wins.
import { readTrace } from './trace.js';

let running = null;

/** Asks for a trace.  Rejects with an AbortError when a newer question came. */
export async function ask(request) {
  running?.abort();
  const own = (running = new AbortController());
  let answer;
  try {
    answer = await fetch('/api/trace', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal: own.signal,
    });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw Object.assign(new Error('server gone'), { kind: 'gone' });
  }
  if (!answer.ok) {
    const { error } = await answer.json();
    throw Object.assign(new Error(error.message), { kind: error.kind });
  }
  return readTrace(await answer.arrayBuffer());
}
