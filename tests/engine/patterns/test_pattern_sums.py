"""Vectors kept up to date move by move, and their sums, against slow ones."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest

from evolve.engine.compiled import intrinsics as memory
from evolve.engine.compiled.compile import kernel
from evolve.engine.patterns import patterns
from evolve.engine.patterns.pattern_sums import unrolled_sum
from evolve.engine.patterns.shape_set import DEFAULT_SET, ShapeSet
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


@pytest.mark.parametrize("texts", SETS)
def test_vectors(texts: tuple[str, ...]) -> None:
    """Followed from the start position of each game on, and read from each position."""
    evaluation, rng, passes = random_patterns(texts, 1), random.Random(61), 0
    for _ in range(35):
        moves, boards = reference.random_game(rng)
        passes += reference.PASS in moves
        expected = slow_vectors(evaluation.shapes, boards)
        followed, read = np.full_like(expected, 7), np.full_like(expected, 7)
        followed[0] = expected[0]
        for here, after, move, board in zip(followed, followed[1:], moves, boards, strict=False):
            turned = U(0 if move == reference.PASS else reference.flips(*board, move))
            follow_move(here.ctypes.data, after.ctypes.data, move, turned, evaluation.address)
        for vector, (own, opp) in zip(read, boards, strict=True):
            read_vector(U(own), U(opp), vector.ctypes.data, evaluation.address)
        assert (read == expected).all()
        assert (followed == expected).all()
    assert passes > 10


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
    boards = [reference.scattered_board(rng, rng.random(), rng.random()) for _ in range(200)]
    boards += [(0, 0), (reference.FULL, 0), (0, reference.FULL)]
    here = slow_vectors(evaluation.shapes, boards)
    read, found, expected = np.zeros_like(here), [], []
    for board, before, vector in zip(boards, here, read, strict=True):
        read_vector(U(board[0]), U(board[1]), vector.ctypes.data, evaluation.address)
        for square in reference.legal_moves(*board)[:4]:
            after, turned = np.zeros_like(before), U(reference.flips(*board, square))
            places = before.ctypes.data, after.ctypes.data
            follow_move(*places, square, turned, evaluation.address)
            found.append(after)
            expected.append(reference.play(*board, square))
    assert (read == here).all()
    assert (np.array(found) == slow_vectors(evaluation.shapes, expected)).all()


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
