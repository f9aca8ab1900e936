"""The runs of the folder as lists show them: read on demand, kept until they change."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pydantic import Field

from evolve.errors import EvolveError, RunError
from evolve.files.changes import refuse_link
from evolve.runs import summary
from evolve.runs.run import Run, Study
from evolve.runs.run_folder import is_locked
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.summary import STUDY, check_config, last_changes, study_summary, summary_of
from evolve.service.folders import IN_STUDY, Folders, is_id
from evolve.service.job import JobRecord
from evolve.service.responses import ProblemError, log_errors, log_failure, not_found
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE
from evolve.terminal_text import plain

_POINTS: Final = 40
_UNNAMED: Final = "no address can have the folder's name: rename it without \\ : ? and unseen signs"


if TYPE_CHECKING:
    Kind: TypeAlias = str  # a type checker does not look into the registry
else:
    Kind = Literal[(*(kind.name for kind in RUN_TYPES), STUDY["kind"])]
    """Name of a kind of run, or that of studies."""


class RunSummary(summary.RunSummary):
    """A run in the lists of the service."""

    id: str
    kind: Kind | None = None
    study: str | None = Field(default=None, description="the study that it is in")
    job: str | None = Field(default=None, description="the job that is at work on it, or was last")
    curve: list[float] = Field(default=[], description="how it rose: 40 points at most")
    curves: list[list[float]] = Field(default=[], description="of a study, those of its first runs")


@dataclass(frozen=True)
class _Stamp:
    """When the files of a run last changed, in ns since 1970, and whether it is written to.

    folder: of the run. A name may be of another folder a moment later: a run that is copied beside
    a study comes before the study's run of that name.
    """

    folder: Path
    times: tuple[int, ...]
    running: bool
    is_study: bool = False

    @property
    def date(self) -> float:
        """When it last grew, in seconds since 1970."""
        return max(self.times) / 1e9


_Stamps = dict[str, _Stamp]


class Index:
    """All runs by name. Several threads may ask.

    Names and their order are those of the last `scan`; a summary is of now.
    """

    def __init__(self, folders: Folders, job_of: Callable[[str], JobRecord | None]) -> None:
        """job_of(run): the last job that made or changed it."""
        self._folders = folders
        self._job_of = job_of
        self._stamps: _Stamps = {}
        self._known: dict[str, tuple[_Stamp, RunSummary]] = {}
        self._scanning = threading.Lock()

    def scan(self) -> tuple[list[str], list[str]]:
        """Read the folder: returns the names of new or changed runs, and of deleted ones.

        One scan at a time: an older one would bring back what is deleted meanwhile.
        """
        with self._scanning:
            before, stamps = self._stamps, _Stamps()
            for name in os.listdir(self._folders.runs):
                with log_errors(f"a look at {plain(name)}"):
                    if is_id(name):
                        stamps |= self._stamps_of(name)
                    elif name[0] != ".":
                        found = self._stamps_of(name, self._folders.runs / name)
                        stamps |= {plain(name): found[name]} if name in found else {}
            self._stamps = stamps
        gone = [name for name in before if name not in stamps]
        for name in gone:
            self._known.pop(name, None)
        return [name for name, stamp in stamps.items() if before.get(name) != stamp], gone

    def _stamps_of(self, name: str, folder: Path | None = None) -> _Stamps:
        """The stamp of a run, or of a study and of its runs; empty where there is neither."""
        folder = folder or self._folders.find(name)
        if stamp := _stamp(folder):
            return {name: stamp}
        try:
            times = [os.lstat(f"{folder}/{STUDY_FILE}").st_mtime_ns]
        except OSError:
            return {}
        stamps = _Stamps()
        for run in os.listdir(folder):
            if is_id(run) and (stamp := _stamp(folder / run)):
                stamps[f"{name}{IN_STUDY}{run}"] = stamp
        times += [max(stamp.times) for stamp in stamps.values()]
        running = is_locked(folder)
        return {name: _Stamp(folder, tuple(sorted(times)), running, is_study=True), **stamps}

    def names(self, study: str | None = None) -> list[str]:
        """The runs of a study; without one, studies and runs outside them. Last grown first."""
        parent = self._folders.runs / (study or "")
        found = [item for item in self._stamps.items() if item[1].folder.parent == parent]
        return [name for name, _ in sorted(found, key=lambda item: (-item[1].date, item[0]))]

    def study_of(self, name: str) -> str | None:
        study = self._folders.find(name).parent
        return None if study == self._folders.runs else study.name

    def source(self, name: str) -> Run | Study:
        """The run or study of that name; raises as `open` does."""
        if not self._folders.has_study(name):
            return self.open(name)
        return Study(self._folders.run(name), check=self._is_unchecked(name))

    def open(self, name: str) -> Run:
        """The run of that name.

        Raises ProblemError where there is none, RunError where its config.toml is damaged.
        """
        if not is_id(name) or not (self._folders.run(name) / CONFIG_FILE).is_file():
            raise not_found(f"run {name[:80]}")
        run = Run(self._folders.run(name), check=self._is_unchecked(name))
        check_config(run)
        return run

    def _is_unchecked(self, name: str) -> bool:
        """Whether the run's summary does not show that it has no links: not at every request."""
        stored = self._known.get(name)
        return stored is None or stored[1].state == "damaged"

    def running_elsewhere(self) -> int:
        """Number of runs and studies that are written to, but not by a job of this service."""
        jobs = [self._job_of(name) for name in self.names() if self._stamps[name].running]
        return sum(job is None or job.over for job in jobs)

    def summary(self, name: str) -> RunSummary:
        """A run as lists show it; ProblemError where there is none."""
        # One that no address can name is as it was in the last scan.
        stamps = self._stamps_of(name) if is_id(name) else self._stamps
        if name not in stamps:
            raise not_found(f"run {name[:80]}")
        if name not in self._stamps:  # newer than the last scan: lists show it from now on
            self._stamps = {**self._stamps, **stamps}
        return self._summary(name, stamps)

    def summaries(self, names: Iterable[str]) -> list[RunSummary]:
        """The summaries of runs, without those that were deleted since the last `scan`."""
        found = []
        for name in names:
            with suppress(ProblemError, FileNotFoundError):
                found.append(self.summary(name))
        return found

    def _summary(self, name: str, stamps: _Stamps) -> RunSummary:
        """The summary of a run as of its stamp; of a study, as of those of its runs beside it."""
        stored = self._known.get(name)
        if stored is None or stored[0] != stamps[name]:
            stored = self._known[name] = stamps[name], self._read(name, stamps)
        summary, job = stored[1], self._job_of(name)
        if job is None:
            return summary
        died = job.state == "interrupted" and summary.state == "stopped"
        state = "interrupted" if died else summary.state
        return summary.model_copy(update={"job": job.id, "state": state})

    def drawn(self, summary: RunSummary) -> RunSummary:
        """The summary with its curve, which takes longer than all the rest; a study's with some."""
        if not is_id(summary.id):
            return summary
        if summary.kind != STUDY["kind"]:
            curve = _curve(self._folders.find(summary.id), summary.date)
            return summary.model_copy(update={"curve": curve})
        stamps = self._stamps_of(summary.id)
        runs = sorted(name for name in stamps if name != summary.id)[:6]
        curves = [_curve(stamps[run].folder, stamps[run].date) for run in runs]
        return summary.model_copy(update={"curves": [curve for curve in curves if len(curve) > 1]})

    def _read(self, name: str, stamps: _Stamps) -> RunSummary:
        """The current summary of a run; where it cannot be read, of a damaged one, with why."""
        stamp = stamps[name]
        try:
            refuse_link(stamp.folder)
            if not is_id(name):
                raise RunError(_UNNAMED)
            if stamp.is_study:
                inside = [run for run in stamps if run != name]
                runs = {stamps[run].folder.name: self._summary(run, stamps) for run in inside}
                found = study_summary(Study(stamp.folder), runs, stamp.running)
            else:
                run = Run(stamp.folder)
                check_config(run)
                found = summary_of(run, stamp.running)
            own = {"id": name, "study": self.study_of(name), "date": stamp.date}
            return RunSummary.model_validate({**found.model_dump(), **own})
        except EvolveError as error:
            problem = self._folders.error_text(error)
        except (OSError, LookupError, TypeError, ValueError) as error:
            problem = f"it cannot be read: {error}"
        except Exception as error:
            failure = log_failure(f"reading run {name}", error)
            problem = f"internal error {failure}; see the server's log"
        return RunSummary(id=name, date=stamp.date, state="damaged", problem=problem)


