"""Save every finished pair of a match in a table, and resume the match from it.

Each game stores its match in the column `match`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from evolve.arena.match import Match, StoppedError
from evolve.engine.board.rules import FAILED_BLACK, FAILED_WHITE, OUTCOME, REASON
from evolve.engine.board.squares import parse_moves
from evolve.errors import EngineError, RecordError, RunError
from evolve.files.changes import make_folder, move, remove, remove_tree
from evolve.fitness.games import Games, GamesDone, empty_rows
from evolve.runs.run_folder import locked
from evolve.tables.columns import array_of, repeated
from evolve.tables.games import FAILED, REASONS, RESULTS
from evolve.tables.parquet import read_table, write_table
from evolve.tables.paths import LOCK_FILE

_MATCH: Final = "match"
_REST: Final = 20
"""Pause after a write, as a multiple of its duration: writing takes at most 5 % of a match."""
_QUICK: Final = 2.0  # seconds after which a match of a folder is written while it is played
_FAILED: Final = {"black": FAILED_BLACK, "white": FAILED_WHITE}


def _match_identity(match: Match) -> str:
    """The agents of a match with their names, its settings and its test, as words KEY=VALUE."""
    words: dict[str, object] = {}
    for key, player, name in zip("ab", match.players, match.names, strict=True):
        text = json.dumps([name, player.identity], sort_keys=True)
        words[key] = hashlib.sha256(text.encode()).hexdigest()[:12]
    words |= {"rules": match.rules, "seed": match.seed}
    words |= {"games": len(match.pairings), **match.settings}
    if match.sprt is not None:
        test = match.sprt
        words["sprt"] = f"{test.elo0:g}:{test.elo1:g}:{test.unit},{test.alpha:g},{test.beta:g}"
    return " ".join(f"{key}={value}" for key, value in words.items())


class MatchFile:
    """Save the games of a match in a Parquet table; those that it has are loaded into the match.

    Hold the lock of its folder, or see `open_match_file`. `warn` is called if the file cannot be
    written during the match: the write is tried again, and `finish` raises the error. drafts: where
    it is written first, by default its folder. Raises RunError if its content is not this match,
    RecordError if it is damaged.
    """

    def __init__(
        self, match: Match, path: Path, warn: Callable[[str], None], drafts: Path | None = None
    ) -> None:
        self._path = path
        self._match = match
        self._identity = _match_identity(match)
        self._warn = warn
        self._drafts = drafts
        self._next = 0.0
        self._warned = False
        self._saved = self._load()

    def keep(self) -> None:
        """Write new games, unless the pause after the last write is not over."""
        begin = time.monotonic()
        if begin < self._next:
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
        """Write the games so far now, with their numbers in the match and its identity."""
        if self._match.played == self._saved:
            return
        games = self._match.table()
        index = games.schema.get_field_index("game")
        numbers = array_of(self._match.numbers, pa.int32())
        games = games.set_column(index, games.schema.field(index), numbers)
        games = games.append_column(_MATCH, repeated(self._identity, len(games), pa.string()))
        if self._drafts is None:
            write_table(self._path, games)
        else:
            _replace(self._path, self._drafts, games)
        self._saved = self._match.played

    def _load(self) -> int:
        """Load the stored games into the match; return their number."""
        rows: list[dict[str, Any]] = []
        if self._path.is_file() and self._path.stat().st_size:
            rows = read_table(self._path).to_pylist()
        moves, results = empty_rows(len(rows))
        failures: dict[int, str] = {}
        numbers: dict[int, None] = {}
        for identity in {str(row.get(_MATCH)) for row in rows}:
            self._check(identity)
        for index, row in enumerate(rows):
            try:
                number = int(row["game"])
                if not 0 <= number < len(self._match.pairings):
                    raise RecordError(f"game {number} is none of {len(self._match.pairings)}")
                if number in numbers:
                    raise RecordError(f"game {number} is there twice")
                numbers[number] = None
                failure = _fill(row, moves[index], results[index])
            except (LookupError, TypeError, ValueError) as error:
                why = f"it has no {error}" if isinstance(error, KeyError) else error
                raise RecordError(f"{self._path}, game {index + 1}: {why}") from error
            if failure is not None:
                failures[index] = failure
        pairings = self._match.pairings[[*numbers]]
        openings = self._match.openings.texts()
        for row, pairing in zip(rows, pairings, strict=True):
            if row[_MATCH] != self._identity and row["opening"] != openings[pairing[2]]:
                raise RunError(
                    f"{self._path} has other openings: where random ones are so few that they "
                    "repeat, their order depends on the number of games; the default ones do not"
                )
        self._match.recall(Games(pairings, moves, results, failures), [*numbers])
        return len(rows)

    def _check(self, identity: str) -> None:
        """Raise RunError if a stored game is not of this match, or of one with fewer games."""
        stored, own = _words(identity), _words(self._identity)
        if not stored.keys() >= {"a", "b", "games"}:
            raise RunError(f"{self._path} is taken: it holds no match that could be continued")
        count = stored["games"]
        if stored == own or (
            count.isdecimal()
            and int(count) < int(own["games"])
            and {**stored, "games": own["games"]} == own
        ):
            return
        parts = []
        for key in {**own, **stored}:
            before, now = stored.get(key, "none"), own.get(key, "none")
            if before != now and key in ("a", "b"):
                parts.append(f"{key.upper()} is another agent, or has changed")
            elif before != now:
                parts.append(f"{key.replace('_', '-')} {before}, not {now}")
        raise RunError(f"{self._path} holds another match: {'; '.join(parts)}; name another file")


class MatchFolder:
    """Plays matches, and saves each in a table of its own: they resume after a stop or a kill.

    Hold the lock of the folder, or of one above it. lasting: whether all matches stay there.
    Otherwise quick ones are not written, but played again.
    """

    def __init__(
        self,
        folder: Path,
        warn: Callable[[str], None],
        stop: Callable[[], bool] | None = None,
        *,
        lasting: bool = True,
    ) -> None:
        self.folder = folder
        self._warn, self._stop, self._lasting = warn, stop, lasting
        self._begin = time.monotonic()

    def play(self, match: Match, progress: GamesDone | None, stem: str | None = None) -> None:
        """Play the rest of a match; StoppedError if `stop` says so.

        stem: of the file's name, by default from names and seed. If all games were lost by
        failures, none is saved: the error may be mended before the next time.
        """
        path = self.folder / f"{stem or '-'.join([*match.names, str(match.seed)])}.parquet"
        make_folder(self.folder, parents=True, exist_ok=True)
        file = MatchFile(match, path, self._warn)

        def keep() -> None:
            if time.monotonic() - self._begin > _QUICK:
                file.keep()

        if match.played and progress is not None:
            progress(match.played)
        try:
            match.play(progress, keep, self._stop)
        except EngineError:
            if match.played and match.result.played:
                file.finish()
            else:
                remove(path, missing_ok=True)
            raise
        except (StoppedError, KeyboardInterrupt):
            file.finish()
            raise
        if self._lasting or path.exists():
            file.finish()


def _words(identity: str) -> dict[str, str]:
    return {key: value for key, _, value in (word.partition("=") for word in identity.split())}


def _fill(row: Mapping[str, Any], moves: Any, results: Any) -> str | None:
    """Fill a game's arrays from its row; return how a program failed, or None."""
    squares = parse_moves(row["moves"])
    moves[: len(squares)] = squares
    for name, column in RESULTS.items():
        results[column] = int(row[name])
    reason = str(row["reason"])
    if reason in REASONS:
        results[OUTCOME] = {"black": 1, "draw": 0, "white": -1}[row["winner"]]
        results[REASON] = REASONS.index(reason)
        return None
    failure = reason.removeprefix(FAILED)
    side = failure.partition(":")[0]
    if failure == reason or side not in _FAILED:
        raise RecordError(f"{reason!r} is not a way to end a game of a match")
    results[REASON] = _FAILED[side]
    return failure


