"""GGF, the Generic Game Format of the Generic Game Server and NBoard, and SGF, which it is made of.

GGF: `(;GM[Othello]PB[…]PW[…]RE[…]TY[8]BO[8 <64 cells> *]B[f5]W[d6]…;)`, with an evaluation and a
time after a move where they are known. Source: the format's description by M. Buro.

SGF, the Smart Game Format: `(;GM[2]FF[4]SZ[8]PB[Ann]PW[Bob]RE[B+12];B[f5];W[d6];B[])`. Squares are
`f5`, or two letters as in Go, column and row: `fe`. `AB` and `AW` hold the discs of the start
position, `PL` its side to move. In a game with variations only the main line is read. Source: the
description of FF[4] by A. Hollosi.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules, rule_set
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.moves import read_move
from evolve.records.packing import read_bytes, text_of
from evolve.records.positions import read_position
from evolve.records.record import ASKED_NOTHING, Asked, Ending, GameRecord, Reading, with_passes

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

Properties = list[tuple[str, list[str]]]
_KIND: Final = re.compile(r"\bGM\s*\[\s*(\w+)")
_VALUE: Final = r"\[((?:[^\]\\]|\\.)*)\]"
_TOKEN: Final = re.compile(
    rf"(?P<sign>[();])|(?P<name>[A-Za-z]+)(?P<values>(?:\s*{_VALUE})+)|\s+", re.DOTALL
)
_SGF_RESULT: Final = re.compile(
    r"(?P<side>[BW])\+(?P<by>\d+(?:\.\d+)?|R|T|F)?[a-z]*", re.IGNORECASE
)
_BEGIN: Final = re.compile(rf"\(\s*;(?:\s*[A-Za-z]+(?:\s*{_VALUE})+)*?\s*GM\s*\[", re.DOTALL)
_SGF_ENDINGS: Final[dict[str, Ending]] = {"R": "resigned", "T": "time"}


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
    if not text.isspace() and (match := _PART.search(text)):
        reading.leave_out(
            f"line {line}, game {reading.next}",
            f"{text[match.start() :].strip()[:20]!r} belongs to no game; a game begins with (;",
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
    while match := _PROPERTY.match(text, place):
        key, value = match[1].upper(), match[2].strip()
        if key in ("B", "W"):
            moves.append((key, value))
        else:
            head[key] = value
        place = match.end()
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
        rules=rules,
        start=start,
        result=float(result[1]) if result else None,
        stopped=_ENDINGS.get(result[2], "unfinished") if result else "unfinished",
        **_named(head),
    )


def _named(head: dict[str, str]) -> dict[str, Any]:
    """The players, place, date and event of a game, as both formats name them."""
    return {
        "black": head.get("PB", ""),
        "white": head.get("PW", ""),
        "place": head.get("PC", ""),
        "date": head.get("DT", ""),
        "event": head.get("EV", ""),
    }


def _type(rules: Rules) -> str:
    """The GGF game type of these rules."""
    letter = rule_set(rules).ggf
    if letter is None:
        raise RecordError(f"GGF has no type for games of the rules {rules}; take .csv or .parquet")
    return f"8{letter}"


def _rules(kind: str) -> Rules:
    match = _TYPE.fullmatch(kind.strip().lower())
    if not match:
        raise RecordError(f"TY[{kind}] is a game of rules that are not known")
    if match["size"] != "8":
        raise RecordError(f"TY[{kind}] is not a game on 8 x 8 squares")
    if "k" in match["kinds"]:
        raise RecordError(f"TY[{kind}] is a game with komi, which is not read")
    # Other letters, such as r for random discs, do not affect the rules.
    return _LETTERS["".join(letter for letter in match["kinds"] if letter in _LETTERS)]


def _start(text: str) -> Board:
    size, _, rest = text.strip().partition(" ")
    if size != "8":
        raise RecordError(
            f"BO[{text[:90]}] is not a board on 8 x 8 squares: 8, 64 cells, then * or O to move"
        )
    start = _BOARDS.get(rest)
    if start is None:
        if rest[-1:].upper() not in ("*", "X", "O"):
            raise RecordError(f"BO[{text[:90]}] is not a board: 8, 64 cells, then * or O to move")
        try:
            start = read_position(rest)
        except RecordError as error:
            raise RecordError(f"BO: {error}") from error
        if start == Board.start():
            _BOARDS[rest] = start
    return start


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


def is_sgf(text: str) -> bool:
    """Whether a text is SGF, where `GM` is a number, and not GGF, where it is `GM[Othello]`."""
    match = _KIND.search(text)
    return match is not None and match[1].isdigit()


def scan_sgf(text: str, asked: Asked = ASKED_NOTHING) -> Reading:
    """The games of a text, with those that could not be read; RecordError where there is none."""
    reading = Reading()
    for line, properties, damage in _games(text):
        try:
            if damage:
                raise RecordError(damage)
            reading.add(_sgf_record(properties, asked))
        except RecordError as error:
            reading.leave_out(f"line {line}, game {reading.next}", error)
    return reading.not_empty("no SGF game, which would begin with (;GM[2]")


def _games(text: str) -> Iterator[tuple[int, Properties, str]]:
    """The first line of each game, the properties of its main line, and its damage, if any."""
    after = 0
    while game := _BEGIN.search(text, after):
        begin = place = opened = game.start()
        depth, main = 0, True
        properties: Properties = []
        damage = "it is cut off: a bracket has no end )"
        while place < len(text):
            token = _TOKEN.match(text, place)
            if token is None:
                damage = f"{text[place:].strip()[:20]!r} is neither a property nor an end )"
                break
            if token["name"] == "GM" and depth > 1:  # the next game
                place = opened
                break
            if token["name"] in ("B", "W") and "(" in token["values"]:
                damage = "it is cut off: a property has no end ]"
                place = text.index("(", token.start())
                break
            place = token.end()
            opened = token.start() if token["sign"] == "(" else opened
            if token["name"] and main:
                values = [
                    re.sub(r"\\(.)", r"\1", one) for one in re.findall(_VALUE, token["values"])
                ]
                properties.append((re.sub("[a-z]", "", token["name"]), values))
            depth += {"(": 1, ")": -1}.get(token["sign"] or "", 0)
            main = main and token["sign"] != ")"  # the first line of play is the main one
            if not depth:
                damage = ""
                break
        yield text.count("\n", 0, begin) + 1, properties, damage
        after = max(place, begin + 1)


def _sgf_record(properties: Properties, asked: Asked) -> GameRecord:
    head = {name: values[0].strip() for name, values in properties if name not in ("B", "W")}
    if head.get("GM", "1") != "2":
        raise RecordError(f"GM[{head.get('GM', '1')}] is not Othello, which is GM[2]")
    if head.get("SZ", "8") not in ("8", "8:8"):
        raise RecordError(f"SZ[{head['SZ']}] is not a game on 8 x 8 squares")
    moves = [(name, values[0]) for name, values in properties if name in ("B", "W")]
    start = _sgf_start(properties, head.get("PL", moves[0][0] if moves else "B"))
    result = _SGF_RESULT.fullmatch(head.get("RE", "").replace(" ", ""))
    return GameRecord(
        moves=with_passes(
            start,
            [_square(value) for _, value in moves],
            [_SIDES[side] for side, _ in moves],
            lambda number: "{}[{}]".format(*moves[number - 1]),
        ),
        rules=asked.agree(None),
        start=start,
        result=_score(result, head.get("RE", "")),
        stopped=_SGF_ENDINGS.get((result["by"] or "").upper(), "unfinished")
        if result
        else "unfinished",
        **_named(head),
    )


def _sgf_start(properties: Properties, mover: str) -> Board:
    """The board that the properties set up; the usual start position where they set up none."""
    discs = {"AB": 0, "AW": 0}
    moved = False
    for name, values in properties:
        moved = moved or name in ("B", "W")
        if name in ("AB", "AW", "AE") and (moved or name == "AE"):
            raise RecordError(f"{name}[{values[0]}] changes the board, which is not read")
        for value in values if name in discs else ():
            discs[name] |= 1 << _square(value)
    if not any(discs.values()):
        discs = {"AB": Board.start().black, "AW": Board.start().white}
    if discs["AB"] & discs["AW"]:
        raise RecordError("AB and AW put two discs on one square")
    black = mover.upper()[:1] != "W"
    board = Board(
        discs["AB" if black else "AW"],
        discs["AW" if black else "AB"],
        "black" if black else "white",
    )
    return Board.start() if board == Board.start() else board


def _square(text: str) -> int:
    """The square of `f5` or `fe`; an empty text or `tt` is a pass. Raises RecordError."""
    name = text.strip().lower()
    if name in ("", "tt"):
        return PASS
    if re.fullmatch("[a-h]{2}", name):
        return "abcdefgh".index(name[0]) + 8 * "abcdefgh".index(name[1])
    return read_move(name)


def _score(match: re.Match[str] | None, text: str) -> float | None:
    """Black's recorded score; ±64 for a game won by an unknown margin, None for no result."""
    if match is None:
        return 0.0 if text.lower() in ("0", "draw") else None
    by = match["by"] or ""
    return (float(by) if by[:1].isdigit() else 64.0) * (1 if match["side"].upper() == "B" else -1)