def thinned(count: int, points: int) -> list[int]:
    """At most `points` of the numbers below `count`, evenly spaced, with the last one."""
    if count <= points:
        return list(range(count))
    return sorted({round(i * (count - 1) / (points - 1)) for i in range(points)})


def _stamp(folder: Path) -> _Stamp | None:
    """The stamp of a run, None where there is none; of a link, the link's own."""
    path = str(folder)
    if os.path.islink(path):
        return _Stamp(folder, (os.lstat(path).st_mtime_ns,), False)
    try:
        times = last_changes(folder)
    except OSError:
        return None
    return _Stamp(folder, times, is_locked(folder))


@lru_cache(5000)
def _curve(folder: Path, date: float) -> list[float]:
    """How the main metric of a run developed by a date, in at most `_POINTS` points."""
    points: list[float] = []
    with log_errors(f"the curve of {folder.name}"), suppress(EvolveError, OSError):
        refuse_link(folder)
        run = Run(folder, check=False)
        reading = run.kind.reading
        if reading.curve_at is None:
            values = reading.curve(run).dropna().tolist()
        else:
            count = reading.tables[run.kind.tables[0].name].count
            assert count is not None
            places = thinned(count(run), _POINTS // 2)
            values = [value for value in reading.curve_at(run, places) if value is not None]
        points = [float(value) for value in values]
    return [round(points[index], 4) for index in thinned(len(points), _POINTS)]
