"""Text files: PGN, and lines of moves such as `f5d6c4d3c2b3b4b5`, of positions, and of OBF.

PGN, as collections of Othello games use it, has tags in brackets, then numbered moves and a result:

    [Black "Saio"]
    [White "Edax"]
    [Result "36-28"]

    1. f5 d6 2. c3 d3 … 36-28

Black, who moves first, also comes first in a result: discs at the end, or 1-0. The tags `Rules`,
and `Board` where a game has another start position, are evolve's own.

In other texts a line is a game or a position. A position may also have a line per row; a game may
go on over several lines, or have a line per move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, PASS, RULE_SETS, Rules
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError, RulesError
from evolve.records.moves import Result, Written, is_result, read_moves
from evolve.records.positions import format_obf, kind_of, read_position
from evolve.records.record import (
    ASKED_NOTHING,
    Asked,
    Ending,
    GameRecord,
    Reading,
    game_of,
    rules_line,
)

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
_NUMBER: Final = re.compile(r"\s*(\d{1,9})\s*(?:[.:)…]|(?=\s))")
_ONE_MOVE: Final = re.compile(r"\s*(?:[a-h][1-8]|pass|pa|ps|p|@@|--)\s*", re.IGNORECASE)


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
        match = _TAG.match(line)
        if not match:
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
        tags[match[1].lower()] = re.sub(r"\\(.)", r"\1", match[2])
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


def scan_lines(text: str, rules: Rules = DEFAULT_RULES, side: Side | None = None) -> Reading:
    """The games and positions of a text; a position is a game without moves.

    It skips empty lines and those that begin with % # or ;. `side` is to move in positions that do
    not say. Lines that are neither are left out; RecordError where there is nothing to read.
    """
    reading = Reading()
    before: _Item | None = None
    for item in _items(text):
        try:
            records = _records(item, rules, side)
        except RecordError as error:
            wrapped = _continued(before, item, rules)
            if before is None or wrapped is None:
                reading.leave_out(f"line {item.line}", error)
                before = None
                continue
            reading.records[-1] = wrapped
            before.lines += item.lines
            continue
        for record in records:
            reading.add(record)
        before = item if len(records) == 1 and not item.position else None
    return reading.not_empty("no position and no move string such as f5d6c4d3c2b3b4b5 in it")


@dataclass
class _Item:
    """A game or a position: the number of its first line, and its lines."""

    line: int
    position: bool
    lines: list[str] = field(default_factory=list)


def _items(text: str) -> Iterator[_Item]:
    """Splits a text into its games and positions."""
    moves: list[tuple[int, str]] = []
    rows: _Item | None = None
    for number, line in enumerate(text.splitlines(), 1):
        kind = kind_of(line)
        if kind != "other" and moves:
            yield from _grouped(moves)
            moves = []
        if kind == "nothing":
            continue
        if rows is not None:
            if kind in ("row", "side") and not _is_whole(rows, kind):
                rows.lines.append(line)
                continue
            yield rows
            rows = None
        if kind == "other":
            moves.append((number, line))
        elif kind == "position":
            yield _Item(number, True, [line])
        else:
            rows = _Item(number, True, [line])
    if rows is not None:
        yield rows
    yield from _grouped(moves)


def _is_whole(item: _Item, kind: str) -> bool:
    """Whether a position is complete, so that a further row, or side, begins another one."""
    kinds = [kind_of(line) for line in item.lines]
    return kinds.count("row") == 8 if kind == "row" else "side" in kinds


def _grouped(lines: Sequence[tuple[int, str]]) -> Iterator[_Item]:
    """Groups lines of moves into games: one line each, or numbered moves over several lines."""
    item: _Item | None = None
    for number, line in lines:
        if item is not None and _goes_on(item, line):
            item.lines.append(line)
            continue
        if item is not None:
            yield item
        item = _Item(number, False, [line])
    if item is not None:
        yield item


def _goes_on(item: _Item, line: str) -> bool:
    """Whether a line continues a game that has numbered moves, or a line per move.

    Games may have numbers too, but then a line has more than two moves after one number.
    """
    if is_result(_bare(line)) or (_is_one_move(item.lines[-1]) and _is_one_move(line)):
        return True
    first, before = _NUMBER.match(item.lines[0]), _last_number(item.lines[-1])
    number = _NUMBER.match(line)
    if first is None or number is None or before is None or int(first[1]) != 1:
        return False
    return (
        int(number[1]) in (before, before + 1)
        and _moves_at_most_two(item.lines[-1])
        and _moves_at_most_two(line)
    )


def _continued(before: _Item | None, item: _Item, rules: Rules) -> GameRecord | None:
    """The game before, continued by the lines of `item`: a game that was wrapped.

    None where they make no game together, or where other lines stand between them.
    """
    if before is None or item.position or item.line != before.line + len(before.lines):
        return None
    try:
        lines = [_bare(line) for line in (*before.lines, *item.lines)]
        return game_of(read_moves("\n".join(lines)), rules=rules)
    except RecordError:
        return None


def _is_one_move(line: str) -> bool:
    return _ONE_MOVE.fullmatch(line) is not None


def _parts(line: str) -> list[tuple[int, str]]:
    """The numbers of a line, each with the text after it."""
    matches = list(re.finditer(r"(?<![a-h\d])(\d{1,9})\s*(?:[.:)…]+|(?=\s))", line, re.IGNORECASE))
    ends = [*(one.start() for one in matches), len(line)][1:]
    return [(int(one[1]), line[one.end() : end]) for one, end in zip(matches, ends, strict=True)]


def _last_number(line: str) -> int | None:
    parts = _parts(line)
    return parts[-1][0] if parts else None


def _moves_at_most_two(line: str) -> bool:
    try:
        return all(len(read_moves(text).squares) <= 2 for _, text in _parts(line))
    except RecordError:
        return False


def _records(item: _Item, rules: Rules, side: Side | None) -> list[GameRecord]:
    """The position or the game of an item; all its games where the numbers are those of games.

    Raises RecordError.
    """
    if item.position:
        return [GameRecord(rules=rules, start=read_position("\n".join(item.lines), side))]
    lines = [_bare(line) for line in item.lines]
    if is_result(lines[0]):
        raise RecordError(f"{lines[0].strip()!r} is a result without moves before it")
    numbered = [line for line in lines if not is_result(line)]
    each = _all_games(numbered, rules) if len(numbered) > 1 else None
    try:
        game = game_of(read_moves("\n".join(lines)), rules=rules)
    except RecordError:
        if each is None:
            raise
        return each
    if each is not None:
        raise RecordError(
            f"the {len(numbered)} lines from here on can be one game or a game each; write each "
            "game in one line, without numbers"
        )
    return [game]


def _all_games(lines: Sequence[str], rules: Rules) -> list[GameRecord] | None:
    """The game of each line; None where a line is not a game."""
    try:
        return [game_of(read_moves(line), rules=rules) for line in lines]
    except RecordError:
        return None


def _bare(line: str) -> str:
    return re.split("[%#]", line, maxsplit=1)[0]


def lines_text(records: Sequence[GameRecord]) -> str:
    """The games' moves, one line each, without passes.

    A first line says the rules, unless they are the default ones. RecordError where a game does
    not begin at the start position, or where rules differ.
    """
    lines = [rules_line(records)]
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
    return "".join([rules_line(records, "%"), *lines])
