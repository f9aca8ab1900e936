"""Second part of a stand-alone Python file: the evaluation, and the exact search near the end.

Each term of `search.genes` is here twice: in `Evaluation.of_boards`, for all children of a position
at once in wide ints, and in `compiled_evaluation`, which is exported only with `part_numba.py`.
"""

from __future__ import annotations

import numpy as np

from evolve.standalone.part_board import *

# --- exported from here on ---
from time import perf_counter
from typing import Any, Dict

# --- Tables of sums, filled when needed ---


class _SquareGain(Dict[int, int]):
    """The gain of the sum of square weights by a move, by the bits that it changes."""

    def __init__(self, side: int, weights: list[int]) -> None:
        dict.__init__(self)
        self.sign = -1 if side else 1
        self.weights = [weights[class_of(square)] for square in range(64)]

    def __missing__(self, change: int) -> int:
        low, high = change & FULL, change >> 64
        gain = sum(self.weights[square] for square in squares_of(low | high))
        gain += sum(self.weights[square] for square in squares_of(low & high))
        gain *= self.sign
        self[change] = gain
        return gain


class _CornerValue(Dict[int, int]):
    """The value of X and C squares at empty corners, by the discs in the four corner areas."""

    def __init__(self, x_weight: int, c_weight: int) -> None:
        dict.__init__(self)
        self.x_weight = x_weight
        self.c_weight = c_weight

    def __missing__(self, discs: int) -> int:
        low, high = discs & FULL, discs >> 64
        value = 0
        for corner, right, down in ((0, 1, 8), (7, -1, 8), (56, 1, -8), (63, -1, -8)):
            if (low | high) >> corner & 1:
                continue
            for square, weight in (
                (corner + right + down, self.x_weight),
                (corner + right, self.c_weight),
                (corner + down, self.c_weight),
            ):
                value += weight * ((low >> square & 1) - (high >> square & 1))
        self[discs] = value
        return value


# --- The evaluation ---


def weight_of(term: str, phase: int) -> int:
    """The weight of a term in a phase; 0 if the parameters do not name it."""
    return TERMS[term][phase] if term in TERMS else 0


class Evaluation:
    """The static evaluation in a phase."""

    def __init__(self, phase: int) -> None:
        self.phase = phase
        self.mobility = weight_of("mobility", phase)
        self.stability = weight_of("stability", phase)
        self.potential_mobility = weight_of("potential_mobility", phase)
        self.weights = WEIGHTS[phase]
        self.gains = (_SquareGain(0, self.weights), _SquareGain(1, self.weights))
        self.corner_value = _CornerValue(
            weight_of("x_squares", phase), weight_of("c_squares", phase)
        )

    def square_sum(self, board: int) -> int:
        """The sum of the square weights of side 0 minus that of side 1."""
        return sum(
            self.weights[class_of(square)] * ((board >> square & 1) - (board >> (64 + square) & 1))
            for square in range(64)
        )

    def of_boards(
        self, boards: list[int], totals: list[int], corners: list[int], known: int, width: Any
    ) -> tuple[list[int], int, int]:
        """Values of boards for side 0; their moves and their stable discs, end to end.

        `totals` are their sums of square weights, `corners` the values of their X and C squares.
        `known` are discs that are stable in all of them, end to end, or -1 if none can be stable.
        """
        wide = side_by_side(boards)
        # First each lane's part, then side 0 minus side 1.
        reach, empty = moves_of(wide, width)
        lanes = width.lane_bias
        if self.mobility:
            lanes += self.mobility * count_of(reach, width)
        if self.potential_mobility:
            count = count_of(neighbours_of(wide, width) & empty, width)
            lanes -= self.potential_mobility * count
        stable = 0
        if self.stability and known >= 0:
            stable = stable_of(wide, empty, known, width)
            lanes += self.stability * count_of(stable, width)
        low = width.low
        lanes = (lanes & low) - (lanes >> 64 & low) + width.bias
        differences = width.unpack(lanes.to_bytes(width.size, "little"))
        values = [
            difference - BIAS + totals[index] + corners[index]
            for index, difference in enumerate(differences)
        ]
        return values, reach, stable


# --- The exact search ---


class _FlipScore(Dict[int, int]):
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
        self.flip_score = _FlipScore()
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
        self, board: int, side: int, squares: bytes, score: int, alpha: int, beta: int, passed: bool
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


# --- exported with numba from here on ---
# --- The same evaluation, compiled ---

TERM_ORDER = ("mobility", "stability", "x_squares", "c_squares", "potential_mobility")


def weights_of(phase: int) -> Any:
    """The weights of a phase for the compiled evaluation: square classes, then terms."""
    terms = [weight_of(term, phase) for term in TERM_ORDER]
    return np.array(WEIGHTS[phase] + terms, np.int64)


def compiled_evaluation(kernel: Any, count: Any, beside: Any, stable_lead: Any) -> Any:
    """The kernel that evaluates a position for the side to move, made with these helpers."""
    u8 = np.uint64
    corners, x_squares, c_squares = u8(CORNERS), u8(0x42000000004200), u8(0x4281000000008142)
    classes = np.zeros(len(CLASSES), np.uint64)
    for square in range(64):
        classes[class_of(square)] |= u8(1) << u8(square)
    first = len(CLASSES)  # of the terms

    @kernel
    def evaluate(own, opp, mine, theirs, weights):
        value = weights[first] * (count(mine) - count(theirs))
        for index in range(len(classes)):
            squares = classes[index]
            value += weights[index] * (count(own & squares) - count(opp & squares))
        empty = ~(own | opp)
        if weights[first + 1] != 0:
            value += weights[first + 1] * stable_lead(own, opp)
        near = beside(empty & corners)
        squares = near & x_squares
        value += weights[first + 2] * (count(own & squares) - count(opp & squares))
        squares = near & c_squares
        value += weights[first + 3] * (count(own & squares) - count(opp & squares))
        if weights[first + 4] != 0:
            reach = count(beside(opp) & empty) - count(beside(own) & empty)
            value += weights[first + 4] * reach
        return value

    return evaluate
