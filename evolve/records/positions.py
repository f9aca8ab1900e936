"""Reads positions as people write them, for every format, command and the service; writes OBF.

A position is 64 cells from a1 to h8, in one piece, in rows or in groups, then the side to move.
Black, white and empty are `X O -`, `* O .`, `x o _`, `B W -`, `1 2 0`, `P E -` or `P O E`, as in
OBF, in the board of a GGF game (`[8 cells *]`), in the output of Edax and NBoard, and on our own
boards. It may also be rows as in FEN, with numbers for empty cells: `8/8/8/3wb3/3bw3/8/8/8 b`.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from evolve.engine.board.board import Board, Side
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError

Kind = Literal["nothing", "side", "row", "position", "other"]


class _Signs(NamedTuple):
    """A family of signs that are used together, for black, white and empty cells."""

    black: str
    white: str
    empty: str


_FAMILIES: Final = (
    _Signs("Xx*●⚫", "Oo○⚪", "-._·"),
    _Signs("Xx*", "Oo", "Ee"),
    _Signs("Bb", "Ww", "-._·"),
    _Signs("Bb", "Ww", "Ee"),
    _Signs("1", "2", "0"),
    _Signs("1", "2", "-._·"),
    _Signs("Pp", "Ee", "-._·"),
    _Signs("Pp", "Oo", "Ee"),
    _Signs("Pp", "Oo", "-._·"),
)
_KNOWN: Final = {sign for family in _FAMILIES for group in family for sign in group}
_MOVERS: Final = {sign for black, white, _ in _FAMILIES for sign in black + white}
_WORDS: Final[dict[str, Side]] = {
    "black": "black", "dark": "black", "white": "white", "light": "white",
}  # fmt: skip
_WORD: Final = re.compile(
    r"(?<![a-z])(black|dark|white|light)\b(?:\s*(?:is\s+)?(?:to\s+(?:move|play)|'?s\s+(?:move|turn)))?",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"(?:(?:side|player)\s+)?(?:side|player|turn|to\s+move|to\s+play|mover)\s*[:=]\s*",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"[\s|,/\[\]'\"+:]+")
_COLUMNS: Final = re.compile(
    r"[\s|]*a[\s|]*b[\s|]*c[\s|]*d[\s|]*e[\s|]*f[\s|]*g[\s|]*h[\s|]*", re.I
)
_RULE: Final = re.compile(r"\s*\+?(?:[-─]{1,3}\+)+[-─]*\s*|[\s+─=|]+")
_ROW: Final = re.compile(r"[\s|]*([1-8])[\s|.:]+(\S.*?)(?:[\s|]+\1)?[\s|]*")
_MOVE: Final = re.compile(r"[a-h][1-8]", re.IGNORECASE)
_FEN: Final = re.compile(r"\[?((?:[^\s/\[\]]{1,8}/){7}[^\s/\[\]]{1,8})\]?(?=\s|$)")
_OBF: Final = re.compile(r"(\S{64})(?:\s*([^\s;%#])(?P<rest>[\s;%#].*)?)?", re.DOTALL)


def without_comment(line: str) -> str:
    """A line up to the first semicolon, % or #, without white space around it."""
    return re.split(r"[;%#]", line, maxsplit=1)[0].strip()


def kind_of(line: str) -> Kind:
    """The kind of a line of text: a position or a row of one, a side, nothing, or something else.

    Cells never have a letter before a digit; moves always have.
    """
    text = without_comment(line)
    if _expanded(text) is not None:
        return "position"
    if not text or _COLUMNS.fullmatch(text) or (_RULE.fullmatch(text) and "+" in text):
        return "nothing"
    match = _OBF.fullmatch(line.strip())
    if match and not _MOVE.search(match[1]):
        return "position"
    if _MOVE.search(text):
        return "other"
    if _side_of(text) is not None:
        return "side"
    cells = _cells_of(_WORD.sub(" ", text))
    if _is_row(text) or _row_and_side(text):
        return "row"
    return "position" if len(cells) >= 40 else "other"


