"""Reads moves as people write them: the one reader, for every format, command and protocol.

It reads `f5d6c3`, `F5-D6 C3`, `1. f5 d6 2. c3`, `1: F5 2: D6`. A pass is `pass`, `pa`, `ps`, `p`,
`@@` or `--`, or left out. A result may follow the moves, black's first: `12-52`, `1-0`, `1/2-1/2`,
or `*`. This module loads no board: `record.with_passes` checks whether the moves are legal.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from evolve.engine.board.squares import parse_moves
from evolve.errors import RecordError

_SIGNS: Final = str.maketrans("\u2010\u2011–—−\u2044", "-----/")
"""Dashes and a slash that are written as others are."""
_TOKEN: Final = re.compile(
    r"""(?P<square>[a-h][1-8])
    |(?P<pass>pass|ps|pa(?![1-8])|p(?![a-z](?![1-8]))|@@|(?<!-)--(?!-))
    |\d{1,3}(?:\s*(?:\.+|[:)])|(?=\s+[a-z@-]))
    |[\s,;|/>_·→'"\[\]()!?]+|-(?!-)""",
    re.IGNORECASE | re.VERBOSE,
)
_RESULT: Final = re.compile(
    r"(?:(?P<black>\d{1,2})\s*[-:/]\s*(?P<white>\d{1,2})|(?P<draw>1/2\s*-\s*1/2)|\*)[\s\]).]*"
)


@dataclass(frozen=True)
class Result:
    """A result as written after moves: discs of black and white, or 1-0, 0-1, ½-½."""

    black: float
    white: float

    @property
    def counts(self) -> bool:
        """Whether the numbers are discs."""
        return self.black + self.white != 1

    @property
    def score(self) -> float:
        """Black's discs less white's; ±64 for a game won by an unknown margin."""
        return (self.black - self.white) * (1 if self.counts else 64)

    def __str__(self) -> str:
        return "1/2-1/2" if self.black == 0.5 else f"{self.black:g}-{self.white:g}"


@dataclass(frozen=True)
class ParsedMoves:
    """Moves of a text: squares, 64 for a written pass, and the result after them."""

    squares: tuple[int, ...]
    result: Result | None = None


def normalised(text: str) -> str:
    """The text in NFKC, with one sign for all dashes."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_SIGNS)


def read_moves(text: str) -> ParsedMoves:
    """The moves of a text; RecordError quotes what is not a move, and where it is."""
    if re.fullmatch(r"(?:[a-h][1-8])+", text):
        return ParsedMoves(tuple(parse_moves(text)))
    text = normalised(text)
    names: list[str] = []
    result, index = None, 0
    while index < len(text):
        if text[index] in "0123456789*" and (ending := _RESULT.fullmatch(text, index)):
            result = _result_of(ending)
            break
        match = _TOKEN.match(text, index)
        if not match:
            raise RecordError(
                f"{text[index:].strip()[:12]!r} at character {index + 1} is not a move; moves are "
                "a1 to h8, or pass"
            )
        if match["square"] or match["pass"]:
            names.append("pass" if match["pass"] else match["square"])
        index = match.end()
    return ParsedMoves(tuple(parse_moves(" ".join(names))), result)


def read_move(text: str) -> int:
    """The one move of a text, 64 for a pass: `d3`, `D3`, `pa`, `1. d3`. Raises RecordError."""
    try:
        squares = read_moves(text).squares
    except RecordError:
        squares = ()
    if len(squares) != 1:
        raise RecordError(f"{text[:40]!r} is not a move; a move is a1 to h8, or pass")
    return squares[0]


def read_result(text: str) -> Result | None:
    """The result that a text is; None where it is none, or `*`."""
    match = _RESULT.fullmatch(normalised(text).strip("([ \t"))
    return None if match is None else _result_of(match)


def _result_of(match: re.Match[str]) -> Result | None:
    if match["draw"]:
        return Result(0.5, 0.5)
    return Result(int(match["black"]), int(match["white"])) if match["black"] else None
