"""Searches by the clock, or by a number of nodes: as deep as a limit allows."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from evolve.agents.agent import Limit
from evolve.agents.analysis import line_from
from evolve.agents.memory import thread_context
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, rule_set
from evolve.engine.games import game
from evolve.engine.games.game import new_context
from evolve.engine.patterns.pattern_search import pattern_move, pattern_near, pattern_values
from evolve.engine.patterns.patterns import DISC
from evolve.engine.search import context as layout
from evolve.engine.search.context import clear_deadline, set_deadline
from evolve.engine.search.search import INFINITY
from evolve.engine.search.solver import SHALLOW, solve_move, solve_outcome_move
from evolve.errors import AgentError

TABLE_BITS: Final = 18
"""Table size of searches by the clock: 2**18 buckets, 16 MiB.
All have one size, because the first use in a thread makes the system provide the memory: 64 MiB
took 20 to 100 ms on a virtual machine."""
SHORTEST: Final = 0.02
LONGEST: Final = 86400.0
_STEP: Final = 2  # plies from one search to the next deeper one
_SHARE: Final = 0.4
"""Share of a limit up to which the next search begins; beyond it, it would not get far."""
_BEFORE_CHECK: Final = 0.3
"""Share of a limit up to which the next search begins where a check of its move follows: a search
to the end with forward cuts, then the proof of the outcome.
With 20 and 19 empties, 100 000 nodes and patterns-standard both together give .0293 points a
position away, the proof alone .0370 (2000 positions, difference .0077 ± .0051); with .5 the same
as .0330, and without the proof more."""
_CHECKED: Final = 6
"""How many limits a proof may take, on average, that is tried after the search to the end."""
_OPEN_FROM: Final = 6
"""Plies before the end from which windows are open: null windows alone gave .045 ± .018 points a
game away from 20 empties on, with 100 000 nodes a move, and this .025 ± .012 (200 games)."""
_END_SHARE: Final = 0.35  # of a limit that half of the searches to the end may take at most


class _Cost(NamedTuple):
    """What a search takes from 16 empties: seconds, nodes, and their growth per further empty."""

    seconds: float
    nodes: float
    growth: float

    def share(self, empties: int, seconds: float, nodes: float) -> float:
        """Its share of a limit; more than 1 where it takes longer."""
        return self.growth ** (empties - 16) * max(self.seconds / seconds, self.nodes / nodes)


_OUTCOME: Final = _Cost(0.002, 50_000, 2.4)  # on average; exact nodes
_TO_THE_END: Final = _Cost(0.0001, 1200, 1.9)  # the median, under either rules


class CutSearch:
    """A search with forward cuts from one position, for patterns and for weights of squares.

    context: prepared for the evaluation, the cuts and the rules, see `engine.patterns`; it also
    counts the nodes. disc: what its values count for a disc; 0 where it makes no forward cuts.
    """

    exact_nodes = 4
    """Nodes of an exact search that take as long as one node of this one, and count as one."""
    before_exact = 0.05
    """Share of a limit to use before the exact search, which the last search before it exceeds.
    Near the end each ply takes several times as long as the one before it, and a ply begun at a
    fifth of the limit often used up all of it."""
    doubt = 8 * DISC
    """Up to this value for either side a move is checked, see _BEFORE_CHECK; 0: never.
    Where values of up to 4 discs were checked only, .006 ± .005 points a position more were given
    away; without a bound none less, with a sixth more nodes."""

    def __init__(self, context: layout.Cells, board: Board, disc: int) -> None:
        self.context, self.disc = context, disc
        self._board = board

    def prepare(self) -> None:
        """Prepare for a series of searches, each deeper than the one before."""

    def move(self, depth: int) -> tuple[int, int]:
        """A best square and its value at `depth` plies; where it was stopped −1, or a good one."""
        return self._search(self._board, depth)

    def near(self, depth: int, first: int, guess: int) -> tuple[int, int]:
        """A square within a disc of the best, and about its value; `move`'s where that costs less.

        first, guess: a good square, and the value expected. Two discs score less in `reversed`.
        """
        if self.disc == 0 or depth <= _STEP or depth > self._board.empties - _OPEN_FROM:
            return self.move(depth)
        return self._near(depth, first, guess, -INFINITY, INFINITY, self.disc)

    def deepen(self, depth: int) -> tuple[int, int]:
        """A best square and its value, by searches of ever more plies, two at a time."""
        square, value = -1, 0
        for plies in range(2 - depth % 2, depth + 1, 2):
            square, value = self.move(plies)
        return square, value

    def values_to(self, deepest: int) -> list[int]:
        """The position's values at 1, 2, … `deepest` plies."""
        self.context[layout.STOPPED] = 0
        return [self.move(plies)[1] for plies in range(1, deepest + 1)]

    def values(self, depth: int) -> dict[int, int]:
        """The value of every legal move at `depth` plies."""
        values = np.zeros(64, np.int64)
        own, opp = U(self._board.own), U(self._board.opp)
        for plies in range(2 - depth % 2, depth + 1, 2):
            pattern_values(own, opp, plies, values, self.context.ctypes.data)
        return {square: int(values[square]) for square in self._board.legal_moves()}

    def line(self, square: int, depth: int) -> tuple[int, ...]:
        """The principal variation from `square` on."""
        return line_from(self._board, square, depth, lambda *at: self._search(*at)[0])

    def outcome_move(self, first: int) -> int:
        """A move that wins, or draws where none wins; −1 where all lose, or it was stopped.

        Forward cuts are made to the end of the game, so that it may be wrong.
        """
        return self._near(self._board.empties, first, 1, -1, 2, 1)[0]

    def _near(
        self, depth: int, first: int, guess: int, low: int, high: int, disc: int
    ) -> tuple[int, int]:
        own, opp, address = U(self._board.own), U(self._board.opp), self.context.ctypes.data
        return pattern_near(own, opp, depth, first, guess, low, high, disc, address)

    def _search(self, board: Board, depth: int) -> tuple[int, int]:
        return pattern_move(U(board.own), U(board.opp), depth, self.context.ctypes.data)


