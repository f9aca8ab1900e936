"""Third part of a stand-alone Python file: the evaluation, in wide ints and for numba.

Each term of `search.genes` is here twice: in `Evaluation.of_boards`, for all children of a position
at once, and in `compiled_evaluation`, which is exported only with `part_numba.py`.
"""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from evolve.standalone.part_board import (
    BIAS,
    CLASSES,
    CORNERS,
    FULL,
    TERMS,
    WEIGHTS,
    class_of,
    count_of,
    moves_of,
    neighbours_of,
    side_by_side,
    squares_of,
    stable_of,
)

# --- exported from here on ---
# --- Tables of sums, filled when needed ---


class SquareGain(Dict[int, int]):
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


class CornerValue(Dict[int, int]):
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
        self.gains = (SquareGain(0, self.weights), SquareGain(1, self.weights))
        self.corner_value = CornerValue(
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
