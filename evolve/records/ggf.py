"""GGF, the Generic Game Format of the Generic Game Server and NBoard, and SGF, which it is made of.

GGF: `(;GM[Othello]PB[…]PW[…]RE[…]TY[8]BO[8 <64 cells> *]B[f5]W[d6]…;)`, with an evaluation and a
time after a move where they are known. A value ends at the first `]`. Source: the format's
description by M. Buro.

SGF, the Smart Game Format: `(;GM[2]FF[4]SZ[8]PB[Ann]PW[Bob]RE[B+12];B[f5];W[d6];B[])`. Squares are
`f5`, or two letters as in Go, column and row: `fe`. `AB` and `AW` hold the discs of the start
position, `PL` its side to move. In a game with variations only the main line is read. Source: the
description of FF[4] by A. Hollosi.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, rule_set
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.moves import normalised, read_move
from evolve.records.positions import read_position
from evolve.records.record import NO_REQUEST, Ending, GameRecord, Reading, Request, record_of

_OF_SGF: Final = r"\[((?:[^\]\\]|\\.)*)\]"
"""A value of SGF, where a backslash is before each sign that would mean something else."""
_OF_GGF: Final = r"\[([^\]]*)\]"
_BEGIN: Final = re.compile(r"\(\s*;")
_TOKENS: Final = {
    value: re.compile(
        rf"\s*(?:(?P<sign>[();])|(?P<name>[A-Za-z]+)\s*(?P<values>(?:{value}\s*)+))", re.DOTALL
    )
    for value in (_OF_SGF, _OF_GGF)
}
_SWALLOWED: Final = re.compile(r"\]\s*[A-Za-z]+\s*\[")
"""Where a value holds the end of one and the beginning of the next."""
_ENDINGS: Final[dict[str | None, Ending]] = {"r": "resigned", "t": "time", "s": "agreed"}
_FLAGS: Final = {ending: f":{flag}" for flag, ending in _ENDINGS.items()}
_LETTERS: Final = {rules.ggf: name for name, rules in RULE_SETS.items() if rules.ggf is not None}
_TYPE: Final = re.compile(rf"s?8(?P<kinds>(?:r\d*|[bs{''.join(_LETTERS)}])*)")
_SQUARES: Final = {
    **{square_name(square): square for square in range(PASS)},
    **{column + row: square for square in range(PASS)
       for column, row in [("abcdefgh"[square % 8], "abcdefgh"[square // 8])]},
    **dict.fromkeys(("", "tt", "pa", "pass"), PASS),
}  # fmt: skip
_SIDES: Final = {"B": "black", "W": "white"}
_SGF_RESULT: Final = re.compile(
    r"(?P<side>[BW])\+(?P<by>\d+(?:\.\d+)?|R|T|F)?[a-z]*", re.IGNORECASE
)

_Properties = list[tuple[str, list[str]]]


def format_ggf(record: GameRecord) -> str:
    """The game as one line."""
    cells = record.start.cells().replace("X", "*")
    mover = "O" if record.start.side == "white" else "*"
    score = record.score
    result = "?" if score is None else f"{score:+.2f}{_FLAGS.get(record.ending, '')}"
    letter = rule_set(record.rules).ggf
    if letter is None:
        raise RecordError(
            f"GGF has no type for games of the rules {record.rules}; take .csv or .parquet"
        )
    parts = {
        "GM": "Othello",
        "PC": record.site or "evolve",
        "EV": record.event,
        "DT": record.date,
        "PB": record.black,
        "PW": record.white,
        "RE": result,
        "TY": f"8{letter}",
        "BO": f"8 {cells} {mover}",
    }
    harmless = str.maketrans("[];\\", "(),/")  # so that no value can end itself or the game
    values = {key: " ".join(value.translate(harmless).split()) for key, value in parts.items()}
    head = "".join(f"{key}[{values[key]}]" for key, value in parts.items() if value)
    sides = "WB" if record.start.side == "white" else "BW"
    moves = (
        f"{sides[ply % 2]}[{'PA' if square == PASS else square_name(square).upper()}]"
        for ply, square in enumerate(record.moves)
    )
    return f"(;{head}{''.join(moves)};)"


def ggf_text(records: Iterable[GameRecord]) -> str:
    """The games, one line each."""
    return "".join(format_ggf(record) + "\n" for record in records)


def scan_trees(text: str, request: Request = NO_REQUEST) -> Reading:
    """The games of a text in GGF or SGF, with those that could not be read.

    Any text may stand between games. RecordError where there is no game.
    """
    reading = Reading()
    line, end = 1, 0
    while begin := _BEGIN.search(text, end):
        line += text.count("\n", end, begin.start())
        properties, end = _game(text, begin.end(), _OF_SGF)
        if text.find("\\", begin.end(), end) >= 0 and ("GM", ["2"]) not in properties:
            # Few write a backslash before a bracket in GGF: only where nothing else makes sense.
            plain, plain_end = _game(text, begin.end(), _OF_GGF)
            if plain or any(
                map(_SWALLOWED.search, (text for _, texts in properties for text in texts))
            ):
                properties, end = plain, plain_end
        reading.take(f"line {line}, game {reading.next}", _record, properties, request)
        line += text.count("\n", begin.start(), end)
    return reading.not_empty("no game of GGF or SGF, which would begin with (;GM[Othello] or GM[2]")


def _game(text: str, index: int, value: str) -> tuple[_Properties, int]:
    """The properties of the game whose first one is at `index`, on its main line, and its end.

    value: the pattern of a value. A damaged game has none, and ends where the next one begins.
    """
    properties: _Properties = []
    depth, opened, main = 1, index, True
    while depth:
        token = _TOKENS[value].match(text, index)
        name, sign, values = token.group("name", "sign", "values") if token else (None, None, "")
        next_game = name == "GM" and depth > 1
        if token is None or next_game or (name not in (None, "C") and _BEGIN.search(values)):
            following = _BEGIN.search(text, opened if next_game else index)
            return [], following.start() if following else len(text)
        if name and main:
            texts = re.findall(value, values, re.DOTALL)
            if value == _OF_SGF:
                texts = [re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) for text in texts]
            properties.append((name.upper(), texts))
        opened = token.start() if sign == "(" else opened
        depth += {"(": 1, ")": -1}.get(sign or "", 0)
        main = main and sign != ")"  # the first line of play is the main one
        index = token.end()
    return properties, index


def _record(properties: _Properties, request: Request) -> GameRecord:
    if not properties:
        raise RecordError("it is damaged, or cut off")
    head = {name: values[0].strip() for name, values in properties}
    game = head.get("GM", "Othello")
    if game == "2":
        start, about = _of_sgf(properties, head, request)
    elif game.lower() in ("othello", "reversi"):
        start, about = _of_ggf(head, request)
    else:
        raise RecordError(f"GM[{game}] is not Othello, which is GM[Othello], or GM[2] in SGF")
    moves = [(name, normalised(values[0]).strip()) for name, values in properties if name in _SIDES]
    squares = []
    for number, (side, value) in enumerate(moves, 1):
        square = _SQUARES.get(value.partition("/")[0].strip().lower())
        try:
            squares.append(parse_move(value) if square is None else square)
        except RecordError as error:
            raise RecordError(f"move {number}, {side}[{value}]: {error}") from error
    return record_of(
        start,
        squares,
        [_SIDES[side] for side, _ in moves],
        black=head.get("PB", ""),
        white=head.get("PW", ""),
        site=head.get("PC", ""),
        date=head.get("DT", ""),
        event=head.get("EV", ""),
        **about,
    )


def parse_move(text: str) -> int:
    """The square of a move, or a pass, as GGF and NBoard write it; raises RecordError.

    Such as `F5`, `f5/1.2/0.3`, `F5 1.2 0.3` or `PA`.
    """
    return read_move(next(iter(normalised(text).partition("/")[0].split()), ""))


def _of_ggf(head: dict[str, str], request: Request) -> tuple[Board, dict[str, Any]]:
    size = (head.get("BO") or "8").split()[0]  # 0, as some write it, is the size of the board
    kind = re.sub("^([sS]?)0", lambda match: match[1] + size, head.get("TY", "8"))
    match = _TYPE.fullmatch(kind.lower())
    if not match:
        raise RecordError(f"TY[{kind}] is not a game on 8 x 8 squares without komi, by known rules")
    # Other letters, such as r for random discs, do not affect the rules.
    rules = request.agree(_LETTERS["".join(sign for sign in match["kinds"] if sign in _LETTERS)])
    if re.search("[1-9]", head.get("KM", "")):
        raise RecordError(f"KM[{head['KM']}] is a game with komi, which is not read")
    result = re.fullmatch(r"([+-]?\d+(?:\.\d+)?)(?::([a-z]))?", head.get("RE", "?"))
    about = {
        "rules": rules,
        "result": float(result[1]) if result else None,
        "stopped": _ENDINGS.get(result[2], "unfinished") if result else "unfinished",
    }
    return _start(head["BO"]) if "BO" in head else Board.start(), about


@lru_cache(maxsize=16)
def _start(text: str) -> Board:
    """The board of `BO`; nearly all games have the same."""
    board = re.fullmatch(r"8\s+(.*[*XO])", normalised(text), re.DOTALL | re.IGNORECASE)
    if board is None:
        raise RecordError(
            f"BO[{text[:90]}] is not a board on 8 x 8 squares: 8, 64 cells, then * or O to move"
        )
    try:
        return read_position(board[1])
    except RecordError as error:
        raise RecordError(f"BO: {error}") from error


def _of_sgf(
    properties: _Properties, head: dict[str, str], request: Request
) -> tuple[Board, dict[str, Any]]:
    """The start of a game in SGF; its rules and result, ±64 for a win by an unknown margin."""
    if head.get("SZ", "8") not in ("8", "8:8"):
        raise RecordError(f"SZ[{head['SZ']}] is not a game on 8 x 8 squares")
    first = next((name for name, _ in properties if name in _SIDES), "B")
    text = head.get("RE", "").replace(" ", "")
    match = _SGF_RESULT.fullmatch(text)
    score, ending = 0.0 if text.lower() in ("0", "draw") else None, "unfinished"
    if match:
        by = (match["by"] or "").upper()
        score = float(by) if by[:1].isdigit() else 64.0
        score *= 1 if match["side"].upper() == "B" else -1
        ending = {"R": "resigned", "T": "time"}.get(by, ending)
    about = {"rules": request.agree(None), "result": score, "stopped": ending}
    return _sgf_start(properties, head.get("PL", first)), about


def _sgf_start(properties: _Properties, mover: str) -> Board:
    """The board that the properties set up; the usual start position where they set up none."""
    discs = {"AB": 0, "AW": 0}
    moved = False
    for name, values in properties:
        moved = moved or name in _SIDES
        if name in ("AB", "AW", "AE") and (moved or name == "AE"):
            raise RecordError(f"{name}[{values[0]}] changes the board, which is not read")
        for value in values if name in discs else ():
            square = _SQUARES.get(value.strip().lower(), PASS)
            if square == PASS:
                raise RecordError(f"{name}[{value}] is not a square")
            discs[name] |= 1 << square
    if not any(discs.values()):
        discs = {"AB": Board.start().black, "AW": Board.start().white}
    if discs["AB"] & discs["AW"]:
        raise RecordError("AB and AW put two discs on one square")
    black = mover.upper()[:1] != "W"
    own, opp = ("AB", "AW") if black else ("AW", "AB")
    board = Board(discs[own], discs[opp], "black" if black else "white")
    return Board.start() if board == Board.start() else board
