"""Third part of a stand-alone Python file: the search, and the player that a contest wants."""

from __future__ import annotations

from time import perf_counter

from evolve.standalone.part_values import *

# --- exported from here on ---
from typing import Any

import numpy as np


class _Node:
    """A position, with figures that its children's figures are computed from."""

    __slots__ = ("board", "corner", "moves", "square", "stable", "total", "value")

    def __init__(
        self, square: int, value: int, board: int, moves: int, stable: int, total: int, corner: int
    ) -> None:
        self.square = square  # of the move that leads here
        self.value = value  # by the evaluation
        self.board = board
        self.moves = moves  # of side 0 in the low half, of side 1 in the high half
        self.stable = stable  # stable discs of both sides
        self.total = total  # sum of square weights
        self.corner = corner  # value of X and C squares


# --- The search ---


class Search(Solver):
    """The search for one move, with its tables and its time."""

    def __init__(self, board: int, phase: int, deadline: float) -> None:
        Solver.__init__(self, deadline)
        self.depth = DEEPEST if SECONDS else DEPTHS[phase]
        self.evaluation = Evaluation(phase)
        # Transposition tables for each side to move, by board: the values of positions one ply
        # before the leaves; depth, bounds and best move of others.
        self.values: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.known: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})
        width = WIDTHS[1]
        moves, empty = moves_of(board, width)
        stable = stable_of(board, empty, 0, width)
        total = self.evaluation.square_sum(board)
        corner = self.evaluation.corner_value[board & CORNER_AREA]
        self.root = _Node(64, 0, board, moves, stable, total, corner)
        self.score = 0  # of the move that `solve_root` found

    def values_of_children(
        self, node: _Node, side: int, children: list[_Node] | None = None
    ) -> list[int]:
        """The evaluation after each move of `side`, lowest square first.

        The children are added to the list `children`, if there is one.
        """
        if perf_counter() > self.deadline:
            raise OutOfTimeError
        board, total, corner = node.board, node.total, node.corner
        moves = node.moves >> 64 if side else node.moves & FULL
        occupied = board | board >> 64 | moves
        evaluation = self.evaluation
        flips_by_bit, gains = FLIPS_BY_BIT[side], evaluation.gains[side]
        corner_value = evaluation.corner_value
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
        # Without a corner, only full lines make a disc stable, and they have 24 discs or more.
        may_be_stable = occupied & CORNERS or bin(board).count("1") >= 23
        known = node.stable * width.slot if may_be_stable else -1
        values, reach, stable = evaluation.of_boards(boards, totals, corners, known, width)
        low = width.low
        # A game is over if neither lane of its slot has a move.
        high_bit = width.high_bit
        if ((((reach | reach >> 64) & low) | high_bit) - width.slot) & high_bit != high_bit:
            for index, child in enumerate(boards):
                if not reach >> 128 * index & FULL_BOARD:
                    values[index] = score_of(child, 0) * WIN
        if children is not None:
            for index, square in enumerate(squares):
                children.append(
                    _Node(
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

    def value_before_leaves(self, node: _Node, side: int) -> int:
        """The value at depth 1 for the side to move."""
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
            value = score_of(board, side) * WIN
        if len(values) >= TABLE_LIMIT:
            values.clear()
        values[board] = value
        return value

    def search(self, node: _Node, side: int, depth: int, alpha: int, beta: int) -> int:
        """The value at `depth` >= 1 for the side to move; fail-soft. A pass costs no depth."""
        if depth == 1:
            return self.value_before_leaves(node, side)
        if not (node.moves >> 64 if side else node.moves & FULL):
            if node.moves:
                return -self.search(node, 1 - side, depth, -beta, -alpha)
            return score_of(node.board, side) * WIN
        # 1. Ask the table.
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
        # 2. Sort the moves: the best one of an earlier search first, then by value.
        children: list[_Node] = []
        self.values_of_children(node, side, children)
        children.sort(key=lambda child: child.value, reverse=not side)
        if first != 64:
            for index, child in enumerate(children):
                if child.square == first:
                    children.insert(0, children.pop(index))
                    break
        # 3. Search the first with the whole window, the others with a null window, and those that
        #    are better again.
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
        # 4. Fill the table.
        if len(known) >= TABLE_LIMIT:
            known.clear()
        known[node.board] = (
            depth,
            best if best > alpha else -INFINITY,
            best if best < beta else INFINITY,
            first,
        )
        return best

    def deepen(self, deadline: float, depth: int) -> list[_Node]:
        """The root's children, the best one at `depth` first, or at the last depth in time."""
        children: list[_Node] = []
        self.deadline = INFINITY
        self.values_of_children(self.root, 0, children)
        self.deadline = deadline
        children.sort(key=lambda child: child.value, reverse=True)
        for depth_now in range(2, depth + 1):
            best, in_time = self.best_of(children, depth_now)
            children.insert(0, children.pop(best))
            if not in_time:
                break
        return children

    def best_of(self, children: list[_Node], depth: int) -> tuple[int, bool]:
        """The index of the best move at `depth`, and whether all were searched in time.

        If not, it is the first of `children`, or a move that was better at this depth.

        Among equal moves the one with the lowest square is the best, in any order of search: a move
        with a lower square than the best so far has a window one wider, and wins if it is as good.
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

    def solve_root(
        self, children: list[_Node], deadline: float, least: int = -65, most: int = 65
    ) -> int:
        """The square of the best move by exact score, among those that are searched in time.

        `children` are in the order of the search; the move is never worse than the first. Scores
        are exact between `least` and `most`, and a move that reaches `most` ends the search.
        """
        self.deadline = deadline
        for table in self.values + self.known:
            table.clear()  # to make room
        empties = 63 - bit_count(self.root.board)
        best, best_square = least, children[0].square
        try:
            for index, child in enumerate(children):
                board = child.board
                score = DISC_SIGN * (bit_count(board >> 64) - bit_count(board & FULL))
                # The lowest square wins, as in `best_of`.
                low = best - 1 if child.square < best_square else best
                high = low + 1 if index else most
                value = -self.solve(board, 1, child.moves, score, -high, -low, empties)
                if high <= value < most:
                    value = -self.solve(board, 1, child.moves, score, -most, -value + 1, empties)
                if value > low:
                    best, best_square = value, child.square
                    if best >= most:
                        break
        except OutOfTimeError:
            pass
        self.score = best
        return best_square


def choose(board: int, moves: list[int], seconds: float) -> int:
    """The best of two or more moves of side 0."""
    start = perf_counter()
    forget_flips()
    empties = 64 - bit_count(board)
    search = Search(board, phase_of(board, BOUNDARIES), start + seconds)
    if empties > EXACT:
        return search.deepen(start + seconds, search.depth)[0].square
    # A short search sorts the moves; its best one is played if the exact search takes too long.
    depth = search.depth if empties > EASY else min(search.depth, 2)
    children = search.deepen(start + FALLBACK_SHARE * seconds, depth)
    if SECONDS:  # the winner takes less time to find than the score, and matters more
        winner = search.solve_root(children, start + seconds, -1, 1)
        children.sort(key=lambda child: child.square != winner)
    return search.solve_root(children, start + seconds)


# --- The interface of the contest ---


class AI(object):
    """The player: `go` fills `candidate_list`; the last element is the move that it plays."""

    chooser = staticmethod(choose)

    def __init__(self, chessboard_size: int, color: int, time_out: float) -> None:
        self.chessboard_size = chessboard_size  # 8
        self.color = color  # BLACK or WHITE
        self.time_out = time_out
        self.candidate_list: list[tuple[int, int]] = []

    def go(self, chessboard: Any) -> None:
        """Choose a move on `chessboard`, 8 x 8 of BLACK, WHITE and NONE, as [row, column].

        Afterwards `candidate_list` has every legal move as (row, column), then the choice. It is
        empty if there is no legal move.
        """
        self.candidate_list.clear()
        board = 0
        for square, disc in enumerate(np.asarray(chessboard).ravel().tolist()):
            if disc == self.color:
                board |= 1 << square
            elif disc != NONE:
                board |= 1 << (64 + square)
        moves = squares_of(moves_of(board, WIDTHS[1])[0] & FULL)
        seconds = min(TIME_SHARE * self.time_out, SECONDS or INFINITY)
        choice = moves[:1] if len(moves) < 2 else [self.chooser(board, moves, seconds)]
        self.candidate_list.extend((square // 8, square % 8) for square in moves + choice)
