"""Text files: PGN, and lines of moves such as `f5d6c4d3c2b3b4b5`, of positions, and of OBF.

PGN, as collections of Othello games use it, has tags in brackets, then numbered moves and a result:

    [Black "Saio"]
    [White "Edax"]
    [Result "36-28"]

    1. f5 d6 2. c3 d3 … 36-28

Black, who moves first, also comes first in a result: discs at the end, or 1-0. The tags `Rules`,
and `Board` where a game has another start position, are evolve's own.

In other texts a line is a game or a position. A position may also have a line per row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Final, get_args

from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, PASS, RULE_SETS
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.ggf import scan_trees
from evolve.records.moves import ParsedMoves, normalised, read_moves, read_result
from evolve.records.positions import (
    format_obf,
    is_one_position,
    is_position,
    read_position,
    without_comment,
)
from evolve.records.record import NO_REQUEST, Ending, GameRecord, Reading, Request, game_of

_TAG: Final = re.compile(r'^[ \t]*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\][ \t]*$')
_TREE: Final = re.compile(r"^\s*(?:\d+\s+)?\(\s*;\s*[A-Za-z]+\s*\[", re.MULTILINE)
"""The beginning of GGF or SGF; servers put the number of games before each entry."""
_SQUARE: Final = re.compile(r"\b[A-Ha-h][1-8]")
_DROPPED: Final = re.compile(r"\{[^{}]*\}|\$\d+|^%.*$|;.*$", re.MULTILINE)
_ENDINGS: Final[dict[str, Ending]] = {
    "time forfeit": "time", "abandoned": "unfinished", "unterminated": "unfinished",
    **{ending: ending for ending in get_args(Ending)},
}  # fmt: skip
_TERMINATIONS: Final = {"time": "time forfeit", "unfinished": "unterminated"}
_MOVES: Final = re.compile(r"[a-h][1-8]", re.IGNORECASE)
_RULES: Final = re.compile(r"^[#%;] *rules: *([a-z-]{1,40})\s*$", re.MULTILINE)


def scan_text(text: str, request: Request = NO_REQUEST) -> Reading:
    """The games and positions of a text in PGN, GGF, SGF, or in lines, by its content.

    RecordError where there is nothing to read.
    """
    if _TAG.match(text.lstrip().partition("\n")[0].rstrip()):
        return scan_pgn(text, request)
    tree = _TREE.search(text)
    if tree and not _SQUARE.search(text, 0, tree.start()):  # else moves before it are a game too
        return scan_trees(text, request)
    return scan_lines(text, request)


def scan_pgn(text: str, request: Request = NO_REQUEST) -> Reading:
    """The games of a text, with those that could not be read; RecordError where there is none."""
    reading = Reading()
    for line, tags, moves in _games(text):
        reading.take(f"line {line}, game {reading.next}", _record, tags, moves, request)
    return reading.not_empty('no PGN game, which would begin with tags such as [Black "…"]')


def _games(text: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """The first line, tags and moves of each game; a tag after moves begins the next game."""
    begin = 1
    tags: dict[str, str] = {}
    moves: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _TAG.match(line)
        if not match:
            moves += [line] if line.strip() else []
            continue
        if moves:
            yield begin, tags, "\n".join(moves)
            tags, moves = {}, []
        if not tags:
            begin = number
        tags[match[1].lower()] = re.sub(r"\\(.)", r"\1", match[2])
    if tags or moves:
        yield begin, tags, "\n".join(moves)


def _record(tags: dict[str, str], text: str, request: Request) -> GameRecord:
    variant = (tags.get("rules") or tags.get("variant") or "").lower()
    if variant in ("othello", "reversi", "normal"):  # this says nothing of the rules
        variant = ""
    board = tags.get("board") or tags.get("fen")  # a FEN is refused: it would be another start
    bare, before = _DROPPED.sub(" ", text), ""
    while bare != before:  # variations may hold others
        bare, before = re.sub(r"\([^()]*\)", " ", bare), bare
    parsed = read_moves(bare)
    results = [result for result in (read_result(tags.get("result", "*")), parsed.result) if result]
    result = max(results, key=lambda result: result.counts, default=None)
    return game_of(
        ParsedMoves(parsed.squares, result),
        None if board is None else read_position(board),
        request.agree(variant),
        black=_value(tags.get("black")),
        white=_value(tags.get("white")),
        stopped=_ENDINGS.get(tags.get("termination", "").lower(), "unfinished"),
        site=_value(tags.get("site")),
        date=_value(tags.get("date")),
        event=_value(tags.get("event")),
    )


def _value(text: str | None) -> str:
    """The text of a tag; empty for `?` and the rest of PGN's signs for unknown values."""
    return "" if text is None or set(text) <= set("?.") else text


def pgn_text(records: Sequence[GameRecord]) -> str:
    """The games as PGN."""
    return "\n".join(_format(record) for record in records)


