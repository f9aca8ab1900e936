"""Alpha-beta by the clock, or by a number of nodes: as deep as the limit allows."""

from __future__ import annotations

import time
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.limit import Limit
from evolve.agents.memory import thread_context
from evolve.agents.timing import TABLE_BITS, stopping_at, thinking_seconds, touch_table
from evolve.engine import context as layout
from evolve.engine import game
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.deepening import deepen
from evolve.engine.entry import new_context
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.search import best_move
from evolve.engine.solver import solve_move, solve_outcome_move

_OUTCOME_SECONDS: Final = 0.002
_OUTCOME_NODES: Final = 40_000
_OUTCOME_GROWTH: Final = 2.4
"""Seconds and nodes to prove a win from 16 empties, and their growth with each further one, in
average positions."""


def choose_limited(
    row: npt.NDArray[np.int64], rules: Rules, limit: Limit, board: Board
) -> tuple[int, int]:
    """A good square of a board with two legal moves or more, and the nodes searched for it.

    It deepens ply by ply, to `limit.depth` at most; near the end it proves who wins, then the
    exact score, if the limit allows. A proven win or draw is played for; in a lost position the
    search's move is. By the clock, how deep it gets depends on the machine, so two such games may
    differ; by nodes alone they are the same.
    """
    begin = time.perf_counter()
    context = thread_context(rules, TABLE_BITS)
    seconds = None if limit.seconds is None else thinking_seconds(limit.seconds)
    end = None if seconds is None else begin + seconds
    with stopping_at(context, end, limit.nodes or 0):
        square = _Thinking(row, board, context, begin, seconds, limit).choose()
    return square, int(context[layout.NODES])


@cache
def prepare() -> None:
    """Load or compile the kernels, so that no move's time is spent on it."""
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


class _Thinking:
    """One move."""

    def __init__(
        self,
        row: npt.NDArray[np.int64],
        board: Board,
        context: layout.Cells,
        begin: float,
        seconds: float | None,
        limit: Limit,
    ) -> None:
        self.row = row
        self.board = board
        self.own, self.opp = U(board.own), U(board.opp)
        self.context = context
        self.address: int = context.ctypes.data
        self.begin = begin
        self.seconds = seconds
        self.nodes = limit.nodes
        self.deepest = min(limit.depth or layout.MAX_DEPTH, board.empties)
        self.square = board.legal_moves()[0]
        self.depth = 0

    def choose(self) -> int:
        solving = self._solver_may_finish()
        self._deepen(0.2 if solving else 0.5)
        if solving and self.depth < self.board.empties and not self.stopped:
            square, bound = self._outcome()
            if not self.stopped:
                if bound >= 0:
                    return self._exact(square)
                self._deepen(0.5)
        return self.square

    @property
    def stopped(self) -> bool:
        return bool(self.context[layout.STOPPED])

    @property
    def used(self) -> float:
        """The share of the limit that is used up."""
        shares = [0.0]
        if self.seconds is not None:
            shares.append((time.perf_counter() - self.begin) / self.seconds)
        if self.nodes is not None:
            shares.append(float(self.context[layout.NODES]) / self.nodes)
        return max(shares)

    def _solver_may_finish(self) -> bool:
        empties = self.board.empties
        if empties <= self.row[layout.ENDGAME]:
            return True
        growth = _OUTCOME_GROWTH ** (empties - 16)
        return (self.seconds is None or _OUTCOME_SECONDS * growth < self.seconds) and (
            self.nodes is None or _OUTCOME_NODES * growth < self.nodes
        )

    def _deepen(self, share: float) -> None:
        """Search deeper by a ply until `share` of the limit is gone: the next takes about three
        times as long as all before it, and would be stopped."""
        game.set_phase(self.own, self.opp, self.row.ctypes.data, self.address)
        while self.depth < self.deepest and self.used < share:
            kernel = deepen if self.depth else best_move
            square, _ = kernel(self.own, self.opp, self.depth + 1, self.address)
            if self.stopped:
                return
            self.square = int(square)
            self.depth += 1

    def _outcome(self) -> tuple[int, int]:
        square, bound = solve_outcome_move(self.own, self.opp, self.address)
        return int(square), int(bound)

    def _exact(self, winner: int) -> int:
        """The best move by exact score, or the one known to win or draw."""
        square, _ = solve_move(self.own, self.opp, self.address)
        return winner if self.stopped else int(square)
