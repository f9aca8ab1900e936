"""The pattern evaluation: a block of int64 cells, passed around as an address.

    cells                     what
    INSTANCES, LOOKUPS        of the shapes; the same up to a multiple of GATHERED
    PARTS                     of a vector, PART_LANES each
    POWERS, MIDDLES           addresses of those of the shapes, the middles as int32
    UNROLLED                  1 for the shapes DEFAULT_SET, STRONG for STRONG_SET, 0 for others
    BY_SQUARES                1 for a `square_block`
    SCORE                     the value of a disc at the end
    TABLE_OF … + 65           by disc count the address of the tables (int16, DISC a disc)
    TEMPO … + 65              by disc count what the side to move has besides
    REPLY_KEYS … + 34         by number of replies what they add to a move's key in the order
    CUTS …                    by depth and disc count STATIC_SLOPE, …, PROBE_MARGIN: named below

The vector of a position has, for each instance of `shapes.ShapeSet`, the entry of its table for the
discs there, seen by the side to move. The value for that side is the sum of the tables' numbers at
these entries, and of the tempo: what it has by being to move, which changes from one disc count to
the next where parity decides. It is a forecast of the final score.

Weights of squares and terms (`search.evaluation`) can stand in for patterns: see `square_block`.
In a search a position has a state: the address of its vector, or its sum of square weights.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import ZERO, U, final_score, moves_of
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, WIN
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import LANES as VECTOR_LANES
from evolve.engine.compiled.intrinsics import int64, load, popcount
from evolve.engine.patterns import pattern_sums as sums
from evolve.engine.patterns.shape_set import DEFAULT_SET, STRONG_SET, ShapeSet
from evolve.engine.patterns.shapes import PART_LANES
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import evaluate, square_sum, squares_after
from evolve.engine.search.genes import phase_of
from evolve.errors import AgentError

DISC: Final = 256
"""Value of a disc of the final score in evaluations: 64 discs are 16384."""

INSTANCES, PARTS, POWERS, MIDDLES, LOOKUPS, UNROLLED, BY_SQUARES, SCORE, TABLE_OF = range(9)
STRONG: Final = 2
TEMPO: Final = TABLE_OF + 65
REPLY_KEYS: Final = TEMPO + 65
_MOST_REPLIES: Final = 33
_REPLIES: Final = 3.0
"""Discs that the logarithm of the number of replies counts for in the order of moves."""
CUTS: Final = REPLY_KEYS + _MOST_REPLIES + 1
"""Forward cuts of nodes, by depth and disc count.

A static value v predicts a search of that depth as STATIC_SLOPE · v / ONE_SLOPE + STATIC_MEAN. The
node is cut where that is STATIC_MARGIN or more outside of the window, NEVER for no such cut. Where
it is CHECK_MARGIN or more outside, a search of PROBE_DEPTH plies may cut the node (0 for none): a
value w of it is enough where w ≥ (bound + PROBE_MARGIN) · PROBE_SLOPE / ONE_SLOPE for an upper
bound, the mean taken away before, and likewise for a lower one.
"""
STATIC_SLOPE, STATIC_MEAN, STATIC_MARGIN, CHECK_MARGIN = range(4)
PROBE_DEPTH, PROBE_SLOPE, PROBE_MEAN, PROBE_MARGIN, CUT_CELLS = range(4, 9)
SLOPE_BITS: Final = 12
NEVER: Final = 1 << 28
MOST_CUT_DEPTH: Final = 24
PATTERN_CELLS: Final = CUTS + (MOST_CUT_DEPTH + 1) * 65 * CUT_CELLS
MOST_VECTORS: Final = 2 * layout.MAX_DEPTH + 4
"""Vectors of a search.

For each depth one of a child and one after a pass; one to look at a move; and the root's.
"""


@inlined
def cut_of(depth: int, discs: int) -> int:
    """The first cell of the cuts for nodes of `depth` with `discs` discs."""
    return CUTS + (min(depth, MOST_CUT_DEPTH) * 65 + discs) * CUT_CELLS


@inlined
def _place(vector: int, lane: int, patterns: int) -> int:
    """Position of an instance's entry in the tables."""
    return sums.word(load(patterns, MIDDLES) + 4 * lane) + sums.short(vector + 2 * lane)


@inlined
def _shorts_scalar(vector: int, table: int, patterns: int) -> int:
    total = int64(0)
    for lane in range(load(patterns, INSTANCES)):
        total += sums.short(table + 2 * _place(vector, lane, patterns))
    return total


@inlined
def _words_scalar(vector: int, table: int, patterns: int) -> int:
    total = int64(0)
    for lane in range(load(patterns, INSTANCES)):
        total += sums.word(table + 4 * _place(vector, lane, patterns))
    return total


