"""GGF, the Generic Game Format of the Generic Game Server, as NBoard and others use it.

Source: the format's description by M. Buro. A game is `(;GM[Othello]PB[…]PW[…]RE[…]TY[8]BO[8
<64 cells> *]B[f5]W[d6]…;)`, with an evaluation and a time after a move where they are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules, rule_set
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.moves import read_move
from evolve.records.packing import read_bytes, text_of
from evolve.records.positions import read_position
from evolve.records.reading import Reading
from evolve.records.record import Ending, GameRecord, with_passes

_PROPERTY: Final = re.compile(r"\s*(?:;\s*)?([A-Za-z]+)\s*\[([^\]]*)\]")
_END: Final = re.compile(r"\s*;?\s*\)")
_PART: Final = re.compile(r"[A-Za-z]{1,2}\s*\[[^\]]*\]|;\s*\)")
_RESULT: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)(?::([a-z]))?")
_ENDINGS: Final[dict[str | None, Ending]] = {"r": "resigned", "t": "time", "s": "agreed"}
_FLAGS: Final = {ending: f":{flag}" for flag, ending in _ENDINGS.items()}
_LETTERS: Final = {rules.ggf: name for name, rules in RULE_SETS.items() if rules.ggf is not None}
_TYPE: Final = re.compile(rf"s?(?P<size>\d+)(?P<kinds>(?:r\d*|[bsk{''.join(_LETTERS)}])*)")
_SQUARES: Final = {
    name: square
    for square in range(PASS)
    for low in [square_name(square)]
    for name in (low, low.upper())
} | {"PA": PASS, "pass": PASS}
_SIDES: Final = {"B": "black", "W": "white"}
_BOARDS: Final[dict[str, Board]] = {}
"""Texts of the start position read so far: nearly all games begin there."""


def format_ggf(record: GameRecord) -> str:
    """The game as one line."""
    cells = record.start.cells().replace("X", "*")
    mover = "O" if record.start.side == "white" else "*"
    score = record.score
    result = "?" if score is None else f"{score:+.2f}{_FLAGS.get(record.ending, '')}"
    parts = {
        "GM": "Othello",
        "PC": record.place or "evolve",
        "EV": record.event,
        "DT": record.date,
        "PB": record.black,
        "PW": record.white,
        "RE": result,
        "TY": _type(record.rules),
        "BO": f"8 {cells} {mover}",
    }
    head = "".join(f"{key}[{_plain(value)}]" for key, value in parts.items() if value)
    sides = "WB" if record.start.side == "white" else "BW"
    moves = (
        f"{sides[ply % 2]}[{'PA' if square == PASS else square_name(square).upper()}]"
        for ply, square in enumerate(record.moves)
    )
    return f"(;{head}{''.join(moves)};)"


def _plain(text: str) -> str:
    """Text that cannot end a property or a game."""
    return " ".join(text.translate(str.maketrans("[];", "(),")).split())


def scan_ggf(text: str) -> Reading:
    """The games of a text, with those that could not be read; RecordError where there is none.

    White space may stand between games, numbers, as servers write them, and any other text that
    does not look like part of a game.
    """
    reading = Reading()
    place = line = 0
    line_at = 0
    while (begin := text.find("(;", place)) >= 0:
        line += text.count("\n", line_at, begin)
        line_at = begin
        _check_between(text[place:begin], reading, line + 1)
        try:
            record, place = _parse_game(text, begin + 2)
            reading.add(record)
        except _GameError as error:
            reading.leave_out(f"line {line + 1}, game {reading.next}", error)
            place = error.place
    reading.not_empty("no GGF game, which would begin with (;GM[Othello]")
    _check_between(text[place:], reading, text.count("\n", 0, place) + 1)
    return reading


def parse_ggf(text: str) -> list[GameRecord]:
    """All games of a text; RecordError names line and game of the first invalid one."""
    return scan_ggf(text).whole()


def _check_between(text: str, reading: Reading, line: int) -> None:
    """Count the rest of a game without a beginning as a game left out."""
    if not text.isspace() and (found := _PART.search(text)):
        reading.leave_out(
            f"line {line}, game {reading.next}",
            f"{text[found.start() :].strip()[:20]!r} belongs to no game; a game begins with (;",
        )


def read_ggf(path: Path) -> list[GameRecord]:
    """All games of a file; RecordError names file, line and game of the first invalid one."""
    try:
        return parse_ggf(text_of(read_bytes(path)))
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from error


def ggf_text(records: Iterable[GameRecord]) -> str:
    """The games, one line each."""
    return "".join(format_ggf(record) + "\n" for record in records)


class _GameError(RecordError):
    """A game that cannot be read; `place`: where the search for the next one goes on."""

    def __init__(self, text: str, place: int) -> None:
        super().__init__(text)
        self.place = place


def _parse_game(text: str, begin: int) -> tuple[GameRecord, int]:
    """The game with its first property at `begin`, and where it ends; raises _GameError."""
    place = begin
    head: dict[str, str] = {}
    moves: list[tuple[str, str]] = []
    while found := _PROPERTY.match(text, place):
        key, value = found[1].upper(), found[2].strip()
        if key in ("B", "W"):
            moves.append((key, value))
        else:
            head[key] = value
        place = found.end()
    end = _END.match(text, place)
    following = text.find("(;", begin)
    if not end:
        stop = following if following >= 0 else len(text)
        left = text[place:stop].strip()
        raise _GameError(
            f"{left[:20]!r} is neither a property nor the end ;)"
            if "]" in left or ";" in left
            else "it is cut off: there is no end ;)",
            stop,
        )
    if 0 <= following < end.start():  # a property without an end contains the next game
        raise _GameError("it is cut off: a property has no end ]", following)
    try:
        return _record(head, moves), end.end()
    except RecordError as error:
        raise _GameError(str(error), end.end()) from error


def _record(head: dict[str, str], moves: list[tuple[str, str]]) -> GameRecord:
    if head.get("GM", "Othello").lower() not in ("othello", "reversi"):
        raise RecordError(f"GM[{head['GM']}] is not Othello")
    result, rules = _RESULT.fullmatch(head.get("RE", "?")), _rules(head.get("TY", "8"))
    if re.search("[1-9]", head.get("KM", "")):
        raise RecordError(f"KM[{head['KM']}] is a game with komi, which is not read")
    start = _start(head.get("BO", f"8 {Board.start().cells()} *"))
    return GameRecord(
        moves=_moves(start, moves),
        black=head.get("PB", ""),
        white=head.get("PW", ""),
        rules=rules,
        start=start,
        result=float(result[1]) if result else None,
        stopped=_ENDINGS.get(result[2], "unfinished") if result else "unfinished",
        place=head.get("PC", ""),
        date=head.get("DT", ""),
        event=head.get("EV", ""),
    )


def _type(rules: Rules) -> str:
    """The GGF game type of these rules."""
    letter = rule_set(rules).ggf
    if letter is None:
        raise RecordError(f"GGF has no type for games of the rules {rules}; take .csv or .parquet")
    return f"8{letter}"


def _rules(kind: str) -> Rules:
    found = _TYPE.fullmatch(kind.strip().lower())
    if not found:
        raise RecordError(f"TY[{kind}] is a game of rules that are not known")
    if found["size"] != "8":
        raise RecordError(f"TY[{kind}] is not a game on 8 x 8 squares")
    if "k" in found["kinds"]:
        raise RecordError(f"TY[{kind}] is a game with komi, which is not read")
    # Other letters, such as r for random discs, do not affect the rules.
    return _LETTERS["".join(letter for letter in found["kinds"] if letter in _LETTERS)]


def _start(text: str) -> Board:
    size, _, rest = text.strip().partition(" ")
    if size != "8":
        raise RecordError(
            f"BO[{text[:90]}] is not a board on 8 x 8 squares: 8, 64 cells, then * or O to move"
        )
    found = _BOARDS.get(rest)
    if found is None:
        if rest[-1:].upper() not in ("*", "X", "O"):
            raise RecordError(f"BO[{text[:90]}] is not a board: 8, 64 cells, then * or O to move")
        try:
            found = read_position(rest)
        except RecordError as error:
            raise RecordError(f"BO: {error}") from error
        if found == Board.start():
            _BOARDS[rest] = found
    return found


def parse_move(text: str) -> int:
    """The square of a move, or a pass, as GGF and NBoard write it; raises RecordError.

    Such as `F5`, `f5/1.2/0.3`, `F5 1.2 0.3` or `PA`.
    """
    return read_move(next(iter(text.partition("/")[0].split()), ""))


def _moves(board: Board, moves: list[tuple[str, str]]) -> tuple[int, ...]:
    """The squares and passes of the moves, all checked; raises RecordError.

    It inserts missing passes, and drops those after the end of the game, which NBoard adds.
    """
    squares: list[int] = []
    for number, (side, value) in enumerate(moves, 1):
        square = _SQUARES.get(value.partition("/")[0])
        if square is None:
            try:
                square = parse_move(value)
            except RecordError as error:
                raise RecordError(f"move {number}, {side}[{value}]: {error}") from error
        squares.append(square)
    sides = [_SIDES[side] for side, _ in moves]
    return with_passes(board, squares, sides, lambda number: "{}[{}]".format(*moves[number - 1]))
