// The small figures of lists and heads: a strength, a curve, a champion's weights; the diverging palette.

import { number, signed } from "./format.js";
import { html } from "./html.js";

const STEPS = ["n5", "n4", "n3", "n2", "n1", "z0", "p1", "p2", "p3", "p4", "p5"];

/** The class of a value's colour, orange below nothing and blue above; `most` is the strongest. */
export function shade(value, most = 1) {
  return STEPS[5 + Math.round(5 * Math.max(-1, Math.min(1, value / (most || 1))))];
}

export const mostOf = (values) => Math.max(...values.map(Math.abs), 1e-9);

/** The 64 squares from the 10 weights of those that mirror each other, a1 b1 c1 d1 b2 c2 d2 c3 d3 d4. */
export function unfolded(weights) {
  return Array.from({ length: 64 }, (_, square) => {
    const [row, column] = [Math.floor(square / 8), square % 8].map((at) => Math.min(at, 7 - at)).sort();
    return weights[[0, 4, 7, 9][row] + column - row];
  });
}

/** A line from one of two ranges to the other. */
export function scale([low, high], [from, to]) {
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

/** The half width of an interval, ± as people write it; nothing where there is none. */
export function margin(low, high) {
  return typeof low === "number" && typeof high === "number" ? `± ${number((high - low) / 2, 0)}` : "";
}

/** The one number of a run: a whole Elo with its 95 % interval. `difference`: with its sign. */
export function Elo({ value, low, high, difference, big }) {
  if (typeof value !== "number") return null;
  return html`<span class=${big ? "elo big" : "elo"}>${difference ? signed(value, 0) : number(value, 0)} <i>${margin(low, high)} Elo</i></span>`;
}

/** Small squares in the colours of their values: 64 weights, or the rows and columns of a study. */
export function Thumb({ values, columns = 8 }) {
  const rows = Math.ceil(values.length / columns);
  const size = Math.max(rows, columns);
  const most = mostOf(values);
  return html`<svg class="thumb" viewBox=${`0 0 ${size} ${size}`} aria-hidden="true">${values.map((value, place) => html`
    <rect class=${`v ${shade(value, most)}`} x=${place % columns + (size - columns) / 2} y=${Math.floor(place / columns) + (size - rows) / 2} width="1.02" height="1.02" />`)}</svg>`;
}

/** A curve without axes, its end dotted. lines: one, or several over each other. */
export function Spark({ lines, name }) {
  const all = lines.flat();
  const y = scale([Math.min(...all), Math.max(...all)], [31, 5]);
  const from = lines[0];
  return html`<svg class="spark" role="img" aria-label=${`${name}: from ${number(from[0], 0)} to ${number(from.at(-1), 0)}`} viewBox="0 0 120 36">${lines.map((values, place) => {
    const x = scale([0, values.length - 1], [4, 114]);
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    return html`<g class=${`c${place % 6 + 1}`}>
      ${lines.length === 1 && html`<polygon class="band" points=${`4,33 ${points} 114,33`} />`}
      <polyline class=${lines.length === 1 ? "line" : "line thin"} points=${points} />
      ${lines.length === 1 && html`<circle class="dot" cx="114" cy=${y(values.at(-1))} r="3" />`}</g>`;
  })}</svg>`;
}

/** The champion's weights; a study's grid; else two discs. */
export function Picture({ run }) {
  const cells = run?.grid?.flat().filter(Number.isFinite) || [];
  if (run?.weights) return html`<${Thumb} values=${unfolded(run.weights)} />`;
  if (cells.length > 1) {
    const mean = cells.reduce((sum, elo) => sum + elo, 0) / cells.length;
    return html`<${Thumb} values=${run.grid.flatMap((row) => row.map((elo) => (elo ?? mean) - mean))} columns=${run.grid[0].length} />`;
  }
  return html`<svg class="thumb discs" viewBox="0 0 48 48" aria-hidden="true"><rect width="48" height="48" /><circle class="black" cx="18" cy="24" r="10" /><circle class="white" cx="31" cy="24" r="10" /></svg>`;
}
