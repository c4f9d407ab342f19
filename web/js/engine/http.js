// The models behind the server (heed lab).
import { readTrace } from './trace.js';

const gone = () => Object.assign(new Error('server gone'), { kind: 'gone' });

/** Names of the server's models, the first is the one to begin with. */
export async function serverModels() {
  const answer = await fetch('api/models').catch(() => {
    throw gone();
  });
  if (!answer.ok) throw Object.assign(new Error(`HTTP ${answer.status}`), { kind: 'gone' });
  return (await answer.json()).models.map(m => m.name);
}

/** One of them as a source: {ask, close}; one question at a time, the newest wins. */
export function serverModel(model) {
  let running = null;
  return {
    /** Asks for a trace.  Rejects with an AbortError when a newer question came. */
    async ask(request) {
      running?.abort();
      const own = (running = new AbortController());
      let answer;
      try {
        answer = await fetch('api/trace', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ ...request, model }),
          signal: own.signal,
        });
      } catch (e) {
        if (e.name === 'AbortError') throw e;
        throw gone();
      }
      if (!answer.ok) {
        const { error } = await answer.json();
        throw Object.assign(new Error(error.message), { kind: error.kind });
      }
      return readTrace(await answer.arrayBuffer());
    },
    close() {
      running?.abort();
    },
  };
}
