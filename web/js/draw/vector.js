// A vector as bars on a zero line.
import { cssVar, s } from '../base/dom.js';

/** Draws the values on a canvas of width x height pixels, all on the scale of the largest. */
export function drawVector(canvas, values, width, height, colour) {
  const ratio = devicePixelRatio || 1,
    pen = canvas.getContext('2d');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  let most = 1e-30;
  for (const v of values) most = Math.max(most, Math.abs(v));
  const step = canvas.width / values.length,
    mid = canvas.height / 2;
  pen.fillStyle = cssVar('--line-2');
  pen.fillRect(0, mid - ratio / 2, canvas.width, ratio);
  pen.fillStyle = colour;
  values.forEach((v, i) => {
    const size = (v / most) * (mid - ratio),
      x = i * step;
    pen.fillRect(x, size > 0 ? mid - size : mid, Math.max(step * 0.8, 1), Math.abs(size));
  });
}

/**
 * The same as SVG: bars of `scale` pixels a unit about the line at y, `width` pixels for all.
 * The sign is the side of the line, never the hue.
 */
export function bars(x, y, width, scale, values, cls) {
  const step = width / values.length;
  let d = '';
  values.forEach((v, i) => {
    d += `M${(x + (i + 0.5) * step).toFixed(2)},${y}v${(-v * scale).toFixed(2)}`;
  });
  return s(
    'g',
    { class: `vec ${cls}` },
    s('line', { class: 'zero', x1: x, x2: x + width, y1: y, y2: y }),
    s('path', { d, 'stroke-width': Math.max(0.7, step * 0.76) }),
  );
}