def read_position(text: str, side: Side | None = None) -> Board:
    """The board of a text; `side` is to move where the text does not say.

    RecordError where the text is not a position, or has two readings.
    """
    expanded = _expanded(without_comment(text))
    if expanded is not None:
        _check_letters(expanded, text)
        text = expanded
    match = _OBF.fullmatch(text.strip())
    if match and not _WORD.search(without_comment(match["rest"] or "")):
        cells, mover = match[1], match[2]
        given = None if mover is None else [mover]
    else:
        cells, given = _taken_apart(text)
    return _board(cells, given, side, text)


def _expanded(text: str) -> str | None:
    """A position in FEN, such as `8/8/8/3wb3/3bw3/8/8/8 b`, with one sign per cell.

    None where the text is not FEN. It drops fields after the side, such as `- - 0 1`.
    """
    match = _FEN.match(text)
    if not match or set(match[1]) <= set("012/"):
        return None
    rows = [re.sub("[1-8]", lambda digit: "-" * int(digit[0]), row) for row in match[1].split("/")]
    signs = set("".join(rows))
    if any(len(row) != 8 for row in rows) or not signs <= _KNOWN or match[1].isdigit():
        return None
    mover = re.sub(r"(?:\s+(?:-|[0-9]+))+$", "", text[match.end() :])
    return f"{''.join(rows)} {mover.strip()}"


def _check_letters(cells: str, text: str) -> None:
    """Refuse a letter in both upper and lower case: in FEN the case is the side."""
    for sign in sorted(set(cells[:64])):
        if sign.isupper() and sign.lower() in cells[:64]:
            raise RecordError(
                f"{sign} and {sign.lower()} in {_quoted(text)} can each be black; write X for "
                "black and O for white"
            )


def _row(line: str) -> str:
    """The cells of a line that may be a row, without the row's number."""
    cells = _BETWEEN.sub("", line)
    match = _ROW.fullmatch(line)
    if match and len(cells) > 8:
        return _BETWEEN.sub("", match[2])
    return cells


def _is_row(line: str) -> bool:
    cells = _row(line)
    return len(cells) == 8 and set(cells) <= _KNOWN


def _row_and_side(line: str) -> tuple[str, str] | None:
    """A row and the sign of a side after it, as people end the last row; None for other lines."""
    row, _, sign = line.rstrip().rpartition(" ")
    apart = sign in _MOVERS and _is_row(row) and not _is_row(line)  # the row's number may follow it
    return (row, sign) if apart else None


def _cells_of(text: str) -> str:
    return _BETWEEN.sub("", text)


def _side_of(text: str) -> str | None:
    """The side of a line that names a side and nothing else: a word or a sign; None for others."""
    bare = _LABEL.sub("", text).strip(" \t[]():,")
    match = _WORD.fullmatch(bare.rstrip("."))
    if match:
        return match[1].lower()
    sign = re.fullmatch(r"(\S)(?:\s+to\s+(?:move|play))?", bare, re.IGNORECASE)
    return sign[1] if sign and sign[1] in _MOVERS else None


def _taken_apart(text: str) -> tuple[str, list[str]]:
    """The cells of a position, and its words or signs for the side to move."""
    sides: list[str] = []
    lines: list[str] = []
    for line in text.splitlines():
        bare = without_comment(line)
        if kind_of(line) == "nothing":
            continue
        named = _side_of(bare)
        if named is not None:
            sides.append(named)
            continue
        bare = re.sub(r"^\s*(?:BO)?\s*\[?\s*8\s+(?=\S)", "", bare) if _is_ggf(bare) else bare
        sides += [word[1].lower() for word in _WORD.finditer(bare)]
        bare = _LABEL.sub(" ", _WORD.sub(" ", bare))
        ended = _row_and_side(bare)
        if ended is not None:
            bare = ended[0]
            sides.append(ended[1])
        lines.append(_row(bare) if len(_row(bare)) == 8 else _BETWEEN.sub(" ", bare).strip())
    if len(lines) == 8 and all(len(line) == 8 for line in lines):
        return "".join(lines), sides
    words = "\n".join(lines).split()
    if len(words) > 1 and any(len(word) > 1 for word in words):
        # A single sign after the cells, or before them, is the side to move.
        if len(words[-1]) == 1:
            return "".join(words[:-1]), [words[-1], *sides]
        if len(words[0]) == 1:
            return "".join(words[1:]), [words[0], *sides]
    cells = "".join(words)
    return (cells[:64], [cells[64], *sides]) if len(cells) == 65 else (cells, sides)


