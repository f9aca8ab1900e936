"""An alpha-beta agent that plays by the clock: as deep as the time for a move allows."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from evolve.agents.alphabeta import AlphaBetaAgent, thread_context
from evolve.agents.mcts import MctsAgent
from evolve.agents.protocol import Agent
from evolve.agents.timing import (
    LONGEST,
    TABLE_BITS,
    check_seconds,
    stopping_at,
    thinking_seconds,
    touch_table,
)
from evolve.engine import context as layout
from evolve.engine import game
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.deepening import deepen
from evolve.engine.entry import new_context
from evolve.engine.rules import DEFAULT_RULES, STANDARD, Rules
from evolve.engine.search import MAX_DEPTH, best_move
from evolve.engine.solver import solve_move, solve_outcome_move
from evolve.errors import IllegalMoveError

_OUTCOME_SECONDS: Final = 0.002
_OUTCOME_GROWTH: Final = 2.4
"""Time to prove a win from 16 empties, and its growth with each more: middling positions."""


@dataclass(frozen=True)
class ClockedAgent:
    """An agent with `seconds` for each move in place of its depths.

    It deepens ply by ply; near the end it proves who wins, then the exact score, if the time
    allows. A proven win or draw is played for; in a lost position the search's move is. How deep
    it comes depends on the machine: two games by the clock need not be the same.

    `depth` is the most plies it searches.
    """

    agent: AlphaBetaAgent
    seconds: float
    depth: int = MAX_DEPTH

    def __post_init__(self) -> None:
        check_seconds(self.seconds)
        _prepare()

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.agent.name

    @property
    def rules(self) -> Rules | None:
        """The rules it plays by; None when it plays by any."""
        return self.agent.rules

    def with_rules(self, rules: Rules) -> ClockedAgent:
        """The agent, playing by `rules`."""
        return replace(self, agent=self.agent.with_rules(rules))

    def for_game(self, seed: int) -> ClockedAgent:
        """The agent itself: it draws nothing at random."""
        return self

    def evaluate_moves(self, board: Board) -> tuple[dict[int, int], bool]:
        """As the agent without a clock does."""
        return self.agent.evaluate_moves(board)

    def choose(self, board: Board) -> int:
        """A good square within the time; raises IllegalMoveError when there is none."""
        begin = time.perf_counter()
        legal = board.legal_moves()
        if not legal:
            raise IllegalMoveError(f"there is no move to choose\n{board}")
        if len(legal) == 1:
            return legal[0]
        context = thread_context(self.rules or DEFAULT_RULES, TABLE_BITS)
        end = begin + thinking_seconds(self.seconds)
        with stopping_at(context, end):
            return _Thinking(self, board, context, begin, end).choose()

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it: none for the only legal one."""
        square = self.choose(board)
        if len(board.legal_moves()) == 1:
            return square, 0
        return square, int(thread_context(self.rules or DEFAULT_RULES, TABLE_BITS)[layout.NODES])


def within(agent: Agent, seconds: float) -> Agent:
    """The agent, taking at most so many seconds a move.

    An alpha-beta agent searches as deep as they allow; one by the clock keeps to the shorter
    time; others are as quick as they are.
    """
    if isinstance(agent, AlphaBetaAgent):
        return ClockedAgent(agent, seconds)
    if isinstance(agent, ClockedAgent):
        return replace(agent, seconds=min(agent.seconds, seconds))
    if isinstance(agent, MctsAgent):
        return replace(agent, seconds=min(agent.seconds or LONGEST, seconds))
    return agent


@cache
def _prepare() -> None:
    """Load or compile the kernels, so that no move's time goes there."""
    touch_table()
    board = Board.start()
    board.legal_moves()
    own, opp = U(board.own), U(board.opp)
    agent = AlphaBetaAgent([(0,) * layout.SQUARE_CLASSES])
    context = new_context(STANDARD, budget=1)
    address = context.ctypes.data
    game.set_phase(own, opp, agent.row.ctypes.data, address)
    best_move(own, opp, 1, address)
    deepen(own, opp, 2, address)
    solve_outcome_move(own, opp, address)
    solve_move(own, opp, address)


class _Thinking:
    """One move's time."""

    def __init__(
        self, player: ClockedAgent, board: Board, context: layout.Cells, begin: float, end: float
    ) -> None:
        self.begin = begin
        self.seconds = end - begin
        self.board = board
        self.own, self.opp = U(board.own), U(board.opp)
        self.context = context
        self.address: int = context.ctypes.data
        self.endgame = player.agent.endgame
        self.deepest = min(player.depth, board.empties)
        self.row = player.agent.row
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
    def elapsed(self) -> float:
        return time.perf_counter() - self.begin

    def _solver_may_finish(self) -> bool:
        empties = self.board.empties
        if empties <= self.endgame:
            return True
        needed = _OUTCOME_SECONDS * _OUTCOME_GROWTH ** (empties - 16)
        return needed < self.seconds

    def _deepen(self, share: float) -> None:
        """Search deeper by a ply until `share` of the time is gone: the next takes about thrice
        as long as all before it, and would be stopped."""
        game.set_phase(self.own, self.opp, self.row.ctypes.data, self.address)
        while self.depth < self.deepest and self.elapsed < share * self.seconds:
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
