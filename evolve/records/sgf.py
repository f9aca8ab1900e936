"""SGF, the Smart Game Format, as programs use it for Othello games: `GM[2]`.

    (;GM[2]FF[4]SZ[8]PB[Ann]PW[Bob]RE[B+12];B[f5];W[d6];B[])

Squares are `f5`, or two letters as in Go, column and row: `fe`. `AB` and `AW` hold the discs of the
start position, `PL` its side to move. In a game with variations only the main line is read.
Source: the description of FF[4] by A. Hollosi.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.errors import RecordError
from evolve.records.moves import read_move
from evolve.records.reading import ASKED_NOTHING, Asked, Reading
from evolve.records.record import Ending, GameRecord, with_passes

Properties = list[tuple[str, list[str]]]

_KIND: Final = re.compile(r"\bGM\s*\[\s*(\w+)")
_VALUE: Final = r"\[((?:[^\]\\]|\\.)*)\]"
_TOKEN: Final = re.compile(
    rf"(?P<sign>[();])|(?P<name>[A-Za-z]+)(?P<values>(?:\s*{_VALUE})+)|\s+", re.DOTALL
)
_RESULT: Final = re.compile(r"(?P<side>[BW])\+(?P<by>\d+(?:\.\d+)?|R|T|F)?[a-z]*", re.IGNORECASE)
_BEGIN: Final = re.compile(rf"\(\s*;(?:\s*[A-Za-z]+(?:\s*{_VALUE})+)*?\s*GM\s*\[", re.DOTALL)
_ENDINGS: Final[dict[str, Ending]] = {"R": "resigned", "T": "time"}
_SIDES: Final = {"B": "black", "W": "white"}


def is_sgf(text: str) -> bool:
    """Whether a text is SGF, where `GM` is a number, and not GGF, where it is `GM[Othello]`."""
    found = _KIND.search(text)
    return found is not None and found[1].isdigit()


def scan_sgf(text: str, asked: Asked = ASKED_NOTHING) -> Reading:
    """The games of a text, with those that could not be read; RecordError where there is none."""
    reading = Reading()
    for line, properties, damage in _games(text):
        try:
            if damage:
                raise RecordError(damage)
            reading.add(_record(properties, asked))
        except RecordError as error:
            reading.leave_out(f"line {line}, game {reading.next}", error)
    return reading.not_empty("no SGF game, which would begin with (;GM[2]")


def _games(text: str) -> Iterator[tuple[int, Properties, str]]:
    """The first line of each game, the properties of its main line, and its damage, if any."""
    after = 0
    while game := _BEGIN.search(text, after):
        begin = place = opened = game.start()
        depth, main = 0, True
        found: Properties = []
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
                found.append((re.sub("[a-z]", "", token["name"]), values))
            depth += {"(": 1, ")": -1}.get(token["sign"] or "", 0)
            main = main and token["sign"] != ")"  # the first line of play is the main one
            if not depth:
                damage = ""
                break
        yield text.count("\n", 0, begin) + 1, found, damage
        after = max(place, begin + 1)


def _record(properties: Properties, asked: Asked) -> GameRecord:
    head = {name: values[0].strip() for name, values in properties if name not in ("B", "W")}
    if head.get("GM", "1") != "2":
        raise RecordError(f"GM[{head.get('GM', '1')}] is not Othello, which is GM[2]")
    if head.get("SZ", "8") not in ("8", "8:8"):
        raise RecordError(f"SZ[{head['SZ']}] is not a game on 8 x 8 squares")
    moves = [(name, values[0]) for name, values in properties if name in ("B", "W")]
    start = _start(properties, head.get("PL", moves[0][0] if moves else "B"))
    result = _RESULT.fullmatch(head.get("RE", "").replace(" ", ""))
    return GameRecord(
        moves=with_passes(
            start,
            [_square(value) for _, value in moves],
            [_SIDES[side] for side, _ in moves],
            lambda number: "{}[{}]".format(*moves[number - 1]),
        ),
        rules=asked.agree(None),
        black=head.get("PB", ""),
        white=head.get("PW", ""),
        start=start,
        result=_score(result, head.get("RE", "")),
        stopped=_ENDINGS.get((result["by"] or "").upper(), "unfinished")
        if result
        else "unfinished",
        place=head.get("PC", ""),
        date=head.get("DT", ""),
        event=head.get("EV", ""),
    )


def _start(properties: Properties, mover: str) -> Board:
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


def _score(found: re.Match[str] | None, text: str) -> float | None:
    """Black's recorded score; ±64 for a game won by an unknown margin, None for no result."""
    if found is None:
        return 0.0 if text.lower() in ("0", "draw") else None
    by = found["by"] or ""
    return (float(by) if by[:1].isdigit() else 64.0) * (1 if found["side"].upper() == "B" else -1)
