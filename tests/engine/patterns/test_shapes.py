"""Shapes: their text, their images, and entries that are one weight, against slow listings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evolve.engine.board.squares import square_name
from evolve.engine.patterns.shape_set import DEFAULT_SET, STRONG_SET, ShapeSet
from evolve.engine.patterns.shapes import (
    DEFAULT_SHAPES,
    MOST_INSTANCES,
    MOST_SQUARES,
    PART_LANES,
    SETS,
    STRONG_SHAPES,
    images_of,
    parse_shape,
    parse_shapes,
    random_shape,
    shape_text,
)
from evolve.errors import AgentError
from tests import reference


def shapes_of(*texts: str) -> ShapeSet:
    return ShapeSet(parse_shapes(texts))


@pytest.mark.parametrize(
    ("text", "squares"),
    [
        ("a1", "a1"), ("h8 a1 d3", "h8 a1 d3"), ("a1-c1", "a1 b1 c1"), ("c1-a1", "c1 b1 a1"),
        ("a1-a3", "a1 a2 a3"), ("b2-c4", "b2 c2 b3 c3 b4 c4"), ("c4-b2", "c4 b4 c3 b3 c2 b2"),
        ("a1/c3", "a1 b2 c3"), ("c3/a1", "c3 b2 a1"), ("c1/a3", "c1 b2 a3"), ("a3/c1", "a3 b2 c1"),
        ("a1-a1", "a1"), ("a1/a1", "a1"), ("a1-b2+d4", "a1 b1 a2 b2 d4"),
        ("a1 + b2 +  c3", "a1 b2 c3"), (" A1-C1\tB2 ", "a1 b1 c1 b2"), ("A1/C3+E5", "a1 b2 c3 e5"),
    ],
)  # fmt: skip
def test_text(text: str, squares: str) -> None:
    found = parse_shape(text)
    assert " ".join(map(square_name, found)) == shape_text(found) == squares


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("a1-h1 b2-d2",), "the shape 'a1-h1 b2-d2' has 11 squares; there may be 1 to 10"),
        (("",), "the shape '' has 0 squares; there may be 1 to 10"),
        (("a1-c3 b2",), "the shape 'a1-c3 b2' has a square twice"),
        (("a1/c2",), "a1/c2 is not a diagonal"),
        (("D1/D4",), "d1/d4 is not a diagonal"),
        (("corners",), "'corners' is not part of a shape: write squares"),
        (("a9",), "'a9' is not part of a shape: write squares"),
        (("a1-",), "'a1-' is not part of a shape: write squares"),
        (("a1 corner",), "'corner' is not part of a shape: write squares"),
        (("corner", "f6-h8"), "the shape 'f6 g6 h6 f7 g7 h7 f8 g8 h8' is the same as, or an image"),
        (("a1 b1", "b1 a1"), "the shape 'b1 a1' is the same as, or an image of, 'a1 b1'"),
        (("edge", "edge"), "'a1 b1 c1 d1 e1 f1 g1 h1 b2 g2' is the same as, or an image of,"),
        (("lines-2", "lines-3"), "the shapes have 378 images on the board; there may be 256"),
        ((), "there are no shapes"),
    ],
)
def test_errors_are_one_line(texts: tuple[str, ...], told: str) -> None:
    with pytest.raises(AgentError) as raised:
        shapes_of(*texts)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_names_of_sets() -> None:
    assert parse_shapes(["Corner", " ROWS "]) == tuple(
        map(parse_shape, ("a1-c3", "a2-h2", "a3-h3", "a4-h4"))
    )
    assert parse_shapes(["rows", "a1"])[-1] == (0,)
    assert not [name for name in SETS if max(map(len, parse_shapes([name]))) > MOST_SQUARES]


@pytest.mark.parametrize(
    ("texts", "shapes", "instances", "entries", "weights"),
    [
        (DEFAULT_SHAPES, 11, 46, 167265, 113877),
        (STRONG_SHAPES, 13, 54, 206631, 134289),
        (("lines-2",), 32, 210, 288, 264),
        (("lines-4",), 21, 130, 1701, 1449),
        (("lines-4", "blocks-2x2"), 31, 179, 2511, 2010),
        (("lines-6", "blocks-2x3", "a4/e8", "a5/d8"), 26, 158, 17820, 14517),
        (("a1",), 1, 4, 3, 3),
        (("b1",), 1, 8, 3, 3),
    ],
)
def test_sizes(
    texts: tuple[str, ...], shapes: int, instances: int, entries: int, weights: int
) -> None:
    found = shapes_of(*texts)
    assert len(found.shapes) == shapes
    assert len(found.instances) == instances <= MOST_INSTANCES
    assert found.entries == entries
    assert found.weights == weights
    assert found.lanes % PART_LANES == 0
    assert 0 <= found.lanes - instances < PART_LANES


def test_the_default_set_is_that_of_the_default_names() -> None:
    assert len({shapes_of(*DEFAULT_SHAPES), DEFAULT_SET, shapes_of("corner")}) == 2
    assert shapes_of(*STRONG_SHAPES) == STRONG_SET
    # The kernels add what the strong shapes have beyond these to the sum of these.
    count = len(DEFAULT_SET.instances)
    assert STRONG_SET.instances[:count] == DEFAULT_SET.instances
    assert (STRONG_SET.middles[:count] == DEFAULT_SET.middles).all()


@pytest.mark.parametrize("length", [2, 3, 4, 6])
def test_lines_are_all_lines(length: int) -> None:
    placed = [frozenset(squares) for _, squares in shapes_of(f"lines-{length}").instances]
    assert len(placed) == len(set(placed))
    assert set(placed) == {
        frozenset([square, *(bit.bit_length() - 1 for bit in ray[: length - 1])])
        for square, rays in enumerate(reference.RAYS)
        for ray in rays
        if len(ray) >= length - 1
    }


@pytest.mark.parametrize(("width", "count"), [(2, 49), (3, 84)])
def test_blocks_are_all_blocks(width: int, count: int) -> None:
    placed = [frozenset(squares) for _, squares in shapes_of(f"blocks-2x{width}").instances]
    assert len(placed) == len(set(placed)) == count
    assert set(placed) == {
        frozenset(8 * (y + dy) + x + dx for dy in range(height) for dx in range(columns))
        for columns, height in ((2, width), (width, 2))
        for x in range(9 - columns)
        for y in range(9 - height)
    }


def test_images_are_the_symmetries() -> None:
    squares = parse_shape("a1 b1 c1 c2 d7")
    assert images_of(squares)[0] == squares
    assert set(images_of(squares)) == {
        tuple(turn[square] for square in squares) for turn in reference.SYMMETRIES
    }


def test_random_shapes_hang_together() -> None:
    rng = np.random.default_rng(0)
    counts = [count for count in range(1, MOST_SQUARES + 1) for _ in range(50)]
    shapes = [random_shape(count, rng) for count in counts]
    assert [len(set(squares)) for squares in shapes] == counts
    assert [parse_shape(shape_text(squares)) for squares in shapes] == shapes
    assert not [
        (square, squares)
        for squares in shapes
        for place, square in enumerate(squares[1:], 1)
        if not any(
            max(abs(square % 8 - one % 8), abs(square // 8 - one // 8)) == 1
            for one in squares[:place]
        )
    ]
    drawn = [random_shape(6, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


SOME_SETS = pytest.mark.parametrize(
    "texts", [DEFAULT_SHAPES, ("lines-4", "blocks-2x2"), ("lines-2",), ("a1-b2", "d4-e5"), ("a1",)]
)


@SOME_SETS
def test_layout(texts: tuple[str, ...]) -> None:
    """Instances are the distinct images, each with a place in its table and its powers."""
    shapes = shapes_of(*texts)
    for number, squares in enumerate(shapes.shapes):
        placed = [image for shape, image in shapes.instances if shape == number]
        assert squares in placed
        assert set(placed) <= set(images_of(squares))
        assert len(set(map(frozenset, placed))) == len(placed)
        assert set(map(frozenset, placed)) == set(map(frozenset, images_of(squares)))
    sizes = [3 ** len(squares) for squares in shapes.shapes]
    assert shapes.starts.tolist() == [0, *itertools.accumulate(sizes)]
    assert [shape for shape, _ in shapes.instances] == sorted(s for s, _ in shapes.instances)
    powers = np.zeros((65, shapes.lanes), np.int64)
    for lane, (number, squares) in enumerate(shapes.instances):
        for place, square in enumerate(squares):
            powers[square, lane] = 3**place
        assert shapes.middles[lane] == shapes.starts[number] + 3 ** len(squares) // 2
    assert (shapes.powers == powers).all()
    assert shapes.powers.dtype == np.int16


@SOME_SETS
def test_ties(texts: tuple[str, ...]) -> None:
    """The classes of entries run round and hang together with the numbers of the weights."""
    shapes = shapes_of(*texts)
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
        ours, last = canonical[start:end], start + end - 1
        assert (ours >= start).all()
        # To swap the sides of two fillings that are one weight keeps them one weight.
        assert (canonical[last - entries[start:end]] == canonical[last - ours]).all()


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("a1-b2", 54), ("d4-e5", 21), ("a1-c1", 27), ("c1-f1", 45), ("a1/d4", 81),
        ("c3 c6 f3 f6", 21),
    ],
)  # fmt: skip
def test_ties_of_small_shapes(text: str, weights: int) -> None:
    """Two ways to fill a shape are one weight where a turn of the board makes one the other."""
    shapes = shapes_of(text)
    (squares,) = shapes.shapes
    classes: dict[frozenset[tuple[int, ...]], list[int]] = {}
    kept = [turn for turn in reference.SYMMETRIES if {turn[s] for s in squares} == set(squares)]
    for cells in itertools.product((-1, 0, 1), repeat=len(squares)):
        entry = 3 ** len(squares) // 2 + sum(3**k * cell for k, cell in enumerate(cells))
        on_board = dict(zip(squares, cells, strict=True))
        alike = frozenset(tuple(on_board[turn[s]] for s in squares) for turn in kept)
        classes.setdefault(alike, []).append(entry)
    assert len(classes) == weights == shapes.weights
    for some in classes.values():
        some.sort()
        assert (shapes.canonical[some] == some[0]).all()
        assert len(set(shapes.weight_of_entry[some].tolist())) == 1
        assert shapes.following[some].tolist() == [*some[1:], some[0]]
