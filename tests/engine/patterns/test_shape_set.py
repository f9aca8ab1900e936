"""Sets of shapes: where their tables lie, and which fillings are one weight."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import DEFAULT_SHAPES, images_of
from tests import reference
from tests.engine.patterns.test_shapes import shapes_of


def check_layout(shapes: ShapeSet) -> None:
    """Instances are the distinct images, each with a place in its table and its powers."""
    assert shapes.starts[0] == 0
    for number, squares in enumerate(shapes.shapes):
        placed = [image for shape, image in shapes.instances if shape == number]
        assert squares in placed
        assert set(placed) <= set(images_of(squares))
        assert len(set(map(frozenset, placed))) == len(placed)
        assert set(map(frozenset, placed)) == set(map(frozenset, images_of(squares)))
        assert shapes.starts[number + 1] - shapes.starts[number] == 3 ** len(squares)
    assert [shape for shape, _ in shapes.instances] == sorted(s for s, _ in shapes.instances)
    powers = np.zeros((65, shapes.lanes), np.int64)
    for lane, (number, squares) in enumerate(shapes.instances):
        for place, square in enumerate(squares):
            powers[square, lane] = 3**place
        assert shapes.middles[lane] == shapes.starts[number] + 3 ** len(squares) // 2
    assert (shapes.powers == powers).all()
    assert shapes.powers.dtype == np.int16


def check_ties(shapes: ShapeSet) -> None:
    """The classes of entries run round and hang together with the numbers of the weights."""
    entries = np.arange(shapes.entries)
    canonical, following = shapes.canonical.astype(np.int64), shapes.following.astype(np.int64)
    assert (canonical <= entries).all()
    assert (canonical[canonical] == canonical).all()
    assert (np.sort(following) == entries).all()
    assert (canonical[following] == canonical).all()
    # Upwards inside a class, and from its last entry back to the first: one circle for each.
    back = following <= entries
    assert (following[back] == canonical[back]).all()
    assert back.sum() == shapes.weights
    assert (shapes.first_entries == np.flatnonzero(canonical == entries)).all()
    assert (shapes.first_entries[shapes.weight_of_entry] == canonical).all()
    for start, end in itertools.pairwise(shapes.starts):
        assert (canonical[start:end] >= start).all()
        # To swap the sides of two fillings that are one weight keeps them one weight.
        swapped = (start + end - 1) - np.arange(start, end)
        ours = canonical[start:end]
        assert (canonical[swapped] == canonical[(start + end - 1) - ours]).all()


@pytest.mark.parametrize(
    "texts",
    [DEFAULT_SHAPES, ("lines-4", "blocks-2x2"), ("lines-2",), ("a1-b2", "d4-e5"), ("a1",)],
)
def test_layout_and_ties(texts: tuple[str, ...]) -> None:
    shapes = shapes_of(*texts)
    check_layout(shapes)
    check_ties(shapes)


def fillings(count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every entry of a table, with what it says of each square: −1, 0 or 1."""
    for cells in itertools.product((-1, 0, 1), repeat=count):
        yield sum(3**k * cell for k, cell in enumerate(cells)) + 3**count // 2, cells


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("a1-b2", 54),
        ("d4-e5", 21),
        ("a1-c1", 27),
        ("c1-f1", 45),
        ("a1/d4", 81),
        ("c3 c6 f3 f6", 21),
    ],
)
def test_ties_of_small_shapes(text: str, weights: int) -> None:
    """Two ways to fill a shape are one weight where a turn of the board makes one the other."""
    shapes = shapes_of(text)
    (squares,) = shapes.shapes
    classes: dict[frozenset[tuple[int, ...]], list[int]] = {}
    kept = [turn for turn in reference.SYMMETRIES if {turn[s] for s in squares} == set(squares)]
    for entry, cells in fillings(len(squares)):
        on_board = dict(zip(squares, cells, strict=True))
        alike = frozenset(tuple(on_board[turn[s]] for s in squares) for turn in kept)
        classes.setdefault(alike, []).append(entry)
    assert len(classes) == weights == shapes.weights
    for some in classes.values():
        some.sort()
        assert (shapes.canonical[some] == some[0]).all()
        assert len(set(shapes.weight_of_entry[some].tolist())) == 1
        walked, entry = [], some[0]
        for _ in some:
            walked.append(entry)
            entry = int(shapes.following[entry])
        assert walked == some
        assert entry == some[0]
