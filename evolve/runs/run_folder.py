"""A run's folder for its only writer: claim it, lock it, create it, commit each generation."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evolve.errors import RunError
from evolve.files.atomic import TEMPORARY_PREFIX, remove_half_written, write_text
from evolve.files.changes import make_folder, remove, remove_tree
from evolve.runs.run_types import PARTS
from evolve.tables import paths
from evolve.terminal_text import as_word

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    import pyarrow as pa
    from filelock import FileLock


_PARTS: Final = (paths.GENERATIONS, paths.GAMES)
_PATIENCE: Final = 0.2
"""Seconds that a writer waits for the lock: `is_locked` shares it for an instant."""


def check_new(folder: Path) -> None:
    """Raise RunError unless a run can be made at `folder`.

    A run can be made where nothing exists, in an empty folder, or over the leftovers of a run that
    was killed before its config.toml.
    """
    if not folder.exists():
        return
    if (folder / paths.CONFIG_FILE).exists() or (folder / paths.STUDY_FILE).exists():
        raise RunError(f"{folder} is taken; continue with: evolve resume {as_word(folder)}")
    if not folder.is_dir() or not all(map(_is_leftover, folder.iterdir())):
        raise RunError(f"{folder} is taken")


def _is_leftover(path: Path) -> bool:
    if path.is_symlink():
        return False
    if path.name in PARTS:
        return path.is_dir() and not any(path.iterdir())
    return path.name in (paths.LOCK_FILE, paths.OWNER_FILE) or path.name.startswith(
        TEMPORARY_PREFIX
    )


def claim(parent: Path, stem: str) -> Path:
    """Make the first missing folder of parent/stem-001, parent/stem-002, …; safe in parallel."""
    make_folder(parent, exist_ok=True)
    for folder in (parent / f"{stem}-{number:03d}" for number in itertools.count(1)):
        with contextlib.suppress(FileExistsError):
            make_folder(folder)
            break
    return folder


def claimed(parent: Path, stem: str, requested: str | Path | None) -> tuple[Path, bool]:
    """The folder of a new run, `requested` or the next in `parent`, and whether this call made it.

    Raises RunError when `requested` is taken, or its parent folder is missing.
    """
    if requested is None:
        return claim(parent, stem), True
    folder = Path(requested)
    check_new(folder)
    if folder.parent != parent and not folder.parent.is_dir():
        raise RunError(f"there is no folder {folder.parent} to make {folder.name} in")
    made = not folder.exists()
    make_folder(folder, parents=True, exist_ok=True)
    return folder, made


def create(folder: Path, config: str, parts: Sequence[str] = _PARTS) -> None:
    """Fill the folder of a new run. Its config.toml comes last: that makes it a run."""
    check_new(folder)
    for part in parts:
        make_folder(folder / part, parents=True, exist_ok=True)
    remove_half_written(folder)
    write_text(folder / paths.CONFIG_FILE, config)


def discard(folder: Path, made: bool) -> None:
    """Undo a new run without a generation: empty its folder, or remove it if `made`."""
    for path in [folder] if made else [*folder.iterdir()]:
        if path.is_dir() and not path.is_symlink():
            remove_tree(path, ignore_errors=True)
        else:
            remove(path, missing_ok=True)


def take(lock: FileLock, patience: float = _PATIENCE) -> None:
    """Take a lock; TimeoutError when another process has it, RunError where files have no locks.

    There the library would take a file that exists for a lock, which a killed process leaves.
    """
    try:
        if sys.platform != "win32":
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
            with open(os.open(lock.lock_file, flags, 0o644)) as file:
                fcntl.flock(file, fcntl.LOCK_UN)
        lock.acquire(timeout=patience, poll_interval=0.005)  # who looks holds it for a moment
    except OSError as error:
        if isinstance(error, TimeoutError) or error.filename is not None:  # held, or not opened
            raise
        raise RunError(
            f"{lock.lock_file}: files cannot be locked there ({error.strerror}); take a folder on "
            "another disk, such as a local one"
        ) from error


@contextlib.contextmanager
def locked(folder: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold the folder's lock; RunError when another process has it. It ends with the process.

    patience: seconds to wait for it.
    """
    import filelock  # not above: it loads asyncio, which would slow down --help

    lock = filelock.FileLock(folder / paths.LOCK_FILE)
    try:
        take(lock, patience)
    except TimeoutError as error:
        raise RunError(f"{folder} is being written to by another process") from error
    try:
        yield
    finally:
        lock.release()


def is_locked(folder: Path) -> bool:
    """Whether a writer is at work in the folder now; also False without permission to check.

    It shares the lock, since two exclusive looks took each other for writers, and creates no file.
    """
    path = folder / paths.LOCK_FILE
    if path.is_symlink() or not path.is_file():
        return False
    try:
        if sys.platform == "win32":
            with locked(folder, patience=0.0):
                return False
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except OSError as error:  # others: another user's folder, or one without locks
        return isinstance(error, BlockingIOError) or isinstance(error.__cause__, TimeoutError)


def sweep_orphans(folder: Path, parts: Sequence[str] = _PARTS) -> None:
    """Remove temporary files and uncommitted games of a killed writer; make missing parts."""
    for part in (folder, *(folder / name for name in parts)):
        make_folder(part, exist_ok=True)
        remove_half_written(part)
    if paths.GAMES not in parts:
        return
    count = paths.committed_generations(folder)
    for path in (folder / paths.GAMES).glob("gen-*.parquet"):
        if paths.number_of(path, "gen") >= count:
            remove(path, missing_ok=True)


def commit_generation(
    folder: Path, generation: int, individuals: pa.Table, games: pa.Table
) -> None:
    """Write a generation: the games first, then the individuals: their rename is the commit."""
    from evolve.tables.parquet import write_table  # not above: it would slow down shell completion

    write_table(paths.games_file(folder, generation), games)
    write_table(paths.generation_file(folder, generation), individuals)
