"""Source of the stand-alone Python file of an alpha-beta agent (`evolve export --to python`).

`evolve.agents.standalone.render` puts a header in place of everything above the first marker
below and the agent's parameters in place of those between the second and the third. The rest
goes out as it is, so this module keeps to Python 3.7, the standard library and numpy. With the
parameters given here, a plain hand-made table, it runs as it stands.
"""
# --- exported from here on ---

from __future__ import annotations

from struct import Struct
from time import perf_counter
from typing import Any, Dict

import numpy as np

# --- parameters ---
RULES = "standard"
WEIGHTS = [[100, -25, 10, 5, -25, 1, 1, 5, 2, 1]]
MOBILITY = [3]
STABILITY = [0]
X_SQUARES = [0]
C_SQUARES = [0]
POTENTIAL_MOBILITY = [0]
DEPTHS = [4]
BOUNDARIES: list[int] = []
ENDGAME = 8
# --- end of parameters ---

# Meaning of the parameters: the phase is the number of BOUNDARIES that are at or below the disc
# count; each list but BOUNDARIES has one entry per phase. WEIGHTS are by square class, in the
# order a1 b1 c1 d1 b2 c2 d2 c3 d3 d4. DEPTHS are in plies; with ENDGAME empties or fewer the
# game is searched to its end.

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


# --- Tables of sums, filled as positions are met ---


class SquareGain(Dict[int, int]):
    """By the bits of a board that a move changes: what the sum of square weights gains."""

    def __init__(self, side: int, weights: list[int]) -> None:
        dict.__init__(self)
        self.sign = -1 if side else 1
        self.weights = [weights[class_of(square)] for square in range(64)]

    def __missing__(self, change: int) -> int:
        low, high = change & FULL, change >> 64
        gain = sum(self.weights[square] for square in squares_of(low | high))
        gain += sum(self.weights[square] for square in squares_of(low & high))
        gain *= self.sign
        self[change] = gain
        return gain


class CornerValue(Dict[int, int]):
    """By the discs in the four corner areas: the value of X and C squares at empty corners."""

    def __init__(self, x_weight: int, c_weight: int) -> None:
        dict.__init__(self)
        self.x_weight = x_weight
        self.c_weight = c_weight

    def __missing__(self, discs: int) -> int:
        low, high = discs & FULL, discs >> 64
        value = 0
        for corner, right, down in ((0, 1, 8), (7, -1, 8), (56, 1, -8), (63, -1, -8)):
            if (low | high) >> corner & 1:
                continue
            for square, weight in (
                (corner + right + down, self.x_weight),
                (corner + right, self.c_weight),
                (corner + down, self.c_weight),
            ):
                value += weight * ((low >> square & 1) - (high >> square & 1))
        self[discs] = value
        return value


class FlipScore(Dict[int, int]):
    """By the flips of a move in both halves: what the mover's score gains by it."""

    def __missing__(self, turned: int) -> int:
        gain = bin(turned).count("1") + 1
        if RULES == "reversed":
            gain = -gain
        self[turned] = gain
        return gain


def score_of(board: int) -> int:
    """Exact score of a finished game for side 0, by the rules."""
    own, opp = bin(board & FULL).count("1"), bin(board >> 64).count("1")
    if RULES == "reversed":
        return opp - own
    if own > opp:
        return 64 - 2 * opp
    if own < opp:
        return 2 * own - 64
    return 0


def _at_end(score: int, empties: int) -> int:
    """Exact score of a finished game from the disc difference under the rules."""
    if RULES == "reversed" or score == 0:
        return score
    return score + empties if score > 0 else score - empties


SQUARE_BYTES = [bytes([square]) for square in range(64)]


def _odd_quadrants(empty: int) -> int:
    """Squares of the quadrants that hold an odd number of empty squares."""
    return sum(quadrant for quadrant in QUADRANTS if bin(empty & quadrant).count("1") & 1)


def _by_parity(empty: int) -> bytes:
    """The empty squares, under standard rules those of odd quadrants first."""
    if RULES == "reversed":
        return bytes(squares_of(empty))
    odd = _odd_quadrants(empty)
    return bytes(squares_of(empty & odd) + squares_of(empty & ~odd))


