"""Runs of a study on the workers of a cluster, in time slices.

For each slice the run's files are sent to a worker, and new files come back: workers need no shared
disk. The run's own folder is authoritative: if a worker dies, the slice is repeated from there.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.agents.registry import parse_name
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import TrainingSettings
from evolve.errors import ClusterError, EvolveError, OptionsError, RunError
from evolve.evolution import tables as evolution_tables
from evolve.evolution.loop import Evolution
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.learning import tables as learning_tables
from evolve.learning.training import Training
from evolve.runs import life_cycle
from evolve.runs.progress import Observer
from evolve.runs.run_type import RunType
from evolve.runs.time_slice import Files, contents, scratch_folder, seconds_for
from evolve.studies.running import Working
from evolve.tables import paths

_Settings = EvolutionSettings | TrainingSettings


def check_remote(settings: _Settings) -> None:
    """Raise OptionsError where workers need a file that only this machine has."""
    source = getattr(settings, "start_from", None)
    if source is not None and parse_name(source).path.exists():
        raise OptionsError(f"start_from: workers of a cluster do not have {source}")


class RemoteRun(Working):
    """A thread that lets the workers of a cluster start or resume a run, and continue it."""

    def __init__(
        self, kind: RunType, command: str, folder: Path, settings: _Settings, executor: Executor
    ) -> None:
        self._kind, self._command = kind, command
        self._folder, self._settings, self._executor = folder, settings, executor
        self._stopping = self._finished = False
        self.sentinel, self._working = multiprocessing.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End after the current time slice."""
        self._stopping = True

    def kill(self) -> None:
        """Leave it: leaving the cluster cancels a worker's current slice."""
        self.stop()

    def ended(self) -> int:
        """Wait for its end; the thread prints unexpected errors."""
        self._thread.join()
        return 0 if self._finished or self.stopped else 1

    def _work(self) -> None:
        try:
            with life_cycle.opened(self._kind, self._command, self._folder, self._settings) as run:
                run.store()
                while not (self._finished or self._stopping):
                    self._finished = self._time_slice()
            self.stopped = not self._finished
        except ClusterError as error:
            self.lost = error
            self.stopped = True
        except (EvolveError, OSError) as error:
            self.error = str(error)
        finally:
            self._working.close()

    def _time_slice(self) -> bool:
        """Let a worker continue the run for a time slice; return whether the run is finished."""
        folder, settings = self._folder, self._settings
        evolves = isinstance(settings, EvolutionSettings)
        needed = evolution_tables.needed_files if evolves else learning_tables.written_files
        files = contents(folder, [folder / paths.CONFIG_FILE, *needed(folder)])
        seconds = seconds_for(sum(map(len, files.values())))
        time_slice = _TimeSlice(folder.resolve().name, settings, files, seconds)
        with closing(self._executor.run(_run_slice, [time_slice])) as answers:
            _, done = next(answers)
        for name in done.removed:  # in an order that is safe if killed
            remove(folder / name, missing_ok=True)
        for name, data in done.files.items():
            write_bytes(folder / name, data)
        self.share = min(1.0, done.share)
        return done.finished


@dataclass(frozen=True)
class _TimeSlice:
    """A number of seconds of a run, with the files it needs by their paths in its folder.

    name: of the folder, for the agents' provenance.
    """

    name: str
    settings: _Settings
    files: Files
    seconds: float


@dataclass(frozen=True)
class _SliceResult:
    """Result of a time slice.

    files: new or changed, in the order in which they must be written; removed: files to remove;
    finished: whether the run is finished. share: of it that is done.
    """

    files: Files
    removed: tuple[str, ...]
    finished: bool
    share: float


class _TimeLimit(Observer):
    """Stop a run when the time is up and it has got further, and remember how far it is."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._before: float | None = None
        self.share = 0.0

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.whole("", done, total)

    def whole(self, name: str, done: float, total: float) -> None:
        self.share = done / total
        if self._before is None:
            self._before = self.share

    def stop(self) -> bool:
        further = self._before is not None and self.share > self._before
        return further and time.monotonic() >= self._end


def _run_slice(time_slice: _TimeSlice) -> _SliceResult:
    """Continue a run, on one thread; raises RunError if this machine has no disk space for it."""
    settings, before = time_slice.settings, time_slice.files
    parts = (paths.GENERATIONS, paths.GAMES, paths.METRICS)
    try:
        with scratch_folder(time_slice.name, before, parts) as folder:
            work: Evolution | Training
            if isinstance(settings, EvolutionSettings):
                written = evolution_tables.written_files
                work = Evolution(folder, settings, ONE_THREAD)
            else:
                written = learning_tables.written_files
                work = Training(folder, settings, 1)
            work.restore()
            limit = _TimeLimit(time_slice.seconds)
            stopped = not work.is_over and work.run(limit).stopped
            after = contents(folder, written(folder))
            changed = {name: data for name, data in after.items() if before.get(name) != data}
            removed = tuple(name for name in before if not (folder / name).exists())
            return _SliceResult(changed, removed, not stopped, limit.share)
    except OSError as error:
        raise RunError(f"a worker of the cluster: {error}") from error
