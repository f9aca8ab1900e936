"""One game, whichever file it came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from evolve.engine.board import Board
from evolve.engine.rules import DEFAULT_RULES, PASS, Rules, check_rules
from evolve.engine.squares import square_name
from evolve.errors import IllegalMoveError, RecordError

Ending = Literal["end", "unfinished", "resigned", "time", "agreed"]
Winner = Literal["black", "white", "draw"]


@dataclass(frozen=True)
class GameRecord:
    """A game: names, moves from `start` with passes (64), and what is known of its result.

    `result` is black's score as recorded, in discs; None where none is. It counts only for games
    that stop before their end. `event` is what the game belongs to. Raises RecordError when a
    move is illegal, PositionError for unknown rules.
    """

    moves: tuple[int, ...] = ()
    black: str = ""
    white: str = ""
    rules: Rules = DEFAULT_RULES
    start: Board = field(default_factory=Board.start)
    result: float | None = None
    stopped: Ending = "unfinished"
    place: str = ""
    date: str = ""
    event: str = ""

    def __post_init__(self) -> None:
        check_rules(self.rules)

    @classmethod
    def of_board(cls, board: Board) -> GameRecord:
        """The game that led to a board; where that is not known, a game that begins there."""
        return cls(start=board) if board.moves is None else cls(board.moves)

    @cached_property
    def final(self) -> Board:
        """The last position."""
        return play_moves(self.start, self.moves)

    @property
    def ending(self) -> Ending:
        """Why there is no further move."""
        return "end" if self.final.is_over() else self.stopped

    @property
    def score(self) -> float | None:
        """Black's exact score under the rules, or the recorded one of a game that was stopped."""
        if self.ending != "end":
            return self.result
        return self.final.score_of("black", self.rules)

    @property
    def winner(self) -> Winner | None:
        """Who won; None where it is not known."""
        score = self.score
        if score is None:
            return None
        return "black" if score > 0 else "white" if score < 0 else "draw"


def play_moves(board: Board, moves: Iterable[int]) -> Board:
    """The board after the moves, 64 being a pass; RecordError names the first that is illegal."""
    for number, square in enumerate(moves, 1):
        try:
            board = board.pass_move() if square == PASS else board.play(square)
        except IllegalMoveError as error:
            line = str(error).splitlines()[0]
            raise RecordError(f"move {number}, {square_name(square)}: {line}") from error
    return board


def with_passes(board: Board, squares: Iterable[int]) -> tuple[int, ...]:
    """The moves with the passes put in that the rules force. RecordError names an illegal one."""
    moves: list[int] = []
    for number, square in enumerate(squares, 1):
        if not board.legal_moves() and not board.is_over():
            moves.append(PASS)
            board = board.pass_move()
        try:
            board = board.play(square)
        except IllegalMoveError as error:
            line = str(error).splitlines()[0]
            raise RecordError(f"move {number}, {square_name(square)}: {line}") from error
        moves.append(square)
    if not board.legal_moves() and not board.is_over():
        moves.append(PASS)
    return tuple(moves)
