"""Storage of a study: a journal in the sweep's folder, or a database that machines share.

The folder's own journal has one writer, which holds the folder's lock: any running trial there that
is not the writer's is dead. In a database that machines share, each writer updates a beat every few
seconds. A writer is dead when its beat has not changed for GRACE by the observer's clock, so that
clocks need not agree.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import optuna
from optuna.storages import BaseStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

from evolve.config.sweep import SweepSettings
from evolve.errors import SettingsError, StorageError
from evolve.files.changes import append, cut

_LOCKED: Final = 5
"""Seconds after which a lock on a journal counts as a dead process's.

A lock is held for milliseconds.
"""
_DATABASES: Final = ("postgresql", "mysql", "sqlite")


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


class _Lock(JournalFileOpenLock):
    """Optuna's lock, but Ctrl-C stays a KeyboardInterrupt.

    Optuna's own removes its file a second time when interrupted, and reports that it is missing.
    """

    def acquire(self) -> bool:
        """Wait for the lock."""
        with _interruption_first():
            return super().acquire()

    def release(self) -> None:
        """Release the lock."""
        with _interruption_first():
            super().release()


@contextmanager
def _interruption_first() -> Iterator[None]:
    """Replace an error that a KeyboardInterrupt caused by that KeyboardInterrupt."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__context__
        if cause is None:
            raise
        raise cause from None


class _Journal(JournalFileBackend):
    """Optuna's journal, but it waits for the disk only where a trial changes its state.

    A killed process loses nothing either way; a power cut loses at most running trials. The lock is
    Optuna's, so that optuna-dashboard may write, too. A lock of a killed process is broken after
    some seconds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        name = str(path)
        self._guard = _Lock(name, grace_period=_LOCKED)
        super().__init__(name, lock_obj=self._guard)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Append entries in one write, one line each."""
        text = "".join(json.dumps(log, separators=(",", ":")) + "\n" for log in logs)
        self._guard.acquire()
        try:
            append(self._path, text.encode(), sync=any("state" in log for log in logs))
        finally:
            self._guard.release()

    def mend(self) -> None:
        """Cut off an incomplete line of a killed writer."""
        self._guard.acquire()
        try:
            content = self._path.read_bytes()
            if content and not content.endswith(b"\n"):
                cut(self._path, content.rfind(b"\n") + 1)
        finally:
            self._guard.release()


def open_journal(path: Path) -> Storage:
    """Open the storage in a journal file; make the file where there is none.

    Hold the lock of its folder: nobody else writes trials there.
    """
    with storage_errors(str(path)):
        backend = _Journal(path)
        backend.mend()
        try:
            storage = optuna.storages.JournalStorage(backend)  # this reads all of it
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
    if url.partition("://")[0].partition("+")[0] not in _DATABASES:
        raise SettingsError(
            f"storage: {shown!r} is not a URL of a database: {', '.join(_DATABASES)}://…"
        )
    with storage_errors(shown), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Storage(optuna.storages.RDBStorage(url), shown, shared=True)
        except ImportError as error:
            raise SettingsError(
                f"storage: the driver for {shown} is not installed; for PostgreSQL: "
                "pip install 'psycopg[binary]'"
            ) from error
        except (ArgumentError, NoSuchModuleError) as error:
            raise SettingsError(f"storage: {shown}: {error}") from error
        except ValueError as error:  # a port that is not a number; its text may hold the password
            raise SettingsError(f"storage: {shown} is not a URL of a database") from error


def stored_form(settings: SweepSettings) -> SweepSettings:
    """Return settings as config.toml stores them: without the storage's password."""
    if settings.storage is None:
        return settings
    return settings.model_copy(update={"storage": without_password(settings.storage)})


def without_password(url: str) -> str:
    """Return a URL that is safe to show and to keep."""
    from sqlalchemy.engine import URL, make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return re.sub(r"//[^@]*@", "//…@", re.sub(r":[^/@]*@", ":…@", url.partition("?")[0]))
    bare = URL.create(
        parsed.drivername, parsed.username, None, parsed.host, parsed.port, parsed.database
    )
    query = {key: value for key, value in parsed.query.items() if "pass" not in key.lower()}
    return bare.set(query=query).render_as_string()


def _with_sqlalchemys(name: str, *others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return errors for an except clause, with one of sqlalchemy's where that is loaded.

    A journal does not need sqlalchemy, and loading it takes 0.2 s.
    """
    errors = sys.modules.get("sqlalchemy.exc")
    return others if errors is None else (*others, getattr(errors, name))


@contextmanager
def storage_errors(name: str) -> Iterator[None]:
    """Turn a storage's errors into one StorageError that names it."""
    try:
        yield
    except _with_sqlalchemys("DBAPIError") as error:
        reason = " ".join(str(getattr(error, "orig", error)).split())
        raise StorageError(f"the storage {name} does not answer: {reason}") from error
    except _with_sqlalchemys("SQLAlchemyError", optuna.exceptions.StorageInternalError) as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise StorageError(f"the storage {name} does not answer: {reason}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{name} is damaged: {error}") from error
    except ValueError as error:
        if "log format" not in str(error):
            raise
        raise StorageError(f"{name} is damaged: {error}") from error


BEAT: Final = 5.0
"""Seconds between two beats."""
GRACE: Final = 60.0
"""Seconds without a beat after which a writer counts as dead."""


def writer_id() -> str:
    """Return a name for this process as a writer of a study; it is stored with its trials."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


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


class Heart:
    """Beats in a separate thread while a block runs, whatever else the process does."""

    def __init__(self, beat: Callable[[int], None]) -> None:
        self._beat = beat
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Heart:
        self._beat(0)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        count = 0
        while not self._over.wait(BEAT):
            count += 1
            try:
                self._beat(count)
            except Exception:
                # The next access to the storage reports it; a missed beat alone does no harm.
                continue
