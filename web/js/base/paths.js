// What many continuations of one sentence have in common: a tree of them, a tally of the texts, and
// the loop that one falls into.

/** "model": what the model gives a token; a path is a list of steps {id, model, candidates?}. */
const child = (node, step) => {
  let found = node.children.find(x => x.step.id === step.id);
  if (!found) {
    found = { step, parent: node, ways: new Set(), ends: [], chance: 0, children: [] };
    found.chance = node.chance * step.model;
    node.children.push(found);
  }
  return found;
};

/**
 * One tree of paths: [{way, steps}].  Paths with the same beginning share it; a node knows the ways
 * that lead through it, `chance` (the product of what the model gave the tokens up to it), and in
 * `ends` the paths that end there.  Children are ordered from the likeliest down.
 */
export function treeOf(paths) {
  const root = { step: null, parent: null, ways: new Set(), ends: [], chance: 1, children: [] };
  for (const path of paths) {
    let node = root;
    for (const step of path.steps) {
      node = child(node, step);
      node.ways.add(path.way);
    }
    node.ends.push(path);
  }
  sort(root);
  return root;
}
function sort(node) {
  node.children.sort((a, b) => b.step.model - a.step.model || a.step.id - b.step.id);
  node.children.forEach(sort);
}
export const nodesOf = node => [node, ...node.children.flatMap(nodesOf)];
/** Ids from the root's sentence to a node. */
export const idsTo = node => (node.parent ? [...idsTo(node.parent), node.step.id] : []);

/**
 * Lays the likeliest tokens that no path took beside those that it did, `most` of them, each at
 * least as likely as `least`.  `candidates` of a step are those of its own place: a rival of it.
 */
export function addRivals(root, paths, most, least) {
  const rivals = [];
  for (const { steps } of paths) {
    let node = root;
    for (const step of steps) {
      for (const c of step.candidates ?? [])
        if (c.model >= least && !node.children.some(x => x.step.id === c.id))
          rivals.push({ node, step: c, chance: node.chance * c.model });
      node = node.children.find(x => x.step.id === step.id);
    }
  }
  rivals.sort((a, b) => b.chance - a.chance);
  let left = most;
  for (const { node, step } of rivals) {
    if (left === 0) break;
    if (node.children.some(x => x.step.id === step.id)) continue;
    child(node, step);
    left--;
  }
  sort(root);
}

/** Equal lists of ids, counted: [{key, runs: [index]}]; the most frequent first. */
export function tally(lists) {
  const found = new Map();
  lists.forEach((ids, i) => {
    const key = ids.join(' ');
    if (!found.has(key)) found.set(key, { key, runs: [] });
    found.get(key).runs.push(i);
  });
  return [...found.values()].sort((a, b) => b.runs.length - a.runs.length || a.runs[0] - b.runs[0]);
}

/** How many tokens from `from` on repeat what stands `period` before. */
function repeated(ids, from, period) {
  let n = 0;
  while (from + period + n < ids.length && ids[from + n] === ids[from + period + n]) n++;
  return n;
}
/**
 * The first stretch in which the same tokens come `times` times or more: {from, period, times,
 * lasts} with `lasts` true if it goes on to the end; null if there is none.  One that lasts comes
 * before one that does not.
 */
export function findLoop(ids, times = 3) {
  let first = null;
  for (let from = 0; from < ids.length; from++)
    for (let period = 1; from + times * period <= ids.length; period++) {
      const n = repeated(ids, from, period);
      if (n < (times - 1) * period) continue;
      const lasts = from + period + n === ids.length;
      const loop = { from, period, times: Math.floor(n / period) + 1, lasts };
      if (lasts) return loop;
      first ??= loop;
    }
  return first;
}
