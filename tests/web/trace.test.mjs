// Reading traces (docs/trace.md), and pieces as a person sees them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { readTrace, readVocabulary, recording } from '../../web/js/engine/trace.js';
import { pieceLabel, tokenLabels, utf8 } from '../../web/js/base/pieces.js';
import { Scene } from '../../web/js/scene.js';

/** A trace with one head over three tokens, and a vocabulary of "a", "bc". */
function sample(more) {
  const arrays = [
    { name: 'pattern', layer: 2, type: 'f32', axes: '(H, T, S)', shape: [1, 3, 3], offset: 0 },
    { name: 'piece_end', type: 'i32', axes: '(V)', shape: [2], offset: 48 },
    { name: 'piece_bytes', type: 'u8', axes: '(bytes)', shape: [3], offset: 64 },
  ];
  const tokens = ['x', 'y', 'z'].map((text, unit) => ({ id: unit, text, unit }));
  let header = JSON.stringify({ trace: 1, model: {}, tokens, arrays, ...more });
  while ((16 + header.length) % 16) header += ' ';
  const buffer = new ArrayBuffer(16 + header.length + 80),
    view = new DataView(buffer);
  new Uint8Array(buffer).set(utf8('heedtrc1'));
  view.setBigUint64(8, BigInt(header.length), true);
  new Uint8Array(buffer).set(utf8(header), 16);
  const start = 16 + header.length;
  [1, 0, 0, 0.75, 0.25, 0, 0.5, 0.3, 0.2].forEach((w, i) =>
    view.setFloat32(start + 4 * i, w, true),
  );
  [1, 3].forEach((end, i) => view.setInt32(start + 48 + 4 * i, end, true));
  new Uint8Array(buffer).set(utf8('abc'), start + 64);
  return buffer;
}

test('arrays come by name and layer', () => {
  const trace = readTrace(sample()),
    { values, shape } = trace.arrays.get('pattern:2');
  assert.deepEqual(shape, [1, 3, 3]);
  assert.equal(values[3], 0.75);
  assert.equal(new TextDecoder().decode(readVocabulary(trace)(1)), 'bc');
});

test('what is cut off or something else is refused', () => {
  const good = sample();
  for (const n of [0, 8, 15, 40, good.byteLength - 20])
    assert.throws(() => readTrace(good.slice(0, n)), `${n} bytes`);
  assert.throws(() => readTrace(new ArrayBuffer(64)), /not a trace/);
});

test('a scene hides the first word and says how much it had', () => {
  const scene = new Scene(readTrace(sample()), 'key'),
    { rows, sink } = scene.rowsWithoutFirst(2, 0);
  assert.deepEqual([...rows[0]], [1, 0, 0]);
  assert.equal(rows[1][1], 1);
  assert.ok(Math.abs(rows[2][1] - 0.6) < 1e-6 && Math.abs(rows[2][2] - 0.4) < 1e-6);
  assert.equal(sink[1], 0.75);
  const shares = scene.shares(2, 0);
  assert.ok(Math.abs(shares.first - 0.625) < 1e-6 && Math.abs(shares.before - 0.525) < 1e-6);
  assert.equal(scene.rows(0, 0), null);
});

test('pieces are characters, never broken bytes', () => {
  assert.equal(pieceLabel(utf8(' cat')), 'cat');
  assert.equal(pieceLabel(utf8(' ')), '␣');
  assert.equal(pieceLabel(utf8('\n\t')), '↵⇥');
  assert.equal(pieceLabel(utf8('')), '∅');
  assert.equal(pieceLabel(Uint8Array.from([0xe7, 0x8c])), '⟨E7 8C⟩');
  const tokens = [
    { id: 1, text: '\ufffd', bytes: [0xe7, 0x8c], unit: 0 },
    { id: 2, text: '\ufffd', bytes: [0xab], unit: 0 },
    { id: 3, text: '狗', unit: 1 },
  ];
  assert.deepEqual(tokenLabels(tokens), ['猫₁', '猫₂', '狗']);
});

test('a recording answers what it holds, and names what it does not hold', async () => {
  const asked = { text: 'xyz', then: [7], switches: { scale: false, heads_off: [[0, 1]] } };
  const trace = readTrace(sample({ request: { ...asked, taps: [{ site: 'pattern' }] } }));
  const source = recording(trace);
  assert.deepEqual(source.recorded, { ...asked, watch: [] });
  const same = { ...asked, switches: { heads_off: [[0, 1]], scale: false } };
  for (const more of [{}, { vocabulary: true }, { taps: [{ site: 'pattern', layer: 2 }] }])
    assert.equal(await source.ask({ ...same, ...more }), trace);
  const refused = {
    text: { text: 'other' },
    switches: { switches: {} },
    pattern: { taps: [{ site: 'pattern', layer: 1 }] },
    q: { taps: [{ site: 'q' }] },
    logits: { logits: true },
    lens: { lens: { top: 3 } },
    generate: { generate: {} },
  };
  for (const [what, change] of Object.entries(refused))
    await assert.rejects(source.ask({ ...same, ...change }), { kind: 'recorded', message: what });
  await assert.rejects(source.ask({ ...same, then: [] }), { message: 'text' });
});

test('a trace without a vocabulary names its own tokens, and others by number', () => {
  const buffer = sample(),
    trace = readTrace(buffer);
  trace.arrays.delete('piece_end');
  const piece = readVocabulary(trace);
  assert.deepEqual([piece(1), piece(9)], [utf8('y'), utf8('#9')]);
});
