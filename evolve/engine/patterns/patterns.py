"""The pattern evaluation: a block of int64 cells, passed around as an address.

    cells                     what
    0 … 5                     INSTANCES, PARTS, …, IS_DEFAULT: named below
    TABLE_OF … + 65           by disc count the address of the tables (int16, DISC a disc)
    CUTS …                    by depth and group of disc counts SHALLOW, MEAN and MARGIN, in
                              evaluations: see `pattern_search`

The vector of a position has, for each instance of `shapes.ShapeSet`, the entry of its table for the
discs there, seen by the side to move. The value for that side is the sum of the tables' numbers at
these entries. It is a forecast of the final score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import LANES as VECTOR_LANES
from evolve.engine.compiled.intrinsics import int64, load, popcount
from evolve.engine.patterns.pattern_sums import (
    GATHERED,
    PART_BYTES,
    follow,
    gather_shorts,
    gather_words,
    read_position,
    short,
    unrolled_sum,
    word,
)
from evolve.engine.patterns.shapes import DEFAULT_SET, PART_LANES, ShapeSet
from evolve.engine.search.genes import phase_of
from evolve.errors import AgentError

DISC: Final = 256
"""Value of a disc of the final score in evaluations: 64 discs are 16384."""

INSTANCES: Final = 0
PARTS: Final = 1  # of a vector, 32 lanes each
POWERS: Final = 2  # address of `ShapeSet.powers`
MIDDLES: Final = 3  # address of `ShapeSet.middles` as int32, padded to `lanes`
LOOKUPS: Final = 4  # INSTANCES, up to a multiple of 16
IS_DEFAULT: Final = 5  # 1 where the shapes are `shapes.DEFAULT_SHAPES`
TABLE_OF: Final = 6
CUTS: Final = TABLE_OF + 65
SHALLOW: Final = 0  # of a cut: depth of the shallow search, 0 for no cut
MEAN: Final = 1  # by how much the deep value exceeds the shallow one on average
MARGIN: Final = 2  # how far it may be from there
CUT_CELLS: Final = 4
MOST_CUT_DEPTH: Final = 24
DISC_GROUPS: Final = 8
"""Disc counts are grouped in eights."""
PATTERN_CELLS: Final = CUTS + (MOST_CUT_DEPTH + 1) * DISC_GROUPS * CUT_CELLS


@inlined
def cut_of(depth: int, discs: int) -> int:
    """The first cell of the cut for nodes of `depth` with `discs` discs."""
    return CUTS + (depth * DISC_GROUPS + min(discs >> 3, DISC_GROUPS - 1)) * CUT_CELLS


@inlined
def _place(vector: int, lane: int, patterns: int) -> int:
    """Position of an instance's entry in the tables."""
    return word(load(patterns, MIDDLES) + 4 * lane) + short(vector + 2 * lane)


@inlined
def _shorts_scalar(vector: int, table: int, patterns: int) -> int:
    total = int64(0)
    for lane in range(load(patterns, INSTANCES)):
        total += short(table + 2 * _place(vector, lane, patterns))
    return total


@inlined
def _words_scalar(vector: int, table: int, patterns: int) -> int:
    total = int64(0)
    for lane in range(load(patterns, INSTANCES)):
        total += word(table + 4 * _place(vector, lane, patterns))
    return total


@inlined
def _shorts_gathered(vector: int, table: int, patterns: int) -> int:
    return gather_shorts(vector, table, load(patterns, MIDDLES), load(patterns, LOOKUPS))


@inlined
def _words_gathered(vector: int, table: int, patterns: int) -> int:
    return gather_words(vector, table, load(patterns, MIDDLES), load(patterns, LOOKUPS))


_default_sum = unrolled_sum(DEFAULT_SET.middles.tolist())
_wide = VECTOR_LANES == 8
sum_shorts = _shorts_gathered if _wide else _shorts_scalar
sum_words = _words_gathered if _wide else _words_scalar


@inlined
def evaluate_vector(vector: int, discs: int, patterns: int) -> int:
    """Value of the position with that vector and `discs` discs, for the side to move."""
    table = load(patterns, TABLE_OF + discs)
    if load(patterns, IS_DEFAULT) != 0:
        return _default_sum(vector, table)
    return sum_shorts(vector, table, patterns)


@inlined
def follow_move(source: int, target: int, square: int, turned: np.uint64, patterns: int) -> None:
    """Write to `target` the vector after a move, seen by the other side."""
    follow(source, target, square, turned, load(patterns, POWERS), load(patterns, PARTS))


