"""A game against an agent, move by move: in the terminal, on the page, over GTP and NBoard.

`Clock` is the time for its moves, from another program's clock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, get_args

from evolve.agents.agent import Agent, Limit
from evolve.agents.timed_search import LONGEST, SHORTEST
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, PASS, Rules
from evolve.errors import IllegalMoveError
from evolve.records.record import GameRecord


class Session:
    """A game of a person, or of another program, against an agent.

    It begins with these moves from `start`, the usual start by default. `boards` are its positions,
    the start first. Moves of both sides are made with `play`; `choose` only says what the agent
    would play. draw: the game's seed, for an agent that plays at random. Raises IllegalMoveError.
    """

    def __init__(
        self, agent: Agent, start: Board | None = None, moves: Iterable[int] = (), draw: int = 0
    ) -> None:
        # In a game patterns keep their table from move to move: without it they lose 100 Elo.
        self.agent = agent.for_game(draw)
        self.rules: Rules = agent.rules or DEFAULT_RULES
        self.boards = [Board.start() if start is None else start]
        self._steps: list[int] = []  # how many positions there were before each call of `play`
        for square in moves:
            self.play(square)

    @property
    def board(self) -> Board:
        return self.boards[-1]

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves so far; 64 is a pass."""
        discs = [board.own | board.opp for board in self.boards]
        added = (after ^ before for before, after in pairwise(discs))
        return tuple(disc.bit_length() - 1 if disc else PASS for disc in added)

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

    def take_back(self, side: Side) -> None:
        """Go back to before the last move of `side`; IllegalMoveError where it has made none."""
        turns = [
            index
            for index, board in enumerate(self.boards[:-1])
            if board.side == side and board.legal_moves()
        ]
        if not turns:
            raise IllegalMoveError("there is nothing to undo")
        del self.boards[turns[-1] + 1 :]
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


@dataclass
class _Left:
    """Time of one side: `seconds` for `stones` moves, or for all moves if `stones` is 0."""

    seconds: float
    stones: int


@dataclass
class Clock:
    """GTP's time: `main` seconds for the game, then `byo` seconds for every `stones` moves.

    Values from `time_left` have priority; in between, this clock counts itself.
    """

    main: float = 0.0
    byo: float = 0.0
    stones: int = 0
    _left: dict[Side, _Left] = field(default_factory=dict)

    def set(self, main: float, byo: float, stones: int) -> None:
        """Apply new settings. Seconds for 0 moves, or only zeros, mean no limit."""
        self.main, self.byo, self.stones = main, byo, stones
        self.restart()

    def restart(self) -> None:
        """Start a new game: both sides have their full time."""
        self._left.clear()
        for side in get_args(Side):
            if self.stones > 0 and self.main <= 0:
                self.tell(side, self.byo, self.stones)
            elif self.main > 0 and not (self.byo > 0 and self.stones == 0):
                self.tell(side, self.main, 0)

    def tell(self, side: Side, seconds: float, stones: int) -> None:
        """Set a side's remaining time: for the game if `stones` is 0, else for `stones` moves."""
        self._left[side] = _Left(seconds, stones)

    def seconds_for(self, side: Side, board: Board) -> float | None:
        """Return the seconds for one move of `side`; None without a limit."""
        left = self._left.get(side)
        if left is None:
            return None
        if left.stones > 0:
            share = left.seconds / left.stones
        else:
            moves = max(1, math.ceil(board.empties / 2))
            share = left.seconds / moves
            if self.stones > 0:
                share = min(left.seconds, share + self.byo / self.stones)
            elif moves > 1:
                # The midgame needs more time than the last moves, but half of the clock at most.
                share = min(left.seconds * 0.5, share * 1.5)
        # A twentieth, and at least 0.05 s, is reserved for communication.
        return min(max(share - 0.05 * max(1.0, share), SHORTEST), LONGEST)

    @contextmanager
    def thinking(self, side: Side) -> Iterator[None]:
        """Subtract the duration of the block from the side's time."""
        begin = time.monotonic()
        yield
        left = self._left.get(side)
        if left is None:
            return
        left.seconds -= time.monotonic() - begin
        if left.stones > 1:
            left.stones -= 1
        elif left.stones == 1 or (left.seconds <= 0 and self.stones > 0):
            left.seconds, left.stones = self.byo, self.stones
