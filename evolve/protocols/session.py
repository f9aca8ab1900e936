"""A game against an agent, move by move: in the terminal, on the page, over GTP and NBoard."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from evolve.agents.agent import Agent, Limit
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, PASS, Rules
from evolve.errors import IllegalMoveError
from evolve.records.record import GameRecord


class Session:
    """A game of a person, or of another program, against an agent.

    It begins with these moves from `start`, the usual start by default. `boards` are its positions,
    the start first. Moves of both sides are made with `play`; `choose` only says what the agent
    would play. Raises IllegalMoveError.
    """

    def __init__(self, agent: Agent, start: Board | None = None, moves: Iterable[int] = ()) -> None:
        self.agent = agent
        self.rules: Rules = agent.rules or DEFAULT_RULES
        self.boards = [Board.start() if start is None else start]
        self._steps: list[int] = []
        """How many positions there were before each call of `play`."""
        for square in moves:
            self.play(square)

    @property
    def board(self) -> Board:
        """The current position."""
        return self.boards[-1]

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves so far; 64 is a pass."""
        return tuple(_square_between(*pair) for pair in pairwise(self.boards))

    def with_turn(self, side: Side) -> Board:
        """The position with `side` to move: where the other side must pass, it has passed.

        IllegalMoveError where it is the other side's turn. At the end of the game either side may
        be to move.
        """
        board = self.board
        if board.side != side and not board.is_over():
            if board.legal_moves():
                raise IllegalMoveError(f"it is {board.side}'s turn")
            board = board.pass_move()
        return board

    def play(self, square: int, side: Side | None = None) -> None:
        """Make a move of `side`, 64 for a pass; None for the side whose turn it is.

        A pass before it is made as well where it was left out. A pass after the end changes
        nothing. Raises IllegalMoveError.
        """
        board = self.board
        if side is None:
            left_out = square != PASS and not board.legal_moves() and not board.is_over()
            side = board.other_side if left_out else board.side
        turn = self.with_turn(side)
        added = [] if turn is board else [turn]
        if square != PASS:
            added.append(turn.play(square))
        elif not board.is_over():
            added.append(turn.pass_move())
        self._steps.append(len(self.boards))
        self.boards += added

    def undo(self) -> None:
        """Take back the last call of `play`; IllegalMoveError where there was none."""
        if not self._steps:
            raise IllegalMoveError("there is nothing to undo")
        del self.boards[self._steps.pop() :]

    def take_back(self, side: Side, count: int = 1) -> None:
        """Go back to before the last `count` moves of `side`.

        IllegalMoveError where it has made fewer.
        """
        turns = [
            place
            for place, board in enumerate(self.boards[:-1])
            if board.side == side and board.legal_moves()
        ]
        if not turns:
            raise IllegalMoveError("there is nothing to undo")
        if len(turns) < count:
            raise IllegalMoveError(f"you have moved {len(turns)} times")
        del self.boards[turns[-count] + 1 :]
        self._steps = [before for before in self._steps if before < len(self.boards)]

    def choose(self, limit: Limit | None = None, side: Side | None = None) -> int:
        """The agent's move for `side`, see `play`; 64 where there is none."""
        board = self.board if side is None else self.with_turn(side)
        if not board.legal_moves():
            return PASS
        return (self.agent if limit is None else self.agent.limited(limit)).choose(board)

    def record(self, black: str, white: str, **about: Any) -> GameRecord:
        """The game so far; about: further fields of the record."""
        return GameRecord(self.moves, black, white, rules=self.rules, start=self.boards[0], **about)


def _square_between(before: Board, after: Board) -> int:
    """The square that was played from one board to the next; 64 for a pass."""
    added = (after.own | after.opp) ^ (before.own | before.opp)
    return added.bit_length() - 1 if added else PASS
