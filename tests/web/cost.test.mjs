// What a text costs and where parameters are: the formulas against figures of heed itself, and a
// map whose areas are to scale.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  KNOWN,
  crossing,
  kvBytes,
  lengthScale,
  nextLength,
  ownCache,
  pairs,
  pairsInWindow,
  secondsAt,
  sees,
} from '../../web/js/base/cost.js';
import {
  PARTS,
  partOf,
  roleOf,
  strongest,
  supposed,
  tally,
  treemap,
} from '../../web/js/base/parameters.js';
import { tiny } from '../../web/js/words.js';

const near = (a, b, tolerance = 1e-9) =>
  assert.ok(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

// What `heed info poems --json` prints.
const POEMS = {
  parameters: {
    total: 4458752,
    embedding: 1048576,
    attention: 1048576,
    feed_forward: 2359296,
    norm_position: 2304,
  },
  kv_bytes_per_token: 4096,
};
const poems = { V: 4096, d: 256, L: 4, E: 1, tied: 1, q: 256, kv: 256, F: 768, gated: true };
const seeds = { V: 100000, d: 4000, L: 32, E: 1, tied: 1, q: 4000, kv: 4000, F: 16000 };

test('pairs are half of the square, and a window keeps what is seen', () => {
  assert.equal(pairs(1000), 500500);
  assert.equal(pairs(1000, false), 1e6);
  for (const [n, window, kept] of [
    [1, 1, 0],
    [12, 4, 1],
    [12, 4, 6],
    [12, 40, 3],
    [30, 1, 2],
    [9, 3, 20],
  ]) {
    for (const isCausal of [true, false]) {
      let seen = 0;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) seen += sees(i, j, window, kept, isCausal);
      assert.equal(pairsInWindow(n, window, kept, isCausal), seen, `${n} ${window} ${kept}`);
    }
  }
});

test('bytes of the cache are those of heed and of the published models', () => {
  const own = ownCache({
    name: 'poems',
    mixers: ['attention', 'attention', 'attention', 'attention'],
    kv_heads: 4,
    head_width: 64,
  });
  assert.equal(kvBytes(own), POEMS.kv_bytes_per_token);
  const of = name => kvBytes(KNOWN.find(x => x.name === name));
  assert.equal(of('Llama-2-7B'), 512 * 1024);
  assert.equal(of('Llama-3.1-8B'), 128 * 1024);
  assert.equal(of('GPT-2'), 36 * 1024);
  assert.equal(kvBytes(KNOWN[0], 131072), 64 * 2 ** 30);
});

test('the formula counts what heed info counts', () => {
  const { part, total } = tally(supposed(poems)),
    p = POEMS.parameters;
  assert.deepEqual(
    [part.emb + part.head, part.att, part.ffn, part.norm, total],
    [p.embedding, p.attention, p.feed_forward, p.norm_position, p.total],
  );
  const seed = tally(supposed(seeds)).part;
  assert.equal(seed.emb, 4e8);
  assert.equal(seed.att / 32, 64e6);
  assert.equal(seed.ffn / 32, 128e6);
  assert.equal(tally(supposed({ ...seeds, tied: 0 })).part.head, 4e8);
});

test('of eight experts a word uses two', () => {
  const many = tally(supposed({ ...seeds, E: 8 }), 2),
    one = tally(supposed(seeds));
  assert.equal(many.experts, 8 * one.part.ffn);
  assert.equal(many.total - many.active, 6 * one.part.ffn);
});

const box = { x: 3, y: 5, w: 640, h: 337 };
const check = weights => {
  const { tiles } = treemap(weights, box),
    scale = (box.w * box.h) / tally(weights).total;
  let area = 0;
  const byPart = Object.fromEntries(PARTS.map(p => [p, 0]));
  for (const tile of tiles) {
    near(tile.w * tile.h, tile.n * scale, 1e-6);
    assert.ok(tile.x >= box.x - 1e-6 && tile.x + tile.w <= box.x + box.w + 1e-6);
    assert.ok(tile.y >= box.y - 1e-6 && tile.y + tile.h <= box.y + box.h + 1e-6);
    area += tile.w * tile.h;
    byPart[partOf(tile.role)] += tile.n;
  }
  near(area, box.w * box.h, 1e-9);
  for (const p of PARTS) near(byPart[p], tally(weights).part[p]);
  return tiles;
};
const meet = (a, b) => a.x < b.x + b.w - 1e-6 && b.x < a.x + a.w - 1e-6;
test('areas of the map sum up, are to scale, and do not overlap', () => {
  for (const shape of [poems, seeds, { ...poems, E: 4, tied: 0, kv: 64 }]) {
    const tiles = check(supposed(shape)),
      first = tiles.filter(t => t.layer === 0).sort((a, b) => a.x - b.x);
    first.slice(1).forEach((t, i) => assert.ok(!meet(first[i], t)));
  }
});