class Node:
    """A position with what its children can build on. Made anew for every inner node."""

    __slots__ = ("board", "corner", "moves", "square", "stable", "total", "value")

    def __init__(
        self, square: int, value: int, board: int, moves: int, stable: int, total: int, corner: int
    ) -> None:
        self.square = square  # of the move that led here
        self.value = value  # without looking further
        self.board = board
        self.moves = moves  # of side 0 in the low half, of side 1 in the high half
        self.stable = stable  # stable discs of both sides
        self.total = total  # sum of square weights
        self.corner = corner  # value of X and C squares


def _by_value(node: Node) -> int:
    return node.value


# --- The search ---


class Search:
    """One choice of a move: the tables and the clock that belong to it."""

    def __init__(self, board: int, phase: int, deadline: float) -> None:
        self.deadline = deadline
        self.depth = DEPTHS[phase]
        self.mobility = MOBILITY[phase]
        self.stability = STABILITY[phase]
        self.potential_mobility = POTENTIAL_MOBILITY[phase]
        weights = WEIGHTS[phase]
        self.gains = (SquareGain(0, weights), SquareGain(1, weights))
        self.corner_value = CornerValue(X_SQUARES[phase], C_SQUARES[phase])
        self.flip_score = FlipScore()
        # Transposition tables, by side to move and board: the value of positions a ply before
        # the leaves; depth, bounds and best move of others; bounds and best move in the solver.
        self.values: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.known: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})
        self.solved: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})
        total = sum(
            weights[class_of(square)] * ((board >> square & 1) - (board >> (64 + square) & 1))
            for square in range(64)
        )
        width = WIDTHS[1]
        moves, empty = moves_of(board, width)
        stable = stable_of(board, empty, 0, width)
        corner = self.corner_value[board & CORNER_AREA]
        self.root = Node(64, 0, board, moves, stable, total, corner)
        self.score = 0  # exact, of the move that `solve_root` found; 0 before it was asked

    def values_of_children(
        self, node: Node, side: int, children: list[Node] | None = None
    ) -> list[int]:
        """Values after each move of `side`, lowest square first, without looking further.

        With a list in `children`, the children go there too.
        """
        if perf_counter() > self.deadline:
            raise OutOfTimeError
        board, total, corner = node.board, node.total, node.corner
        moves = node.moves >> 64 if side else node.moves & FULL
        occupied = board | board >> 64 | moves
        flips_by_bit, gains, corner_value = FLIPS_BY_BIT[side], self.gains[side], self.corner_value
        squares, boards, totals, corners = [], [], [], []
        while moves:
            bit = moves & -moves
            moves ^= bit
            m0, t0, m1, t1, m2, t2, m3, t3, disc, square = flips_by_bit[bit]
            change = disc | t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            child = board ^ change
            squares.append(square)
            boards.append(child)
            totals.append(total + gains[change])
            corners.append(corner_value[child & CORNER_AREA] if change & CORNER_AREA else corner)
        width = WIDTHS[len(boards)]
        wide = side_by_side(boards)
        # Each lane's part of the evaluation, then side 0 less side 1.
        reach, empty = moves_of(wide, width)
        lanes = width.lane_bias
        if self.mobility:
            lanes += self.mobility * count_of(reach, width)
        if self.potential_mobility:
            count = count_of(neighbours_of(wide, width) & empty, width)
            lanes -= self.potential_mobility * count
        stable = 0
        # Without a corner a disc is stable by full lines alone, which hold 24 discs or more.
        if self.stability and (occupied & CORNERS or bin(board).count("1") >= 23):
            stable = stable_of(wide, empty, node.stable * width.slot, width)
            lanes += self.stability * count_of(stable, width)
        low = width.low
        lanes = (lanes & low) - (lanes >> 64 & low) + width.bias
        differences = width.unpack(lanes.to_bytes(width.size, "little"))
        values = [
            difference - BIAS + totals[index] + corners[index]
            for index, difference in enumerate(differences)
        ]
        # A game is over where neither lane of a slot has a move.
        high_bit = width.high_bit
        if ((((reach | reach >> 64) & low) | high_bit) - width.slot) & high_bit != high_bit:
            for index, child in enumerate(boards):
                if not reach >> 128 * index & FULL_BOARD:
                    values[index] = score_of(child) * WIN
        if children is not None:
            for index, square in enumerate(squares):
                children.append(
                    Node(
                        square,
                        values[index],
                        boards[index],
                        reach >> 128 * index & FULL_BOARD,
                        stable >> 128 * index & FULL_BOARD,
                        totals[index],
                        corners[index],
                    )
                )
        return values

    def value_before_leaves(self, node: Node, side: int) -> int:
        """Value to depth 1 for the side to move."""
        values = self.values[side]
        board = node.board
        if board in values:
            return values[board]
        if node.moves >> 64 if side else node.moves & FULL:
            if side:
                value = -min(self.values_of_children(node, 1))
            else:
                value = max(self.values_of_children(node, 0))
        elif node.moves:
            value = -self.value_before_leaves(node, 1 - side)
        else:
            value = score_of(board) * WIN
            if side:
                value = -value
        if len(values) >= TABLE_LIMIT:
            values.clear()
        values[board] = value
        return value

    def search(self, node: Node, side: int, depth: int, alpha: int, beta: int) -> int:
        """Value to `depth` >= 1 plies for the side to move: fail-soft, a pass costs no depth."""
        if depth == 1:
            return self.value_before_leaves(node, side)
        if not (node.moves >> 64 if side else node.moves & FULL):
            if node.moves:
                return -self.search(node, 1 - side, depth, -beta, -alpha)
            value = score_of(node.board) * WIN
            return -value if side else value
        # 1. What the table knows.
        known = self.known[side]
        first = 64
        entry = known.get(node.board)
        if entry is not None:
            known_depth, low, high, first = entry
            if known_depth == depth:
                if low >= beta or low == high:
                    return low
                if high <= alpha:
                    return high
        # 2. The moves: the best one of an earlier search first, then by value.
        children: list[Node] = []
        self.values_of_children(node, side, children)
        children.sort(key=_by_value, reverse=not side)
        if first != 64:
            for index, child in enumerate(children):
                if child.square == first:
                    children.insert(0, children.pop(index))
                    break
        # 3. The first with the whole window, the others with a null window, and again with an
        #    open one when they turn out better.
        best = -INFINITY
        low = alpha
        for child in children:
            high = beta if best == -INFINITY else low + 1
            value = -self.search(child, 1 - side, depth - 1, -high, -low)
            if high <= value < beta:
                value = -self.search(child, 1 - side, depth - 1, -beta, -value + 1)
            if value > best:
                best = value
                first = child.square
                if best > low:
                    low = best
                    if best >= beta:
                        break
        # 4. Remember.
        if len(known) >= TABLE_LIMIT:
            known.clear()
        known[node.board] = (
            depth,
            best if best > alpha else -INFINITY,
            best if best < beta else INFINITY,
            first,
        )
        return best

    def deepen(self, deadline: float, depth: int) -> list[Node]:
        """Children of the root, the best one to `depth` plies first, or to fewer in time."""
        children: list[Node] = []
        self.deadline = INFINITY
        self.values_of_children(self.root, 0, children)
        self.deadline = deadline
        children.sort(key=_by_value, reverse=True)
        for depth_now in range(2, depth + 1):
            best, in_time = self.best_of(children, depth_now)
            children.insert(0, children.pop(best))
            if not in_time:
                break
        return children

    def best_of(self, children: list[Node], depth: int) -> tuple[int, bool]:
        """Index of the best move to `depth` plies, and whether all were searched in time.

        When not, it is the first of `children`, or a move that beat it in this depth.

        Among moves of the same value the lowest square is the best one, whatever order they
        were searched in: a move with a lower square than the best so far is let through when it
        is as good, by a window one wider.
        """
        best, best_index = -INFINITY, 0
        try:
            for index, child in enumerate(children):
                low = best - 1 if child.square < children[best_index].square else best
                high = low + 1 if index else INFINITY
                value = -self.search(child, 1, depth - 1, -high, -low)
                if value >= high:
                    value = -self.search(child, 1, depth - 1, -INFINITY, -value + 1)
                if value > low:
                    best, best_index = value, index
        except OutOfTimeError:
            return best_index, False
        return best_index, True

    def solve(
        self, board: int, side: int, moves: int, score: int, alpha: int, beta: int, empties: int
    ) -> int:
        """Exact score for the side to move, whose disc difference under the rules is `score`.

        `moves` are those of both sides. Fail-soft, moves that leave few replies first.
        """
        mine = moves >> 64 if side else moves & FULL
        if not mine:
            if moves:
                return -self.solve(board, 1 - side, moves, -score, -beta, -alpha, empties)
            return _at_end(score, empties)
        if empties <= SHALLOW:
            squares = _by_parity(FULL & ~(board | board >> 64))
            return self.solve_shallow(board, side, squares, score, alpha, beta, False)
        if perf_counter() > self.deadline:
            raise OutOfTimeError
        # 1. What the table knows.
        known = self.solved[side]
        first = 64
        entry = known.get(board)
        if entry is not None:
            low, high, first = entry
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        # 2. The moves.
        children = self.solver_children(board, side, mine, first)
        # 3. The first with the whole window, the others with a null window, and again with an
        #    open one when they turn out better.
        best = -65
        low = alpha
        for _, square, child, child_moves, gain in children:
            high = beta if best == -65 else low + 1
            value = -self.solve(
                child, 1 - side, child_moves, -score - gain, -high, -low, empties - 1
            )
            if high <= value < beta:
                value = -self.solve(
                    child, 1 - side, child_moves, -score - gain, -beta, -value + 1, empties - 1
                )
            if value > best:
                best = value
                first = square
                if best > low:
                    low = best
                    if best >= beta:
                        break
        # 4. Remember.
        if len(known) >= TABLE_LIMIT:
            known.clear()
        known[board] = (best if best > alpha else -64, best if best < beta else 64, first)
        return best

    def solver_children(self, board: int, side: int, moves: int, first: int) -> list[list[int]]:
        """Per move a list: sort key, square, board, moves of both sides, gain in score; sorted.

        The move to `first`, if any, comes before all others.
        """
        flips_by_bit, flip_score = FLIPS_BY_BIT[side], self.flip_score
        reverse = RULES == "reversed"
        odd = 0 if reverse else _odd_quadrants(FULL & ~(board | board >> 64))
        children, boards = [], []
        while moves:
            bit = moves & -moves
            moves ^= bit
            m0, t0, m1, t1, m2, t2, m3, t3, disc, square = flips_by_bit[bit]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            child = board ^ turned ^ disc
            # A move into a region of an odd number of squares goes first among equals.
            key = -2 if bit & odd else 0
            if bit & CORNERS and not reverse:
                key -= 1
            boards.append(child)
            children.append([key, square, child, 0, flip_score[turned]])
        reach, _ = moves_of(side_by_side(boards), WIDTHS[len(boards)])
        for record in children:
            replies = reach & FULL if side else reach >> 64 & FULL
            count, corners = bin(replies).count("1"), bin(replies & CORNERS).count("1")
            record[0] += 4 * count - 2 * corners if reverse else 4 * (count + corners)
            record[3] = reach & FULL_BOARD
            reach >>= 128
            if record[1] == first:
                record[0] = -1000
        children.sort()
        return children

    def solve_shallow(
        self,
        board: int,
        side: int,
        squares: bytes,
        score: int,
        alpha: int,
        beta: int,
        passed: bool,
    ) -> int:
        """The same with few empty `squares`, tried in the order given.

        `passed`: the other side has just found that it has no move.
        """
        flips, flip_score = FLIPS[side], self.flip_score
        if len(squares) == 1:
            m0, t0, m1, t1, m2, t2, m3, t3, _, _ = flips[squares[0]]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            if turned:
                return score + flip_score[turned]
            m0, t0, m1, t1, m2, t2, m3, t3, _, _ = FLIPS[1 - side][squares[0]]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            if turned:
                return score - flip_score[turned]
            return _at_end(score, 1)
        best = -65
        for square in squares:
            m0, t0, m1, t1, m2, t2, m3, t3, disc, _ = flips[square]
            turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
            if turned:
                value = -self.solve_shallow(
                    board ^ turned ^ disc,
                    1 - side,
                    squares.replace(SQUARE_BYTES[square], b""),
                    -score - flip_score[turned],
                    -beta,
                    -(alpha if alpha > best else best),
                    False,
                )
                if value > best:
                    best = value
                    if best >= beta:
                        return best
        if best > -65:
            return best
        if passed:
            return _at_end(score, len(squares))
        return -self.solve_shallow(board, 1 - side, squares, -score, -beta, -alpha, True)

    def solve_root(self, children: list[Node], deadline: float) -> int:
        """Square of the best move by exact score; of those in time, when the clock runs out.

        `children` in the order to try them: whatever happens, the move is as good as the first.
        """
        self.deadline = deadline
        for table in self.values + self.known:
            table.clear()  # to make room
        empties = 63 - bin(self.root.board).count("1")
        best, best_square = -65, children[0].square
        try:
            for index, child in enumerate(children):
                board = child.board
                score = bin(board >> 64).count("1") - bin(board & FULL).count("1")
                if RULES == "reversed":
                    score = -score
                # As in `best_of`.
                low = best - 1 if child.square < best_square else best
                high = low + 1 if index else 65
                value = -self.solve(board, 1, child.moves, score, -high, -low, empties)
                if value >= high:
                    value = -self.solve(board, 1, child.moves, score, -65, -value + 1, empties)
                if value > low:
                    best, best_square = value, child.square
        except OutOfTimeError:
            pass
        self.score = best
        return best_square


