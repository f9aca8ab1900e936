"""Where a study is kept: a journal in the sweep's folder, or a database that machines share."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import optuna
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

from evolve.errors import SettingsError, StorageError

if TYPE_CHECKING:
    from optuna.storages import BaseStorage

DATABASES = ("postgresql", "mysql", "sqlite")


class _Lock(JournalFileOpenLock):
    """A lock that ends with the process that has it; Optuna's own outlives a killed one by 30 s.

    Whoever takes it first cuts off the line that a killed writer left half written.
    """

    def __init__(self, journal: Path) -> None:
        super().__init__(str(journal))
        self._journal = journal
        self._lock = filelock.FileLock(f"{journal}.lock")

    def acquire(self) -> bool:
        """Wait for the lock."""
        self._lock.acquire()
        with self._journal.open("rb+") as file:
            end = file.seek(0, os.SEEK_END)
            if end > 0:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    file.seek(0)
                    file.truncate(file.read().rfind(b"\n") + 1)
        return True

    def release(self) -> None:
        """Give it up."""
        self._lock.release()


def open_journal(path: Path) -> BaseStorage:
    """The storage in a journal file, which is made where there is none."""
    with telling(str(path)):
        backend = JournalFileBackend(str(path), lock_obj=_Lock(path))
        return optuna.storages.JournalStorage(backend)


def open_database(url: str) -> BaseStorage:
    """The storage behind a URL; raises SettingsError or StorageError."""
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    shown = without_password(url)
    if url.partition("://")[0].partition("+")[0] not in DATABASES:
        raise SettingsError(
            f"storage: {shown!r} is no URL of a database: {', '.join(DATABASES)}://…"
        )
    try:
        with telling(shown), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return optuna.storages.RDBStorage(url)
    except ImportError as error:
        raise SettingsError(
            f"storage: the driver for {shown} is not installed: {error}; for PostgreSQL: "
            "pip install psycopg2-binary"
        ) from error
    except (ArgumentError, NoSuchModuleError) as error:
        raise SettingsError(f"storage: {shown}: {error}") from error


def without_password(url: str) -> str:
    """A URL as it can be shown and kept."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except ArgumentError:
        return url
    return parsed.set(password=None).render_as_string()


@contextmanager
def telling(name: str) -> Iterator[None]:
    """Turn what a storage raises into one StorageError that names it."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as error:
        reason = " ".join(str(error.orig).split())
        raise StorageError(f"the storage {name} does not answer: {reason}") from error
    except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise StorageError(f"the storage {name} does not answer: {reason}") from error
    except ValueError as error:
        if "log format" not in str(error) and "JSON" not in type(error).__name__:
            raise
        raise StorageError(f"{name} is damaged: {error}") from error
