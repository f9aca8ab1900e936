"""Save every finished pair of a match to files, and resume the match from them.

Each game stores its match: a table in the column `match`, GGF in its event.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from evolve.agents.agent import Agent
from evolve.arena.match import Match
from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_BLACK,
    FAILED_WHITE,
    MAX_PLIES,
    NO_MOVE,
    NODES_BLACK,
    NODES_WHITE,
    OUTCOME,
    PASS,
    PLIES,
    REASON,
    RESULT_COLUMNS,
    Rules,
    check_rules,
)
from evolve.engine.board.squares import parse_moves
from evolve.errors import EvolveError, LinkError, RecordError, RunError
from evolve.files.atomic import write_bytes
from evolve.files.changes import make_folder, move, remove_tree
from evolve.files.folder import FolderPath, inside
from evolve.fitness.games import Games, winner_of
from evolve.records.ggf import format_ggf, read_ggf
from evolve.records.packing import packed
from evolve.records.record import GameRecord
from evolve.runs.run_folder import locked
from evolve.tables.columns import array_of, repeated
from evolve.tables.games import FAILED, REASONS
from evolve.tables.parquet import read_table, write_table

if TYPE_CHECKING:  # pandas takes 32 MB of memory; it is loaded only if a match keeps its games
    import pandas as pd

MATCH: Final = "match"
PLACE: Final = "evolve match"
_REST: Final = 20
"""Pause after a write, as a multiple of its duration: writing takes at most 5 % of a match."""
_RESULTS: Final = {
    "discs_black": DISCS_BLACK,
    "discs_white": DISCS_WHITE,
    "plies": PLIES,
    "nodes_black": NODES_BLACK,
    "nodes_white": NODES_WHITE,
}
_FAILED: Final = {"black": FAILED_BLACK, "white": FAILED_WHITE}
_WINNERS: Final = {"black": 1, "draw": 0, "white": -1}
_RULES: Final = re.compile(r"\brules=(\w+)")
_ENDINGS: Final = {"time": "no move in time"}
"""Reasons of failures by their GGF ending."""


def match_identity(match: Match, names: Sequence[str], settings: Mapping[str, object]) -> str:
    """Return the identity of a match as words KEY=VALUE.

    They hold its agents, their names, `settings` (without spaces), seed, rules and test.
    """
    a, b = map(_digest, match.players, names)
    words: dict[str, object] = {"a": a, "b": b, "rules": match.rules, "seed": match.seed}
    words |= {"games": len(match.pairings), **settings}
    if match.resign is not None:
        words["resign"] = f"{match.resign:g}"
    if match.sprt is not None:
        test = match.sprt
        words["sprt"] = f"{test.elo0:g},{test.elo1:g},{test.alpha:g},{test.beta:g}"
    return " ".join(f"{key}={value}" for key, value in words.items())


def _digest(agent: Agent, name: str) -> str:
    text = json.dumps([name, agent.identity], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def rules_of_match(table: Path | None, ggf: Path | None) -> Rules | None:
    """Return the rules of the match in these files; None if none can be read."""
    try:
        for path in (table, ggf):
            if path is None or not path.is_file() or not path.stat().st_size:
                continue
            if path == ggf:
                return next((record.rules for record in read_ggf(path)), None)
            from evolve.records.table import read_frame  # not above: it loads pandas

            frame = read_frame(path)
            word = _RULES.search(str(frame[MATCH][0])) if MATCH in frame and len(frame) else None
            return None if word is None else check_rules(word[1])
    except (EvolveError, OSError):  # opening the file later reports the error
        return None
    return None


class MatchFiles:
    """Save the games of a match in a table, a GGF file, or both.

    `identity` comes from `match_identity`; `warn` is called if a file cannot be written during the
    match: the write is tried again, and `finish` raises the error. locked: whether the caller holds
    the lock of the table's folder; there a table without a match is of this one if its names are.
    """

    def __init__(
        self,
        match: Match,
        names: Sequence[str],
        identity: str,
        table: Path | None,
        ggf: Path | None,
        warn: Callable[[str], None],
        *,
        locked: bool = False,
    ) -> None:
        self._match = match
        self._locked = locked
        self._names = names
        self._identity = identity
        self._table = table
        self._ggf = ggf
        self._warn = warn
        self._lines: dict[int, str] = {}
        self._kept = 0
        self._next = 0.0
        self._warned = False

    @property
    def files(self) -> list[Path]:
        """The files to write."""
        return [path for path in (self._table, self._ggf) if path is not None]

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Lock the files for this process, and load their games into the match.

        Raises RunError if another process has a file or its content is not this match, RecordError
        if it is damaged.
        """
        with ExitStack() as stack:
            for path in self.files:
                if not self._locked and not _is_special(path):
                    stack.enter_context(_held(path))
            known = [self._recall(path) for path in reversed(self.files)]  # the table has more data
            if len(set(known)) == 1:
                self._kept = known[0]
            yield

    def keep(self) -> None:
        """Write new games, unless the pause after the last write is not over."""
        begin = time.monotonic()
        if begin < self._next or any(map(_is_special, self.files)):
            return
        try:
            self.finish()
        except OSError as error:
            if not self._warned:
                self._warn(f"the games are not kept for now: {error}")
            self._warned = True
        now = time.monotonic()
        self._next = now + _REST * (now - begin)

    def finish(self) -> None:
        """Write new games now."""
        match = self._match
        if match.played == self._kept or not self.files:
            return
        games = match.table(self._names)
        place = games.schema.get_field_index("game")
        numbers = array_of(match.numbers, pa.int32())
        games = games.set_column(place, games.schema.field(place), numbers)
        games = games.append_column(MATCH, repeated(self._identity, len(games), pa.string()))
        if self._table is not None:
            if self._locked:
                _write_games(self._table, games)
            else:
                _write(self._table, lambda path: _write_games(path, games))
        if self._ggf is not None:
            self._add_lines(games.to_pandas())
            lines = (self._lines[number] for number in match.numbers.tolist())
            text = "".join(f"{line}\n" for line in lines)
            _write(self._ggf, lambda path: write_bytes(path, packed(text.encode(), path)))
        self._kept = match.played

    def _add_lines(self, frame: pd.DataFrame) -> None:
        """Format lines only for games without one: checking their moves takes time."""
        new = frame[~frame["game"].isin(self._lines.keys())]
        from evolve.records.table import records_of_frame  # not above: it loads pandas

        records = records_of_frame(new, self._match.rules)
        for number, record in zip(new["game"].tolist(), records, strict=True):
            event = f"{self._identity} game={number}"
            self._lines[number] = format_ggf(replace(record, place=PLACE, event=event))

    def _recall(self, path: Path) -> int:
        """Load the games of a file into the match; return their number."""
        if not path.is_file() or not path.stat().st_size:
            return 0
        if path == self._ggf:
            rows = [_row_of(record) for record in read_ggf(path)]
        else:
            rows = _read_games(path)
        if not rows:
            return 0
        for row in rows:
            self._check(path, row)
        self._check_openings(path, rows)
        count = len(self._match.pairings)
        moves = np.full((len(rows), MAX_PLIES), NO_MOVE, np.int8)
        results = np.zeros((len(rows), RESULT_COLUMNS), np.int64)
        failures: dict[int, str] = {}
        numbers: list[int] = []
        known: set[int] = set()
        for index, row in enumerate(rows):
            try:
                failure = _fill(row, moves[index], results[index])
                number = int(row["game"])
                if not 0 <= number < count:
                    raise RecordError(f"game {number} is none of {count}")
            except (RecordError, LookupError, TypeError, ValueError) as error:
                raise RecordError(f"{path}, game {index + 1}: {error}") from error
            if number in known:
                raise RecordError(f"{path}, game {index + 1}: game {number} is there twice")
            known.add(number)
            numbers.append(number)
            if failure is not None:
                failures[index] = failure
        pairings = self._match.pairings[numbers]
        winner = winner_of(results)
        self._match.recall(Games(pairings, moves, results, winner, failures), numbers)
        return len(rows)

    def _check(self, path: Path, row: Mapping[str, Any]) -> None:
        """Raise RunError if a game does not belong to this match."""
        if self._locked and MATCH not in row:
            if {row.get("black"), row.get("white")} != set(self._names):
                raise RunError(f"{path} is of other agents")
            return
        identity = str(row.get(MATCH))
        if identity == self._identity and "game" in row:
            return
        theirs, ours = _words(identity), _words(self._identity)
        if "game" in row and _is_shorter(theirs, ours):
            return
        if "game" not in row or not theirs.keys() >= {"a", "b"}:
            raise RunError(f"{path} is taken: it holds no match that could go on")
        parts = []
        for key in {**ours, **theirs}:
            before, now = theirs.get(key, "none"), ours.get(key, "none")
            if before != now and key in ("a", "b"):
                parts.append(f"{key.upper()} is another agent, or has changed")
            elif before != now:
                parts.append(f"{key.replace('_', '-')} {before}, not {now}")
        raise RunError(f"{path} holds another match: {'; '.join(parts)}; name another file")

    def _check_openings(self, path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
        """Raise RunError if fewer games were played on other openings than this match has."""
        if all(row.get(MATCH, self._identity) == self._identity for row in rows):
            return
        openings, pairings = self._match.openings, self._match.pairings
        for row in rows:
            number = str(row["game"])
            if not number.isdecimal() or int(number) >= len(pairings):
                continue  # reported later
            try:
                played = [one for one in _moves_of(row) if one != PASS]
            except RecordError:
                continue  # reported later
            _, opening = openings.begin(int(pairings[int(number), 2]))
            squares = [square for square in opening if square >= 0]
            if played[: len(squares)] != squares:
                raise RunError(
                    f"{path} has other openings: where random ones are so few that they repeat, "
                    "their order depends on the number of games; the default ones go on"
                )


def _write_games(path: Path, games: pa.Table) -> None:
    if path.suffix == ".parquet":
        write_table(path, games)
    else:
        from evolve.records.table import write_frame  # not above: it loads pandas

        write_frame(path, games.to_pandas())


def _read_games(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table; RecordError or RunError if it is damaged."""
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = read_table(path).to_pylist()
        return rows
    from evolve.records.table import read_frame  # not above: it loads pandas

    frame = read_frame(path)
    return [dict(zip(map(str, frame), row, strict=True)) for row in frame.itertuples(index=False)]


def _is_shorter(theirs: Mapping[str, str], ours: Mapping[str, str]) -> bool:
    """Whether a match is the same with fewer games."""
    before, now = theirs.get("games", ""), ours.get("games", "")
    if not before.isdecimal() or int(before) >= int(now):
        return False
    return {**theirs, "games": now} == dict(ours)


def _words(identity: str) -> dict[str, str]:
    pairs = (word.partition("=") for word in identity.split())
    return {key: value for key, _, value in pairs}


def _row_of(record: GameRecord) -> dict[str, Any]:
    """Return a game of a GGF file as a row of the table, as far as GGF has the data."""
    identity, _, number = record.event.rpartition(" game=")
    reason: str = record.ending if record.ending == "agreed" else "end"
    if record.ending not in ("end", "agreed"):
        side = "white" if (record.result or 0.0) > 0 else "black"
        reason = f"{FAILED}{side}: {_ENDINGS.get(record.ending, record.ending)}"
    return {
        MATCH: identity,
        "game": number,
        "moves": record.moves,
        "discs_black": record.final.discs("black"),
        "discs_white": record.final.discs("white"),
        "winner": record.winner,
        "plies": len(record.moves),
        "nodes_black": 0,
        "nodes_white": 0,
        "reason": reason,
    }


def _moves_of(row: Mapping[Any, Any]) -> Sequence[int]:
    """Return the moves in the row of a table, or of a game record; RecordError without any."""
    moves = row.get("moves")
    if isinstance(moves, str):
        return parse_moves(moves)
    if not isinstance(moves, tuple):
        raise RecordError("it has no moves")
    return moves


def _fill(row: Mapping[Any, Any], moves: Any, results: Any) -> str | None:
    """Fill a game's arrays from its row; return how a program failed, or None."""
    squares = _moves_of(row)
    moves[: len(squares)] = squares
    for name, column in _RESULTS.items():
        results[column] = int(row[name])
    reason = str(row["reason"])
    if reason in ("end", "agreed"):
        results[OUTCOME] = _WINNERS[row["winner"]]
        results[REASON] = REASONS.index(reason)
        return None
    failure = reason.removeprefix(FAILED)
    side = failure.partition(":")[0]
    if failure == reason or side not in _FAILED:
        raise RecordError(f"{reason!r} is not a way to end a game of a match")
    results[REASON] = _FAILED[side]
    return failure


def _is_special(path: Path) -> bool:
    """Whether a path is a pipe or a device, which can be written only once."""
    return path.exists() and not path.is_file()


def _desk(path: Path) -> FolderPath:
    """Return the hidden folder next to a file, where the file is locked and written.

    A killed writer leaves files only there.
    """
    target = Path(os.path.realpath(path))
    return inside(target.parent, f".{target.name}.keeping")


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Lock a file's desk; RunError if another process has it. OSError names the file itself."""
    desk = _desk(path)
    with ExitStack() as stack:
        try:
            make_folder(desk, exist_ok=True)
            stack.enter_context(locked(desk))
        except LinkError:
            raise
        except RunError:
            raise RunError(f"{path} is being written to by another process") from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        try:
            yield
        finally:
            remove_tree(desk, ignore_errors=True)


def _write(path: Path, write: Callable[[Path], None]) -> None:
    """Call `write` for a file in its desk, then move it into place; OSError has the final path."""
    if _is_special(path):
        write(path)
        return
    try:
        write(_desk(path) / path.name)
        move(_desk(path) / path.name, Path(os.path.realpath(path)))
    except OSError as error:
        text = error.strerror or str(error).splitlines()[0]
        raise OSError(error.errno or errno.EIO, text, str(path)) from error
