"""One game, from a file of any format, the games of a file, and the rules of these games.

GGF says the rules in its type, games tables in a column, and move strings and positions in a
comment above them. WTHOR has games of the `standard` rules alone. Games that say no rules get those
that the caller asks for, or else the default ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, PASS, RULE_SETS, Rules, check_rules
from evolve.engine.board.squares import square_name
from evolve.errors import IllegalMoveError, PositionError, RecordError
from evolve.records.moves import ParsedMoves, Result
from evolve.terminal_text import count_of

Ending = Literal["end", "unfinished", "resigned", "time", "agreed"]
_SHOWN: Final = 3  # most games left out that a message gives the reasons of; it counts the others


@dataclass(frozen=True)
class GameRecord:
    """A game: names, moves from `start` with passes (64), and its result as far as it is known.

    `result` is black's recorded score, in discs; None where there is none. It counts only for
    games that stop before their end. `event` is the tournament or match of the game. Raises
    RecordError when a move is illegal, PositionError for unknown rules.
    """

    moves: tuple[int, ...] = ()
    black: str = ""
    white: str = ""
    rules: Rules = DEFAULT_RULES
    start: Board = field(default_factory=Board.start)
    result: float | None = None
    stopped: Ending = "unfinished"
    site: str = ""
    date: str = ""
    event: str = ""

    def __post_init__(self) -> None:
        check_rules(self.rules)

    @classmethod
    def of_board(cls, board: Board) -> GameRecord:
        """The game that led to a board; a game that begins there where the moves are not known."""
        return cls(start=board) if board.moves is None else cls(board.moves)

    @cached_property
    def final(self) -> Board:
        """The last position."""
        return play_moves(self.start, self.moves)

    @property
    def ending(self) -> Ending:
        """Why the game has no further move."""
        return "end" if self.final.is_over() else self.stopped

    @property
    def score(self) -> float | None:
        """Black's exact score under the rules; the recorded one where the game stopped early."""
        if self.ending != "end":
            return self.result
        return self.final.score_of("black", self.rules)

    @property
    def winner(self) -> Literal["black", "white", "draw"] | None:
        """Who won; None where it is not known."""
        score = self.score
        if score is None:
            return None
        return "black" if score > 0 else "white" if score < 0 else "draw"


def positions_of(board: Board, moves: Iterable[int]) -> Iterator[Board]:
    """The board, and that after each move (64: a pass); RecordError names the first illegal one."""
    yield board
    for number, square in enumerate(moves, 1):
        try:
            board = board.pass_move() if square == PASS else board.play(square)
        except IllegalMoveError as error:
            raise _impossible(number, square, error) from error
        yield board


def play_moves(board: Board, moves: Iterable[int]) -> Board:
    """The board after the moves; see `positions_of`."""
    *_, board = positions_of(board, moves)
    return board


def with_passes(
    board: Board, squares: Iterable[int], sides: Sequence[str] | None = None
) -> tuple[tuple[int, ...], Board]:
    """The moves with all forced passes inserted, also after the last move, and the board then.

    `squares` may contain passes: they are checked, and dropped where the game is over. `sides`
    (`black`, `white`) moved, where that is known: they must be right, and no pass is added after
    the last move. RecordError names the first impossible move.
    """
    moves: list[int] = []
    for index, square in enumerate(squares):
        try:
            if sides is not None and sides[index] != board.side and not board.is_over():
                board = board.pass_move()
                moves.append(PASS)
            if square == PASS and board.is_over():
                continue
            try:
                board = board.pass_move() if square == PASS else board.play(square)
            except IllegalMoveError:
                if square == PASS or board.legal_moves() or board.is_over():
                    raise
                board = board.pass_move().play(square)
                moves.append(PASS)
        except IllegalMoveError as error:
            raise _impossible(index + 1, square, error) from error
        moves.append(square)
    if sides is None and not board.legal_moves() and not board.is_over():
        moves.append(PASS)
        board = board.pass_move()
    return tuple(moves), board


def _impossible(number: int, square: int, error: IllegalMoveError) -> RecordError:
    return RecordError(f"move {number}, {square_name(square)}: {str(error).splitlines()[0]}")


def record_of(
    start: Board, squares: Iterable[int], sides: Sequence[str] | None = None, **about: Any
) -> GameRecord:
    """The game of these moves, as `with_passes` takes them; about: further fields of the record."""
    moves, final = with_passes(start, squares, sides)
    game = GameRecord(moves, start=start, **about)
    vars(game)["final"] = final  # the property's cache: else it would play all moves again
    return game


