// Attention as ribbons.  The picked word owns one port; 100 % is always the same width, so that the
// ribbons of a word side by side are as wide as the port.  Thickness is the weight, to scale.

/** Height of an arc: the longest fills the room, shorter ones nest under it. */
export const rise = (distance, longest, room) =>
  Math.max(18, room * (0.16 + 0.84 * Math.min(1, distance / longest) ** 0.85));

/** Heights for the ribbons of one word: an inner ribbon stays clear of the one around it. */
export function nest(items, room, longest, gap) {
  const out = {};
  let outer = null;
  for (const { j, distance, width } of [...items].sort((a, b) => b.distance - a.distance)) {
    let height = rise(distance, longest, room);
    if (outer) height = Math.min(height, outer.height - (outer.width + width) / 2 - gap);
    out[j] = Math.max(height, width / 2 + gap);
    outer = { height: out[j], width };
  }
  return out;
}

/**
 * Centre line of a ribbon from a to b: up, round a soft corner, along, down; it stops `short` of
 * the base for its head.  side -1 is up; upright turns the sentence by 90 degrees.
 */
export function arcPath(a, b, base, height, side, upright, short = 0) {
  const direction = Math.sign(b - a) || 1,
    rx = Math.min(Math.abs(b - a) / 2, height * 1.2);
  const k = 0.66,
    y = base + side * height,
    end = base + side * short;
  const p = (x, q) =>
    upright ? `${q.toFixed(1)},${x.toFixed(1)}` : `${x.toFixed(1)},${q.toFixed(1)}`;
  const near = direction * rx * (1 - k),
    full = direction * rx;
  return (
    `M${p(a, base)}C${p(a, base + side * height * k)} ${p(a + near, y)} ${p(a + full, y)}` +
    `L${p(b - full, y)}C${p(b - near, y)} ${p(b, end + (y - end) * k)} ${p(b, end)}`
  );
}

/** A look at oneself: a loop above the word. */
export function loopPath(x, base, side, upright, r) {
  return upright
    ? `M${base},${x}c${r * 3},${-r * 1.6} ${r * 3},${r * 1.6} 0,0.01`
    : `M${x},${base}c${-r * 1.7},${side * r * 3.2} ${r * 1.7},${side * r * 3.2} 0.01,0`;
}

/** The end of a ribbon: a small head that points at the word that is looked at. */
export function headPath(x, base, width, side, upright, u) {
  const w = width / 2 + 2.5 * u,
    height = headLength(width, u);
  const p = (a, b) =>
    upright ? `${b.toFixed(1)},${a.toFixed(1)}` : `${a.toFixed(1)},${b.toFixed(1)}`;
  return `M${p(x - w, base + side * height)}L${p(x + w, base + side * height)}L${p(x, base)}Z`;
}
export const headLength = (width, u) => Math.min(9 * u, (width / 2 + 2.5 * u) * 0.9 + 2 * u);

/** Shares of one word as ports side by side: the nearest innermost, so that arcs do not cross. */
export function ports(centre, shares, positions, full) {
  const far = j => Math.abs(positions[j] - centre);
  const order = [...shares.keys()].filter(j => shares[j] > 0).sort((x, y) => far(x) - far(y));
  const left = order.filter(j => positions[j] < centre - 1),
    right = order.filter(j => positions[j] > centre + 1);
  const self = order.filter(j => far(j) <= 1),
    out = {};
  let x = centre - (order.reduce((a, j) => a + shares[j], 0) * full) / 2;
  for (const j of [...left, ...self, ...right.reverse()]) {
    const w = shares[j] * full;
    out[j] = x + w / 2;
    x += w;
  }
  return out;
}
