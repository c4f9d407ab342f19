// A tidy tree: depth goes across, siblings lie under one another, a parent stands at the middle of
// its children, and nodes of one depth are at least one row apart.  Subtrees are pushed together as
// far as their outlines allow (Reingold and Tilford 1981).  Pure: rows and columns, no elements.

/** Outline of a subtree around its root's row: the least and the largest row at each depth. */
function place(node) {
  const below = { low: [], high: [] },
    at = [];
  for (const child of node.children) {
    const own = place(child);
    let shift = at.length ? -Infinity : 0;
    own.low.forEach((row, d) => {
      if (d < below.high.length) shift = Math.max(shift, below.high[d] + 1 - row);
    });
    at.push(shift);
    own.low.forEach((row, d) => {
      below.low[d] = Math.min(below.low[d] ?? Infinity, row + shift);
      below.high[d] = Math.max(below.high[d] ?? -Infinity, own.high[d] + shift);
    });
  }
  const middle = at.length ? (at[0] + at.at(-1)) / 2 : 0;
  node.children.forEach((child, i) => (child.offset = at[i] - middle));
  const moved = list => list.map(row => row - middle);
  return { low: [0, ...moved(below.low)], high: [0, ...moved(below.high)] };
}

/**
 * Gives every node of a tree ({children: [node]}) its `depth` and `row`, the topmost row being 0.
 * Returns {rows, depth}: how many rows it takes, from first to last, and the largest depth.
 */
export function layout(root) {
  const { low, high } = place(root),
    top = Math.min(...low);
  const walk = (node, row, depth) => {
    Object.assign(node, { row, depth });
    for (const child of node.children) walk(child, row + child.offset, depth + 1);
  };
  walk(root, -top, 0);
  return { rows: Math.max(...high) - top + 1, depth: low.length - 1 };
}
