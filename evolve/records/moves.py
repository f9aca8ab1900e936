"""Reads moves as people write them: the one reader, for every format, command and protocol.

It reads `f5d6c3`, `F5-D6 C3`, `1. f5 d6 2. c3`, `1: F5 2: D6`. A pass is `pass`, `pa`, `ps`, `p`,
`@@` or `--`, or left out. A result may follow the moves: `12-52`, `+12`, `1-0`, `white wins by 40`,
`*`. Brackets and quotes may surround them, as programs print lists. This module loads no board:
`record.with_passes` checks whether the moves are legal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from evolve.engine.board.rules import PASS
from evolve.errors import RecordError

_PLAIN: Final = re.compile(r"(?:[a-h][1-8])+")
_DISCS: Final = r"(?P<{one}>\d{{1,2}})\s*[-–−:/]\s*(?P<{other}>\d{{1,2}})"
_RESULT: Final = re.compile(
    rf"""(?:(?:(?:final\s+)?(?:result|score))?\s*[:=]|result|score)?\s*[\[(]?\s*
    (?:{_DISCS.format(one="black", other="white")}
    |(?P<draw>1/2\s*[-–−]\s*1/2|½-½|drawn?(?:\s+game)?)
    |(?P<none>\*)
    |(?P<margin>[-+−]\d{{1,2}}(?:\.0+)?)
    |(?P<winner>black|white)\s+(?:wins|won)\b[\s,:]*
        (?:{_DISCS.format(one="more", other="less")}|(?:by\s+)?\+?(?P<by>\d{{1,2}}))?
    |(?P<first>black|white)\s*[:=]?\s*(?P<discs>\d{{1,2}})[\s,;/–−-]*
        (?P<second>black|white)\s*[:=]?\s*(?P<others>\d{{1,2}})
    )(?:\s+discs)?\s*[\])]?[\s.]*""",
    re.IGNORECASE | re.VERBOSE,
)
_BEGINS_RESULT: Final = frozenset("[(*½+-−:=rRsSfFdDbBwW0123456789")
"""Characters that a result may begin with."""
_TOKEN: Final = re.compile(
    r"""(?P<square>[a-h][1-8])
    |(?P<pass>\(?(?:pass(?:e(?![1-8]))?|pa(?![1-8])|ps|p(?=[^a-z]|[a-h][1-8]|$))\)?
        |@@|(?<!-)--(?!-))
    |(?P<number>\d{1,9})(?!\d|\s*[-–−:/]\s*\d)(?P<mark>\s*(?:\.+|…|[:)]))?
    |(?P<between>(?:[\s,;|/>_·–—→'"\[\]]|(?<!-)-(?!-|\d+(?:\.0+)?[\s.)\]]*$))+|[!?]+|\{[^{}]*\})""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class Result:
    """A result as written after moves: discs of black and white, or 1-0, 0-1, ½-½.

    winner: the side that the text names in words; it then has more discs, as by `standard` rules,
    in whichever order the text has the two numbers. margin: the text has the difference alone, as
    in `+12`; the discs are then those of a full board.
    """

    black: float
    white: float
    winner: Literal["black", "white"] | None = None
    margin: bool = False

    @property
    def counts(self) -> bool:
        """Whether the numbers are discs."""
        return self.black + self.white != 1

    @property
    def score(self) -> float:
        """Black's discs less white's; ±64 for a game won by an unknown margin."""
        return (self.black - self.white) * (1 if self.counts else 64)

    def __str__(self) -> str:
        if self.margin:
            return f"{self.score:+g}"
        score = "1/2-1/2" if self.black == 0.5 else f"{self.black:g}-{self.white:g}"
        return f"{self.winner} wins {score}" if self.winner and self.counts else score


@dataclass(frozen=True)
class Written:
    """Moves as written: squares, 64 for a written pass, and the result after them."""

    squares: tuple[int, ...]
    result: Result | None = None


def read_moves(text: str) -> Written:
    """The moves of a text; RecordError quotes what is not a move, and its place.

    Numbers before moves must go up by one: a missing number means a missing move.
    """
    if _PLAIN.fullmatch(text):
        return Written(_plain(text))
    squares: list[int] = []
    place, last, bare = 0, None, False
    while place < len(text):
        match = _TOKEN.match(text, place)
        # No result begins with a square or a move number: this skips most of the text.
        if text[place] in _BEGINS_RESULT and not (match and (match["square"] or match["mark"])):
            ended = _RESULT.fullmatch(text, place)
            if ended:
                return Written(tuple(squares), _result_of(ended))
        if not match:
            raise RecordError(
                f"{text[place:].strip()[:12]!r} at character {place + 1} is not a move; moves are "
                "a1 to h8, or pass"
            )
        if match["square"]:
            squares.append(_square(match["square"]))
        elif match["pass"]:
            squares.append(PASS)
        elif match["number"]:
            number = int(match["number"])
            if last is not None and not last <= number <= last + 1:
                raise RecordError(
                    f"number {number} at character {place + 1} stands behind number {last}: a "
                    "move is missing, or this is not a move"
                )
            last = number
        bare = bare if match["between"] else bool(match["number"] and not match["mark"])
        place = match.end()
    if bare:
        raise RecordError(
            f"number {last} stands at the end of the moves, where a result would be two: 36-28"
        )
    return Written(tuple(squares))


def read_move(text: str) -> int:
    """The one move of a text, 64 for a pass: `d3`, `D3`, `pa`, `1. d3`. Raises RecordError."""
    try:
        squares = read_moves(text).squares
    except RecordError:
        squares = ()
    if len(squares) != 1:
        raise RecordError(f"{text[:40]!r} is not a move; a move is a1 to h8, or pass")
    return squares[0]


def _plain(text: str) -> tuple[int, ...]:
    return tuple(
        "abcdefgh".index(column) + 8 * (int(row) - 1)
        for column, row in zip(text[::2], text[1::2], strict=True)
    )


def _square(name: str) -> int:
    return "abcdefgh".index(name[0].lower()) + 8 * (int(name[1]) - 1)


def is_result(text: str) -> bool:
    """Whether a text is a result and nothing else."""
    return _RESULT.fullmatch(text.strip()) is not None


def _result_of(match: re.Match[str]) -> Result | None:
    if match["none"]:
        return None
    if match["draw"]:
        return Result(0.5, 0.5)
    if match["margin"]:
        margin = float(match["margin"].replace("−", "-"))
        return Result(32 + margin / 2, 32 - margin / 2, margin=True)
    if match["winner"]:
        return _won(match)
    if match["first"]:
        one, other = int(match["discs"]), int(match["others"])
        if match["first"].lower() == match["second"].lower():
            raise RecordError(f"{match[0].strip()!r} has the discs of one side twice")
        return Result(one, other) if match["first"].lower() == "black" else Result(other, one)
    return Result(int(match["black"]), int(match["white"]))


def _won(match: re.Match[str]) -> Result:
    """The result of words such as `white wins 52-12`, `black wins by 4`, `white won`."""
    more, less = 1.0, 0.0
    if match["more"]:
        less, more = sorted((float(match["more"]), float(match["less"])))
    elif match["by"]:
        more, less = 32 + int(match["by"]) / 2, 32 - int(match["by"]) / 2
    margin = match["by"] is not None
    if match["winner"].lower() == "black":
        return Result(more, less, "black", margin)
    return Result(less, more, "white", margin)
