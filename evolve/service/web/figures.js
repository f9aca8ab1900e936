// The small figures of lists and heads: a strength, a curve, a champion's weights; the diverging palette.

import { margin, number, signed } from "./format.js";
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
  const cell = columns === 8 ? 1.02 : 0.95;
  return html`<svg class="thumb" viewBox=${`0 0 ${size} ${size}`} aria-hidden="true">${values.map((value, index) => html`
    <rect class=${`v ${shade(value, most)}`} x=${index % columns + (size - columns) / 2} y=${Math.floor(index / columns) + (size - rows) / 2} width=${cell} height=${cell} />`)}</svg>`;
}

/** A curve without axes, its end dotted. lines: one, or several over each other. */
export function Spark({ lines, name }) {
  const all = lines.flat();
  const y = scale([Math.min(...all), Math.max(...all)], [31, 5]);
  const from = lines[0];
  return html`<svg class="spark" role="img" aria-label=${`${name}: from ${number(from[0], 0)} to ${number(from.at(-1), 0)}`} viewBox="0 0 120 36">${lines.map((values, index) => {
    const x = scale([0, values.length - 1], [4, 114]);
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    return html`<g class=${`c${index % 6 + 1}`}>
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

const GOALS = {
  play: html`<rect class="b" width="56" height="56" rx="8" /><path class="l" d="M18.700 9v38M37.300 9v38M9 18.700h38M9 37.300h38" /><circle class="k" cx="10" cy="31" r="7" /><circle class="w" cx="28" cy="31" r="7" /><circle class="k" cx="46" cy="31" r="7" /><circle class="k" cx="28" cy="48" r="7" /><circle class="w" cx="46" cy="48" r="7" />`,
  evolve: html`<path class="g" d="M8 46l8-10 8 2 8-14 8-4 8-10" /><circle class="o" cx="48" cy="10" r="5" />`,
  teach: html`<path class="o" d="M9 9h11v11H9zM22 9h11v11H22zM9 22h11v11H9z" /><path class="q" d="M36 9h11v11H36zM22 22h11v11H22zM9 36h11v11H9z" /><path class="s" d="M36 22h11v11H36zM22 36h11v11H22zM36 36h11v11H36z" />`,
  search: html`<path class="g" stroke-dasharray="0 9" d="M10 44L32 13M14 48L46 28" /><circle class="o" cx="34" cy="14" r="5" /><circle class="s" cx="34" cy="14" r="9" />`,
  compare: html`<path class="s" d="M8 17h28M8 11v12M36 11v12M14 40h34M14 34v12M48 34v12" /><circle class="o" cx="23" cy="17" r="5" /><circle class="q" cx="31" cy="40" r="5" />`,
};

/** What a goal is about: its drawing. */
export function GoalPicture({ goal }) {
  return html`<svg class="pic" viewBox="0 0 56 56" aria-hidden="true"><rect class="bg" width="56" height="56" rx="8" />${GOALS[goal]}</svg>`;
}

/** Won, drawn and lost of a match as a bar, with the interval of the score, and what is what. */
export function Ends({ result: { games, wins, draws, losses, score_low: low, score_high: high } }) {
  const at = (share) => `${100 * share}%`;
  const ends = [["won", "plus", wins, 0], ["drawn", "track", draws, wins], ["lost", "minus", losses, wins + draws]];
  return games > 0 && html`<div class="ends"><svg class="scorebar" role="img" aria-label=${`the first: ${ends.map(([words, , count]) => `${count} ${words}`).join(", ")}`} width="100%" height="20">
      ${ends.map(([, colour, count, before]) => html`<rect class=${colour} x=${at(before / games)} width=${at(count / games)} height="12" y="4" />`)}
      ${typeof low === "number" && html`<line x1=${at(low)} x2=${at(high)} y1="10" y2="10" class="whisker" />`}<line x1="50%" x2="50%" y1="0" y2="20" class="middle" /></svg>
    <span class="legend">${ends.map(([words, colour, count]) => html`<span><svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true"><rect class=${colour} width="12" height="12" rx="2" /></svg>${words} ${count}</span>`)}</span></div>`;
}
