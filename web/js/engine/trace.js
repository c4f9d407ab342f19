// A trace as docs/trace.md describes it: a header, and arrays by name and layer.

const MAGIC = 'heedtrc1';
const TYPES = { f32: Float32Array, i32: Int32Array, u8: Uint8Array };

const count = shape => shape.reduce((a, b) => a * b, 1);
const key = (name, layer) => (layer == null ? name : `${name}:${layer}`);

/**
 * Reads the bytes (an ArrayBuffer): {header, arrays}, where arrays maps "pattern:3" or
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
  return { header, arrays };
}

/** The pieces of a vocabulary, from the two arrays of a trace that has them. */
export function readVocabulary(trace) {
  const ends = trace.arrays.get('piece_end')?.values,
    bytes = trace.arrays.get('piece_bytes')?.values;
  if (!ends) return null;
  return id => bytes.subarray(id ? ends[id - 1] : 0, ends[id]);
}