def choose(board: int, seconds: float) -> tuple[list[int], int]:
    """Legal moves of side 0 and its choice, 64 where it has none."""
    start = perf_counter()
    forget_flips()
    moves = squares_of(moves_of(board, WIDTHS[1])[0] & FULL)
    if len(moves) < 2:
        return moves, moves[0] if moves else 64
    count = bin(board).count("1")
    search = Search(board, sum(1 for boundary in BOUNDARIES if boundary <= count), start + seconds)
    if 64 - count > ENDGAME:
        return moves, search.deepen(start + seconds, search.depth)[0].square
    # A shallow search gives the order, and should the exact one take too long, the move.
    depth = search.depth if 64 - count > EASY else min(search.depth, 2)
    children = search.deepen(start + FALLBACK_SHARE * seconds, depth)
    return moves, search.solve_root(children, start + seconds)


# --- What the contest asks for ---


class AI(object):
    """The player: `go` fills `candidate_list`, whose last element is the move it plays."""

    chooser = staticmethod(choose)

    def __init__(self, chessboard_size: int, color: int, time_out: float) -> None:
        if chessboard_size != 8:
            raise ValueError(f"chessboard_size is {chessboard_size!r}; this agent plays on 8")
        if color not in (BLACK, WHITE):
            raise ValueError(f"color is {color!r}; BLACK is -1 and WHITE is 1")
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list: list[tuple[int, int]] = []

    def go(self, chessboard: Any) -> None:
        """Choose a move on `chessboard`, 8 x 8 of BLACK, WHITE and NONE, as [row, column].

        Afterwards `candidate_list` holds every legal move as (row, column), then the choice once
        more; it is empty when there is no legal move.
        """
        self.candidate_list.clear()
        board = 0
        for square, disc in enumerate(np.asarray(chessboard).ravel().tolist()):
            if disc == self.color:
                board |= 1 << square
            elif disc != NONE:
                board |= 1 << (64 + square)
        moves, choice = self.chooser(board, TIME_SHARE * self.time_out)
        if moves:
            self.candidate_list.extend((square // 8, square % 8) for square in [*moves, choice])
