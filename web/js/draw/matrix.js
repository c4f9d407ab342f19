// A pattern as a matrix: one square for each weight, its area the weight (reads in print).
import { clear, cut, s } from '../base/dom.js';

const isCjk = words => words.every(w => /[\u3000-\u9fff\uff00-\uffef…]/.test(w));

function columnLabel(svg, word, x, y, px, upright, cls) {
  if (!upright) {
    svg.append(
      s(
        'text',
        {
          transform: `translate(${x + px * 0.3},${y}) rotate(-60)`,
          'font-size': px,
          class: cls,
        },
        word,
      ),
    );
    return;
  }
  [...word].reverse().forEach((letter, i) =>
    svg.append(
      s(
        'text',
        {
          x,
          y: y - i * px * 1.08,
          'text-anchor': 'middle',
          'font-size': px,
          class: cls,
        },
        letter,
      ),
    ),
  );
}

/**
 * Draws rows of weights.  `side` is the room for the square, `left` and `top` that for its labels;
 * onPick(i), onHover(j or -1).  Labels are left out where they would be too small to read.
 */
export function drawMatrix(svg, { rows, words, side, left, top, picked, hot, u, onPick, onHover }) {
  const n = rows.length,
    z = side / n,
    px = Math.min(12 * u, z * 0.8),
    small = px < 7 * u;
  const hasColumns = top > 0,
    upright = isCjk(words);
  clear(svg);
  svg.append(
    s('rect', {
      class: 'rowmark',
      x: 0,
      y: top + picked * z,
      width: left + side,
      height: z,
      rx: 2 * u,
    }),
  );
  for (let i = 0; i < n; i++) {
    const on = i === picked,
      mid = top + (i + 0.5) * z,
      name = on && small ? 11 * u : px;
    if (!small || on)
      svg.append(
        s(
          'text',
          {
            x: left - 6 * u,
            y: mid + name * 0.36,
            'text-anchor': 'end',
            'font-size': name,
            class: on ? 'lab on' : 'lab',
          },
          cut(words[i], name, left - 8 * u),
        ),
      );
    if (hasColumns && !small)
      columnLabel(
        svg,
        cut(words[i], px, 40 * u),
        left + (i + 0.5) * z,
        top - 6 * u,
        px,
        upright,
        i === hot ? 'lab on' : 'lab',
      );
    for (let j = 0; j < n; j++) drawCell(svg, rows[i][j], left + j * z, top + i * z, z, u);
  }
  svg.append(s('rect', { class: 'frame', x: left, y: top, width: side, height: side }));
  if (hot >= 0)
    svg.append(
      s('rect', {
        class: 'hotcell',
        x: left + hot * z,
        y: top + picked * z,
        width: z,
        height: z,
      }),
    );
  const cell = e => {
    const box = svg.getBoundingClientRect();
    return [
      Math.floor((e.clientY - box.top - top) / z),
      Math.floor((e.clientX - box.left - left) / z),
    ];
  };
  const inside = k => k >= 0 && k < n;
  svg.onclick = e => {
    const [i] = cell(e);
    if (inside(i)) onPick(i);
  };
  svg.onpointermove = e => {
    const [i, j] = cell(e);
    onHover(i === picked && inside(j) ? j : -1);
  };
  svg.onpointerleave = () => onHover(-1);
}

function drawCell(svg, weight, x, y, z, u) {
  const side = Math.sqrt(Math.min(1, Math.max(0, weight))) * Math.max(1, z - 1.5 * u);
  if (side > 1.2 * u)
    svg.append(
      s('rect', {
        class: 'dot',
        x: x + (z - side) / 2,
        y: y + (z - side) / 2,
        width: side,
        height: side,
        rx: Math.min(2 * u, side / 4),
      }),
    );
  else if (z > 7 * u)
    svg.append(
      s('rect', {
        class: 'nope',
        x: x + z / 2 - u,
        y: y + z / 2 - u,
        width: 2 * u,
        height: 2 * u,
        rx: u,
      }),
    );
}
