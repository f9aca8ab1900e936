"""Second part of a stand-alone Python file: the exact search near the end."""

from __future__ import annotations

from evolve.standalone.part_board import (
    CORNERS,
    CORNERS_LAST,
    DISC_SIGN,
    FLIPS,
    FLIPS_BY_BIT,
    FULL,
    FULL_BOARD,
    OutOfTimeError,
    QUADRANTS,
    RULE,
    SHALLOW,
    TABLE_LIMIT,
    WIDTHS,
    bit_count,
    moves_of,
    side_by_side,
    squares_of,
)

# --- exported from here on ---
from time import perf_counter
from typing import Any, Dict

# --- The exact search ---


class FlipScore(Dict[int, int]):
    """The gain of the mover's score by a move, by its flips in both halves of the board."""

    def __missing__(self, turned: int) -> int:
        gain = DISC_SIGN * (bit_count(turned) + 1)
        self[turned] = gain
        return gain


def final_score(own: Any, opp: Any, rule: int, count: Any) -> Any:
    """The score of a finished game for the side with `own`; `count` counts set bits.

    Numba can compile it. ValueError for unknown rules.
    """
    mine, theirs = count(own), count(opp)
    if rule == 1:  # reversed: fewest discs
        return theirs - mine
    if rule != 0:
        raise ValueError("rules without a score")
    if mine > theirs:  # standard: most discs, the empty squares to the winner
        return 64 - 2 * theirs
    return 2 * mine - 64 if mine < theirs else 0


def score_of(board: int, side: int) -> int:
    """The score of a finished game for a side."""
    score: int = final_score(board & FULL, board >> 64, RULE, bit_count)
    return -score if side else score


SQUARE_BYTES = [bytes([square]) for square in range(64)]


def _odd_quadrants(empty: int) -> int:
    """The quadrants with an odd number of empty squares."""
    return sum(quadrant for quadrant in QUADRANTS if bit_count(empty & quadrant) & 1)


def _by_parity(empty: int) -> bytes:
    """The empty squares: those of odd quadrants first, where corners are good."""
    if CORNERS_LAST:
        return bytes(squares_of(empty))
    odd = _odd_quadrants(empty)
    return bytes(squares_of(empty & odd) + squares_of(empty & ~odd))


class Solver:
    """The exact search for one move, with its tables and its time."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.flip_score = FlipScore()
        # For each side to move, by board: bounds of the score, and the best move.
        self.solved: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})

    def solve(
        self, board: int, side: int, moves: int, score: int, alpha: int, beta: int, empties: int
    ) -> int:
        """The exact score for the side to move; fail-soft.

        `score` is its disc difference times DISC_SIGN; `moves` are those of both sides. Moves that
        leave few replies come first.
        """
        mine = moves >> 64 if side else moves & FULL
        if not mine:
            if moves:
                return -self.solve(board, 1 - side, moves, -score, -beta, -alpha, empties)
            return score_of(board, side)
        if empties <= SHALLOW:
            squares = _by_parity(FULL & ~(board | board >> 64))
            return self.solve_shallow(board, side, squares, score, alpha, beta, False)
        if perf_counter() > self.deadline:
            raise OutOfTimeError
        # 1. Ask the table.
        known = self.solved[side]
        first = 64
        entry = known.get(board)
        if entry is not None:
            low, high, first = entry
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        # 2. Find the moves, the most promising first.
        children = self.solver_children(board, side, mine, first)
        # 3. Search the first with the whole window, the others with a null window, and those that
        #    are better again.
        best = -65
        low = alpha
        for _, square, child, child_moves, gain in children:
            high = beta if best == -65 else low + 1
            value = -self.solve(
                child, 1 - side, child_moves, -score - gain, -high, -low, empties - 1
            )
            if high <= value < beta:
                value = -self.solve(
                    child, 1 - side, child_moves, -score - gain, -beta, -value + 1, empties - 1
                )
            if value > best:
                best = value
                first = square
                if best > low:
                    low = best
                    if best >= beta:
                        break
        # 4. Fill the table.
        if len(known) >= TABLE_LIMIT:
            known.clear()
        known[board] = (best if best > alpha else -64, best if best < beta else 64, first)
        return best

    def solver_children(self, board: int, side: int, moves: int, first: int) -> list[list[int]]:
        """For each move a list: sort key, square, board, moves of both sides, gain in score.

        They are sorted; the move to `first`, if there is one, comes before all others.
        """
        flips_by_bit, flip_score = FLIPS_BY_BIT[side], self.flip_score
        reverse = CORNERS_LAST
        odd = 0 if reverse else _odd_quadrants(FULL & ~(board | board >> 64))
        children, boards = [], []
        while moves:
            bit = moves & -moves
            moves ^= bit
            m0, t0, m1, t1, m2, t2, m3, t3, disc, square = flips_by_bit[bit]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            child = board ^ turned ^ disc
            # Among equals, moves into a quadrant with an odd number of squares come first.
            key = -2 if bit & odd else 0
            if bit & CORNERS and not reverse:
                key -= 1
            boards.append(child)
            children.append([key, square, child, 0, flip_score[turned]])
        reach, _ = moves_of(side_by_side(boards), WIDTHS[len(boards)])
        for record in children:
            replies = reach & FULL if side else reach >> 64 & FULL
            count, corners = bin(replies).count("1"), bin(replies & CORNERS).count("1")
            record[0] += 4 * count - 2 * corners if reverse else 4 * (count + corners)
            record[3] = reach & FULL_BOARD
            reach >>= 128
            if record[1] == first:
                record[0] = -1000
        children.sort()
        return children

    def solve_shallow(
        self,
        board: int,
        side: int,
        squares: bytes,
        score: int,
        alpha: int,
        beta: int,
        passed: bool,
    ) -> int:
        """The same with few empty `squares`, which are tried in this order.

        `passed`: whether the other side had to pass just before.
        """
        flips, flip_score = FLIPS[side], self.flip_score
        if len(squares) == 1 and DISC_SIGN:
            m0, t0, m1, t1, m2, t2, m3, t3, _, _ = flips[squares[0]]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            if turned:
                return score + flip_score[turned]
            m0, t0, m1, t1, m2, t2, m3, t3, _, _ = FLIPS[1 - side][squares[0]]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            if turned:
                return score - flip_score[turned]
            return score_of(board, side)
        best = -65
        for square in squares:
            m0, t0, m1, t1, m2, t2, m3, t3, disc, _ = flips[square]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            if turned:
                value = -self.solve_shallow(
                    board ^ turned ^ disc,
                    1 - side,
                    squares.replace(SQUARE_BYTES[square], b""),
                    -score - flip_score[turned],
                    -beta,
                    -(alpha if alpha > best else best),
                    False,
                )
                if value > best:
                    best = value
                    if best >= beta:
                        return best
        if best > -65:
            return best
        if passed:
            return score_of(board, side)
        return -self.solve_shallow(board, 1 - side, squares, -score, -beta, -alpha, True)
