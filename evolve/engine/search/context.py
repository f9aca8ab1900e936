"""The memory block of a search: one int64 array, passed around as an address.

    cells                        what
    NODES, BUDGET, STOPPED       nodes entered, their limit, and whether the search was stopped
    RULES                        the code of the rules
    TABLE_BITS, AGE              size and age of the transposition table
    OTHER_TERMS                  whether a term beside squares and mobility has a weight
    TABLE_DEPTH                  a search uses the table from that depth on, 0 for never
    SEARCH, SOLVER, LOOK         addresses of the compiled search, solver and `look`
    DEADLINE                     nanoseconds of the clock at which a search ends, 0 for never
    CLOCK, NOW, NOW + 1          address of the system's clock, and the cells that it writes to
    DISC_SIGN, CORNERS_LAST      what the rules let the search assume, see `rules.RuleSet`
    MOST_NODES                   of a search by the clock, 0 for no limit
    PATTERNS                     address of the pattern evaluation, 0 for none; see `patterns`
    VECTORS                      address of the vectors of positions being searched
    LISTING                      address of the solver's listing by patterns, 0 for none
    HINTS                        address of a context whose table the solver asks for moves to
                                 try first, 0 for none
    WEIGHTS … WEIGHTS + TERMS    the parameters of the phase chosen at the root
    SQUARE_WEIGHTS …             the weight of each square
    ROWS …                       for each kind of row (1 and 8, 2 and 7, 3 and 6, 4 and 5) the sum
                                 of square weights per byte of discs
    FRAMES …                     per depth (or empties) a frame: moves, see `ordering.pick`, then
                                 by square from TURNED on the discs that a move turns, from SQUARES
                                 on the sum of square weights after it, from REPLIES on the moves of
                                 the other side
    TABLE …                      the transposition table, ENTRY cells an entry

An agent is a row of int64 cells too:

    ENDGAME                      exact search from that many empties
    PHASE_OF … PHASE_OF + 65     phase by disc count
    PHASES …                     per phase PHASE_CELLS: TERMS weights, then the DEPTH

The transposition table has results of earlier nodes of the same search. An entry is a position,
bounds low ≤ value ≤ high, the draft they hold for (the depth of a search, the empties of a solver)
and the best move found. Entries of earlier moves, which may have been searched with other weights,
are recognised by their age and do not count.

A search reads the clock each time its budget is used up. A context with a DEADLINE has a budget of
LOOK_EVERY nodes, and gets as many again while there is time. So nodes cost no more than without a
clock, and no other thread must run at the right moment. A Python timer would have to be woken, on a
core that the search itself may use, and would then need the interpreter's lock.
"""

from __future__ import annotations

import ctypes
import time
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import U
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.compiled.compile import inlined, kernel, wrapper
from evolve.engine.compiled.intrinsics import call_clock, int64, load, load_bits, store, store_bits
from evolve.engine.search.genes import MAX_DEPTH as MAX_DEPTH
from evolve.engine.search.genes import SQUARE_CLASSES as SQUARE_CLASSES
from evolve.engine.search.genes import TERM_NAMES

Cells = npt.NDArray[np.int64]

TERMS: Final = SQUARE_CLASSES + len(TERM_NAMES)
"""Weights of a phase: those of the classes of squares, then those of the terms."""

NODES, BUDGET, STOPPED, RULES, TABLE_BITS, AGE, OTHER_TERMS, TABLE_DEPTH = range(8)
SEARCH, SOLVER, LOOK, DEADLINE, CLOCK, NOW = range(8, 14)
DISC_SIGN, CORNERS_LAST, MOST_NODES, PATTERNS, VECTORS, LISTING, HINTS = range(15, 22)
LINE_CELLS: Final = 8  # of a cache line
WEIGHTS: Final = 24
SQUARE_WEIGHTS: Final = WEIGHTS + TERMS + -TERMS % LINE_CELLS
ROWS: Final = SQUARE_WEIGHTS + 64
ROW_KINDS, ROW_CELLS = 4, 256
FRAMES: Final = ROWS + ROW_KINDS * ROW_CELLS
TURNED, SQUARES, REPLIES, FRAME_CELLS = 64, 128, 192, 256
TABLE: Final = FRAMES + 65 * FRAME_CELLS
ENTRY: Final = 4  # own, opp, bounds, and age, draft and move
BUCKET: Final = 2  # entries a hash points to: the deeper one, the later one

ENDGAME, PHASE_OF, PHASES = 0, 1, 66
DEPTH, PHASE_CELLS = TERMS, TERMS + 1

UNLIMITED: Final = 1 << 62
"""The budget of a search without a limit."""
GAME_TABLE_BITS: Final = 10
"""Size of the table for up to 12 empties: 2**10 buckets, 64 KiB."""
MOST_TABLE_BITS: Final = 20
"""2**20 buckets, 64 MiB."""
LOOK_EVERY: Final = 1024
"""Nodes between two looks at the clock: 0.1 ms, and 1 ms where a node takes ten times as long."""
_SECOND: Final = 1_000_000_000
_CLOCK_ID: Final = getattr(time, "CLOCK_MONOTONIC", 0)


def table_bits_for(empties: int, depth: int = 0) -> int:
    """Size of the table for exact searches from `empties` and searches of `depth` plies.

    At most MOST_TABLE_BITS. Larger tables than these saved few nodes and missed the processor's
    caches more often.
    """
    solver = GAME_TABLE_BITS + max(0, empties - 12) * 5 // 4
    return min(max(solver, 2 * depth - 2), MOST_TABLE_BITS)


