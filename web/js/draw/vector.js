// A vector as bars on a zero line.
import { cssVar } from '../base/dom.js';

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
