"""One game, from a file of any format, the games of a file, and the rules of these games.

GGF says the rules in its type, games tables in a column, tables of older matches in the text of the
match, files of older runs and ratings in the settings of their folder, and move strings and
positions in a comment above them. WTHOR has games of the `standard` rules alone. Games that say no
rules get those that the caller asks for, or else the default ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, PASS, RULE_SETS, Rules, check_rules
from evolve.engine.board.squares import square_name
from evolve.errors import IllegalMoveError, PositionError, RecordError, RulesError
from evolve.parsing import parse_json, parse_toml, read_document
from evolve.records.moves import Result, Written
from evolve.tables.paths import CONFIG_FILE, GAMES, RATING_FILE
from evolve.terminal_text import count_of

Ending = Literal["end", "unfinished", "resigned", "time", "agreed"]
Winner = Literal["black", "white", "draw"]
_SHOWN: Final = 3
"""Most games left out that a message gives the reasons of; it counts the others."""
_MATCH_WORD: Final = re.compile(r"(?:^|\s)rules=(\S+)")
_LINE: Final = re.compile(r"^[#%;] *rules: *([a-z-]{1,40})\s*$", re.MULTILINE)
_OF_FOLDERS: Final = re.compile(r"(gen-\d+|playoff|pair-\d+-\d+)\.parquet")


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
            name = square_name(square) if word is None else word(number)
            raise RecordError(f"move {number}, {name}: {line}") from error
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


@dataclass(frozen=True)
class LeftOut:
    """One or more games that could not be read.

    number: of the first one in the file; where: its place; reason: why; count: how many games.
    """

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
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def next(self) -> int:
        """The number of the next game."""
        return len(self.records) + self.missing + 1

    @property
    def missing(self) -> int:
        """How many games were left out."""
        return sum(one.count for one in self.left_out)

    def add(self, record: GameRecord) -> None:
        """Add a game."""
        self.numbers.append(self.next)
        self.records.append(record)

    def leave_out(self, where: str, reason: object, count: int = 1) -> None:
        """Add a game that could not be read, or `count` of them."""
        line = (str(reason) or type(reason).__name__).splitlines()[0]
        self.left_out.append(LeftOut(self.next, where, line, count))

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
        for one in self.left_out:
            if 0 <= number - one.number < one.count:
                raise RecordError(f"game {number} of {path} cannot be read: {one}")
        if number not in self.numbers:
            last = self.next - 1
            there = f"1 to {last}" if last else "none"
            raise RecordError(f"{path} has no game {number}; it has {there}")
        return self.records[self.numbers.index(number)]

    def messages(self, path: Path) -> Iterator[str]:
        """Lines of a message about the games left out: how many, and the first reasons."""
        if not self.left_out:
            return
        yield f"{path}: {count_of(self.missing, 'game')} of {self.next - 1} left out"
        for one in self.left_out[:_SHOWN]:
            yield f"  {one}"
        if len(self.left_out) > _SHOWN:
            yield f"  and {sum(one.count for one in self.left_out[_SHOWN:])} more"


@dataclass(frozen=True)
class Asked:
    """The rules that the caller asks for when a file is read.

    rules: the rules of its games, or None; judged: whether a game is an error that says other
    rules, or has another winner than its rules give it; usual: the rules of games that say none,
    where `rules` is None.
    """

    rules: Rules | None = None
    judged: bool = True
    usual: Rules = DEFAULT_RULES

    def agree(self, said: Rules | None) -> Rules:
        """The rules of a game: those that it says, else those asked for, else the usual ones.

        Raises RulesError where `judged` is set and the game says other rules than those asked for.
        """
        if self.judged and self.rules is not None and said is not None and said != self.rules:
            raise RulesError(f"it says {said} rules, not {self.rules}; leave --rules out")
        return said or self.rules or self.usual


ASKED_NOTHING: Final = Asked()


def check_winner(record: GameRecord, winner: str, said: Rules | None) -> None:
    """Raise RulesError where `winner` is not the winner of a finished game by its rules.

    said: the rules that its table says; None where it says none.
    """
    if record.winner == winner:
        return
    text = f"the winner is {winner}, but by {record.rules} rules it is {record.winner}"
    others = [rules for rules in RULE_SETS if replace(record, rules=rules).winner == winner]
    if said is not None or not others:
        raise RulesError(f"{text}: the row contradicts itself")
    raise RulesError(f"{text}; for games of other rules add --rules {' or '.join(others)}")


def rules_in_row(rules: str | None, match: object) -> Rules | None:
    """The rules that a row says, in the column of rules or that of the match; None for none.

    Raises RecordError for unknown rules.
    """
    word = _MATCH_WORD.search(match) if isinstance(match, str) else None
    # Spreadsheets and people write `Reversed`, or leave a blank after it.
    said = (rules or "").strip().lower() or (None if word is None else word[1])
    try:
        return None if said is None else check_rules(said)
    except PositionError as error:
        raise RecordError(str(error)) from error


def rules_beside(path: Path) -> Rules | None:
    """The rules of the run or rating that this file of games belongs to; None where not known.

    Its folder says them: older files of games have no column of rules.
    """
    folder = path.absolute().parent
    if folder.name != GAMES or not _OF_FOLDERS.fullmatch(path.name):
        return None
    for name, parsed in ((CONFIG_FILE, parse_toml), (RATING_FILE, parse_json)):
        try:
            return check_rules(parsed(read_document(folder.parent / name))["rules"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue  # a folder of that name, but no run or rating
    return None


def rules_line(records: Sequence[GameRecord], sign: str = "#") -> str:
    """The comment with the rules for a file of move strings or positions; empty for the default.

    sign: the character that begins a comment. RecordError where the games have different rules.
    """
    kinds = {record.rules for record in records}
    if len(kinds) > 1:
        raise RecordError(
            "move strings and positions cannot say of which rules each is: "
            f"{' and '.join(sorted(kinds))}; take .ggf, .csv or .parquet"
        )
    return "" if kinds <= {DEFAULT_RULES} else f"{sign} rules: {kinds.pop()}\n"


def rules_in_text(text: str) -> Rules | None:
    """The rules that a comment of such a text says; None where there is no such comment.

    RulesError where two comments say different rules.
    """
    kinds = {said: None for said in _LINE.findall(text) if said in RULE_SETS}
    if len(kinds) > 1:
        raise RulesError(f"one comment says the rules are {' and another '.join(kinds)}; split it")
    return next(iter(kinds), None)