def table_end(table_bits: int) -> int:
    """The number of cells of a context with a table of this size."""
    return TABLE + (ENTRY * BUCKET << table_bits)


def zeros_in_lines(count: int, dtype: type[np.integer[Any]]) -> npt.NDArray[Any]:
    """Zeros that begin at a cache line."""
    line = 8 * LINE_CELLS // np.dtype(dtype).itemsize
    block = np.zeros(count + line, dtype)
    start = -block.ctypes.data // block.itemsize % line
    return block[start : start + count]


def blank_context(rules: int, budget: int, table_bits: int) -> Cells:
    """A context without a search and a solver: see `game.new_context`."""
    assert table_bits >= 1, table_bits
    # A bucket of the table must fit into one cache line.
    context = zeros_in_lines(table_end(table_bits), np.int64)
    set_rules(context, rules)
    context[BUDGET] = budget or UNLIMITED
    context[TABLE_BITS] = table_bits
    context[CLOCK] = clock_address()
    return context


def set_rules(context: Cells, rules: int) -> None:
    """Set the rules of searches in `context` by their code."""
    found = {known.code: known for known in RULE_SETS.values()}[rules]
    context[RULES] = rules
    context[DISC_SIGN] = found.discs
    context[CORNERS_LAST] = found.corners_last


@cache
def clock_address() -> int:
    """Address of C's `clock_gettime`; 0 on systems without it, such as Windows."""
    if not hasattr(time, "CLOCK_MONOTONIC") or ctypes.sizeof(ctypes.c_long) != 8:
        return 0
    function = ctypes.CDLL(None).clock_gettime
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def set_deadline(context: Cells, seconds: float, nodes: int = 0) -> bool:
    """Make searches in `context` end after `seconds`, or after `nodes` (0 for no limit).

    Returns False and changes nothing where a kernel has no clock.
    """
    if context[CLOCK] == 0:
        return False
    context[DEADLINE] = time.clock_gettime_ns(_CLOCK_ID) + int(max(seconds, 0.0) * _SECOND)
    context[BUDGET], context[MOST_NODES] = 0, nodes
    return True


def clear_deadline(context: Cells) -> None:
    """Remove the limits of time and nodes from searches in `context`."""
    context[DEADLINE], context[MOST_NODES], context[BUDGET] = 0, 0, UNLIMITED


@kernel
def look(nodes: int, context: int) -> int:
    """Whether a search that has used up its budget may go on: 1, or 0 with STOPPED set."""
    deadline = load(context, DEADLINE)
    most = load(context, MOST_NODES)
    if deadline != 0 and (most == 0 or nodes < most):
        call_clock(load(context, CLOCK), _CLOCK_ID, context + 8 * NOW)
        if load(context, NOW) * _SECOND + load(context, NOW + 1) < deadline:
            more = nodes + LOOK_EVERY
            store(context, BUDGET, more if most == 0 else min(more, most))
            return 1
    store(context, STOPPED, 1)
    return 0


NOTHING = -1
"""Returned instead of an entry: the position is not in the table."""


@wrapper
def forget(context: int) -> None:
    """Invalidate all entries of the table."""
    store(context, AGE, load(context, AGE) + 1)


@inlined
def bucket_of(own: U, opp: U, context: int) -> int:
    """The first cell of a position's bucket."""
    mixed = own * U(0x9E3779B97F4A7C15) ^ (opp * U(0xC2B2AE3D27D4EB4F) >> U(29))
    mixed = (mixed ^ opp) * U(0xD6E8FEB86659FD93)
    bits = U(load(context, TABLE_BITS))
    return TABLE + int64(mixed >> (U(64) - bits)) * (BUCKET * ENTRY)


@inlined
def probe(own: U, opp: U, bucket: int, context: int) -> int:
    """The first cell of a position's entry, or NOTHING."""
    age = load(context, AGE)
    for slot in range(BUCKET):
        entry = bucket + slot * ENTRY
        same = load_bits(context, entry) == own and load_bits(context, entry + 1) == opp
        if same and load(context, entry + 3) >> 16 == age:
            return entry
    return NOTHING


@wrapper
def low_of(entry: int, context: int) -> int:
    """Lower bound of the value."""
    return load(context, entry + 2) >> 32


@wrapper
def high_of(entry: int, context: int) -> int:
    """Upper bound of the value."""
    return load(context, entry + 2) << 32 >> 32


@wrapper
def draft_of(entry: int, context: int) -> int:
    """The draft that the bounds hold for."""
    return load(context, entry + 3) >> 8 & 0xFF


@wrapper
def move_of(entry: int, context: int) -> int:
    """The best move found, a square."""
    return load(context, entry + 3) & 0xFF


@inlined
def remember(
    own: U, opp: U, bucket: int, low: int, high: int, draft: int, move: int, context: int
) -> None:
    """Store an entry; the first slot keeps the one with the larger draft."""
    age = load(context, AGE)
    entry = bucket
    if load(context, bucket + 3) >> 16 == age and draft_of(bucket, context) > draft:
        entry = bucket + ENTRY
    store_bits(context, entry, own)
    store_bits(context, entry + 1, opp)
    store(context, entry + 2, low << 32 | (high & 0xFFFFFFFF))
    store(context, entry + 3, age << 16 | draft << 8 | move)
