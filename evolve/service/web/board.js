// The board as SVG: to play a grid for arrow keys and Enter, to look at a picture with a description.

import { html, useRef, useState } from "./html.js";
import { count, squareName } from "./reversi.js";

const SIZE = 40;
const EDGE = 20;
const ARROWS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
const WORD = { X: "black", O: "white", "-": "empty" };

function step(square, key) {
  if (key === "Home") return square - (square % 8);
  if (key === "End") return square - (square % 8) + 7;
  const column = square % 8;
  if ((key === "ArrowLeft" && column === 0) || (key === "ArrowRight" && column === 7)) return square;
  const next = square + ARROWS[key];
  return next >= 0 && next < 64 ? next : square;
}

/**
 * position: {cells, move, before, turned}. legal: squares that may be played, dotted where `hints`.
 * values: {square name: text}; best: the square to mark. onPlay(square): makes it a grid to play on.
 */
export function Board({ position, legal = [], hints, values = {}, best, next, onPlay, name }) {
  const [here, setHere] = useState(19);
  const squares = useRef([]);
  const keys = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = squares.current.indexOf(event.target);
    if (event.key === "Enter" || event.key === " ") onPlay(at);
    else if (event.key in ARROWS || event.key === "Home" || event.key === "End") squares.current[step(at, event.key)].focus();
    else return;
    event.preventDefault();
  };
  const last = position.move === "pass" ? position.before : position.move;
  const square = (number) => {
    const cell = position.cells[number];
    const text = squareName(number);
    const x = EDGE + (number % 8) * SIZE;
    const y = EDGE + Math.floor(number / 8) * SIZE;
    const may = legal.includes(number);
    const words = [text, WORD[cell], may && hints && "legal", values[text] && `value ${values[text]}`, last === text && "last move"];
    const grid = onPlay && {
      role: "gridcell",
      tabindex: number === here ? 0 : -1,
      "aria-label": words.filter(Boolean).join(", "),
      ref: (element) => { squares.current[number] = element; },
      onClick: () => onPlay(number),
      onFocus: () => setHere(number),
    };
    return html`<g key=${number} class=${`square${may && onPlay ? " may" : ""}`} ...${grid || {}}>
      <rect x=${x} y=${y} width=${SIZE} height=${SIZE} />
      ${cell !== "-" && html`<g class=${`disc ${WORD[cell]}${position.turned.includes(number) ? " turned" : ""}`} key=${cell}>
        <circle cx=${x + SIZE / 2} cy=${y + SIZE / 2} r="16" /></g>`}
      ${last === text && html`<circle class=${`last on-${WORD[cell]}`} cx=${x + SIZE / 2} cy=${y + SIZE / 2} r="4" />`}
      ${may && hints && !values[text] && html`<circle class="hint" cx=${x + SIZE / 2} cy=${y + SIZE / 2} r="6" />`}
      ${values[text] && html`<text class=${`value${best === text ? " best" : ""}`} x=${x + SIZE / 2} y=${y + SIZE / 2} dy="0.35em"
        text-anchor="middle" textLength=${values[text].length > 4 ? SIZE - 10 : undefined} lengthAdjust="spacingAndGlyphs">${values[text]}</text>`}
      ${next === text && html`<rect class="next" x=${x + 2} y=${y + 2} width=${SIZE - 4} height=${SIZE - 4} />`}
      <rect class="ring" x=${x + 1.5} y=${y + 1.5} width=${SIZE - 3} height=${SIZE - 3} />
    </g>`;
  };
  const rows = [0, 1, 2, 3, 4, 5, 6, 7];
  const summary = `${name || "board"}: black ${count(position.cells, "black")}, white ${count(position.cells, "white")}`;
  return html`<svg class="board" viewBox="0 0 346 346" role=${onPlay ? "grid" : "img"}
      aria-label=${onPlay ? `${summary}; arrow keys move, Enter plays` : `${summary}; ${described(position.cells)}`} onKeyDown=${onPlay && keys}>
    <g class="edge" aria-hidden="true">${rows.map((row) => html`
      <text x=${EDGE + (row + 0.5) * SIZE} y="14" text-anchor="middle">${"abcdefgh"[row]}</text>
      <text x="10" y=${EDGE + (row + 0.5) * SIZE} dy="0.35em" text-anchor="middle">${row + 1}</text>`)}</g>
    ${rows.map((row) => html`<g key=${row} role=${onPlay ? "row" : undefined}>${rows.map((column) => square(8 * row + column))}</g>`)}
    <g class="stars" aria-hidden="true">${[[2, 2], [6, 2], [2, 6], [6, 6]].map(([x, y]) => html`<circle cx=${EDGE + x * SIZE} cy=${EDGE + y * SIZE} r="3" />`)}</g>
  </svg>`;
}

function described(cells) {
  return ["X", "O"].map((sign) => {
    const squares = cells.map((cell, square) => (cell === sign ? squareName(square) : null)).filter(Boolean);
    return `${WORD[sign]} on ${squares.join(" ")}`;
  }).join("; ");
}

export function Discs({ cells, toMove }) {
  return html`<p class="discs">${["black", "white"].map((side) => html`
    <span class=${toMove === side ? "turn" : undefined}><span class=${`dot ${side}`}></span> ${side} <strong>${count(cells, side)}</strong>${toMove === side && html`<span class="quiet"> to move</span>`}</span>`)}</p>`;
}