@cache
def prepare_timed_search() -> None:
    """Load or compile the kernels, so that no move spends time on it."""
    touch_table()
    board = Board.start()
    board.legal_moves()
    own, opp = U(board.own), U(board.opp)
    row = np.zeros(layout.PHASES + layout.PHASE_CELLS, np.int64)
    context = new_context(rule_set(DEFAULT_RULES).code, budget=1)
    address = context.ctypes.data
    game.set_phase(own, opp, row.ctypes.data, address)
    solve_outcome_move(own, opp, 0, address)
    solve_move(own, opp, address)


@dataclass
class TimedSearch:
    """The search for one move on a board with two legal moves or more.

    begin: when the move's time began; exact: the memory of the exact search, which may be that of
    `search` where its `exact_nodes` are 1; endgame: empties from which it tries the exact search
    under any limit.
    """

    board: Board
    limit: Limit
    begin: float
    search: CutSearch
    exact: layout.Cells
    endgame: int

    def __post_init__(self) -> None:
        seconds = self.limit.seconds
        self._seconds = None if seconds is None else thinking_seconds(seconds)
        self._deepest = min(self.limit.depth or layout.MAX_DEPTH, self.board.empties)
        self._square, self._value = self.board.legal_moves()[0], 0
        # The last search before a depth that is asked for has the same parity.
        self._depth = -((self.limit.depth or 0) % _STEP)

    def choose_counted(self) -> tuple[int, int]:
        """A good square, and the nodes searched for it."""
        end = None if self._seconds is None else self.begin + self._seconds
        with ExitStack() as stack:
            nodes = self.limit.nodes or 0
            stack.enter_context(stopping_at(self.search.context, end, nodes))
            if self.exact is not self.search.context:
                stack.enter_context(stopping_at(self.exact, end, nodes * self.search.exact_nodes))
            self._choose()
        return self._square, self.nodes

    def _choose(self) -> None:
        empties = self.board.empties
        seconds, nodes = self._seconds or math.inf, self.limit.nodes or math.inf
        limits = _OUTCOME.share(empties, seconds, nodes * self.search.exact_nodes)
        if self.exact[layout.DISC_SIGN] < 0:
            limits *= 5  # how many times as much it takes where fewest discs win
        solving = empties <= self.endgame or limits < 1
        ending = self.search.disc > 0 and self._deepest == empties
        ending = ending and _TO_THE_END.share(empties, seconds, nodes) < _END_SHARE
        checking = self.search.doubt > 0 and (ending or limits < _CHECKED)
        self._deepen(self.search.before_exact if solving else _BEFORE_CHECK if checking else _SHARE)
        if self._stopped:
            return
        # Even where the search has seen the end: forward cuts may have hidden it.
        if solving:
            self._solve()
        elif checking and abs(self._value) <= self.search.doubt:
            self._check(ending, limits < _CHECKED)

    def _check(self, ending: bool, proving: bool) -> None:
        """Search the outcome of the moves to the end, and try to prove it."""
        if ending:
            square = self.search.outcome_move(self._square)
            self._square = square if square >= 0 else self._square
        if proving and not self._stopped:
            try:
                self.exact[layout.HINTS] = self.search.context.ctypes.data
                self._solve()
            finally:
                self.exact[layout.HINTS] = 0

    def _solve(self) -> None:
        """Find a move that wins, or draws; the best one near the end, or where there is time.

        Where it is stopped, one that it has not refuted. Where all moves lose, search on, because
        the other side may not see it.
        """
        self.exact[layout.NODES] = self.search.exact_nodes * self.search.context[layout.NODES]
        own, opp, address = U(self.board.own), U(self.board.opp), self.exact.ctypes.data
        if self.board.empties > SHALLOW:
            square, _ = solve_outcome_move(own, opp, self._square, address)
            if square < 0:
                self.search.context[layout.NODES] = self.nodes
                self._deepen(_SHARE)
                return
            self._square = int(square)
            # With the outcome known after so little of a limit, enough is left for the score.
            if self._stopped or (self.board.empties > self.endgame and self._used > 0.02):
                return
        square, _ = solve_move(own, opp, address)
        if square >= 0:
            self._square = int(square)

    @property
    def nodes(self) -> int:
        exact = -(-int(self.exact[layout.NODES]) // self.search.exact_nodes)
        return max(int(self.search.context[layout.NODES]), exact)

    @property
    def _stopped(self) -> bool:
        return bool(self.search.context[layout.STOPPED] or self.exact[layout.STOPPED])

    @property
    def _used(self) -> float:
        shares = [0.0]
        if self._seconds is not None:
            shares.append((time.perf_counter() - self.begin) / self._seconds)
        if self.limit.nodes is not None:
            shares.append(self.nodes / self.limit.nodes)
        return max(shares)

    def _deepen(self, share: float) -> None:
        """Search deeper and deeper, until `share` of the limit is used."""
        self.search.prepare()
        while self._depth < self._deepest and self._used < share:
            depth = min(self._depth + _STEP, self._deepest)
            square, value = self.search.near(depth, self._square, self._value)
            if square >= 0:
                self._square = square
            if self._stopped:
                return
            self._depth, self._value = depth, value


def check_seconds(seconds: float) -> None:
    """Raise AgentError unless a move can have so many seconds."""
    if not SHORTEST <= seconds <= LONGEST:
        raise AgentError(f"time {seconds:g} must be {SHORTEST:g} to {LONGEST:g} seconds")


def thinking_seconds(seconds: float) -> float:
    """The part of a move's time that a search may use; the rest is for returning the move.

    A search ends within 0.2 ms, but then another Python thread may hold the interpreter's lock for
    5 ms, and the system may run another program.
    """
    return seconds - min(max(0.1 * seconds, 0.002), 0.01)


def touch_table() -> None:
    """Touch the memory of this thread's table, so that no move spends time on it."""
    thread_context(DEFAULT_RULES, TABLE_BITS)[layout.TABLE :].fill(0)


@contextmanager
def stopping_at(context: layout.Cells, end: float | None, nodes: int = 0) -> Iterator[None]:
    """Stop the searches in `context` at `end`, or after `nodes` nodes.

    end: in `time.perf_counter`'s time, None for never; nodes: 0 for no limit.
    """
    context[layout.NODES] = context[layout.STOPPED] = 0
    seconds = None if end is None else end - time.perf_counter()
    timer = None
    if seconds is None or not set_deadline(context, seconds, nodes):
        context[layout.BUDGET] = nodes or layout.UNLIMITED
        if seconds is not None:
            # For kernels without a clock: they run without the interpreter's lock, so another
            # thread can set the cell that they check.
            timer = threading.Timer(seconds, context.__setitem__, (layout.STOPPED, 1))
            timer.daemon = True
            timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()
        clear_deadline(context)