def _format(record: GameRecord) -> str:
    result = _result(record)
    tags = {
        "Event": record.event or "?",
        "Site": record.site or "?",
        "Date": record.date or "????.??.??",
        "Round": "?",
        "Black": record.black or "?",
        "White": record.white or "?",
        "Result": result,
        "Rules": record.rules,
    }
    if record.start != Board.start():
        tags["Board"] = format_obf(record.start).rstrip(";")
    if record.ending != "end":
        tags["Termination"] = _TERMINATIONS.get(record.ending, record.ending)
    quoting = str.maketrans({sign: f"\\{sign}" for sign in '\\"'})
    texts = {name: " ".join(text.split()).translate(quoting) for name, text in tags.items()}
    head = "".join(f'[{name} "{text}"]\n' for name, text in texts.items())
    words: list[str] = []
    for ply, square in enumerate(record.moves):
        number = [f"{ply // 2 + 1}."] if ply % 2 == 0 else []
        words += [*number, "--" if square == PASS else square_name(square)]
    return f"{head}\n{fill(' '.join([*words, result]), 80, break_on_hyphens=False)}\n"


def _result(record: GameRecord) -> str:
    """The discs of black and white; for a game that stopped early, discs that give its score."""
    if record.ending == "end":
        return f"{record.final.discs('black')}-{record.final.discs('white')}"
    score = record.score
    if score is None:
        return "*"
    if score % 2 == 0 and abs(score) <= 64:
        half = int(score) // 2 * (RULE_SETS[record.rules].discs or 1)
        return f"{32 + half}-{32 - half}"
    return "1-0" if score > 0 else "0-1"


def scan_lines(text: str, request: Request = NO_REQUEST) -> Reading:
    """The games and positions of a text; a position is a game without moves.

    It skips empty lines and those that begin with % # or ;, of which one may say the rules. Lines
    that are neither are left out; RecordError where there is nothing to read, or two comments say
    different rules.
    """
    kinds = list(dict.fromkeys(_RULES.findall(text)))
    if len(kinds) > 1:
        raise RecordError(f"one comment says the rules are {' and another '.join(kinds)}; split it")
    rules, reading = request.agree(kinds[0] if kinds else None), Reading()

    def read(is_board: bool, item: str) -> GameRecord:
        if is_board:
            return GameRecord(rules=rules, start=read_position(item, request.side))
        return game_of(read_moves(item), rules=rules)

    for line, *found in _items(text):
        reading.take(f"line {line}", read, *found)
    return reading.not_empty("no position and no move string such as f5d6c4d3c2b3b4b5 in it")


def _items(text: str) -> Iterator[tuple[int, bool, str]]:
    """The first line of each position and game, whether it is a position, and its text.

    A game has a line; a position may have several, and an empty line ends it.
    """
    begin, board = 0, ""
    for number, line in enumerate([*normalised(text).splitlines(), ""], 1):
        bare = re.split("[%#]", line, maxsplit=1)[0].strip()
        if line.strip() and not without_comment(line):
            continue
        is_board = bool(bare) and not _MOVES.search(without_comment(line)) and is_position(line)
        if board and is_board and is_one_position(f"{board}\n{bare}"):
            board += f"\n{bare}"
            continue
        if board:
            yield begin, True, board
        begin, board = number, bare if is_board else ""
        if bare and not is_board:
            yield number, False, bare


def lines_text(records: Sequence[GameRecord]) -> str:
    """The games' moves, one line each, without passes.

    A first line says the rules, unless they are the default ones. RecordError where a game does
    not begin at the start position, or where rules differ.
    """
    lines = [_rules_line(records)]
    for number, record in enumerate(records, 1):
        if record.start != Board.start():
            raise RecordError(
                f"game {number} does not begin at the start position, which .txt cannot say; take "
                ".ggf or .pgn, or .obf for positions"
            )
        lines.append("".join(square_name(s) for s in record.moves if s != PASS) + "\n")
    return "".join(lines)


def obf_text(records: Sequence[GameRecord]) -> str:
    """The games' last positions, one line each.

    A first line says the rules, unless they are the default ones. RecordError where rules differ.
    """
    lines = [f"{format_obf(record.final)}\n" for record in records]
    return "".join([_rules_line(records, "%"), *lines])


def _rules_line(records: Sequence[GameRecord], sign: str = "#") -> str:
    """The comment with the rules, after its `sign`; empty for the default ones."""
    kinds = {record.rules for record in records}
    if len(kinds) > 1:
        raise RecordError(
            "move strings and positions cannot say of which rules each is: "
            f"{' and '.join(sorted(kinds))}; take .ggf, .csv or .parquet"
        )
    return "" if kinds <= {DEFAULT_RULES} else f"{sign} rules: {kinds.pop()}\n"
