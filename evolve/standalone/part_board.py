"""First part of a stand-alone Python file (`evolve export --to python`): parameters and board.

`evolve.standalone.render.render` writes a header in place of everything above the first marker, and
the agent's parameters in place of those between the second marker and the third. It copies the rest
of this module, and what follows the marker in the other parts. So all parts use only Python 3.7,
the standard library and numpy. With the parameters below, a simple table, they run as they are.
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

# The parameters:
#   RULE        the number of the rules in `final_score`
#   DISC_SIGN   1 where discs are good, -1 where they are bad, 0 where scores do not depend on them
#   BOUNDARIES  disc counts at which the phases after the first begin; all other lists have one
#               entry for each phase
#   WEIGHTS     by square class, in the order a1 b1 c1 d1 b2 c2 d2 c3 d3 d4
#   TERMS       by name; 0 for those that are missing
#   DEPTHS      in plies
#   ENDGAME     empty squares from which the search is exact
#   SECONDS     over 0: the search ignores DEPTHS and takes so much time for a move, and it is exact
#               as soon as that is possible in time
#   DEEPEST     most plies of such a search

BLACK = -1
WHITE = 1
NONE = 0

# How the search works.
#
# A board is one int of 128 bits: bit s is a disc of side 0 on square s (a1 = 0, b1 = 1, ...,
# h8 = 63), bit 64 + s is one of side 1. Side 0 moves at the root, and values are its values unless
# a comment says otherwise.
#
# Python takes about the same time for an int of 64 bits and for one of 1000. So one wide int holds
# all children of a position, end to end, and a few operations find the moves, stable discs and so
# on of all of them together.

FULL = (1 << 64) - 1
FULL_BOARD = (1 << 128) - 1
BOTH = 1 | 1 << 64
WIN = 1 << 20  # a finished game is worth its exact score times this
INFINITY = 1 << 62
BIAS = 1 << 48  # keeps the lanes of a wide int from borrowing from one another

TIME_SHARE = 0.88  # of the time limit; the rest is for a slow start, a busy machine, the reply
FALLBACK_SHARE = 0.2  # most of that time for a first search before the exact one
SHALLOW = 6  # empties up to which the exact search neither sorts moves nor checks the clock
EASY = 10  # empties up to which the exact search is so fast that the first one can be short
TABLE_LIMIT = 40000  # entries of each of the four transposition tables, about 300 bytes each
MEMO_LIMIT = 100000  # entries of all flip tables, about 150 bytes each

CORNERS = 0x8100000000000081
CORNER_AREA = BOTH * 0xC3C300000000C3C3  # corners, and their X and C squares
QUADRANTS = (0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000)


def exact_from(endgame: int, seconds: float) -> int:
    """Empties from which the search is exact; `seconds` is 0 without a clock.

    It usually finds the winner at 18 empties in 4.5 seconds; each empty square more takes about 2.5
    times as long.
    """
    return max(endgame, round(18 + log(seconds / 4.5, 2.5))) if seconds else endgame


EXACT = exact_from(ENDGAME, SECONDS)


class OutOfTimeError(Exception):
    """The time ended during a search."""


def bit_count(bits: int) -> int:
    """The number of set bits."""
    return bin(bits).count("1")


def phase_of(board: int, starts: Any) -> int:
    """The phase of a board, where `starts` are the disc counts that begin a new one."""
    discs = bit_count(board)
    return sum(1 for start in starts if start <= discs)


def squares_of(bits: int) -> list[int]:
    """The squares of a bitboard, lowest first."""
    return [square for square in range(64) if bits >> square & 1]


CLASSES = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")


def class_of(square: int) -> int:
    """The index of a square's class."""
    x, y = min(square % 8, 7 - square % 8), min(square // 8, 7 - square // 8)
    return CLASSES.index("abcd"[max(x, y)] + "1234"[min(x, y)])


# --- Flips: a table for each square, side and line, filled when needed ---


class _LineFlips(Dict[int, int]):
    """The flips of a move along one line, in both halves of the board, by the discs there."""

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
    """Mask and flips of each of the four lines, then the bit of the new disc, then the square."""
    record: list[Any] = []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        rays = [_ray(square, dx, dy), _ray(square, -dx, -dy)]
        record += [sum(map(sum, rays)) * BOTH, _LineFlips(side, rays)]
    return (*record, 1 << (square + 64 * side), square)


FLIPS = tuple(tuple(_flip_table(side, square) for square in range(64)) for side in (0, 1))
FLIPS_BY_BIT = tuple({1 << record[-1]: record for record in records} for records in FLIPS)


def forget_flips() -> None:
    """Empty the flip tables if they are too large."""
    tables = [table for records in FLIPS for record in records for table in record[1:8:2]]
    if sum(map(len, tables)) > MEMO_LIMIT:
        for table in tables:
            table.clear()


# --- Wide ints: a slot of 128 bits for each child, a lane of 64 bits for each of its sides ---


class Width:
    """The constants for `count` boards side by side; bitboards are repeated in every lane."""

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
            # Diagonals: squares beyond the board count as occupied.
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


class _Widths(Dict[int, Width]):
    """The constants by number of boards, made when needed."""

    def __missing__(self, count: int) -> Width:
        width = self[count] = Width(count)
        return width


WIDTHS = _Widths()


def side_by_side(boards: list[int]) -> int:
    """One wide int of many boards."""
    return int.from_bytes(b"".join([board.to_bytes(16, "little") for board in boards]), "little")


def moves_of(boards: int, width: Width) -> tuple[int, int]:
    """Legal moves of either side, each in its lane, and the empty squares in every lane."""
    low, full, columns, rows, inner = width.moves
    other = (boards >> 64) & low | (boards & low) << 64
    empty = full ^ (boards | other)
    # Along rows, to higher squares: the carry of a sum runs through the opponent's discs.
    line = other & columns
    reach = line + (line & boards << 1)
    run = line & boards >> 1
    run |= line & run >> 1
    pair = line & line >> 1
    run |= pair & run >> 2
    run |= pair & run >> 2
    reach |= run >> 1
    # Along other lines: runs of 1, 2, 4 and 6 discs, in both directions.
    inner &= other
    for line, step in ((other & rows, 8), (inner, 7), (inner, 9)):
        two = 2 * step
        run = line & boards << step
        run |= line & run << step
        pair = line & line << step
        run |= pair & run << two
        run |= pair & run << two
        reach |= run << step
        run = line & boards >> step
        run |= line & run >> step
        pair >>= step
        run |= pair & run >> two
        run |= pair & run >> two
        reach |= run >> step
    return reach & empty, empty


def count_of(bits: int, width: Width) -> int:
    """The number of set bits of each lane, in that lane."""
    ones, twos, fours, byte = width.count
    bits -= bits >> 1 & ones
    bits = (bits & twos) + (bits >> 2 & twos)
    bits = (bits + (bits >> 4)) & fours
    return (bits * 0x0101010101010101 >> 56) & byte


def neighbours_of(boards: int, width: Width) -> int:
    """The squares beside a disc, in each lane."""
    not_h, not_a, not_8, not_1 = width.neighbours
    row = boards | (boards & not_h) << 1 | (boards & not_a) >> 1
    return row | (row & not_8) << 8 | (row & not_1) >> 8


def stable_of(boards: int, empty: int, known: int, width: Width) -> int:
    """Discs that can never turn again; `known` are some of them.

    A disc is stable if each of its four lines is full, or ends beside it at the border, or has a
    stable disc of the same side beside it. The rule is applied until nothing changes.
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
    # A bit that a shift moves into another lane does no harm: it lands on the border, and lines
    # that end there are safe anyway.
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
