"""A run's folder for its one writer: created, locked, committed generation by generation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import filelock
import pyarrow as pa
import pyarrow.parquet as pq

from evolve.errors import RunError
from evolve.tables.atomic import TEMPORARY_PREFIX, replacing, write_text
from evolve.tables.layout import (
    CONFIG_FILE,
    GAMES,
    GENERATIONS,
    LOCK_FILE,
    committed_generations,
    games_file,
    generation_file,
    playoff_file,
)


def check_new(folder: Path) -> None:
    """Raise RunError unless a run can be made at `folder`: nothing there, or an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        hint = f"; go on with: evolve resume {folder}" if (folder / CONFIG_FILE).exists() else ""
        raise RunError(f"{folder} is taken{hint}")


def next_free(parent: Path, stem: str) -> Path:
    """The first of parent/stem-001, parent/stem-002, … that is not there."""
    number = 1
    while (parent / f"{stem}-{number:03d}").exists():
        number += 1
    return parent / f"{stem}-{number:03d}"


def create(folder: Path, config: str) -> None:
    """Make the folder of a run; its config.toml comes last and makes it one."""
    check_new(folder)
    for part in (GENERATIONS, GAMES):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_text(folder / CONFIG_FILE, config)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; RunError when another process has it. It ends with the process."""
    lock = filelock.FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise RunError(f"{folder} is being written to by another process") from None
    try:
        yield
    finally:
        lock.release()


def sweep_orphans(folder: Path) -> None:
    """Remove what a killed writer left: temporary files, games of a generation never committed."""
    for part in (folder, folder / GENERATIONS, folder / GAMES):
        part.mkdir(exist_ok=True)
        for path in part.glob(f"{TEMPORARY_PREFIX}*"):
            path.unlink(missing_ok=True)
    count = committed_generations(folder)
    for path in (folder / GAMES).glob("gen-*.parquet"):
        number = path.stem.removeprefix("gen-")
        if number.isdigit() and int(number) >= count:
            path.unlink(missing_ok=True)


def commit_generation(
    folder: Path, generation: int, individuals: pa.Table, games: pa.Table
) -> None:
    """Write a generation: the games first, then the individuals, whose rename is the commit."""
    _write(games_file(folder, generation), games)
    _write(generation_file(folder, generation), individuals)


def commit_playoff(folder: Path, games: pa.Table) -> None:
    """Write the play-off's games, which says that the run has had its play-off."""
    _write(playoff_file(folder), games)


def remove_playoff(folder: Path) -> None:
    """Forget a play-off, because evolution goes on past it."""
    playoff_file(folder).unlink(missing_ok=True)


def _write(path: Path, table: pa.Table) -> None:
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
