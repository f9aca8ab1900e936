"""One game, from a file of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, PASS, RULE_SETS, Rules, check_rules
from evolve.engine.board.squares import square_name
from evolve.errors import IllegalMoveError, RecordError
from evolve.records.moves import Result, Written

Ending = Literal["end", "unfinished", "resigned", "time", "agreed"]
Winner = Literal["black", "white", "draw"]


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
    place: str = ""
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
    def winner(self) -> Winner | None:
        """Who won; None where it is not known."""
        score = self.score
        if score is None:
            return None
        return "black" if score > 0 else "white" if score < 0 else "draw"


def play_moves(board: Board, moves: Iterable[int]) -> Board:
    """The board after the moves (64: a pass); RecordError names the first illegal one."""
    for number, square in enumerate(moves, 1):
        try:
            board = board.pass_move() if square == PASS else board.play(square)
        except IllegalMoveError as error:
            line = str(error).splitlines()[0]
            raise RecordError(f"move {number}, {square_name(square)}: {line}") from error
    return board


def with_passes(
    board: Board,
    squares: Iterable[int],
    sides: Iterable[str] | None = None,
    word: Callable[[int], str] | None = None,
) -> tuple[int, ...]:
    """The moves with all forced passes inserted, also after the last move.

    `squares` may contain passes: they are checked, and dropped where the game is over. `sides`
    (`black`, `white`) moved, where that is known: they must be right, and no pass is added after
    the last move. RecordError names the first impossible move, with the text that `word` gives
    for its number.
    """
    return _played(board, squares, sides, word)[0]


def _played(
    board: Board,
    squares: Iterable[int],
    sides: Iterable[str] | None = None,
    word: Callable[[int], str] | None = None,
) -> tuple[tuple[int, ...], Board]:
    """The moves of `with_passes`, and the board after them."""
    moves: list[int] = []
    movers = None if sides is None else iter(sides)
    for number, square in enumerate(squares, 1):
        mover = None if movers is None else next(movers)
        try:
            if mover is not None and mover != board.side:
                board = _turned(board, mover, moves)
            if square != PASS:
                try:
                    board = board.play(square)
                except IllegalMoveError:
                    if board.legal_moves() or board.is_over():
                        raise
                    board = board.pass_move()
                    moves.append(PASS)
                    board = board.play(square)
            elif not board.is_over():
                board = board.pass_move()
            else:
                continue
        except (IllegalMoveError, RecordError) as error:
            line = str(error).splitlines()[0]
            told = square_name(square) if word is None else word(number)
            raise RecordError(f"move {number}, {told}: {line}") from error
        moves.append(square)
    if sides is None and not board.legal_moves() and not board.is_over():
        moves.append(PASS)
        board = board.pass_move()
    return tuple(moves), board


def _turned(board: Board, mover: str, moves: list[int]) -> Board:
    """The board with `mover` to move: the other side passes, unless the game is over.

    Raises RecordError where the other side has a move.
    """
    if board.legal_moves():
        raise RecordError(f"it is {board.side}'s turn")
    if board.is_over():
        return board
    moves.append(PASS)
    return board.pass_move()


def game_of(
    written: Written, start: Board | None = None, rules: Rules = DEFAULT_RULES, **about: Any
) -> GameRecord:
    """The game of moves read from text, from `start`; about: further fields of the record.

    A result after the moves counts where the game stops before its end, and must be right where
    the game is complete. Raises RecordError.
    """
    begin = Board.start() if start is None else start
    result = written.result
    moves, final = _played(begin, written.squares)
    if result is not None:
        about = {**about, "result": _score_of(result, rules)}
    game = GameRecord(moves, rules=rules, start=begin, **about)
    vars(game)["final"] = final  # the property's cache: else it would play all moves again
    if result is None:
        return game
    if game.ending == "end":
        _check_result(game, result)
    elif result.margin and result.winner is None and result.score:
        raise RecordError(
            f"the result {result} can be black's or the winner's, and the moves stop before the "
            f"end; write the discs, black's first: {result.black:g}-{result.white:g}"
        )
    return game


def _score_of(result: Result, rules: Rules) -> float:
    """Black's score: from discs by the rules; from a winner, positive where black won."""
    if result.winner is not None or not result.counts:
        return result.score
    return result.score * (RULE_SETS[rules].discs or 1)


def _check_result(game: GameRecord, result: Result) -> None:
    """Raise RecordError where a result contradicts a game that was played to its end.

    White's discs may come first where the record has no names: the moves then leave no doubt. With
    names, the names may be swapped instead, so that is an error.
    """
    black, white = game.final.discs("black"), game.final.discs("white")
    empties = 64 - black - white
    contradicts = (
        f"the result {result} contradicts the moves, which end {black}-{white}, black's first"
    )
    if result.winner is not None and result.winner != game.winner:
        raise RecordError(contradicts)
    if not result.counts:
        # Some write 1-0 where black won, others where white did: here the moves tell the winner.
        if (result.score == 0) != (black == white):
            raise RecordError(contradicts)
        return
    ends = {(black, white), (black + empties * (black > white), white + empties * (white > black))}
    if result.margin:
        fits, turned = (
            sign * result.score in {one - other for one, other in ends} for sign in (1, -1)
        )
    else:
        fits, turned = (result.black, result.white) in ends, (result.white, result.black) in ends
    if fits or (turned and (result.winner is not None or not (game.black or game.white))):
        return
    if turned:
        raise RecordError(
            f"{contradicts}; either it has white's first, then turn it round, or black and white "
            "are the wrong way round, then turn the names round"
        )
    raise RecordError(f"{contradicts}; take the wrong one away")
