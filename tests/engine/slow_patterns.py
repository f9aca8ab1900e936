"""Pattern evaluations to test with: seeded weights, a slow reader of them, and plain minimax."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Self

import numpy as np
import numpy.typing as npt

from evolve.agents.memory import PatternMemory
from evolve.engine.board.bits import ONE, ZERO, final_score, flips_of, moves_of
from evolve.engine.board.board import Board as EngineBoard
from evolve.engine.board.rules import Rules, rule_set
from evolve.engine.compiled.compile import kernel
from evolve.engine.compiled.intrinsics import lowest
from evolve.engine.patterns.pattern_search import (
    pattern_move,
    pattern_near,
    pattern_search,
    pattern_values,
)
from evolve.engine.patterns.patterns import DISC, Patterns, position_value
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import DEFAULT_SHAPES, STRONG_SHAPES, parse_shapes
from evolve.engine.search import context as layout
from tests import reference
from tests.engine import Budgeted, U, passes
from tests.reference import Board

WHOLE = DEFAULT_SHAPES
STRONG = STRONG_SHAPES
MANY = ("lines-4", "blocks-2x2")
TINY = ("a1-b2", "d4-e5", "b1/d3")
"""Sets of shapes: those that kernels know beforehand, many parts of a vector, half of one."""

RULE_NAMES: tuple[Rules, ...] = ("standard", "reversed")
BOUNDARIES = (16, 36, 52)
Vectors = npt.NDArray[np.int16]
CutCells = npt.NDArray[np.int64]
"""Forward cuts as the block of an evaluation has them, see `patterns.no_cuts`."""


@cache
def shape_set(texts: tuple[str, ...]) -> ShapeSet:
    """The shapes of a list of names and texts."""
    return ShapeSet(parse_shapes(texts))


def random_shorts(count: int, seed: int, shift: int) -> npt.NDArray[np.int16]:
    """Numbers of 16 − `shift` bits that no version of numpy draws differently."""
    drawn = np.frombuffer(random.Random(seed).randbytes(2 * count), "<i2")
    return drawn.astype(np.int16) >> shift


@cache
def random_patterns(
    texts: tuple[str, ...], seed: int, shift: int = 7, boundaries: tuple[int, ...] = BOUNDARIES
) -> Patterns:
    """An evaluation with random weights, of −DISC to DISC unless told otherwise."""
    shapes, phases = shape_set(texts), len(boundaries) + 1
    weights = random_shorts(phases * shapes.weights, seed, shift).reshape(phases, -1)
    return Patterns.of_weights(shapes, boundaries, weights)


def with_tempo(patterns: Patterns) -> Patterns:
    """The same with a random tempo of −DISC to DISC."""
    return Patterns(patterns.shapes, patterns.boundaries, patterns.tables, random_shorts(65, 65, 7))


def board_of(board: Board) -> EngineBoard:
    """The position as the package has it."""
    return EngineBoard(*board)


def contents(squares: tuple[int, ...], board: Board) -> int:
    """What is on these squares as a number: own disc 1, other −1, times 3 to the power of place."""
    own, opp = board
    return sum(
        3**place * ((own >> square & 1) - (opp >> square & 1))
        for place, square in enumerate(squares)
    )


def slow_vectors(shapes: ShapeSet, boards: list[Board]) -> Vectors:
    """The contents of every instance in every position; what pads a vector is 0."""
    bits = np.array(boards, np.uint64)[:, :, None] >> np.arange(64, dtype=np.uint64) & U(1)
    cells = bits[:, 0].astype(np.int64) - bits[:, 1].astype(np.int64)
    found = np.zeros((len(boards), shapes.lanes), np.int16)
    for lane, (_, squares) in enumerate(shapes.instances):
        found[:, lane] = cells[:, squares] @ 3 ** np.arange(len(squares))
    return found


def slow_value(patterns: Patterns, board: Board) -> int:
    """The tempo, and of all distinct images of all shapes what the table has for their contents."""
    discs = 64 - reference.empties(*board)
    table = patterns.tables[sum(discs >= boundary for boundary in patterns.boundaries)]
    start, total = 0, int(patterns.tempo[discs])
    for squares in patterns.shapes.shapes:
        placed = [tuple(turn[square] for square in squares) for turn in reference.SYMMETRIES]
        distinct = {frozenset(image): image for image in placed}
        size = 3 ** len(squares)
        for image in distinct.values():
            total += int(table[start + (size - 1) // 2 + contents(image, board)])
        start += size
    return total


def slow_minimax(patterns: Patterns, board: Board, depth: int, rules: int) -> int:
    """Value of the whole tree of `depth` moves; passes cost no depth, leaves are as they stand."""
    moves = reference.legal_moves(*board)
    if reference.is_over(*board):
        return reference.final_score(*board, rules) * DISC
    if depth == 0:
        return slow_value(patterns, board)
    if not moves:
        return -slow_minimax(patterns, (board[1], board[0]), depth, rules)
    children = [reference.play(*board, square) for square in moves]
    return max(-slow_minimax(patterns, child, depth - 1, rules) for child in children)


@kernel
def _minimax(
    own: np.uint64, opp: np.uint64, depth: int, vector: int, patterns: int, rules: int
) -> int:
    moves = moves_of(own, opp)
    if moves == ZERO:
        if moves_of(opp, own) == ZERO:
            return final_score(own, opp, rules) * DISC
        if depth > 0:
            return -_minimax(opp, own, depth, vector, patterns, rules)
    if depth == 0:
        return position_value(own, opp, vector, patterns)
    best = -(1 << 40)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        best = max(best, -_minimax(child_own, child_opp, depth - 1, vector, patterns, rules))
    return best


def minimax(patterns: Patterns, board: Board, depth: int, rules: Rules) -> int:
    """The same, compiled: nothing is cut off, sorted or remembered."""
    vector = np.zeros(patterns.shapes.lanes, np.int16)
    own, opp, address = U(board[0]), U(board[1]), patterns.address
    return int(_minimax(own, opp, depth, vector.ctypes.data, address, rule_set(rules).code))


def move_value(patterns: Patterns, board: Board, square: int, depth: int, rules: Rules) -> int:
    """Value of a legal move by minimax to `depth` ≥ 1."""
    return -minimax(patterns, reference.play(*board, square), depth - 1, rules)


class Search(Budgeted):
    """A memory with an evaluation in it."""

    def __init__(
        self, patterns: Patterns, rules: Rules, cuts: CutCells | None = None, table_bits: int = 12
    ) -> None:
        self._memory = PatternMemory(table_bits)
        self.use(patterns, rules, cuts)
        self.cells = self._memory.context

    def use(self, patterns: Patterns, rules: Rules, cuts: CutCells | None = None) -> None:
        """Search by this evaluation from here on."""
        self.rules = rules
        self._patterns = patterns
        self.address = self._memory.set(patterns, patterns.block(cuts), rules)

    def fresh(self, budget: int = 0) -> Self:
        """The same, nothing of what it found before in its table."""
        self.forget()
        self.budget = budget
        return self

    def move(self, board: Board, depth: int) -> tuple[int, int]:
        """Square and value by a search to `depth` plies alone."""
        return self._deepened(board, [depth])

    def deepen(self, board: Board, depth: int) -> tuple[int, int]:
        """Square and value by searches to 1, 2, … plies."""
        return self._deepened(board, range(1, depth + 1))

    def in_window(self, board: Board, alpha: int, beta: int, depth: int) -> int:
        """Value of a position inside of a tree, between alpha and beta or a bound."""
        moves = U(reference.mask(reference.legal_moves(*board)))
        here = slow_vectors(self._patterns.shapes, [board])
        place = moves, here.ctypes.data, self._patterns.value(board_of(board))
        return int(self._run(pattern_search, board, *place, alpha, beta, depth))

    def values(self, board: Board, depth: int) -> dict[int, int]:
        """The value of every legal move."""
        values = np.zeros(64, np.int64)
        self._run(pattern_values, board, depth, values)
        return {square: int(values[square]) for square in reference.legal_moves(*board)}

    def near(self, board: Board, depth: int, *known: int) -> tuple[int, int]:
        """A square near the best, and about its value; known: first, guess, low, high and disc."""
        square, value = self._run(pattern_near, board, depth, *known)
        return int(square), int(value)

    def _deepened(self, board: Board, depths: Iterable[int]) -> tuple[int, int]:
        self.cells[layout.NODES] = self.cells[layout.STOPPED] = 0
        own, opp, found = U(board[0]), U(board[1]), (-1, 0)
        for depth in depths:
            found = pattern_move(own, opp, depth, self.address)
        return int(found[0]), int(found[1])


def positions_to_move(seed: int, count: int) -> list[Board]:
    """Positions of random games in which the side to move has a move, all that there are."""
    rng, found = random.Random(seed), list[Board]()
    while len(found) < count:
        moves, boards = reference.random_game(rng)
        found += [board for move, board in zip(moves, boards, strict=False) if move < 64]
    return found[:count]


def positions_before_passes(seed: int, count: int) -> list[Board]:
    """Positions of random games after whose next move a side has to pass."""
    return [before for before, _ in islice(passes(random.Random(seed)), count)]


def positions_with_a_pass(seed: int, count: int) -> list[Board]:
    """Positions of random games in which the side to move has none, and the other side has."""
    return [board for _, board in islice(passes(random.Random(seed)), count)]