@contextmanager
def open_match_file(match: Match, path: Path, warn: Callable[[str], None]) -> Iterator[MatchFile]:
    """Lock a match's file by a hidden folder next to it, where it is written.

    A killed writer leaves files only there. Raises what MatchFile does, RunError when another
    process has the file; OSError names the file itself.
    """
    target = Path(os.path.realpath(path))
    folder = target.parent / f".{target.name}.keeping"
    with ExitStack() as stack:
        try:
            make_folder(folder, exist_ok=True)
            stack.enter_context(locked(folder))
        except RunError as error:
            if isinstance(error.__cause__, TimeoutError):
                raise RunError(f"{path} is being written to by another process") from None
            remove_tree(folder, ignore_errors=True)
            raise RunError(str(error).replace(str(folder / LOCK_FILE), str(path))) from error
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        try:
            yield MatchFile(match, path, warn, folder)
        finally:
            remove_tree(folder, ignore_errors=True)


def _replace(path: Path, folder: Path, games: pa.Table) -> None:
    """Write a draft in `folder`, then move it into place; OSError names the file."""
    draft = folder / path.name
    try:
        write_table(draft, games)
        move(draft, Path(os.path.realpath(path)))
    except OSError as error:
        text = error.strerror or str(error).splitlines()[0]
        raise OSError(error.errno or errno.EIO, text, str(path)) from error
