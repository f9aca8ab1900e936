"""PGN, as collections of Othello games use it: tags in brackets, then numbered moves and a result.

    [Black "Saio"]
    [White "Edax"]
    [Result "36-28"]

    1. f5 d6 2. c3 d3 … 36-28

Black, who moves first, also comes first in a result: discs at the end, or 1-0. The tags `Rules`,
and `Board` where a game has another start position, are evolve's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError, RulesError
from evolve.records.moves import Result, Written, is_result, read_moves
from evolve.records.positions import format_obf, read_position
from evolve.records.reading import ASKED_NOTHING, Asked, Reading
from evolve.records.record import Ending, GameRecord, game_of

_TAG: Final = re.compile(r'^[ \t]*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\][ \t]*$')
_DROPPED: Final = re.compile(r"\{[^{}]*\}|\$\d+|^%.*$|;.*$", re.MULTILINE)
_FIRST: Final = re.compile(r"\s*1\s*\.")
_ENDS: Final = re.compile(r"\s(?:\*|\d{1,2}-\d{1,2}|1/2-1/2)\s*$")
_ASIDE: Final = re.compile(r"\([^()]*\)")
_ENDINGS: Final[dict[str, Ending]] = {
    "time forfeit": "time", "abandoned": "unfinished", "unterminated": "unfinished",
    **{ending: ending for ending in get_args(Ending)},
}  # fmt: skip
_TERMINATIONS: Final = {"time": "time forfeit", "unfinished": "unterminated"}
_LINE: Final = 80


def is_pgn(text: str) -> bool:
    """Whether a text begins with a tag."""
    return _TAG.match(text.lstrip().partition("\n")[0].rstrip()) is not None


def scan_pgn(text: str, asked: Asked = ASKED_NOTHING) -> Reading:
    """The games of a text, with those that could not be read.

    asked: the rules of games that have no tag for them. RecordError where there is no game;
    RulesError, unless `asked.judged` is False, for a game that says other rules.
    """
    reading = Reading()
    for line, tags, moves in _games(text):
        where = f"line {line}, game {reading.next}"
        try:
            reading.add(_record(tags, moves, asked))
        except RulesError as error:
            raise RulesError(f"{where}: {error}") from error
        except RecordError as error:
            reading.leave_out(where, error)
    return reading.not_empty('no PGN game, which would begin with tags such as [Black "…"]')


def _games(text: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """The first line, tags and moves of each game.

    A tag after moves begins the next game; so do moves after a result.
    """
    begin = 1
    tags: dict[str, str] = {}
    moves: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _TAG.match(line)
        if not found:
            if moves and _FIRST.match(line) and _ENDS.search(moves[-1]):
                yield begin, tags, "\n".join(moves)
                begin, tags, moves = number, {}, []
            if line.strip():
                moves.append(line)
            continue
        if moves:
            yield begin, tags, "\n".join(moves)
            tags, moves = {}, []
        if not tags:
            begin = number
        tags[found[1].lower()] = re.sub(r"\\(.)", r"\1", found[2])
    if tags or moves:
        yield begin, tags, "\n".join(moves)


def _record(tags: dict[str, str], text: str, asked: Asked) -> GameRecord:
    variant = (tags.get("rules") or tags.get("variant") or "").lower()
    if variant and variant not in (*RULE_SETS, "othello", "reversi", "normal"):
        raise RecordError(f'[Variant "{variant}"] is a game of rules that are not known')
    board = tags.get("board") or tags.get("fen")
    start = None if board is None else read_position(board)
    written = read_moves(_without_asides(text))
    result = _agreed(_tagged(tags.get("result", "*")), written.result)
    return game_of(
        Written(written.squares, result),
        start,
        asked.agree(variant if variant in RULE_SETS else None),
        black=_known(tags.get("black")),
        white=_known(tags.get("white")),
        stopped=_ENDINGS.get(tags.get("termination", "").lower(), "unfinished"),
        place=_known(tags.get("site")),
        date=_known(tags.get("date")),
        event=_known(tags.get("event")),
    )


def _without_asides(text: str) -> str:
    """The moves without comments, annotations, and variations in brackets."""
    bare, before = _DROPPED.sub(" ", text), ""
    while bare != before:
        # Keep a pass in brackets, and a result at the end.
        bare, before = _ASIDE.sub(lambda one: one[0] if _counts(one[0]) else " ", bare), bare
    return bare


def _counts(text: str) -> bool:
    return is_result(text) or re.fullmatch(r"\(\s*(?:pass|pa|ps|p)\s*\)", text, re.I) is not None


def _agreed(tagged: Result | None, written: Result | None) -> Result | None:
    """The more detailed of two results; RecordError where they contradict each other."""
    if tagged is None or written is None or tagged == written:
        return tagged or written
    one, other = tagged.score, written.score
    if (tagged.counts and written.counts) or (one > 0, one < 0) != (other > 0, other < 0):
        raise RecordError(f'[Result "{tagged}"] contradicts {written} behind the moves')
    return tagged if tagged.counts else written


def _tagged(text: str) -> Result | None:
    """The result of a tag; None where it has none, or one in unknown words."""
    try:
        return read_moves(text).result
    except RecordError:
        return None


def _known(text: str | None) -> str:
    """The text of a tag; empty for `?` and the rest of PGN's signs for unknown values."""
    return "" if text is None or set(text) <= set("?.") else text


def pgn_text(records: Sequence[GameRecord]) -> str:
    """The games as PGN."""
    return "\n".join(_format(record) for record in records)


def _format(record: GameRecord) -> str:
    result = _result(record)
    tags = {
        "Event": record.event or "?",
        "Site": record.place or "?",
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
    head = "".join(f'[{name} "{_escaped(text)}"]\n' for name, text in tags.items())
    words: list[str] = []
    for ply, square in enumerate(record.moves):
        number = [f"{ply // 2 + 1}."] if ply % 2 == 0 else []
        words += [*number, "--" if square == PASS else square_name(square)]
    return f"{head}\n{_wrapped([*words, result])}\n"


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


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


def _wrapped(words: Sequence[str]) -> str:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) >= _LINE:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