def game_of(
    parsed: ParsedMoves, start: Board | None = None, rules: Rules = DEFAULT_RULES, **about: Any
) -> GameRecord:
    """The game of moves read from text, from `start`; about: further fields of the record.

    A result after the moves counts where the game stops before its end, and must be right where
    the game is complete. Raises RecordError.
    """
    result = parsed.result
    if result is not None:
        discs = (RULE_SETS[rules].discs or 1) if result.counts else 1
        about = {**about, "result": result.score * discs}
    game = record_of(start or Board.start(), parsed.squares, rules=rules, **about)
    if result is not None and game.ending == "end":
        _check_result(game, result)
    return game


def _check_result(game: GameRecord, result: Result) -> None:
    """Raise RecordError where a result contradicts a game that was played to its end."""
    black, white = game.final.discs("black"), game.final.discs("white")
    empties = 64 - black - white
    if result.counts:
        winners = (black + empties * (black > white), white + empties * (white > black))
        right = (result.black, result.white) in ((black, white), winners)
    else:
        won = {"black": (1, 0), "white": (0, 1)}.get(game.winner or "", (0.5, 0.5))
        right = (result.black, result.white) == won
    if not right:
        raise RecordError(
            f"the result {result} contradicts the moves, which end {black}-{white}, black's first, "
            f"by {game.rules} rules; --rules says others"
        )


@dataclass(frozen=True)
class _LeftOut:
    """Games that could not be read: number and place of the first in the file, why, how many."""

    number: int
    where: str
    reason: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass
class Reading:
    """The games of a file that could be read, and those that could not.

    numbers: the number of each game in the file, from 1; games left out count too.
    """

    records: list[GameRecord] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    left_out: list[_LeftOut] = field(default_factory=list)

    @property
    def next(self) -> int:
        """The number of the next game."""
        return len(self.records) + self.missing + 1

    @property
    def missing(self) -> int:
        """How many games were left out."""
        return sum(left.count for left in self.left_out)

    def take(self, where: str, read: Callable[..., GameRecord], *given: Any) -> None:
        """Add the game that `read` makes of what is given, or leave it out where it cannot."""
        try:
            record = read(*given)
        except RecordError as error:
            self.leave_out(where, error)
        else:
            self.numbers.append(self.next)
            self.records.append(record)

    def leave_out(self, where: str, reason: object, count: int = 1) -> None:
        """Add a game that could not be read, or `count` of them."""
        line = (str(reason) or type(reason).__name__).splitlines()[0]
        self.left_out.append(_LeftOut(self.next, where, line, count))

    def not_empty(self, none: str) -> Reading:
        """The reading itself; RecordError where there was nothing to read: there is `none`."""
        if not self.records and not self.left_out:
            raise RecordError(f"there is {none}")
        return self

    def whole(self) -> list[GameRecord]:
        """All games; RecordError names the first that could not be read."""
        if self.left_out:
            raise RecordError(str(self.left_out[0]))
        return self.records

    def check(self, path: Path, strict: bool = False) -> None:
        """Raise RecordError where nothing could be read, or `strict` and something could not."""
        if not self.left_out or (self.records and not strict):
            return
        more = self.missing - 1
        others = f"; {more} more cannot be read" if more else ""
        raise RecordError(f"{path}, {self.left_out[0]}{others}")

    def game(self, path: Path, number: int) -> GameRecord:
        """The game of that number in the file; RecordError where there is none."""
        for left in self.left_out:
            if 0 <= number - left.number < left.count:
                raise RecordError(f"game {number} of {path} cannot be read: {left}")
        if number not in self.numbers:
            last = self.next - 1
            numbers = f"1 to {last}" if last else "none"
            raise RecordError(f"{path} has no game {number}; it has {numbers}")
        return self.records[self.numbers.index(number)]

    def messages(self, path: Path) -> Iterator[str]:
        """Lines of a message about the games left out: how many, and the first reasons."""
        if not self.left_out:
            return
        yield f"{path}: {count_of(self.missing, 'game')} of {self.next - 1} left out"
        for left in self.left_out[:_SHOWN]:
            yield f"  {left}"
        if len(self.left_out) > _SHOWN:
            yield f"  and {sum(left.count for left in self.left_out[_SHOWN:])} more"


@dataclass(frozen=True)
class Request:
    """What the caller asks for when a file is read.

    rules: the rules of its games, or None; default: those of games that say none, where `rules` is
    None; side: who is to move in positions that do not say.
    """

    rules: Rules | None = None
    default: Rules = DEFAULT_RULES
    side: Side | None = None

    def agree(self, stated: str | None) -> Rules:
        """The rules of a game: those that it states, else those asked for, else the default ones.

        RecordError where it states unknown rules, or others than those asked for.
        """
        if not stated:
            return self.rules or self.default
        try:
            rules = check_rules(stated.strip().lower())
        except PositionError as error:
            raise RecordError(str(error)) from error
        if self.rules not in (None, rules):
            raise RecordError(f"it says {rules} rules, not {self.rules}")
        return rules


NO_REQUEST: Final = Request()
