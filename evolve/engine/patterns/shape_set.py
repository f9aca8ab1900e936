"""A set of shapes with the layout of their tables, as arrays for kernels; see `shapes`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.patterns.shapes import (
    DEFAULT_SHAPES,
    PART_LANES,
    STRONG_SHAPES,
    Squares,
    check_shapes,
    images_of,
    parse_shapes,
)
from evolve.engine.search.context import zeros_in_lines


@dataclass(frozen=True)
class ShapeSet:
    """Shapes, their instances and the layout of their tables: everything that kernels need.

    Raises AgentError where shapes are images of each other, or there are none or too many.
    """

    shapes: tuple[Squares, ...]

    def __post_init__(self) -> None:
        check_shapes(self.shapes)

    @cached_property
    def instances(self) -> tuple[tuple[int, Squares], ...]:
        """Number of the shape and squares of every instance, shape by shape."""
        found = []
        for number, squares in enumerate(self.shapes):
            distinct = {frozenset(image): image for image in reversed(images_of(squares))}
            found += [(number, image) for image in reversed(distinct.values())]
        return tuple(found)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Start of each shape's table, and the end of the last one, in entries."""
        sizes = [3 ** len(squares) for squares in self.shapes]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def entries(self) -> int:
        """Entries of all tables of a phase."""
        return int(self.starts[-1])

    @property
    def lanes(self) -> int:
        """Length of the vector that holds an entry for every instance."""
        count = len(self.instances)
        return count + -count % PART_LANES

    @cached_property
    def middles(self) -> npt.NDArray[np.int64]:
        """For each instance the place of entry 0 of its table, [instances]."""
        numbers = np.array([number for number, _ in self.instances])
        middles: npt.NDArray[np.int64] = (self.starts[numbers] + self.starts[numbers + 1] - 1) // 2
        return middles

    @cached_property
    def powers(self) -> npt.NDArray[np.int16]:
        """What an own disc on each square adds to the entry of each instance, [65, lanes].

        Square 64, a pass, adds nothing.
        """
        powers = zeros_in_lines(65 * self.lanes, np.int16).reshape(65, self.lanes)
        for lane, (_, squares) in enumerate(self.instances):
            for exponent, square in enumerate(squares):
                powers[square, lane] = 3**exponent
        return powers

    @cached_property
    def lanes_of_squares(self) -> npt.NDArray[np.uint64]:
        """For each square a bit for each instance that has it, [64, words]."""
        lanes = np.zeros((64, self.lanes + -self.lanes % 64), bool)
        lanes[:, : self.lanes] = self.powers[:64] != 0
        return np.packbits(lanes, axis=1, bitorder="little").view(np.uint64)

    @cached_property
    def canonical(self) -> npt.NDArray[np.int32]:
        """For each entry the lowest one with the same weight, [entries]."""
        parts = []
        for start, squares in zip(self.starts, self.shapes, strict=False):
            parts.append(start + _least_images(squares))
        return np.concatenate(parts).astype(np.int32)

    @cached_property
    def following(self) -> npt.NDArray[np.int32]:
        """For each entry the next one with the same weight, in a cycle, [entries]."""
        order = np.lexsort((np.arange(self.entries), self.canonical))
        least = self.canonical[order]
        first = np.flatnonzero(np.diff(least, prepend=-1))
        last = np.append(first[1:], self.entries) - 1
        following = np.empty(self.entries, np.int32)
        following[order] = np.roll(order, -1)
        following[order[last]] = order[first]
        return following

    @cached_property
    def first_entries(self) -> npt.NDArray[np.int64]:
        """The first entry of each distinct weight, [weights]."""
        return np.flatnonzero(self.canonical == np.arange(self.entries))

    @cached_property
    def weight_of_entry(self) -> npt.NDArray[np.int64]:
        """The number of each entry's weight, [entries]."""
        return np.searchsorted(self.first_entries, self.canonical)

    @property
    def weights(self) -> int:
        """Distinct weights of a phase."""
        return len(self.first_entries)


def _least_images(squares: Squares) -> npt.NDArray[np.int64]:
    """For each entry of a shape's table the lowest of its images by symmetries of the shape."""
    count = len(squares)
    entries = np.arange(3**count)
    digits = entries[:, None] // 3 ** np.arange(count) % 3
    least = entries
    for image in images_of(squares):
        if set(image) == set(squares):
            places = [image.index(square) for square in squares]
            least = np.minimum(least, digits[:, places] @ 3 ** np.arange(count))
    return least


DEFAULT_SET: Final = ShapeSet(parse_shapes(DEFAULT_SHAPES))
STRONG_SET: Final = ShapeSet(parse_shapes(STRONG_SHAPES))
