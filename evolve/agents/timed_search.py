"""Searches by the clock, or by a number of nodes: as deep as the limit allows."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import cache
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Limit
from evolve.agents.memory import thread_context
from evolve.agents.timing import TABLE_BITS, stopping_at, thinking_seconds, touch_table
from evolve.engine import context as layout
from evolve.engine import game
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.context_factory import new_context
from evolve.engine.deepening import deepen
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.search import best_move
from evolve.engine.solver import solve_move, solve_outcome_move

_OUTCOME_SECONDS: Final = 0.002
_OUTCOME_NODES: Final = 40_000
_OUTCOME_GROWTH: Final = 2.4
"""Seconds and nodes to prove a win from 16 empties, and their growth per further empty.
Averages over positions."""


def choose_limited(
    row: npt.NDArray[np.int64], rules: Rules, limit: Limit, board: Board
) -> tuple[int, int]:
    """A good square of a board with two legal moves or more, and the nodes searched for it.

    It deepens ply by ply, to `limit.depth` at most; near the end it proves who wins, then the
    exact score, if the limit allows. It plays for a proven win or draw; in a lost position it plays
    the search's move. By the clock the depth depends on the machine, so two such games may differ;
    by nodes alone they are the same.
    """
    begin = time.perf_counter()
    context = thread_context(rules, TABLE_BITS)
    search = _RowSearch(row, board, context)
    return think(board, limit, begin, int(row[layout.ENDGAME]), search, context)


class Search(Protocol):
    """A search that deepens."""

    context: layout.Cells
    """The memory of the search, which also counts its nodes."""

    def prepare(self) -> None:
        """Prepare for a series of searches, each deeper than the one before."""

    def move(self, depth: int) -> int:
        """A best square by a search of `depth` plies; −1 when it was stopped."""


class _RowSearch:
    """Alpha-beta over the weights of a row."""

    def __init__(self, row: npt.NDArray[np.int64], board: Board, context: layout.Cells) -> None:
        self.context = context
        self._row = row
        self._own, self._opp = U(board.own), U(board.opp)

    def prepare(self) -> None:
        """Set the weights; old table entries no longer count.

        They may come from other weights, other rules or the exact search.
        """
        self.context[layout.AGE] += 1
        address = self.context.ctypes.data
        game.set_phase(self._own, self._opp, self._row.ctypes.data, address)

    def move(self, depth: int) -> int:
        kernel = best_move if depth == 1 else deepen
        square, _ = kernel(self._own, self._opp, depth, self.context.ctypes.data)
        return int(square)


@cache
def prepare() -> None:
    """Load or compile the kernels, so that no move spends time on it."""
    touch_table()
    board = Board.start()
    board.legal_moves()
    own, opp = U(board.own), U(board.opp)
    row = np.zeros(layout.PHASES + layout.PHASE_CELLS, np.int64)
    context = new_context(rule_set(DEFAULT_RULES).code, budget=1)
    address = context.ctypes.data
    game.set_phase(own, opp, row.ctypes.data, address)
    best_move(own, opp, 1, address)
    deepen(own, opp, 2, address)
    solve_outcome_move(own, opp, address)
    solve_move(own, opp, address)


def think(
    board: Board,
    limit: Limit,
    begin: float,
    endgame: int,
    search: Search,
    exact: layout.Cells,
    exact_nodes: int = 1,
    before_exact: float = 0.2,
) -> tuple[int, int]:
    """A good square of a board with two legal moves or more, and the nodes searched for it.

    begin: when the move's time began; endgame: empties from which it tries the exact search under
    any limit; exact: the memory of the exact search, which may be that of `search` where
    exact_nodes is 1; exact_nodes: how many exact nodes take as long as one node of `search`, and
    count as one; before_exact: share of the limit to use before the exact search, which the last
    search before it exceeds.
    """
    seconds = None if limit.seconds is None else thinking_seconds(limit.seconds)
    thinking = _Thinking(board, limit, begin, seconds, search, exact, exact_nodes)
    end = None if seconds is None else begin + seconds
    with ExitStack() as stack:
        nodes = limit.nodes or 0
        stack.enter_context(stopping_at(search.context, end, nodes))
        if exact is not search.context:
            stack.enter_context(stopping_at(exact, end, nodes * exact_nodes))
        square = thinking.choose(endgame, before_exact)
    return square, thinking.nodes


class _Thinking:
    """The search for one move."""

    def __init__(
        self,
        board: Board,
        limit: Limit,
        begin: float,
        seconds: float | None,
        search: Search,
        exact: layout.Cells,
        exact_nodes: int,
    ) -> None:
        self._board = board
        self._own, self._opp = U(board.own), U(board.opp)
        self._begin, self._seconds, self._most = begin, seconds, limit.nodes
        self._search, self._exact, self._exact_nodes = search, exact, exact_nodes
        self._deepest = min(limit.depth or layout.MAX_DEPTH, board.empties)
        self._square = board.legal_moves()[0]
        self._depth = 0

    def choose(self, endgame: int, before_exact: float) -> int:
        """A good square."""
        solving = self._board.empties <= endgame or self._solver_may_finish()
        self._deepen(before_exact if solving else 0.5)
        if solving and self._depth < self._board.empties and not self._stopped:
            self._exact[layout.NODES] = self._exact_nodes * self._search.context[layout.NODES]
            square, bound = solve_outcome_move(self._own, self._opp, self._exact.ctypes.data)
            if not self._stopped:
                if bound >= 0:
                    return self._best(int(square))
                self._search.context[layout.NODES] = self.nodes
                self._deepen(0.5)
        return self._square

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        exact = -(-int(self._exact[layout.NODES]) // self._exact_nodes)
        return max(int(self._search.context[layout.NODES]), exact)

    @property
    def _stopped(self) -> bool:
        return bool(self._search.context[layout.STOPPED] or self._exact[layout.STOPPED])

    @property
    def _used(self) -> float:
        """The share of the limit used so far."""
        shares = [0.0]
        if self._seconds is not None:
            shares.append((time.perf_counter() - self._begin) / self._seconds)
        if self._most is not None:
            shares.append(self.nodes / self._most)
        return max(shares)

    def _solver_may_finish(self) -> bool:
        growth = _OUTCOME_GROWTH ** (self._board.empties - 16)
        return (self._seconds is None or _OUTCOME_SECONDS * growth < self._seconds) and (
            self._most is None or _OUTCOME_NODES * growth < self._most
        )

    def _deepen(self, share: float) -> None:
        """Search one ply deeper at a time, until `share` of the limit is used.

        The next ply takes about three times as long as all before it, and would be stopped.
        """
        self._search.prepare()
        while self._depth < self._deepest and self._used < share:
            square = self._search.move(self._depth + 1)
            if self._stopped:
                return
            self._square = square
            self._depth += 1

    def _best(self, winner: int) -> int:
        """The best move by exact score, or the one known to win or draw."""
        square, _ = solve_move(self._own, self._opp, self._exact.ctypes.data)
        return winner if self._stopped else int(square)
