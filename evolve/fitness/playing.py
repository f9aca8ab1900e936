"""Play a game between two agents of any kind, move by move."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.engine.board import Board, Side
from evolve.engine.results import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_BLACK,
    FAILED_WHITE,
    NODES_BLACK,
    NODES_WHITE,
    OUTCOME,
    OVER_BUDGET_BLACK,
    OVER_BUDGET_WHITE,
    PLIES,
    REASON,
)
from evolve.engine.rules import PASS, Rules
from evolve.errors import EngineError, OverBudgetError


class LiveGame:
    """A running game between two agents, given by their numbers.

    It plays its opening and passes by itself; then `to_move` must choose a move on `board`, until
    the game is `over`. `failure` is how a program failed, None if none did. An agent that exceeds
    its node budget loses the game.
    """

    def __init__(
        self,
        players: dict[int, Agent],
        black: int,
        white: int,
        start: Board,
        opening: list[int],
        rules: Rules,
    ) -> None:
        self.board = start
        self.over = False
        self.failure: str | None = None
        self._over_budget = False
        self._nodes = {"black": 0, "white": 0}
        self._players = players
        self._numbers: dict[Side, int] = {"black": black, "white": white}
        self._book = [square for square in opening if square >= 0]
        self._moves: list[int] = []
        self._rules: Rules = rules
        self._go_on()

    @property
    def to_move(self) -> int:
        """The number of the agent to move."""
        return self._numbers[self.board.side]

    def choose(self) -> None:
        """Let the agent to move choose and play; a program that fails loses the game."""
        try:
            square, nodes = self._players[self.to_move].choose_counted(self.board)
        except EngineError as error:
            self.failure = f"{self.board.side}: {error}"
            self.over = True
        except OverBudgetError:
            self._over_budget = self.over = True
        else:
            self.play(square, nodes)

    def play(self, square: int, nodes: int) -> None:
        """Play a move of the agent to move; nodes: how many it searched."""
        self._nodes[self.board.side] += nodes
        self.board = self.board.play(square)
        self._moves.append(square)
        self._go_on()

    def write(self, moves: npt.NDArray[np.int8], result: npt.NDArray[np.int64]) -> None:
        """Fill the game's rows of moves and of results."""
        moves[: len(self._moves)] = self._moves
        black = self.board.side == "black"
        if self.failure is not None:
            result[REASON] = FAILED_BLACK if black else FAILED_WHITE
        elif self._over_budget:
            result[REASON] = OVER_BUDGET_BLACK if black else OVER_BUDGET_WHITE
        else:
            result[OUTCOME] = np.sign(self.board.score_of("black", self._rules))
        result[DISCS_BLACK] = self.board.discs("black")
        result[DISCS_WHITE] = self.board.discs("white")
        result[PLIES] = len(self._moves)
        result[NODES_BLACK] = self._nodes["black"]
        result[NODES_WHITE] = self._nodes["white"]

    def _go_on(self) -> None:
        while not self.board.is_over():
            if not self.board.legal_moves():
                self.board = self.board.pass_move()
                self._moves.append(PASS)
            elif self._book:
                square = self._book.pop(0)
                self.board = self.board.play(square)
                self._moves.append(square)
            else:
                return
        self.over = True
