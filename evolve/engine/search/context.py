"""The memory block of a search: one int64 array, passed around as an address.

    cells                        what
    0 … 11                       NODES, BUDGET, …, DEADLINE: named below
    CLOCK, NOW, NOW + 1          for searches by the clock, see `context_factory`
    DISC_SIGN, CORNERS_LAST      what the rules let the search assume, see `rules.RuleSet`
    MOST_NODES                   of a search by the clock
    PATTERNS, VECTORS            of searches over patterns
    WEIGHTS … WEIGHTS + TERMS    the parameters of the phase chosen at the root
    SQUARE_WEIGHTS …             the weight of each square
    ROWS …                       for each kind of row the sum of square weights per byte of discs
    FRAMES …                     per depth (or empties) a frame of moves, see `ordering.pick`
    TABLE …                      the transposition table, ENTRY cells an entry

An agent is a row of int64 cells too:

    0                            ENDGAME: exact search from that many empties
    PHASE_OF … PHASE_OF + 65     phase by disc count
    PHASES …                     per phase PHASE_CELLS: TERMS weights, then the depth
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board.rules import RULE_SETS
from evolve.engine.search.genes import MAX_DEPTH as MAX_DEPTH
from evolve.engine.search.genes import SQUARE_CLASSES as SQUARE_CLASSES
from evolve.engine.search.genes import TERM_NAMES

Cells = npt.NDArray[np.int64]

TERMS: Final = SQUARE_CLASSES + len(TERM_NAMES)
"""Weights of a phase: those of the classes of squares, then those of the terms."""

NODES: Final = 0
BUDGET: Final = 1
STOPPED: Final = 2
RULES: Final = 3
TABLE_BITS: Final = 4
AGE: Final = 5
TABLE_DEPTH: Final = 7  # a search uses the table from that depth on, 0 for never
OTHER_TERMS: Final = 6  # whether a term beside squares and mobility has a weight
SEARCH: Final = 8  # addresses of the compiled search and solver
SOLVER: Final = 9
LOOK: Final = 10  # that of `context_factory.look`
DEADLINE: Final = 11  # nanoseconds of the clock at which a search ends, 0 for never
CLOCK: Final = 12  # the address of the system's clock, and the two cells that it writes to
NOW: Final = 13
DISC_SIGN: Final = 15  # `discs` of the rules
CORNERS_LAST: Final = 16  # `corners_last` of the rules, 0 or 1
MOST_NODES: Final = 17  # of a search by the clock, 0 for no limit
PATTERNS: Final = 18  # address of the pattern evaluation, 0 for none; see `patterns`
VECTORS: Final = 19  # address of the vectors of positions being searched, see `search_state`
LINE_CELLS: Final = 8  # of a cache line
WEIGHTS: Final = 24
SQUARE_WEIGHTS: Final = WEIGHTS + TERMS + -TERMS % LINE_CELLS
ROWS: Final = SQUARE_WEIGHTS + 64
ROW_CELLS: Final = 256
ROW_KINDS: Final = 4  # rows 1 and 8, 2 and 7, 3 and 6, 4 and 5
FRAMES: Final = ROWS + ROW_KINDS * ROW_CELLS
FRAME_CELLS: Final = 256
TURNED: Final = 64  # in a frame, after the moves: by square the discs that it turns
SQUARES: Final = 128  # by square the sum of square weights after it
REPLIES: Final = 192  # and by square the moves of the other side after it
TABLE: Final = FRAMES + 65 * FRAME_CELLS
ENTRY: Final = 4  # own, opp, bounds, and age, draft and move
BUCKET: Final = 2  # entries a hash points to: the deeper one, the later one

ENDGAME: Final = 0
PHASE_OF: Final = 1
PHASES: Final = PHASE_OF + 65
PHASE_CELLS: Final = TERMS + 1
DEPTH: Final = TERMS

UNLIMITED: Final = 1 << 62
"""The budget of a search without a limit."""

_BY_CODE: Final = {rules.code: rules for rules in RULE_SETS.values()}

GAME_TABLE_BITS: Final = 10
"""Size of the table for up to 12 empties: 2**10 buckets, 64 KiB."""


def table_bits_for(empties: int, depth: int = 0) -> int:
    """Size of the table for exact searches from `empties` and searches of `depth` plies.

    At most 2**20 buckets, 64 MiB. Larger tables than these saved few nodes and missed the
    processor's caches more often.
    """
    solver = GAME_TABLE_BITS + max(0, empties - 12) * 5 // 4
    return min(max(solver, 2 * depth - 2), 20)


def _context_cells(table_bits: int) -> int:
    """Cells of a context whose solver table has 2**table_bits buckets."""
    return TABLE + (ENTRY * BUCKET << table_bits)


def blank_context(rules: int, budget: int, table_bits: int) -> Cells:
    """A context without a search and a solver: see `context_factory.new_context`."""
    assert table_bits >= 1, table_bits
    cells = _context_cells(table_bits)
    block = np.zeros(cells + LINE_CELLS, np.int64)
    # A bucket of the table must fit into one cache line.
    start = -block.ctypes.data // block.itemsize % LINE_CELLS
    context = block[start : start + cells]
    set_rules(context, rules)
    context[BUDGET] = budget or UNLIMITED
    context[TABLE_BITS] = table_bits
    return context


def set_rules(context: Cells, rules: int) -> None:
    """Set the rules of searches in `context` by their code; raises KeyError for an unknown one."""
    found = _BY_CODE[rules]
    context[RULES] = rules
    context[DISC_SIGN] = found.discs
    context[CORNERS_LAST] = found.corners_last
