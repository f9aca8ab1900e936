"""Run a part of a run on another machine: send its files there, and take new files back.

The worker needs no shared disk. The run's own folder is authoritative: if a worker dies, the time
slice is repeated from there.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.config.toml import read_toml, resolve
from evolve.errors import RunError
from evolve.evolution.loop import Evolution
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.fitness.executor import ONE_THREAD
from evolve.fitness.openings import Openings
from evolve.runs.progress import Observer
from evolve.tables import paths


@dataclass(frozen=True)
class TimeSlice:
    """A number of seconds of a run, with the files it needs by their paths in its folder.

    name: of the folder, for the agents' provenance; openings: for training, if known from the
    time slice before.
    """

    name: str
    files: Mapping[str, bytes]
    seconds: float
    openings: Openings | None

    @classmethod
    def of(cls, folder: Path, seconds: float, openings: Openings | None = None) -> TimeSlice:
        """Return the next time slice of the run in a folder, with only the last games file."""
        done = paths.committed_generations(folder)
        files = [folder / paths.CONFIG_FILE]
        files += [paths.generation_file(folder, number) for number in range(done)]
        if done:
            files.append(paths.games_file(folder, done - 1))
        files += _results(folder)
        return cls(folder.resolve().name, _contents(folder, files), seconds, openings)


@dataclass(frozen=True)
class SliceResult:
    """Result of a time slice.

    files: new or changed, in the order in which they must be written; removed: files to remove;
    openings: for the next time slice; finished: whether the run is finished.
    """

    files: Mapping[str, bytes]
    removed: tuple[str, ...]
    openings: Openings
    finished: bool


def _results(folder: Path) -> list[Path]:
    """Return result files in writing order: the play-off's file marks the champion as its own."""
    return [folder / paths.CHAMPION_FILE, paths.playoff_file(folder)]


def _contents(folder: Path, files: Sequence[Path]) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.exists()
    }


class _TimeLimit(Observer):
    """Stop a run when the time is up."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def stop(self) -> bool:
        return time.monotonic() >= self._end


def run_slice(time_slice: TimeSlice) -> SliceResult:
    """Continue a run, on one thread; raises RunError if this machine has no disk space for it."""
    try:
        with tempfile.TemporaryDirectory(prefix="evolve-") as scratch:
            folder = Path(scratch, time_slice.name)
            for part in (paths.GENERATIONS, paths.GAMES):
                (folder / part).mkdir(parents=True)
            for name, data in time_slice.files.items():
                (folder / name).write_bytes(data)
            before = paths.committed_generations(folder)
            settings = resolve({}, read_toml(folder / paths.CONFIG_FILE))
            evolution = Evolution(folder, settings, ONE_THREAD, openings=time_slice.openings)
            evolution.restore()
            limit = _TimeLimit(time_slice.seconds)
            stopped = evolution.finished is None and evolution.run(limit).stopped
            files: list[Path] = []
            for number in range(before, paths.committed_generations(folder)):
                files += [paths.games_file(folder, number), paths.generation_file(folder, number)]
            contents = _contents(folder, [*files, *_results(folder)])
            return SliceResult(
                {key: data for key, data in contents.items() if time_slice.files.get(key) != data},
                tuple(name for name in time_slice.files if not (folder / name).exists()),
                evolution.openings,
                not stopped,
            )
    except OSError as error:
        raise RunError(f"a worker of the cluster: {error}") from error


def write_result(folder: Path, done: SliceResult) -> None:
    """Write a time slice's result to the run's folder, in an order that is safe if killed."""
    for name in done.removed:
        remove(folder / name, missing_ok=True)
    for name, data in done.files.items():
        write_bytes(folder / name, data)