test('a fused q, k, v is drawn in three, a position table beside the norms', () => {
  const tiles = check([
    { name: 'token_embd.weight', place: 'embedding', shape: [50, 8] },
    { name: 'position_embd.weight', place: 'norm_position', shape: [16, 8] },
    { name: 'attn_qkv.weight', place: 'attention', layer: 0, shape: [24, 8] },
    { name: 'attn_qkv.bias', place: 'attention', layer: 0, shape: [24] },
    { name: 'attn_output.weight', place: 'attention', layer: 0, shape: [8, 8] },
    { name: 'rnn_in.weight', place: 'recurrent', layer: 1, shape: [8, 8] },
    { name: 'ffn_up.weight', place: 'feed_forward', layer: 1, shape: [32, 8] },
  ]);
  assert.deepEqual(
    tiles.map(t => t.role),
    ['emb', 'q', 'k', 'v', 'o', 'mix', 'ffn', 'norm'],
  );
  assert.equal(roleOf({ name: 'attn_k.bias', place: 'attention' }), 'k');
  assert.equal(roleOf({ name: 'output.weight', place: 'embedding' }), 'head');
});

test('the strongest rows lead, whatever their sign', () => {
  const { rows, half } = strongest(Float32Array.from([1, -5, 2, 0, 4]), 3);
  assert.deepEqual(rows, [1, 4, 2]);
  assert.equal(half, 1); // 25 of 46
});

// A machine on which attention takes n² and the rest 1000 n: equal at 1000.
const readings = [64, 256, 1024].map(n => ({ n, attention: pairs(n), rest: (1001 / 2) * n }));
test('times go through what was measured, and on by formula', () => {
  for (const r of readings) near(secondsAt(readings, r.n).attention, r.attention);
  near(secondsAt(readings, 4096).attention, pairs(4096));
  near(secondsAt(readings, 4096).rest, (1001 / 2) * 4096);
  near(secondsAt(readings, 128).rest, (1001 / 2) * 128, 1e-6);
  assert.ok(Math.abs(crossing(readings) - 1000) <= 5, `${crossing(readings)}`);
  assert.equal(crossing([]), null);
  assert.equal(crossing([{ n: 64, attention: 0, rest: 1 }]), null);
});

test('lengths double until the next would take too long', () => {
  const limits = { first: 64, most: 300, seconds: 1, least: 2 },
    at = (n, seconds) => ({ n, attention: 0, rest: seconds });
  assert.equal(nextLength([], limits), 64);
  assert.equal(nextLength([at(64, 0.1)], limits), 128);
  assert.equal(nextLength([at(64, 9)], limits), 128); // two readings at least
  assert.equal(nextLength([at(64, 1), at(128, 2)], limits), 0);
  assert.equal(nextLength([at(64, 0.1), at(128, 0.2)], limits), 256);
  assert.equal(nextLength([at(64, 0.1), at(128, 0.2), at(256, 0.3)], limits), 300);
  assert.equal(nextLength([at(64, 0.1), at(300, 0.2)], limits), 0);
});

test('the length slider stops on round numbers and always moves', () => {
  assert.equal(lengthScale.back(0), 16);
  assert.equal(lengthScale.back(1), 100000);
  for (let n = 16, steps = 0; n < 100000; steps++) {
    const next = lengthScale.next(n, 1);
    assert.ok(next > n && steps < 400, `${n} -> ${next}`);
    n = next;
  }
  assert.equal(lengthScale.next(16, -1), 16);
});

test('tiny numbers are written out', () => {
  assert.equal(tiny(4.26e-6), '4×10⁻⁶');
  assert.equal(tiny(0.0426), '0.043');
  assert.equal(tiny(0), '0');
});
