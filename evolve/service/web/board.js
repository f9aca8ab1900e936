// The board as SVG: to play a grid for arrow keys and Enter, to look at a picture with a description.

import { shade } from "./figures.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { count, squareName } from "./reversi.js";

const SIZE = 44;
const EDGE = 18;
const ARROWS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
const WORD = { X: "black", O: "white", "-": "empty" };

function next(square, key) {
  if (key === "Home") return square - (square % 8);
  if (key === "End") return square - (square % 8) + 7;
  const column = square % 8;
  if ((key === "ArrowLeft" && column === 0) || (key === "ArrowRight" && column === 7)) return square;
  const to = square + ARROWS[key];
  return to >= 0 && to < 64 ? to : square;
}

/**
 * position: {cells, move, before, turned}. legal: squares that may be played, dotted where `hints`.
 * values: {square name: {text, discs}}; best: the square to ring; mark: a sign on the last move; coming: the move that follows.
 * onPlay(square): makes it a grid to play on. focus: whether it takes the focus, to the last move.
 */
export function Board({ position, legal = [], hints, values = {}, best, mark, coming, onPlay, focus, name }) {
  const [here, setHere] = useState(19);
  const squares = useRef([]);
  useEffect(() => {
    const to = position.cells.findIndex((_, square) => squareName(square) === position.move);
    if (focus) setTimeout(() => squares.current[to < 0 ? here : to]?.focus({ preventScroll: true })); // after the page has taken it
  }, []);
  const keys = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = squares.current.indexOf(event.target);
    if (event.key === "Enter" || event.key === " ") onPlay(at);
    else if (event.key in ARROWS || event.key === "Home" || event.key === "End") squares.current[next(at, event.key)].focus();
    else return;
    event.preventDefault();
  };
  const last = position.move === "pass" ? position.before : position.move;
  const square = (number) => {
    const cell = position.cells[number];
    const text = squareName(number);
    const left = EDGE + (number % 8) * SIZE;
    const top = EDGE + Math.floor(number / 8) * SIZE;
    const [x, y] = [left + SIZE / 2, top + SIZE / 2];
    const may = legal.includes(number);
    const value = values[text];
    const words = [text, WORD[cell], may && hints && "legal", value && `value ${value.text}`, best === text && "best", last === text && `last move${mark ? ` ${mark}` : ""}`];
    const grid = onPlay && {
      role: "gridcell",
      tabindex: number === here ? 0 : -1,
      "aria-label": words.filter(Boolean).join(", "),
      ref: (element) => { squares.current[number] = element; },
      onClick: () => onPlay(number),
      onFocus: () => setHere(number),
    };
    return html`<g key=${number} class=${`square${may && onPlay ? " may" : ""}`} ...${grid || {}}>
      <rect class="sq" x=${left} y=${top} width=${SIZE} height=${SIZE} />
      ${cell !== "-" && html`<circle key=${cell} class=${`disc ${WORD[cell]}${position.turned.includes(number) ? " turned" : ""}`} cx=${x} cy=${y} r="18" />`}
      ${last === text && html`<circle class="last" cx=${x} cy=${y} r="19" />`}
      ${may && hints && !value && html`<circle class="hint" cx=${x} cy=${y} r="6" />`}
      ${value && html`<rect class=${`chip ${shade(value.discs, 10)}`} x=${x - 20} y=${y - 12} width="40" height="24" rx="12" />
        <text class=${`val on-v ${shade(value.discs, 10)}`} x=${x} y=${y} dy="0.36em" text-anchor="middle" textLength=${value.text.length > 5 ? 36 : undefined} lengthAdjust="spacingAndGlyphs">${value.text}</text>`}
      ${best === text && html`<rect class="best" x=${x - 21} y=${y - 13} width="42" height="26" rx="13" />`}
      ${coming === text && html`<rect class="coming" x=${left + 3} y=${top + 3} width=${SIZE - 6} height=${SIZE - 6} />`}
      ${mark && last === text && html`<g class="badge"><circle cx=${x + 14} cy=${y - 14} r="9" /><text x=${x + 14} y=${y - 14} dy="0.36em" text-anchor="middle">${mark}</text></g>`}
      <rect class="ring" x=${left + 1.5} y=${top + 1.5} width=${SIZE - 3} height=${SIZE - 3} />
    </g>`;
  };
  const rows = [0, 1, 2, 3, 4, 5, 6, 7];
  const summary = `${name || "board"}: black ${count(position.cells, "black")}, white ${count(position.cells, "white")}`;
  return html`<svg class="board" viewBox="0 0 378 378" role=${onPlay ? "grid" : "img"}
      aria-label=${onPlay ? `${summary}; arrow keys move, Enter plays` : `${summary}; ${described(position.cells, values)}`} onKeyDown=${onPlay && keys}>
    <rect class="frame" width="378" height="378" rx="8" />
    <g aria-hidden="true">${rows.map((row) => html`
      <text class="coord" x=${EDGE + (row + 0.5) * SIZE} y="13" text-anchor="middle">${"abcdefgh"[row]}</text>
      <text class="coord" x="9" y=${EDGE + (row + 0.5) * SIZE} dy="0.36em" text-anchor="middle">${row + 1}</text>`)}</g>
    ${rows.map((row) => html`<g key=${row} role=${onPlay ? "row" : undefined}>${rows.map((column) => square(8 * row + column))}</g>`)}
    <g aria-hidden="true">${[[2, 2], [6, 2], [2, 6], [6, 6]].map(([x, y]) => html`<circle class="star" cx=${EDGE + x * SIZE} cy=${EDGE + y * SIZE} r="3.5" />`)}</g>
  </svg>`;
}

function described(cells, values) {
  const worth = Object.entries(values).map(([square, { text }]) => `${square} ${text}`).join(", ");
  return ["X", "O"].map((sign) => {
    const squares = cells.map((cell, square) => (cell === sign ? squareName(square) : null)).filter(Boolean);
    return `${WORD[sign]} on ${squares.join(" ")}`;
  }).join("; ") + (worth && `; values of the moves: ${worth}`);
}
