"""First part of a stand-alone Python file (`evolve export --to python`): parameters and board.

`evolve.standalone.render.render` puts a header in place of everything above the first marker
below and the agent's parameters in place of those between the second and the third. The rest
goes out as it is, then what `part_solver.py`, `part_evaluation.py`, `part_search.py` and
`part_contest.py` hold behind their markers. So these modules keep to Python 3.7, the standard
library and numpy. With the parameters given here, a plain hand-made table, they run as they stand.
"""
# --- exported from here on ---

from __future__ import annotations

from math import log
from struct import Struct
from typing import Any, Dict

# --- parameters ---
RULES = "standard"
RULE = 0
DISC_SIGN = 1
CORNERS_LAST = False
WEIGHTS = [[100, -25, 10, 5, -25, 1, 1, 5, 2, 1]]
TERMS = {"mobility": [3]}
DEPTHS = [4]
BOUNDARIES: list[int] = []
ENDGAME = 8
SECONDS = 0.0
DEEPEST = 60
# --- end of parameters ---

# Meaning of the parameters: RULE is the number that `final_score` knows the rules by; DISC_SIGN is
# 1 where discs are good, -1 where they are bad, 0 where scores do not go by them. The phase is the
# number of BOUNDARIES that are at or below the disc count; each list but BOUNDARIES has one entry
# per phase. WEIGHTS are by square class, in the order a1 b1 c1 d1 b2 c2 d2 c3 d3 d4; TERMS by
# name, 0 where one is not named. DEPTHS are in plies; with ENDGAME empties or fewer the game is
# searched to its end. Where SECONDS is above 0, moves go by the clock: as deep as so many seconds
# allow, to DEEPEST plies at most, DEPTHS or not, and to the end of the game as soon as that is
# within reach.

BLACK = -1
WHITE = 1
NONE = 0

# How the search works.
#
# A board is one int of 128 bits: bit s is a disc of side 0 on square s (a1 = 0, b1 = 1, ...,
# h8 = 63), bit 64 + s one of side 1. Side 0 is the one that moves at the root, and every value
# is seen from it unless a comment says otherwise.
#
# Python spends much the same time on an int of 64 bits and on one of 1000. So all children of a
# position are laid end to end in one wide int, and their moves, stable discs and so on come from
# a handful of operations for all of them together.

FULL = (1 << 64) - 1
FULL_BOARD = (1 << 128) - 1
BOTH = 1 | 1 << 64
WIN = 1 << 20  # a finished game is worth its exact score times this
INFINITY = 1 << 62
BIAS = 1 << 48  # keeps the lanes of a wide int from borrowing from one another

TIME_SHARE = 0.88  # of the time limit; the rest is for a slow start, a busy machine, the reply
FALLBACK_SHARE = 0.2  # of that, at most, for a move to fall back on before an exact search
SHALLOW = 6  # empties up to which the exact search neither sorts moves nor looks at the clock
EASY = 10  # empties up to which the exact search is fast enough not to need much of a fallback
TABLE_LIMIT = 40000  # entries of a transposition table, about 300 bytes each; four are in use
MEMO_LIMIT = 100000  # entries of the flip tables kept from move to move, about 150 bytes each

CORNERS = 0x8100000000000081
CORNER_AREA = BOTH * 0xC3C300000000C3C3  # corners, and the X and C squares beside them
QUADRANTS = (0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000)


def exact_from(endgame: int, seconds: float) -> int:
    """Empties from which moves are searched to the end; `seconds` is 0 where no clock counts.

    Who wins is known in time at 18 empties in 4.5 seconds mostly, and each empty square more takes
    some 2.5 times as long.
    """
    return max(endgame, round(18 + log(seconds / 4.5, 2.5))) if seconds else endgame


EXACT = exact_from(ENDGAME, SECONDS)


class OutOfTimeError(Exception):
    """The clock ran out in the middle of a search."""


def squares_of(bits: int) -> list[int]:
    """The squares of a bitboard, lowest first."""
    return [square for square in range(64) if bits >> square & 1]


CLASSES = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")


