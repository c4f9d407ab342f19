// A trace as docs/trace.md describes it: a header, and arrays by name and layer; and a file of one
// as a source of answers.

import { tokenBytes, utf8 } from '../base/pieces.js';

const MAGIC = 'heedtrc1';
const TYPES = { f32: Float32Array, i32: Int32Array, u8: Uint8Array };

const count = shape => shape.reduce((a, b) => a * b, 1);
const key = (name, layer) => (layer == null ? name : `${name}:${layer}`);

/**
 * Reads the bytes (an ArrayBuffer): {header, arrays, bytes}, where arrays maps "pattern:3" or
 * "next_logits" to {name, layer, axes, shape, values}.  Throws where they are no trace.
 */
export function readTrace(buffer) {
  const bytes = new Uint8Array(buffer);
  if (bytes.length < 16 || String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC)
    throw new Error('not a trace');
  const length = Number(new DataView(buffer).getBigUint64(8, true)),
    start = 16 + length;
  if (start > bytes.length) throw new Error('a trace that is cut off');
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, start)));
  const arrays = new Map();
  for (const a of header.arrays) {
    const Type = TYPES[a.type],
      n = count(a.shape),
      at = start + a.offset;
    if (!Type || at + n * Type.BYTES_PER_ELEMENT > bytes.length)
      throw new Error(`a trace without its ${a.name}`);
    arrays.set(key(a.name, a.layer), { ...a, values: new Type(buffer, at, n) });
  }
  return { header, arrays, bytes: buffer };
}

/**
 * The pieces of a vocabulary, id -> bytes, from the two arrays of a trace that has them; of one
 * that has not, its own tokens, and the numbers of others.
 */
export function readVocabulary(trace) {
  const ends = trace.arrays.get('piece_end')?.values,
    bytes = trace.arrays.get('piece_bytes')?.values;
  if (ends) return id => bytes.subarray(id ? ends[id - 1] : 0, ends[id]);
  const own = new Map(trace.header.tokens.map(token => [token.id, tokenBytes(token)]));
  return id => own.get(id) ?? utf8(`#${id}`);
}

/** Are two values of JSON the same, in whatever order their keys are? */
function same(a, b) {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(k => k in b && same(a[k], b[k]));
}
const absent = what => Object.assign(new Error(what), { kind: 'recorded' });

/**
 * A recorded trace as a source: {ask, close, recorded}.  It answers the questions to which it holds
 * the answer: its own sentence, with its own switches, and the arrays that are there.  Others are
 * refused with kind "recorded" and the name of what is missing.
 */
export function recording(trace) {
  const own = trace.header.request ?? { text: trace.header.text },
    { text, then = [], switches = {}, lens } = own;
  const has = (name, layer) =>
    trace.arrays.has(key(name, layer)) ||
    (layer == null && [...trace.arrays.values()].some(a => a.name === name));
  function missing(request) {
    if (request.text !== text || !same(request.then ?? [], then)) return 'text';
    if (!same(request.switches ?? {}, switches)) return 'switches';
    const tap = request.taps?.find(x => !has(x.site, x.layer));
    if (tap) return tap.site;
    if (request.logits && !has('next_logits')) return 'logits';
    if (request.lens && !(lens && same(request.lens.watch ?? [], lens.watch ?? []))) return 'lens';
    const known = ['text', 'then', 'switches', 'taps', 'logits', 'vocabulary', 'lens'];
    return Object.keys(request).find(k => !known.includes(k) && !same(request[k], own[k]));
  }
  return {
    recorded: { text, then, switches, watch: lens?.watch ?? [] },
    async ask(request) {
      const what = missing(request);
      if (what) throw absent(what);
      return trace;
    },
    close() {},
  };
}