@inlined
def _shorts_gathered(vector: int, table: int, patterns: int) -> int:
    return sums.gather_shorts(vector, table, load(patterns, MIDDLES), load(patterns, LOOKUPS))


@inlined
def _words_gathered(vector: int, table: int, patterns: int) -> int:
    return sums.gather_words(vector, table, load(patterns, MIDDLES), load(patterns, LOOKUPS))


_default_sum = sums.unrolled_sum(DEFAULT_SET.middles.tolist())
_more_sum = sums.unrolled_sum(STRONG_SET.middles.tolist(), len(DEFAULT_SET.instances))
_wide = VECTOR_LANES == 8
sum_shorts = _shorts_gathered if _wide else _shorts_scalar
sum_words = _words_gathered if _wide else _words_scalar


@inlined
def evaluate_vector(vector: int, discs: int, patterns: int) -> int:
    """Value of the position with that vector and `discs` discs, for the side to move."""
    table = load(patterns, TABLE_OF + discs)
    value, unrolled = load(patterns, TEMPO + discs), load(patterns, UNROLLED)
    if unrolled != 0:  # the strong shapes are the default ones, and some more
        value += _default_sum(vector, table)
        return value + _more_sum(vector, table) if unrolled == STRONG else value
    return value + sum_shorts(vector, table, patterns)


@inlined
def follow_move(source: int, target: int, square: int, turned: U, patterns: int) -> None:
    """Write to `target` the vector after a move, seen by the other side."""
    sums.follow(source, target, square, turned, load(patterns, POWERS), load(patterns, PARTS))


@inlined
def read_vector(own: U, opp: U, target: int, patterns: int) -> None:
    """Write to `target` the vector of a position."""
    sums.read_position(own, opp, target, load(patterns, POWERS), load(patterns, PARTS))


@kernel
def position_value(own: U, opp: U, vector: int, patterns: int) -> int:
    """Value of a position for the side with `own`; `vector` is scratch."""
    read_vector(own, opp, vector, patterns)
    return evaluate_vector(vector, popcount(own | opp), patterns)


@inlined
def _vector_at(slot: int, context: int) -> int:
    """Address of one of the context's vectors."""
    size = load(load(context, layout.PATTERNS), PARTS) * sums.PART_BYTES
    return load(context, layout.VECTORS) + slot * size


