"""Vectors kept up to date move by move, and their sums, against slow ones."""

from __future__ import annotations

import functools
import random

import numpy as np
import numpy.typing as npt
import pytest

from evolve.engine.compiled import intrinsics as memory
from evolve.engine.compiled.compile import kernel
from evolve.engine.patterns import patterns
from evolve.engine.patterns.pattern_sums import unrolled_sum
from evolve.engine.patterns.shape_set import DEFAULT_SET, ShapeSet
from evolve.engine.patterns.shapes import PART_LANES
from tests import reference
from tests.engine import U, for_python
from tests.engine.slow_patterns import (
    MANY,
    TINY,
    WHOLE,
    Vectors,
    contents,
    random_patterns,
    shape_set,
    slow_vectors,
)
from tests.reference import Board

SETS = (WHOLE, MANY, TINY)


follow_move = for_python(patterns.follow_move)
read_vector = for_python(patterns.read_vector)
shorts_scalar = for_python(patterns._shorts_scalar)
words_scalar = for_python(patterns._words_scalar)
shorts_gathered = for_python(patterns._shorts_gathered)
words_gathered = for_python(patterns._words_gathered)
_tiny_sum = unrolled_sum(shape_set(TINY).middles.tolist())
_whole_sum = unrolled_sum(DEFAULT_SET.middles.tolist())


tiny_sum = kernel(lambda some, table: _tiny_sum(some, table))
whole_sum = kernel(lambda some, table: _whole_sum(some, table))


@functools.cache
def random_moves(count: int) -> tuple[list[int], list[Board], list[int]]:
    """So many moves or more of whole games, passes among them: the moves, their positions, and
    the first place of each game, all games one after the other with their ends."""
    rng = random.Random(61)
    moves, boards, starts = list[int](), list[Board](), list[int]()
    while len(moves) - len(starts) < count:
        some, positions = reference.random_game(rng)
        starts.append(len(boards))
        moves += [*some, -1]
        boards += positions
    return moves, boards, starts


@pytest.mark.parametrize("count", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("texts", SETS)
def test_vectors(texts: tuple[str, ...], count: int) -> None:
    """Followed from the start position of each game on, and read from each position."""
    moves, boards, starts = random_moves(count)
    evaluation = random_patterns(texts, 1)
    expected = slow_vectors(evaluation.shapes, boards)
    followed, read = np.full_like(expected, 7), np.full_like(expected, 7)
    for start in starts:
        followed[start] = expected[start]
    begin, row = followed.ctypes.data, followed.strides[0]
    for place, (move, board) in enumerate(zip(moves, boards, strict=True)):
        read_vector(U(board[0]), U(board[1]), read[place].ctypes.data, evaluation.address)
        if move >= 0:
            turned = U(0 if move == reference.PASS else reference.flips(*board, move))
            here = begin + place * row
            follow_move(here, here + row, move, turned, evaluation.address)
    assert reference.PASS in moves
    assert (read == expected).all()
    assert (followed == expected).all()


def test_sets_have_one_part_and_more() -> None:
    assert [shape_set(texts).lanes // PART_LANES for texts in (TINY, WHOLE, MANY)] == [1, 1, 3]


def test_the_slow_vectors_are_the_contents() -> None:
    """The listing by numpy that the others are compared with, by Python's whole numbers."""
    shapes = shape_set(TINY)
    boards = reference.random_boards(random.Random(63), 20, 0, 58)
    rest = [0] * (shapes.lanes - len(shapes.instances))
    assert slow_vectors(shapes, boards).tolist() == [
        [contents(squares, board) for _, squares in shapes.instances] + rest for board in boards
    ]


@pytest.mark.parametrize("texts", SETS)
def test_any_discs_in_any_place(texts: tuple[str, ...]) -> None:
    """A vector before and after a move as they would be on boards that no game comes to."""
    rng = random.Random(64)
    evaluation = random_patterns(texts, 1)
    shares = [rng.random() for _ in range(200)]
    boards = [reference.scattered_board(rng, share, rng.random()) for share in shares]
    boards += [(0, 0), (reference.FULL, 0), (0, reference.FULL)]
    moves = [(board, square) for board in boards for square in reference.legal_moves(*board)[:4]]
    after = slow_vectors(evaluation.shapes, [reference.play(*pair[0], pair[1]) for pair in moves])
    here, there = np.zeros_like(after[0]), np.zeros_like(after[0])
    found = []
    for (own, opp), square in moves:
        read_vector(U(own), U(opp), here.ctypes.data, evaluation.address)
        turned = U(reference.flips(own, opp, square))
        follow_move(here.ctypes.data, there.ctypes.data, square, turned, evaluation.address)
        found.append(there.tolist())
    assert found == after.tolist()
    found.clear()
    for own, opp in boards:
        read_vector(U(own), U(opp), here.ctypes.data, evaluation.address)
        found.append(here.tolist())
    assert found == slow_vectors(evaluation.shapes, boards).tolist()


def any_vectors(shapes: ShapeSet, count: int) -> tuple[Vectors, npt.NDArray[np.int64]]:
    """Vectors of any entries, and where these are in the tables, [count, instances]; the first
    two have the last and the first entries of all tables."""
    rng = np.random.default_rng(65)
    sizes = np.array([3 ** len(squares) for _, squares in shapes.instances])
    entries = rng.integers(-(sizes // 2), sizes // 2, (count, len(sizes)), endpoint=True)
    entries[0], entries[1] = sizes // 2, -(sizes // 2)
    found = np.zeros((count, shapes.lanes), np.int16)
    found[:, : len(sizes)] = entries
    return found, shapes.middles + entries


@pytest.mark.parametrize("texts", SETS)
def test_sums_of_shorts(texts: tuple[str, ...]) -> None:
    """Of weights as large as they may be, of which no lane beyond the instances reads any."""
    evaluation = random_patterns(texts, 2, 0, ())
    address, table = evaluation.address, evaluation.tables[0]
    vectors, places = any_vectors(evaluation.shapes, 300)
    unrolled = {WHOLE: whole_sum, TINY: tiny_sum}.get(texts)
    expected, there = table.astype(np.int64)[places].sum(axis=1).tolist(), table.ctypes.data
    kernels = [shorts_scalar, *[shorts_gathered] * (memory.LANES == 8)]
    found = [[sums(some.ctypes.data, there, address) for some in vectors] for sums in kernels]
    if unrolled:
        found.append([unrolled(some.ctypes.data, there) for some in vectors])
    assert found == [expected] * len(found)


@pytest.mark.parametrize("texts", SETS)
def test_sums_of_words(texts: tuple[str, ...]) -> None:
    """Of numbers of 32 bits, as weights are while they are taught."""
    evaluation = random_patterns(texts, 1)
    shapes, address = evaluation.shapes, evaluation.address
    drawn = np.random.default_rng(66).integers(-(1 << 22), 1 << 22, shapes.entries, np.int64)
    table = np.zeros(shapes.entries + 2, np.int32)
    table[: shapes.entries] = drawn
    vectors, places = any_vectors(shapes, 300)
    kernels = [words_scalar, *[words_gathered] * (memory.LANES == 8)]
    there = table.ctypes.data
    found = [[sums(some.ctypes.data, there, address) for some in vectors] for sums in kernels]
    assert found == [drawn[places].sum(axis=1).tolist()] * len(found)
