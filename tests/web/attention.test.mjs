// What view 4 works out, on made-up numbers and on a recorded trace.  tests/fixtures/trace holds
// answers of `heed lab` for the models of tests/fixtures/models: {"text": "the cat sat", "taps":
// [attn_norm, q_rot, k_rot, v, pattern, z of layer 1]}.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import {
  biasOf,
  look,
  lookDivided,
  mix,
  products,
  softmax,
  sum,
} from '../../web/js/base/attention.js';
import { entropy } from '../../web/js/base/sampler.js';
import { readTrace } from '../../web/js/engine/trace.js';
import { Scene, tapsOf } from '../../web/js/scene.js';

const close = (a, b, tolerance = 1e-9) => assert.ok(Math.abs(a - b) <= tolerance, `${a}, ${b}`);
const recorded = name => {
  const bytes = readFileSync(new URL(`../fixtures/trace/${name}.trace`, import.meta.url));
  const scene = new Scene(
    readTrace(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
    name,
  );
  return scene;
};

test('shares sum to 1, and a smaller divisor sharpens them', () => {
  const scores = [3, -1, 8, 2],
    seen = [true, true, true, false];
  let before = Infinity;
  for (const divisor of [16, 4, 1, 0.25]) {
    const w = softmax(scores, seen, divisor);
    close(sum(w), 1);
    assert.equal(w[3], 0);
    close(w[0] / w[1], Math.exp(4 / divisor), 1e-6 * Math.exp(4 / divisor));
    assert.ok(entropy(w) < before);
    before = entropy(w);
  }
  assert.deepEqual(softmax([1000, 0], [true, true]), [1, 0]); // no overflow
});

test('products sum to the score', () => {
  const q = [1, -2, 0.5],
    k = [4, 1, 2];
  assert.deepEqual([...products(q, k)], [4, -2, 1]);
  assert.equal(sum(products(q, k)), 3);
  assert.deepEqual([...mix([0.25, 0.75], [[4, 0], [0, 8]])], [1, 6]); // prettier-ignore
});

test('a bias is found where the weights have one, and only there', () => {
  const scores = [2, 1, 4],
    seen = [true, true, true],
    slope = [-1, -0.5, 0];
  const w = softmax(scores, seen, 2, slope);
  assert.equal(biasOf(softmax(scores, seen, 2), scores, seen, 2), null);
  const found = softmax(scores, seen, 2, biasOf(w, scores, seen, 2));
  found.forEach((x, j) => close(x, w[j]));
});

for (const name of ['llama', 'gemma3'])
  test(`${name}: weights are softmax of the scores, and z is their sum of values`, () => {
    const scene = recorded(name),
      { heads, kv_heads: groups, head_width: d } = scene.model;
    assert.ok(groups < heads); // keys and values are shared
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < scene.n; i++) {
        const l = look(scene, 1, head, i);
        assert.equal(l.group, Math.floor((head * groups) / heads));
        assert.deepEqual([l.q.length, l.k.length, l.v[0].length], [d, scene.n, d]);
        assert.equal(l.bias, null);
        assert.deepEqual(l.seen, l.w.map((_, j) => j <= i)); // prettier-ignore
        lookDivided(l, l.divisor).forEach((x, j) => close(x, l.w[j], 1e-5));
        l.terms.forEach((terms, j) => close(sum(terms), l.scores[j]));
        mix(l.w, l.v).forEach((x, m) => close(x, l.z[m], 1e-4));
      }
  });

test('taps are of all layers where that is little', () => {
  const model = { layers: 30, heads: 9, kv_heads: 3, head_width: 64, width: 576 };
  assert.deepEqual(tapsOf(['z', 'pattern'], model, 12, 4), [{ site: 'z' }, { site: 'pattern' }]);
  assert.deepEqual(tapsOf(['z'], model, 4000, 4), [{ site: 'z', layer: 4 }]);
});

test('a scene knows which taps it has', () => {
  const scene = recorded('llama');
  scene.merge({ arrays: new Map() }, [{ site: 'z' }, { site: 'v', layer: 1 }]);
  assert.ok(scene.has({ site: 'z', layer: 0 }) && scene.has({ site: 'v', layer: 1 }));
  assert.ok(!scene.has({ site: 'v' }) && !scene.has({ site: 'v', layer: 0 }));
});