@inlined
def state_after(state: int, square: int, turned: U, slot: int, context: int) -> int:
    """The state after a move, for the other side; a vector is written to a slot of the context."""
    patterns = load(context, layout.PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return squares_after(state, square, turned, context)
    target = _vector_at(slot, context)
    follow_move(state, target, square, turned, patterns)
    return target


@inlined
def state_passed(state: int, slot: int, context: int) -> int:
    """The state after a pass, as in `state_after`."""
    patterns = load(context, layout.PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return -state
    target = _vector_at(slot, context)
    follow_move(state, target, PASS, ZERO, patterns)
    return target


@inlined
def state_of(own: U, opp: U, context: int) -> int:
    """The state of the root."""
    patterns = load(context, layout.PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return square_sum(own, context) - square_sum(opp, context)
    vector = _vector_at(MOST_VECTORS - 1, context)
    read_vector(own, opp, vector, patterns)
    return vector


@inlined
def static_value(own: U, opp: U, state: int, discs: int, context: int) -> int:
    """Value of a position without a search, for the side with `own`."""
    patterns = load(context, layout.PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return evaluate(own, opp, state, moves_of(own, opp), moves_of(opp, own), context)
    return evaluate_vector(state, discs, patterns)


@inlined
def ended_value(own: U, opp: U, context: int) -> int:
    """Value of a finished game."""
    return final_score(own, opp, load(context, layout.RULES)) * load(
        load(context, layout.PATTERNS), SCORE
    )


@inlined
def leaf_value(own: U, opp: U, state: int, discs: int, context: int) -> int:
    """Value of a leaf without further search; its node is already entered."""
    if moves_of(own, opp) == ZERO and moves_of(opp, own) == ZERO:
        return ended_value(own, opp, context)
    return static_value(own, opp, state, discs, context)


def no_cuts() -> npt.NDArray[np.int64]:
    """The cells of nodes that are never cut, [MOST_CUT_DEPTH + 1, 65, CUT_CELLS]."""
    cells = np.zeros((MOST_CUT_DEPTH + 1, 65, CUT_CELLS), np.int64)
    cells[..., STATIC_SLOPE] = cells[..., PROBE_SLOPE] = 1 << SLOPE_BITS
    cells[..., STATIC_MARGIN] = NEVER
    return cells


def square_block(cuts: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
    """The block for a search by the weights of squares and terms that its context holds.

    Such a search has sums of square weights in place of vectors. cuts: as for `Patterns.block`.
    """
    cells = np.zeros(PATTERN_CELLS, np.int64)
    cells[BY_SQUARES], cells[SCORE] = 1, WIN
    cells[CUTS:] = (no_cuts() if cuts is None else cuts).ravel()
    return cells


class Patterns:
    """An evaluation by patterns.

    Args:
        shapes: the shapes and their tables' layout.
        boundaries: ascending disc counts at which the next phase begins, as in `genes`.
        tables: int16 [phases, entries], DISC for one disc; entries that share a weight are equal.
        tempo: int16 [65], for the side to move by disc count; zeros by default.
    """

    def __init__(
        self,
        shapes: ShapeSet,
        boundaries: tuple[int, ...],
        tables: npt.NDArray[np.int16],
        tempo: npt.NDArray[np.int16] | None = None,
    ) -> None:
        count, entries = len(shapes.instances), shapes.entries
        assert tables.shape == (len(boundaries) + 1, entries), (tables.shape, entries)
        self.shapes, self.boundaries = shapes, boundaries
        self.tempo = np.zeros(65, np.int16) if tempo is None else tempo
        # A gather reads 4 bytes per entry, and lanes beyond the instances read a zero.
        self._tables = np.zeros((len(tables), entries + 2), np.int16)
        self._tables[:, :entries] = tables
        self._middles = np.full(shapes.lanes, entries, np.int32)
        self._middles[:count] = shapes.middles
        cells = self._cells = np.zeros(PATTERN_CELLS, np.int64)
        cells[CUTS:] = no_cuts().ravel()
        cells[INSTANCES] = count
        cells[PARTS] = shapes.lanes // PART_LANES
        cells[POWERS] = shapes.powers.ctypes.data
        cells[MIDDLES] = self._middles.ctypes.data
        cells[LOOKUPS] = count + -count % sums.GATHERED
        cells[UNROLLED] = 1 if shapes == DEFAULT_SET else STRONG if shapes == STRONG_SET else 0
        cells[SCORE] = DISC
        replies = np.maximum(np.arange(_MOST_REPLIES + 1), 0.5)
        cells[REPLY_KEYS : REPLY_KEYS + _MOST_REPLIES + 1] = np.rint(
            _REPLIES * DISC * np.log(replies)
        )
        cells[TEMPO : TEMPO + 65] = self.tempo
        phases = np.array([phase_of(discs, boundaries) for discs in range(65)])
        cells[TABLE_OF : TABLE_OF + 65] = (
            self._tables.ctypes.data + self._tables.strides[0] * phases
        )

    @classmethod
    def of_weights(
        cls,
        shapes: ShapeSet,
        boundaries: tuple[int, ...],
        weights: npt.NDArray[Any],
        tempo: npt.NDArray[Any] | None = None,
    ) -> Patterns:
        """The evaluation with these distinct weights, int16 [phases, weights], and this tempo.

        Raises AgentError where their number or type is wrong.
        """
        if tempo is not None and (tempo.shape != (65,) or tempo.dtype != np.int16):
            raise AgentError(f"the tempo is {tempo.dtype} {list(tempo.shape)}, not int16 [65]")
        wanted = (len(boundaries) + 1, shapes.weights)
        if weights.shape != wanted or weights.dtype != np.int16:
            raise AgentError(
                f"the weights are {weights.dtype} {list(weights.shape)}; these shapes and phases "
                f"need int16 {list(wanted)}"
            )
        return cls(shapes, boundaries, weights[:, shapes.weight_of_entry], tempo)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are rebuilt: the kernels find the data by addresses."""
        return Patterns, (self.shapes, self.boundaries, self.tables, self.tempo)

    @property
    def storage(self) -> npt.NDArray[np.int16]:
        """The memory that kernels read, [phases, entries + 2]; the last two stay 0."""
        return self._tables

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

    def block(self, cuts: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """The block of cells for the kernels, with forward cuts or without.

        cuts [MOST_CUT_DEPTH + 1, 65, CUT_CELLS]: see CUTS. Keep the evaluation as long as the
        block.
        """
        cells = self._cells.copy()
        if cuts is not None:
            cells[CUTS:] = cuts.ravel()
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
        """A hash of the weights and the tempo."""
        hashed = hashlib.sha256(np.ascontiguousarray(self.weights).tobytes())
        hashed.update(self.tempo.tobytes())
        return hashed.hexdigest()
