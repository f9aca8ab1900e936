// The rules of Reversi: what may be played, and what turns over. Cells are "X" (black), "O"
// (white) and "-", a1 first; squares are 0 to 63.

const STEPS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
const SIGN = { black: "X", white: "O" };
export const other = (side) => (side === "black" ? "white" : "black");

export function squareName(square) {
  return "abcdefgh"[square % 8] + (1 + Math.floor(square / 8));
}

export function squareNumber(name) {
  return name.charCodeAt(0) - 97 + 8 * (Number(name[1]) - 1);
}

/** The discs that a move turns over; none: it is not legal. */
function flips(cells, side, square) {
  if (cells[square] !== "-") return [];
  const own = SIGN[side];
  const turned = [];
  for (const [down, right] of STEPS) {
    const line = [];
    let row = Math.floor(square / 8) + down;
    let column = (square % 8) + right;
    while (row >= 0 && row < 8 && column >= 0 && column < 8 && cells[8 * row + column] !== "-") {
      if (cells[8 * row + column] === own) {
        turned.push(...line);
        break;
      }
      line.push(8 * row + column);
      row += down;
      column += right;
    }
  }
  return turned;
}

export function legalMoves({ cells, side }) {
  const moves = [];
  for (let square = 0; square < 64; square++) if (flips(cells, side, square).length) moves.push(square);
  return moves;
}

export function count(cells, side) {
  let discs = 0;
  for (const cell of cells) if (cell === SIGN[side]) discs++;
  return discs;
}

/** The usual start in OBF: 64 cells and the side to move. */
export const START = `${"-".repeat(27)}OX${"-".repeat(6)}XO${"-".repeat(27)} X;`;

export const obf = ({ cells, side }) => `${cells.join("")} ${SIGN[side]};`;

export function fromObf(text) {
  return { cells: [...text.slice(0, 64)], side: text[65] === "O" ? "white" : "black", move: null, turned: [] };
}

/** Whether the side to move must pass, and whether neither side can move. */
export const mustPass = (position) => !legalMoves(position).length;
export const isOver = ({ cells, side }) => mustPass({ cells, side }) && mustPass({ cells, side: other(side) });

/** The position after a move, a square's name or `pass`; null where that is not allowed. `before`: the move ahead of it. */
export function after({ cells, side, move: before }, move) {
  if (move === "pass") {
    return legalMoves({ cells, side }).length ? null : { cells, side: other(side), move, before, turned: [] };
  }
  const square = squareNumber(move);
  const turned = flips(cells, side, square);
  if (!turned.length) return null;
  const next = [...cells];
  for (const cell of [square, ...turned]) next[cell] = SIGN[side];
  return { cells: next, side: other(side), move, turned };
}

/** All positions of a game, from `start` in OBF; as far as its moves are legal. */
export function positions(moves, start) {
  const all = [fromObf(start || START)];
  for (const move of moves) {
    const next = after(all.at(-1), move);
    if (!next) break;
    all.push(next);
  }
  return all;
}