@inlined
def read_vector(own: np.uint64, opp: np.uint64, target: int, patterns: int) -> None:
    """Write to `target` the vector of a position."""
    read_position(own, opp, target, load(patterns, POWERS), load(patterns, PARTS))


@inlined
def vector_size(patterns: int) -> int:
    """Bytes of a vector."""
    return load(patterns, PARTS) * PART_BYTES


@kernel
def position_value(own: np.uint64, opp: np.uint64, vector: int, patterns: int) -> int:
    """Value of a position for the side with `own`; `vector` is scratch."""
    read_vector(own, opp, vector, patterns)
    return evaluate_vector(vector, popcount(own | opp), patterns)


Cuts = Mapping[tuple[int, int], tuple[int, int, int]]


class Patterns:
    """An evaluation by patterns.

    Args:
        shapes: the shapes and their tables' layout.
        boundaries: ascending disc counts at which the next phase begins, as in `phases`.
        tables: int16 [phases, entries], DISC for one disc; entries that share a weight are equal.
    """

    def __init__(
        self, shapes: ShapeSet, boundaries: tuple[int, ...], tables: npt.NDArray[np.int16]
    ) -> None:
        count, entries = len(shapes.instances), shapes.entries
        assert tables.shape == (len(boundaries) + 1, entries), (tables.shape, entries)
        self.shapes, self.boundaries = shapes, boundaries
        # A gather reads 4 bytes per entry, and lanes beyond the instances read a zero.
        self._tables = np.zeros((len(tables), entries + 2), np.int16)
        self._tables[:, :entries] = tables
        self._middles = np.full(shapes.lanes, entries, np.int32)
        self._middles[:count] = shapes.middles
        cells = self._cells = np.zeros(PATTERN_CELLS, np.int64)
        cells[INSTANCES] = count
        cells[PARTS] = shapes.lanes // PART_LANES
        cells[POWERS] = shapes.powers.ctypes.data
        cells[MIDDLES] = self._middles.ctypes.data
        cells[LOOKUPS] = count + -count % GATHERED
        cells[IS_DEFAULT] = shapes == DEFAULT_SET
        phases = np.array([phase_of(discs, boundaries) for discs in range(65)])
        cells[TABLE_OF : TABLE_OF + 65] = (
            self._tables.ctypes.data + self._tables.strides[0] * phases
        )

    @classmethod
    def of_weights(
        cls, shapes: ShapeSet, boundaries: tuple[int, ...], weights: npt.NDArray[Any]
    ) -> Patterns:
        """The evaluation with these distinct weights, int16 [phases, weights].

        Raises AgentError where their number or type is wrong.
        """
        wanted = (len(boundaries) + 1, shapes.weights)
        if weights.shape != wanted or weights.dtype != np.int16:
            raise AgentError(
                f"the weights are {weights.dtype} {list(weights.shape)}; these shapes and phases "
                f"need int16 {list(wanted)}"
            )
        return cls(shapes, boundaries, weights[:, shapes.weight_of_entry])

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are rebuilt: the kernels find the data by addresses."""
        return Patterns, (self.shapes, self.boundaries, self.tables)

    @property
    def tables(self) -> npt.NDArray[np.int16]:
        """The numbers of all entries, [phases, entries]."""
        return self._tables[:, : self.shapes.entries]

    @property
    def weights(self) -> npt.NDArray[np.int16]:
        """The distinct weights, [phases, weights], as files hold them."""
        return self.tables[:, self.shapes.first_entries]

    @property
    def address(self) -> int:
        """Address of its block without cuts; keep this object as long as the address is in use."""
        return int(self._cells.ctypes.data)

    def block(self, cuts: Cuts) -> npt.NDArray[np.int64]:
        """The block of cells for the kernels, with forward cuts.

        `cuts` gives the shallow depth, mean and margin by depth and group of disc counts. Keep the
        evaluation as long as the block.
        """
        cells = self._cells.copy()
        for (depth, group), values in cuts.items():
            start = CUTS + (depth * DISC_GROUPS + group) * CUT_CELLS
            cells[start : start + len(values)] = values
        return cells

    def value(self, board: Board) -> int:
        """Its value of a position for the side to move, DISC for one disc."""
        vector = np.zeros(self.shapes.lanes, np.int16)
        own, opp = U(board.own), U(board.opp)
        return int(position_value(own, opp, vector.ctypes.data, self._cells.ctypes.data))

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same shapes and values every position alike."""
        if not isinstance(other, Patterns):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[ShapeSet, tuple[int, ...], str]:
        return self.shapes, self.boundaries, self.digest

    @cached_property
    def digest(self) -> str:
        """A hash of the weights."""
        return hashlib.sha256(np.ascontiguousarray(self.weights).tobytes()).hexdigest()
