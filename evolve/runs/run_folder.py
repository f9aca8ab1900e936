"""A run's folder for its only writer: create it, lock it, commit each generation, report progress.

Within a folder of runs, clients of a service name runs and agents by texts that are never paths:
`run_in` and `agent_in` find what they name.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from evolve.agents.registry import REFERENCES
from evolve.errors import AgentError, RunError
from evolve.files.atomic import TEMPORARY_PREFIX, remove_half_written, write_text
from evolve.files.changes import make_folder, remove, remove_tree
from evolve.files.folder import refuse_link, refuse_links
from evolve.runs.run_types import PARTS, champion_of
from evolve.tables.paths import (
    CONFIG_FILE,
    GAMES,
    GENERATIONS,
    LOCK_FILE,
    OWNER_FILE,
    STUDY_FILE,
    committed_generations,
    games_file,
    generation_file,
    generation_of,
    playoff_file,
)
from evolve.terminal_text import as_word

if TYPE_CHECKING:
    import filelock
    import pyarrow as pa


class RunEnding(Enum):
    """Why a run returned; each kind of run has its own reasons, described by their values.

    All kinds have STOPPED: the observer asked for it.
    """

    @property
    def stopped(self) -> bool:
        """Whether the observer stopped it, so that the work did not reach an end of its own."""
        return self.name == "STOPPED"


class Observer(Protocol):
    """Watches a run; the working thread calls it, and `stop` between two rows."""

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Report a new row of the run's first table: `done` of `total` of the run are done.

        The unit depends on the kind of run: generations, trials, or the share of a training.
        """

    def stage(self, name: str, done: float, total: float) -> None:
        """Report that `done` of `total` of the current step are done, such as games."""

    def note(self, text: str) -> None:
        """Report something in one line."""

    def stop(self) -> bool:
        """Whether the run must end after the current step."""


class Silent:
    """An observer that shows nothing and never stops a run."""

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None: ...

    def stage(self, name: str, done: float, total: float) -> None: ...

    def note(self, text: str) -> None: ...

    def stop(self) -> bool:
        return False


RUN_ID: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$"
"""Names of runs in a folder of runs."""
IN_STUDY: Final = "+"
"""Separates the name of a study from the name of a run in it."""
SERVICE: Final = ".service"
"""The service's own folder in a folder of runs."""
UPLOADS: Final = (SERVICE, "agents", "uploads")
AGENT_SUFFIXES: Final = (".json", ".npz")
_RUN: Final = re.compile(RUN_ID)
_INDIVIDUAL: Final = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_UPLOAD: Final = re.compile(r"[0-9a-f]{16}")
_PATIENCE: Final = 0.2
"""Seconds that a writer waits for the lock: `is_locked` holds it for an instant."""


def new_run_in(root: Path, name: str) -> Path:
    """The folder for a new run of that name; RunError where it is not a valid name."""
    if not _RUN.fullmatch(name):
        raise RunError(f"{name[:80]!r} is not the name of a run")
    return root / name


def run_in(root: Path, name: str) -> Path:
    """The folder of a run or study, see `find_run`; LinkError where it is a link."""
    folder = find_run(root, name)
    refuse_link(folder)
    return folder


def find_run(root: Path, name: str) -> Path:
    """The folder of a run or study by its name in a folder of runs, or of a run as STUDY+RUN.

    Raises RunError where it is not a valid name; whether there is such a run is not checked.
    """
    folder = new_run_in(root, name)
    study, plus, run = name.partition(IN_STUDY)
    in_study = plus and _RUN.fullmatch(run) and is_study_in(root, study)
    if in_study and not os.path.lexists(folder):
        return root / study / run
    return folder


def is_study_in(root: Path, name: str) -> bool:
    """Whether a folder of runs has a study of that name; False for a link."""
    folder = root / name
    return (
        bool(_RUN.fullmatch(name)) and not folder.is_symlink() and (folder / STUDY_FILE).is_file()
    )


def upload_in(root: Path, name: str) -> Path | None:
    """The agent file that a service of a folder of runs keeps under an id; None without one."""
    if not _UPLOAD.fullmatch(name):
        return None
    folder, names = root.joinpath(*UPLOADS), [f"{name}{suffix}" for suffix in AGENT_SUFFIXES]
    refuse_links(folder, names)
    return next((folder / name for name in names if (folder / name).is_file()), None)


def agent_in(root: Path, name: str) -> str:
    """What names an agent everywhere, from its name within a folder of runs.

    Such a name is a reference agent, `run:NAME`, `run:NAME:INDIVIDUAL` or `upload:ID`, with or
    without settings: never a path or a command. Raises AgentError where there is no such agent,
    RunError where a run's name is not valid. Whether the run has that individual is not checked.
    """
    place, mark, settings = name.partition("?")
    return _agent_in(root, place) + mark + settings


def _agent_in(root: Path, place: str) -> str:
    origin, _, rest = place.partition(":")
    if place in REFERENCES:
        return place
    if origin == "run":
        run, _, individual = rest.partition(":")
        folder = run_in(root, run)
        if not (folder / CONFIG_FILE).is_file():
            raise AgentError(f"there is no run {run[:80]}")
        if individual:
            if not _INDIVIDUAL.fullmatch(individual):
                raise AgentError(f"there is no individual {individual[:40]!r}")
            return f"run:{folder}:{individual}"
        if champion_of(folder) is None:
            raise AgentError(f"there is no champion of {run} yet")
        return str(folder)
    if origin == "upload" and (file := upload_in(root, rest)) is not None:
        return str(file)
    raise AgentError(f"there is no agent {place}")