def _is_ggf(text: str) -> bool:
    """Whether a line is the board of a GGF game: its size, the cells, and the side's sign."""
    return re.match(r"\s*(?:BO)?\s*\[?\s*8\s", text) is not None and len(_cells_of(text)) > 60


def _board(cells: str, given: list[str] | None, side: Side | None, text: str) -> Board:
    if len(cells) != 64:
        raise RecordError(f"a board has 64 cells, and {_quoted(text)} has {len(cells)}")
    for square, sign in enumerate(cells):
        if sign not in _KNOWN:
            raise RecordError(
                f"{sign!r} on {square_name(square)} is none of X x * B b O o W w - . _"
            )
    used = set(cells)
    families = [family for family in _FAMILIES if used <= set("".join(family))]
    if not families:
        signs = " ".join(sorted(used))
        raise RecordError(
            f"the signs {signs} of {_quoted(text)} do not belong together; write X for black, O "
            "for white and - for empty squares"
        )
    boards = {_bits(cells, family): family for family in families}
    if len(boards) > 1:
        one, other = list(boards.values())[:2]
        raise RecordError(
            f"{_quoted(text)} can be read in two ways: {_in_words(one, used)}, or "
            f"{_in_words(other, used)}; write X for black, O for white and - for empty squares"
        )
    black, white = next(iter(boards))
    movers = {_mover(sign, families, text) for sign in given or ()}
    if len(movers) > 1:
        raise RecordError(f"{_quoted(text)} says black to move, and white to move")
    mover = movers.pop() if movers else side
    if mover is None:
        raise RecordError(
            f"{_quoted(text)} does not say who is to move; write X (black) or O (white) behind "
            "its 64 cells"
        )
    own, opp = (black, white) if mover == "black" else (white, black)
    start = Board.start()
    board = Board(own, opp, mover)
    return start if board == start else board


def _bits(cells: str, family: _Signs) -> tuple[int, int]:
    black = white = 0
    for square, sign in enumerate(cells):
        if sign in family.black:
            black |= 1 << square
        elif sign in family.white:
            white |= 1 << square
    return black, white


def _mover(sign: str, families: list[_Signs], text: str) -> Side:
    """The side of a sign or a word after the cells."""
    if sign in _WORDS:
        return _WORDS[sign]
    for black, white, _ in (*families, *_FAMILIES[:4]):
        if sign in black or sign in white:
            return "black" if sign in black else "white"
    raise RecordError(
        f"{sign!r} behind the cells of {_quoted(text)} is not a side to move; write X (black) or "
        "O (white)"
    )


def _in_words(family: _Signs, used: set[str]) -> str:
    """The meaning of each used sign, in words."""
    parts = [
        f"{' '.join(sorted(used & set(group)))} {meaning}"
        for group, meaning in zip(family, ("black", "white", "empty"), strict=True)
        if used & set(group)
    ]
    return ", ".join(parts)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else f"{line[:77]}...")


def format_obf(board: Board) -> str:
    """The OBF line of a board: 64 cells a1 to h8 (X, O and - for empty), then the side to move."""
    return f"{board.cells()} {'X' if board.side == 'black' else 'O'};"


def start_text(board: Board) -> str | None:
    """The start position of a game as tables store it: OBF; None for the usual start."""
    return None if board == Board.start() else format_obf(board)


def start_board(text: str | None) -> Board:
    """The board of a text from `start_text`; the usual start for None. Raises RecordError.

    The usual start position knows its moves; other positions do not.
    """
    if text is None:
        return Board.start()
    try:
        return read_position(text)
    except RecordError as error:
        raise RecordError(f"start: {error}") from error
