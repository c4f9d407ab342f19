// The page's sampler against the golden values of src/generate/sampler.c's tests (transformers), and
// its random numbers against those of heed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { draw, entropy, fallsOn, finalShare, rank, stages } from '../../web/js/base/sampler.js';

const golden = JSON.parse(readFileSync(new URL('../fixtures/sampler.json', import.meta.url)));
const KNOWN = ['temperature', 'top_k', 'top_p'];

test('stages keep the tokens and give the shares that transformers gives', () => {
  let n = 0;
  for (const { row, options, kept, probability } of golden.cases) {
    if (!Object.keys(options).every(k => KNOWN.includes(k))) continue;
    const logits = Float32Array.from(golden.rows[row]),
      ranked = rank(logits);
    const settings = { T: options.temperature ?? 1, k: options.top_k ?? 0, p: options.top_p ?? 1 };
    const st = stages(logits, ranked, settings);
    assert.deepEqual(
      [...ranked.subarray(0, st.kept)].sort((a, b) => a - b),
      kept,
    );
    kept.forEach((id, i) => {
      const share = finalShare(st, ranked.indexOf(id));
      assert.ok(Math.abs(share - probability[i]) < 1e-6, `${JSON.stringify(options)}: ${share}`);
    });
    n++;
  }
  assert.ok(n >= 20, `${n} cases`);
});

test('temperature 0 keeps the likeliest, of equals the lower id', () => {
  const logits = Float32Array.from([1, 3, 3, 2]),
    ranked = rank(logits);
  const st = stages(logits, ranked, { T: 0, k: 0, p: 1 });
  assert.equal(ranked[0], 1);
  assert.equal(st.kept, 1);
  assert.equal(finalShare(st, 0), 1);
});

test('a number falls on the token whose stretch it is in', () => {
  const logits = Float32Array.from([0.5, 0.25, 0.25].map(Math.log)),
    ranked = rank(logits);
  const st = stages(logits, ranked, { T: 1, k: 0, p: 1 });
  assert.deepEqual(
    [0, 0.49, 0.51, 0.74, 0.76, 0.999999].map(u => fallsOn(st, u)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.ok(Math.abs(entropy(st.model) - 1.5) < 1e-6);
});

// What heed draws with this seed: "draw" of the steps of a trace.
test('random numbers are those of heed', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map(n => draw(42, n)),
    DRAWS,
  );
});
const DRAWS = [0.08386297105988216, 0.3789802506626686, 0.6800434110281394, 0.9246929453253876];
