"""GGF, the Generic Game Format of the Generic Game Server, as NBoard and others use it.

Source: the format's description by M. Buro. A game is `(;GM[Othello]PB[…]PW[…]RE[…]TY[8]BO[8
<64 cells> *]B[f5]W[d6]…;)`, with an evaluation and a time after a move where they are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evolve.engine.board import Board
from evolve.engine.rules import PASS, RULE_SETS, Rules, rule_set
from evolve.engine.squares import parse_square, square_name
from evolve.errors import PositionError, RecordError
from evolve.files.atomic import write_text
from evolve.records.files import read_text
from evolve.records.record import Ending, GameRecord
from evolve.records.starts import usual_or

_PROPERTY: Final = re.compile(r"\s*([A-Za-z]+)\s*\[([^\]]*)\]")
_SIZE: Final = re.compile(r"s?(\d+)(.*)")
_RESULT: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)(?::([a-z]))?")
_ENDINGS: Final[dict[str | None, Ending]] = {"r": "resigned", "t": "time", "s": "agreed"}
_FLAGS: Final = {ending: f":{flag}" for flag, ending in _ENDINGS.items()}
_LETTERS: Final = {rules.ggf: name for name, rules in RULE_SETS.items() if rules.ggf is not None}
_PASSES: Final = ("pa", "pass", "ps", "p", "@@", "--")


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


def parse_ggf(text: str) -> list[GameRecord]:
    """All games of a text; RecordError names line and game.

    Between games may be white space and numbers, as servers write them.
    """
    records: list[GameRecord] = []
    place = 0
    while (begin := text.find("(;", place)) >= 0:
        try:
            _check_between(text[place:begin])
            record, place = _parse_game(text, begin + 2)
        except RecordError as error:
            line = text.count("\n", 0, begin) + 1
            raise RecordError(f"line {line}, game {len(records) + 1}: {error}") from error
        records.append(record)
    _check_between(text[place:] if records else "")
    if not records:
        raise RecordError("there is no GGF game, which would begin with (;GM[Othello]")
    return records


def _check_between(text: str) -> None:
    if not re.fullmatch(r"[\s\d]*", text):
        raise RecordError(f"{text.strip()[:20]!r} belongs to no game")


def read_ggf(path: Path) -> list[GameRecord]:
    """All games of a GGF file; RecordError names file, line and game."""
    text = read_text(path, "a GGF file")
    try:
        return parse_ggf(text)
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from error


def write_ggf(path: Path, records: Iterable[GameRecord]) -> None:
    """Write games to a file, a line each."""
    write_text(path, "".join(format_ggf(record) + "\n" for record in records))


def _parse_game(text: str, place: int) -> tuple[GameRecord, int]:
    """The game whose properties begin at `place`, and where it ends."""
    head: dict[str, str] = {}
    moves: list[tuple[str, str]] = []
    while found := _PROPERTY.match(text, place):
        key, value = found[1].upper(), found[2].strip()
        if key in ("B", "W"):
            moves.append((key, value))
        else:
            head[key] = value
        place = found.end()
    end = re.compile(r"\s*;\s*\)").match(text, place)
    if not end:
        raise RecordError(
            f"{text[place : place + 20].strip()!r} is neither a property nor the end ;)"
        )
    return _record(head, moves), end.end()


def _record(head: dict[str, str], moves: list[tuple[str, str]]) -> GameRecord:
    if head.get("GM", "Othello").lower() not in ("othello", "reversi"):
        raise RecordError(f"GM[{head['GM']}] is not Othello")
    result = _RESULT.fullmatch(head.get("RE", "?"))
    start = _start(head.get("BO", f"8 {Board.start().cells()} *"))
    return GameRecord(
        moves=_moves(start, moves),
        black=head.get("PB", ""),
        white=head.get("PW", ""),
        rules=_rules(head.get("TY", "8")),
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
    found = _SIZE.fullmatch(kind)
    if not found or found[1] not in ("8", "88"):
        raise RecordError(f"TY[{kind}] is not a game on 8 x 8 squares")
    if "k" in found[2]:
        raise RecordError(f"TY[{kind}] is a game with komi, which is not read")
    # What else may stand there, such as r for discs at random, says nothing of the rules.
    letters = set(found[2]) & set("".join(_LETTERS))
    if "".join(letters) not in _LETTERS:
        raise RecordError(f"TY[{kind}] is a game of rules that are not known")
    return _LETTERS["".join(letters)]


def _start(text: str) -> Board:
    size, _, rest = text.partition(" ")
    cells, side = rest[:-1], rest[-1:].upper()
    if size != "8" or side not in ("*", "X", "O"):
        raise RecordError(f"BO[{text[:90]}] is not a board: 8, 64 cells, then * or O to move")
    try:
        board = Board.parse(cells, "white" if side == "O" else "black")
    except PositionError as error:
        raise RecordError(f"BO: {error}") from error
    return usual_or(board)


def parse_move(text: str) -> int:
    """The square of a move, or a pass, as GGF and NBoard have it: `F5`, `f5/1.2/0.3`, `F5 1.2 0.3`,
    `PA`. RecordError where it is none."""
    name = next(iter(text.partition("/")[0].split()), "").lower()
    return PASS if name in _PASSES else parse_square(name)


def _moves(board: Board, moves: list[tuple[str, str]]) -> tuple[int, ...]:
    """Squares and passes of the moves, all checked; passes that were left out are put in, and those
    behind the end of the game, which NBoard adds, are left out."""
    squares: list[int] = []
    for number, (side, value) in enumerate(moves, 1):
        try:
            square = parse_move(value)
            if square == PASS and board.is_over():
                continue
            if board.side[0] != side.lower() and not board.legal_moves() and not board.is_over():
                squares.append(PASS)
                board = board.pass_move()
            if board.side[0] != side.lower():
                raise RecordError(f"it is {board.side}'s turn")
            board = board.pass_move() if square == PASS else board.play(square)
        except ValueError as error:
            line = str(error).splitlines()[0]
            raise RecordError(f"move {number}, {side}[{value}]: {line}") from error
        squares.append(square)
    return tuple(squares)