def check_new(folder: Path) -> None:
    """Raise RunError unless a run can be made at `folder`.

    A run can be made where nothing exists, in an empty folder, or over the leftovers of a run that
    was killed before its config.toml.
    """
    if not folder.exists():
        return
    if (folder / CONFIG_FILE).exists() or (folder / STUDY_FILE).exists():
        raise RunError(f"{folder} is taken; go on with: evolve resume {as_word(folder)}")
    if not folder.is_dir() or not all(map(_is_leftover, folder.iterdir())):
        raise RunError(f"{folder} is taken")


def _is_leftover(path: Path) -> bool:
    if path.is_symlink():
        return False
    if path.name in PARTS:
        return path.is_dir() and not any(path.iterdir())
    return path.name in (LOCK_FILE, OWNER_FILE) or path.name.startswith(TEMPORARY_PREFIX)


def claim(parent: Path, stem: str) -> Path:
    """Make the first missing folder of parent/stem-001, parent/stem-002, …; safe in parallel."""
    make_folder(parent, exist_ok=True)
    number = 1
    while True:
        folder = parent / f"{stem}-{number:03d}"
        try:
            make_folder(folder)
        except FileExistsError:
            number += 1
        else:
            return folder


def claimed(parent: Path, stem: str, wished: str | Path | None) -> tuple[Path, bool]:
    """The folder of a new run, `wished` or the next in `parent`, and whether this call made it.

    Raises RunError when `wished` is taken, or its parent folder is missing.
    """
    if wished is None:
        return claim(parent, stem), True
    folder = Path(wished)
    check_new(folder)
    if folder.parent != parent and not folder.parent.is_dir():
        raise RunError(f"there is no folder {folder.parent} to make {folder.name} in")
    made = not folder.exists()
    make_folder(folder, parents=True, exist_ok=True)
    return folder, made


def create(folder: Path, config: str, parts: Sequence[str] = (GENERATIONS, GAMES)) -> None:
    """Fill the folder of a new run. Its config.toml comes last: that makes it a run."""
    check_new(folder)
    for part in parts:
        make_folder(folder / part, parents=True, exist_ok=True)
    remove_half_written(folder)
    write_text(folder / CONFIG_FILE, config)


def discard(folder: Path, made: bool) -> None:
    """Undo a new run without a generation: empty its folder; remove it if `made`.

    If the folder is a link, only the link is removed.
    """
    if made and folder.is_symlink():
        remove(folder)
    for path in list(folder.iterdir()) if folder.is_dir() else []:
        if path.is_dir() and not path.is_symlink():
            remove_tree(path, ignore_errors=True)
        else:
            remove(path, missing_ok=True)
    if made:
        remove_tree(folder, ignore_errors=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; RunError when another process has it. It ends with the process."""
    lock = _lock(folder)
    try:
        lock.acquire(timeout=_PATIENCE)
    except TimeoutError:
        raise RunError(f"{folder} is being written to by another process") from None
    try:
        yield
    finally:
        lock.release()


def _lock(folder: Path) -> filelock.BaseFileLock:
    import filelock  # not above: it loads asyncio, which would slow down --help

    return filelock.FileLock(folder / LOCK_FILE)


def is_locked(folder: Path) -> bool:
    """Whether a writer is at work in the folder now; also False without permission to check."""
    path = folder / LOCK_FILE
    if path.is_symlink() or not path.is_file():
        return False
    lock = _lock(folder)
    try:
        lock.acquire(timeout=0)
    except TimeoutError:
        return True
    except OSError:  # another user's folder
        return False
    lock.release()
    return False


def sweep_orphans(folder: Path, parts: Sequence[str] = (GENERATIONS, GAMES)) -> None:
    """Remove what a killed writer left, and make missing parts.

    That are temporary files, and games of generations that were not committed.
    """
    for part in (folder, *(folder / name for name in parts)):
        make_folder(part, exist_ok=True)
        remove_half_written(part)
    if GAMES not in parts:
        return
    count = committed_generations(folder)
    for path in (folder / GAMES).glob("gen-*.parquet"):
        if generation_of(path) >= count:
            remove(path, missing_ok=True)


def commit_generation(
    folder: Path, generation: int, individuals: pa.Table, games: pa.Table
) -> None:
    """Write a generation: the games first, then the individuals: their rename is the commit."""
    _write(games_file(folder, generation), games)
    _write(generation_file(folder, generation), individuals)


def commit_playoff(folder: Path, games: pa.Table) -> None:
    """Write the play-off's games; the file shows that the run has had its play-off."""
    _write(playoff_file(folder), games)


def _write(path: Path, table: pa.Table) -> None:
    from evolve.tables.parquet import write_table  # not above: it would slow down shell completion

    write_table(path, table)


def remove_playoff(folder: Path) -> None:
    """Remove the play-off, because evolution goes on past it."""
    remove(playoff_file(folder), missing_ok=True)
