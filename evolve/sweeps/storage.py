"""Storage of a study: a journal in the sweep's folder, or a database that machines share.

The folder's own journal has one writer, which holds the folder's lock: any running trial there that
is not the writer's is dead. In a database that machines share, each writer updates a beat every few
seconds. A writer is dead when its beat has not changed for GRACE by the observer's clock, so that
clocks need not agree.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import optuna
from optuna.storages import BaseStorage
from optuna.storages.journal import JournalFileBackend

from evolve.errors import SettingsError, StorageError
from evolve.files.changes import append, cut
from evolve.runs.life_cycle import without_password


class Storage(NamedTuple):
    """A storage, its name for people, and whether other processes may write to it."""

    optuna: BaseStorage
    name: str
    shared: bool

    def close(self) -> None:
        """Close the connections to a database."""
        if isinstance(self.optuna, optuna.storages.RDBStorage):
            self.optuna.remove_session()
            self.optuna.engine.dispose()


class _Journal(JournalFileBackend):
    """Optuna's journal of a single writer: it waits for the disk where a trial changes its state.

    A killed process loses nothing either way; a power cut loses at most running trials.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path
        content = path.read_bytes()
        if content and not content.startswith(b"{"):  # before anything of it is cut off
            raise ValueError("it has no entries of a journal")
        if content and not content.endswith(b"\n"):  # an incomplete line of a killed writer
            cut(path, content.rfind(b"\n") + 1)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Append entries in one write, one line each."""
        text = "".join(json.dumps(log, separators=(",", ":")) + "\n" for log in logs)
        append(self._path, text.encode(), sync=any("state" in log for log in logs))


def open_journal(path: Path) -> Storage:
    """Open the storage in a journal file; make the file where there is none.

    Hold the lock of its folder: nobody else writes trials there. Raises StorageError where it is
    damaged.
    """
    try:
        storage = optuna.storages.JournalStorage(_Journal(path))  # this reads all of it
    except OSError:
        raise
    except Exception as error:  # Optuna does not check a journal's content
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        raise StorageError(f"{path} is damaged: {reason}") from error
    return Storage(storage, str(path), shared=False)


def open_database(url: str) -> Storage:
    """Open the storage behind a URL; raises SettingsError or StorageError."""
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    shown = without_password(url)
    with storage_errors(shown), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Storage(optuna.storages.RDBStorage(url), shown, shared=True)
        except ImportError as error:
            raise SettingsError(
                f"storage: {shown} needs a driver; for PostgreSQL pip install 'psycopg[binary]'"
            ) from error
        except (ArgumentError, NoSuchModuleError, ValueError) as error:
            raise SettingsError(
                f"storage: {shown!r} is not a URL of a database, such as sqlite:///FILE"
            ) from error


@contextmanager
def storage_errors(name: str) -> Iterator[None]:
    """Turn a storage's errors into one StorageError that names it."""
    try:
        yield
    except Exception as error:
        # By name: a journal does not need sqlalchemy, and loading it takes 0.2 s.
        of_database = type(error).__module__.startswith("sqlalchemy")
        if not of_database and not isinstance(error, optuna.exceptions.StorageInternalError):
            raise
        cause = error if of_database else error.__cause__ or error
        reason = " ".join(str(getattr(cause, "orig", None) or cause).split())
        raise StorageError(f"the storage {name} does not answer: {reason}") from error


BEAT: Final = 5.0
"""Seconds between two beats."""
GRACE: Final = 60.0
"""Seconds without a beat after which a writer counts as dead."""


def beat_key(writer: str) -> str:
    """Return the attribute of the study that holds a writer's beat."""
    return f"beat:{writer}"


class Watch:
    """Remembers when each beat last changed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, tuple[int, float]] = {}

    def stands_still(self, key: str, beat: int) -> bool:
        """Return whether a beat has not changed for GRACE; call it repeatedly."""
        now = self._clock()
        before = self._seen.get(key)
        if before is None or before[0] != beat:
            self._seen[key] = (beat, now)
            return False
        return now - before[1] > GRACE


@contextmanager
def beating(beat: Callable[[int], None]) -> Iterator[None]:
    """Beat in a separate thread while a block runs, whatever else the process does."""
    over = threading.Event()

    def run() -> None:
        for count in itertools.count(1):
            if over.wait(BEAT):
                return
            with suppress(Exception):  # the next access to the storage reports it
                beat(count)

    beat(0)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
