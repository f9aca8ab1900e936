"""Shapes: sets of squares whose contents a pattern evaluation looks up. No numba is loaded here.

Every image of a shape under the board's eight symmetries is an instance of it, and all instances
of a shape share one table, with an entry for each way to fill its squares. The contents are read
as a number in balanced ternary: own disc 1, empty 0, other disc −1, times 3**k for square number k
of the shape. So the entries of a shape of n squares go from −(3**n − 1) / 2 to (3**n − 1) / 2, and
to negate one is to swap the sides. Where a symmetry maps a shape onto itself, entries that are
each other's images are one weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from evolve.engine.board.squares import square_name
from evolve.errors import AgentError

if TYPE_CHECKING:  # settings import this: numpy is loaded on use, where arrays are made
    import numpy as np

MOST_SQUARES: Final = 10
"""Most squares of a shape: its entries must fit into 16 bits."""
MOST_INSTANCES: Final = 256
PART_LANES: Final = 64
"""Instances are padded to a multiple of this, the numbers that one piece of vector code adds.

So many hold all of the shapes that come with evolve: with 32 the discs were gone through twice.
"""

Squares = tuple[int, ...]

_SQUARE: Final = "([a-h])([1-8])"
_SPAN: Final = re.compile(f"{_SQUARE}(?:([-/]){_SQUARE})?")


def _images(square: int) -> Squares:
    """The images of a square under the eight symmetries; the first is the square itself."""
    x, y = square % 8, square // 8
    return tuple(
        8 * row + column
        for a, b in ((x, y), (y, x))
        for column, row in ((a, b), (7 - a, b), (a, 7 - b), (7 - a, 7 - b))
    )


_IMAGES: Final = [_images(square) for square in range(64)]


def images_of(squares: Squares) -> list[Squares]:
    """The eight images of a list of squares, in its order."""
    return [tuple(_IMAGES[square][turn] for square in squares) for turn in range(8)]


def _all_placements(steps: Sequence[tuple[int, int]]) -> Iterator[Squares]:
    """Every placement of a form on the board, given by its steps from the first square.

    Of placements that are images of each other, only one.
    """
    seen: set[frozenset[int]] = set()
    for first in range(64):
        places = [(first % 8 + dx, first // 8 + dy) for dx, dy in steps]
        if all(0 <= x < 8 and 0 <= y < 8 for x, y in places):
            squares = tuple(8 * y + x for x, y in places)
            if frozenset(squares) not in seen:
                seen.update(map(frozenset, images_of(squares)))
                yield squares


def _lines(length: int) -> tuple[str, ...]:
    """Every straight line of `length` squares."""
    straight = [(step, 0) for step in range(length)]
    slanted = [(step, step) for step in range(length)]
    placed = (*_all_placements(straight), *_all_placements(slanted))
    return tuple(" ".join(map(square_name, squares)) for squares in placed)


def _blocks(width: int) -> tuple[str, ...]:
    """Every block of 2 × `width` squares."""
    placed = _all_placements([(x, y) for y in range(2) for x in range(width)])
    return tuple(" ".join(map(square_name, squares)) for squares in placed)


SETS: Final = {
    "corner": ("a1-c3",),
    "edge": ("a1-h1 b2 g2",),
    "corner-2x5": ("a1-e2",),
    "rows": ("a2-h2", "a3-h3", "a4-h4"),
    "diagonals": ("a1/h8", "a2/g8", "a3/f8", "a4/e8", "a5/d8"),
    "centre": ("b2-d4", "c3-e5"),
    "lines-2": _lines(2),
    "lines-3": _lines(3),
    "lines-4": _lines(4),
    "lines-6": _lines(6),
    "blocks-2x2": _blocks(2),
    "blocks-2x3": _blocks(3),
}
"""Sets of shapes by name."""

DEFAULT_SHAPES: Final = ("corner", "edge", "corner-2x5", "rows", "diagonals")
STRONG_SHAPES: Final = (*DEFAULT_SHAPES, "centre")


def parse_shape(text: str) -> Squares:
    """The squares of a shape as text; raises AgentError.

    The text names squares, blocks as `a1-c3` and diagonals as `a1/h8`, with spaces or `+` between.
    """
    squares: list[int] = []
    for part in text.replace("+", " ").split():
        found = _SPAN.fullmatch(part.lower())
        if not found:
            raise AgentError(
                f"{part!r} is not part of a shape: write squares (b2), blocks (a1-c3) or diagonals "
                f"(a1/h8), or name a set: {', '.join(SETS)}"
            )
        squares += _span(*found.groups())
    if len(set(squares)) != len(squares):
        raise AgentError(f"the shape {text!r} has a square twice")
    if not 1 <= len(squares) <= MOST_SQUARES:
        raise AgentError(
            f"the shape {text!r} has {len(squares)} squares; there may be 1 to {MOST_SQUARES}"
        )
    return tuple(squares)


def _span(
    column: str, row: str, sign: str | None, last_column: str | None, last_row: str | None
) -> list[int]:
    x, y = ord(column) - ord("a"), int(row) - 1
    if sign is None or last_column is None or last_row is None:
        return [8 * y + x]
    last_x, last_y = ord(last_column) - ord("a"), int(last_row) - 1
    across = range(x, last_x + 1) if x <= last_x else range(x, last_x - 1, -1)
    down = range(y, last_y + 1) if y <= last_y else range(y, last_y - 1, -1)
    if sign == "-":
        return [8 * b + a for b in down for a in across]
    if len(across) != len(down):
        raise AgentError(f"{column}{row}/{last_column}{last_row} is not a diagonal")
    return [8 * b + a for a, b in zip(across, down, strict=True)]


def shape_text(squares: Squares) -> str:
    """A shape as text that `parse_shape` reads."""
    return " ".join(map(square_name, squares))


def parse_shapes(texts: Sequence[str]) -> tuple[Squares, ...]:
    """The shapes of a list: each item names a set, or is a shape as text. Raises AgentError."""
    shapes = [
        parse_shape(shape) for text in texts for shape in SETS.get(text.strip().lower(), (text,))
    ]
    return tuple(shapes)


def random_shape(count: int, rng: np.random.Generator) -> Squares:
    """`count` squares (1 to 10), each beside an earlier one, in any direction."""
    squares = [int(rng.integers(64))]
    while len(squares) < count:
        near = _neighbours(squares[int(rng.integers(len(squares)))])
        square = near[int(rng.integers(len(near)))]
        if square not in squares:
            squares.append(square)
    return tuple(squares)


def _neighbours(square: int) -> list[int]:
    x, y = square % 8, square // 8
    return [
        8 * b + a
        for a in range(max(0, x - 1), min(7, x + 1) + 1)
        for b in range(max(0, y - 1), min(7, y + 1) + 1)
        if (a, b) != (x, y)
    ]


def check_shapes(shapes: Sequence[Squares]) -> None:
    """Raise AgentError where shapes are images of each other, or there are none or too many."""
    if not shapes:
        raise AgentError("there are no shapes")
    seen: dict[frozenset[int], Squares] = {}
    for squares in shapes:
        for image in {frozenset(image) for image in images_of(squares)}:
            if image in seen:
                raise AgentError(
                    f"the shape {shape_text(squares)!r} is the same as, or an image of, "
                    f"{shape_text(seen[image])!r}"
                )
            seen[image] = squares
    if len(seen) > MOST_INSTANCES:
        raise AgentError(
            f"the shapes have {len(seen)} images on the board; there may be {MOST_INSTANCES}"
        )
