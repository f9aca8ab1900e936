"""Evaluations by patterns against the slow sum over images."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from evolve.engine.patterns import patterns as layout
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.errors import AgentError
from tests import reference
from tests.engine import for_python, phases_at
from tests.engine.slow_patterns import (
    BOUNDARIES,
    MANY,
    STRONG,
    TINY,
    WHOLE,
    board_of,
    random_patterns,
    random_shorts,
    shape_set,
    slow_value,
    with_tempo,
)

SETS = (WHOLE, STRONG, MANY, TINY, ("a1",))


cut_of = for_python(layout.cut_of)


@pytest.mark.parametrize("texts", SETS)
def test_value_is_the_sum_over_images(texts: tuple[str, ...]) -> None:
    rng = random.Random(71)
    boards = reference.random_game(rng)[1][::2]
    boards += [reference.scattered_board(rng, rng.random(), rng.random()) for _ in range(30)]
    both = (with_tempo(random_patterns(texts, 1)), random_patterns(texts, 2, 0))
    assert [patterns.value(board_of(board)) for patterns in both for board in boards] == [
        slow_value(patterns, board) for patterns in both for board in boards
    ]


@pytest.mark.parametrize("boundaries", [(), (5,), (64,), (5, 6, 7, 62, 63, 64), BOUNDARIES])
def test_phases_by_disc_count(boundaries: tuple[int, ...]) -> None:
    """A phase's weights count from its boundary on, and the last one's on the full board."""
    shapes = shape_set(TINY)
    weights = np.zeros((len(boundaries) + 1, shapes.weights), np.int16)
    weights[:] = np.arange(1, len(weights) + 1)[:, None]
    patterns = Patterns.of_weights(shapes, boundaries, weights)
    assert [
        patterns.value(board_of(((1 << discs) - 1, 0)))
        for discs in range(len(phases_at(*boundaries)))
    ] == [(phase + 1) * len(shapes.instances) for phase in phases_at(*boundaries)]


@pytest.mark.parametrize("texts", SETS)
def test_weights_and_tables(texts: tuple[str, ...]) -> None:
    """Distinct weights make tables, entries that are one weight alike, and come back from them."""
    shapes = shape_set(texts)
    weights = random_shorts(2 * shapes.weights, 4, 0).reshape(2, -1)
    patterns = Patterns.of_weights(shapes, (30,), weights)
    assert patterns.weights.dtype == patterns.tables.dtype == np.int16
    assert (patterns.weights == weights).all()
    assert (patterns.tables == patterns.tables[:, shapes.canonical]).all()
    assert Patterns(shapes, (30,), patterns.tables) == patterns


@pytest.mark.parametrize(
    ("phases", "more", "dtype"),
    [(1, 0, "int16"), (3, 0, "int16"), (2, 1, "int16"), (2, -1, "int16"), (2, 0, "int32")],
)
def test_other_weights_are_refused(phases: int, more: int, dtype: str) -> None:
    shapes = shape_set(TINY)
    weights = np.zeros((phases, shapes.weights + more), dtype)
    with pytest.raises(AgentError) as raised:
        Patterns.of_weights(shapes, (30,), weights)
    assert str(raised.value) == (
        f"the weights are {dtype} [{phases}, {shapes.weights + more}]; these shapes and phases "
        f"need int16 [2, {shapes.weights}]"
    )


@pytest.mark.parametrize(("count", "dtype"), [(64, "int16"), (66, "int16"), (65, "int32")])
def test_another_tempo_is_refused(count: int, dtype: str) -> None:
    patterns = random_patterns(TINY, 5)
    given = patterns.shapes, patterns.boundaries, patterns.weights, np.zeros(count, dtype)
    with pytest.raises(AgentError) as raised:
        Patterns.of_weights(*given)
    assert str(raised.value) == f"the tempo is {dtype} [{count}], not int16 [65]"


def test_equality_and_hash() -> None:
    """By shapes, boundaries, weights and tempo, all of them."""
    patterns = random_patterns(TINY, 5)
    shapes, weights = patterns.shapes, patterns.weights
    same = Patterns.of_weights(ShapeSet(shapes.shapes), BOUNDARIES, weights.copy())
    assert same == patterns
    assert hash(same) == hash(patterns)
    assert same.digest == patterns.digest
    changed = weights.copy()
    changed[-1, -1] += 1
    others = [
        Patterns.of_weights(shapes, BOUNDARIES, changed),
        with_tempo(patterns),
        Patterns.of_weights(shapes, (16, 36, 53), weights),
        Patterns.of_weights(shape_set(TINY[::-1]), BOUNDARIES, weights),
        random_patterns(TINY, 6),
    ]
    assert len({patterns, same, *others}) == 1 + len(others)
    assert patterns not in others
    assert patterns != "patterns"


def test_the_block_has_cuts() -> None:
    """A cut is where `cut_of` finds it, and leaves the evaluation's own block alone."""
    patterns = random_patterns(TINY, 1)
    given = layout.no_cuts()
    given[3, 4] = 1, -5, 40, 7, 1, 8, 9, 10
    given[24, 64] = 2, -6, 50, 8, 20, 9, 10, 11
    cells = patterns.block(given)
    assert cells.size == layout.PATTERN_CELLS
    places = [*itertools.product(range(layout.MOST_CUT_DEPTH + 3), range(65))]
    firsts = [cut_of(depth, discs) for depth, discs in places]
    found = [cells[first : first + layout.CUT_CELLS].tolist() for first in firsts]
    expected = [given[min(depth, layout.MOST_CUT_DEPTH), discs] for depth, discs in places]
    assert found == [cut.tolist() for cut in expected]
    one = 1 << layout.SLOPE_BITS
    bare = [one, 0, layout.NEVER, 0, 0, one, 0, 0]
    blocks = np.stack([patterns.block(), patterns.block(layout.no_cuts())])
    assert (blocks[:, layout.CUTS :].reshape(-1, layout.CUT_CELLS) == bare).all()
    assert (blocks[:, : layout.CUTS] == cells[: layout.CUTS]).all()