def class_of(square: int) -> int:
    """Index of a square's class among the weights."""
    x, y = min(square % 8, 7 - square % 8), min(square // 8, 7 - square // 8)
    return CLASSES.index("abcd"[max(x, y)] + "1234"[min(x, y)])


# --- Flips: a table per square, side and line, filled as positions are met ---


class LineFlips(Dict[int, int]):
    """By the discs on one line: the flips along it, in both halves of the board, of a move."""

    def __init__(self, side: int, rays: list[list[int]]) -> None:
        dict.__init__(self)
        self.side = side
        self.rays = rays

    def __missing__(self, discs: int) -> int:
        low, high = discs & FULL, discs >> 64
        own, opp = (high, low) if self.side else (low, high)
        turned = 0
        for ray in self.rays:
            run = 0
            for bit in ray:
                if not opp & bit:
                    if own & bit:
                        turned |= run
                    break
                run |= bit
        turned *= BOTH
        self[discs] = turned
        return turned


def _ray(square: int, dx: int, dy: int) -> list[int]:
    x, y = square % 8 + dx, square // 8 + dy
    bits = []
    while 0 <= x < 8 and 0 <= y < 8:
        bits.append(1 << (8 * y + x))
        x, y = x + dx, y + dy
    return bits


def _flip_table(side: int, square: int) -> tuple[Any, ...]:
    """Four times mask and flips of a line, then the bit of the new disc, then the square."""
    record: list[Any] = []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        rays = [_ray(square, dx, dy), _ray(square, -dx, -dy)]
        record += [sum(map(sum, rays)) * BOTH, LineFlips(side, rays)]
    return (*record, 1 << (square + 64 * side), square)


FLIPS = tuple(tuple(_flip_table(side, square) for square in range(64)) for side in (0, 1))
FLIPS_BY_BIT = tuple({1 << record[-1]: record for record in records} for records in FLIPS)


def forget_flips() -> None:
    """Empty the flip tables when they have grown too large."""
    tables = [table for records in FLIPS for record in records for table in record[1:8:2]]
    if sum(map(len, tables)) > MEMO_LIMIT:
        for table in tables:
            table.clear()


# --- Wide ints: in slot i (128 bits) child i, in each lane (64 bits) one side of it ---


class Width:
    """The constants for `count` boards side by side: a bitboard constant is in every lane."""

    def __init__(self, count: int) -> None:
        slot = sum(1 << 128 * i for i in range(count))
        lane = slot * BOTH
        self.slot = slot
        self.low = slot * FULL
        self.high_bit = slot << 64
        self.bias = slot * BIAS
        self.lane_bias = lane * BIAS
        self.unpack = Struct("<" + "Q8x" * count).unpack
        self.size = 16 * count
        self.moves = (
            slot * FULL,
            lane * FULL,
            lane * 0x7E7E7E7E7E7E7E7E,
            lane * 0x00FFFFFFFFFFFF00,
            lane * 0x007E7E7E7E7E7E00,
        )
        self.count = (
            lane * 0x5555555555555555,
            lane * 0x3333333333333333,
            lane * 0x0F0F0F0F0F0F0F0F,
            lane * 0xFF,
        )
        self.neighbours = (
            lane * 0x7F7F7F7F7F7F7F7F,
            lane * 0xFEFEFEFEFEFEFEFE,
            lane * 0x00FFFFFFFFFFFFFF,
            lane * 0xFFFFFFFFFFFFFF00,
        )
        self.lines = (
            lane * 0x0101010101010101,
            lane * 0xFF,
            # Diagonals: what a shift brings in from beyond the board counts as occupied.
            lane * 0xFF80808080808080,
            lane * 0xFFFFC0C0C0C0C0C0,
            lane * 0xFFFFFFFFF0F0F0F0,
            lane * 0x01010101010101FF,
            lane * 0x030303030303FFFF,
            lane * 0x0F0F0F0FFFFFFFFF,
            lane * 0xFF01010101010101,
            lane * 0xFFFF030303030303,
            lane * 0xFFFFFFFF0F0F0F0F,
            lane * 0x80808080808080FF,
            lane * 0xC0C0C0C0C0C0FFFF,
            lane * 0xF0F0F0F0FFFFFFFF,
        )
        self.edges = (
            lane * 0x8181818181818181,
            lane * 0xFF000000000000FF,
            lane * 0xFF818181818181FF,
        )


class Widths(Dict[int, Width]):
    """Width by number of boards, made when first asked for."""

    def __missing__(self, count: int) -> Width:
        width = self[count] = Width(count)
        return width


WIDTHS = Widths()


def side_by_side(boards: list[int]) -> int:
    """One wide int of many boards."""
    return int.from_bytes(b"".join([board.to_bytes(16, "little") for board in boards]), "little")


def moves_of(boards: int, width: Width) -> tuple[int, int]:
    """Legal moves of either side, each in its lane, and the empty squares in every lane."""
    low, full, columns, rows, inner = width.moves
    other = (boards >> 64) & low | (boards & low) << 64
    empty = full ^ (boards | other)
    # Along rows, toward higher squares: a carry runs through the opponent's discs.
    line = other & columns
    reach = line + (line & boards << 1)
    run = line & boards >> 1
    run |= line & run >> 1
    pair = line & line >> 1
    run |= pair & run >> 2
    run |= pair & run >> 2
    reach |= run >> 1
    # Other lines by parallel prefix: runs of 1, 2, 4 and 6 discs, to both sides.
    line = other & rows
    run = line & boards << 8
    run |= line & run << 8
    pair = line & line << 8
    run |= pair & run << 16
    run |= pair & run << 16
    reach |= run << 8
    run = line & boards >> 8
    run |= line & run >> 8
    pair >>= 8
    run |= pair & run >> 16
    run |= pair & run >> 16
    reach |= run >> 8
    line = other & inner
    run = line & boards << 7
    run |= line & run << 7
    pair = line & line << 7
    run |= pair & run << 14
    run |= pair & run << 14
    reach |= run << 7
    run = line & boards >> 7
    run |= line & run >> 7
    pair >>= 7
    run |= pair & run >> 14
    run |= pair & run >> 14
    reach |= run >> 7
    run = line & boards << 9
    run |= line & run << 9
    pair = line & line << 9
    run |= pair & run << 18
    run |= pair & run << 18
    reach |= run << 9
    run = line & boards >> 9
    run |= line & run >> 9
    pair >>= 9
    run |= pair & run >> 18
    run |= pair & run >> 18
    reach |= run >> 9
    return reach & empty, empty


def count_of(bits: int, width: Width) -> int:
    """Number of set bits of each lane, in that lane."""
    ones, twos, fours, byte = width.count
    bits -= bits >> 1 & ones
    bits = (bits & twos) + (bits >> 2 & twos)
    bits = (bits + (bits >> 4)) & fours
    return (bits * 0x0101010101010101 >> 56) & byte


def neighbours_of(boards: int, width: Width) -> int:
    """Every square beside a disc of each lane."""
    not_h, not_a, not_8, not_1 = width.neighbours
    row = boards | (boards & not_h) << 1 | (boards & not_a) >> 1
    return row | (row & not_8) << 8 | (row & not_1) >> 8


def stable_of(boards: int, empty: int, known: int, width: Width) -> int:
    """Discs that can never turn again; `known` are some of them.

    A disc counts when each of its four lines is full, or ends beside it at the border, or has a
    stable disc of the same side beside it; the rule is applied until nothing changes.
    """
    (column_a, row_1, a1, a2, a3, b1, b2, b3, c1, c2, c3, d1, d2, d3) = width.lines
    edge_columns, edge_rows, edges = width.edges
    occupied = width.moves[1] ^ empty
    row = occupied & occupied >> 1
    row &= row >> 2
    row = (row & row >> 4 & column_a) * 0xFF | edge_columns
    column = occupied & occupied >> 8
    column &= column >> 16
    column = (column & column >> 32 & row_1) * 0x0101010101010101 | edge_rows
    up = occupied & (a1 | occupied >> 9)
    up &= a2 | up >> 18
    up &= a3 | up >> 36
    down = occupied & (b1 | occupied << 9)
    down &= b2 | down << 18
    down &= b3 | down << 36
    diagonal = up & down | edges
    up = occupied & (c1 | occupied >> 7)
    up &= c2 | up >> 14
    up &= c3 | up >> 28
    down = occupied & (d1 | occupied << 7)
    down &= d2 | down << 14
    down &= d3 | down << 28
    other = up & down | edges
    # No shift below leaves its lane unseen: what crosses over lands on the border, which counts
    # in any case.
    while True:
        grown = (
            boards
            & (row | known >> 1 | known << 1)
            & (column | known >> 8 | known << 8)
            & (diagonal | known >> 9 | known << 9)
            & (other | known >> 7 | known << 7)
        )
        if grown == known:
            return grown
        known = grown
