"""Text files: one line per game or position, such as `f5d6c4d3c2b3b4b5`, or a line of OBF.

A position may also have a line per row; a game may go on over several lines, or have a line per
move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, PASS, Rules
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.moves import is_result, read_moves
from evolve.records.positions import format_obf, kind_of, read_position
from evolve.records.reading import Reading, rules_line
from evolve.records.record import GameRecord, game_of

_NUMBER: Final = re.compile(r"\s*(\d{1,9})\s*(?:[.:)…]|(?=\s))")
_ONE_MOVE: Final = re.compile(r"\s*(?:[a-h][1-8]|pass|pa|ps|p|@@|--)\s*", re.IGNORECASE)


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
            yield from _games(moves)
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
    yield from _games(moves)


def _is_whole(item: _Item, kind: str) -> bool:
    """Whether a position is complete, so that a further row, or side, begins another one."""
    kinds = [kind_of(line) for line in item.lines]
    return kinds.count("row") == 8 if kind == "row" else "side" in kinds


def _games(lines: Sequence[tuple[int, str]]) -> Iterator[_Item]:
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
    found = list(re.finditer(r"(?<![a-h\d])(\d{1,9})\s*(?:[.:)…]+|(?=\s))", line, re.IGNORECASE))
    ends = [*(one.start() for one in found), len(line)][1:]
    return [(int(one[1]), line[one.end() : end]) for one, end in zip(found, ends, strict=True)]


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
