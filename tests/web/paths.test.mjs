// Trees of paths, tallies, loops, and the line to copy.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { layout } from '../../web/js/draw/tree.js';
import { addRivals, findLoop, idsTo, nodesOf, tally, treeOf } from '../../web/js/base/paths.js';
import { commandLine, curlLine, quoteShell } from '../../web/js/base/command.js';
import { finalShare, penalise, rank, stages } from '../../web/js/base/sampler.js';

/** Trees of all kinds of shapes, from a small fixed generator. */
function tree(seed, depth) {
  const n = depth === 0 ? 0 : (seed * 7919 + depth * 104729) % 4;
  const children = Array.from({ length: n }, (_, i) => tree(seed * 5 + i + 1, depth - 1));
  return { children };
}

test('nodes of a depth are a row apart, and parents stand at the middle of their children', () => {
  let widest = 0;
  for (let seed = 1; seed < 60; seed++) {
    const root = tree(seed, 5),
      { rows } = layout(root),
      levels = [];
    for (const node of nodesOf(root)) {
      (levels[node.depth] ??= []).push(node.row);
      const { children } = node;
      if (children.length)
        assert.ok(Math.abs(node.row - (children[0].row + children.at(-1).row) / 2) < 1e-9);
      assert.ok(node.row > -1e-9 && node.row < rows - 1 + 1e-9);
    }
    for (const list of levels)
      for (let i = 1; i < list.length; i++) assert.ok(list[i] - list[i - 1] > 1 - 1e-9);
    widest = Math.max(widest, levels.length);
  }
  assert.ok(widest >= 5);
});

test('a subtree is pushed beside a short one, not below its deepest row', () => {
  const leaf = () => ({ children: [] });
  const deep = { children: [{ children: [leaf(), leaf(), leaf()] }] },
    root = { children: [leaf(), deep, leaf()] };
  assert.equal(layout(root).rows, 3);
});

const step = (id, model, candidates) => ({ id, model, candidates });
test('paths with the same beginning share it; a chance is the product of probabilities', () => {
  const paths = [
    { way: 'greedy', steps: [step(1, 0.5), step(2, 0.4)] },
    { way: 'drawn', steps: [step(1, 0.5), step(3, 0.25)] },
    { way: 'drawn', steps: [step(9, 0.1), step(2, 0.9)] },
  ];
  const root = treeOf(paths);
  assert.deepEqual(
    root.children.map(x => x.step.id),
    [1, 9],
  );
  assert.deepEqual([...root.children[0].ways], ['greedy', 'drawn']);
  const last = root.children[0].children[1];
  assert.deepEqual([last.chance, idsTo(last), last.ends], [0.125, [1, 3], [paths[1]]]);
});

test('rivals are the likeliest tokens that no path took', () => {
  const list = [step(1, 0.5), step(7, 0.3), step(8, 0.1), step(9, 0.01)],
    paths = [{ way: 'greedy', steps: [step(1, 0.5, list)] }],
    root = treeOf(paths);
  addRivals(root, paths, 5, 0.05);
  assert.deepEqual(
    root.children.map(x => [x.step.id, x.ways.size]),
    [
      [1, 1],
      [7, 0],
      [8, 0],
    ],
  );
  const few = treeOf(paths);
  addRivals(few, paths, 1, 0.05);
  assert.equal(few.children.length, 2);
});

test('texts that are the same are counted together', () => {
  const found = tally([[1, 2], [3], [1, 2], [12], [3], [3]]);
  assert.deepEqual(
    found.map(x => x.runs),
    [[1, 4, 5], [0, 2], [3]],
  );
});

test('a loop is found where it begins, with its period, and whether it lasts', () => {
  const find = text => findLoop([...text]);
  assert.deepEqual(find('xyzabcabcabcab'), { from: 3, period: 3, times: 3, lasts: true });
  assert.deepEqual(find('xyzabcabcabc'), { from: 3, period: 3, times: 3, lasts: true });
  assert.deepEqual(find('abababq'), { from: 0, period: 2, times: 3, lasts: false });
  assert.deepEqual(find('aaabcdbcdbcd'), { from: 3, period: 3, times: 3, lasts: true });
  assert.deepEqual(find('qqqq'), { from: 0, period: 1, times: 4, lasts: true });
  for (const text of ['', 'a', 'aa', 'abcabc', 'abcabcabx']) assert.equal(find(text), null);
});

test('the repetition penalty is that of heed: of every token that occurred, once', () => {
  const golden = JSON.parse(readFileSync(new URL('../fixtures/sampler.json', import.meta.url)));
  let n = 0;
  for (const { row, options, kept, probability } of golden.cases) {
    if (Object.keys(options).join() !== 'repetition_penalty') continue;
    const own = Float32Array.from(golden.rows[row]),
      logits = penalise(own, golden.history, options.repetition_penalty),
      ranked = rank(logits),
      st = stages(logits, ranked, { T: 1, k: 0, p: 1 }, own);
    kept.forEach((id, i) =>
      assert.ok(Math.abs(finalShare(st, ranked.indexOf(id)) - probability[i]) < 1e-6),
    );
    n++;
  }
  const logits = Float32Array.of(2, -1, 0, 4);
  assert.deepEqual([...penalise(logits, [0, 1, 1, 2], 2)], [1, -2, 0, 4]);
  assert.equal(penalise(logits, [0], 1), logits);
  assert.ok(n >= 3, `${n} cases`);
});

test('a line for a shell comes back from the shell as it went in', () => {
  for (const word of ["it's", 'a b', '$HOME `x` "y"', '从前\n有', '', '-x'])
    assert.equal(
      execFileSync('sh', ['-c', `printf %s ${quoteShell(word)}`]).toString(),
      word,
      word,
    );
  const settings = { T: 0.7, k: 40, p: 0.9, rep: 1.1, seed: 42 };
  assert.equal(
    commandLine('tales', "it's", settings, 8),
    "heed run tales -p 'it'\\''s' --temp 0.7 --top-k 40 --top-p 0.9 --repeat-penalty 1.1 " +
      '--seed 42 --min-p 0 -n 8 --exact',
  );
  assert.match(curlLine('X', { text: 'a' }, settings, 8), /^curl X\/api\/trace .*"top_k":40/);
});
