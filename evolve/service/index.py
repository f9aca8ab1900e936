"""The runs of the folder as lists show them: read on demand, kept until they change."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from evolve.agents.agent_file import read_header
from evolve.agents.calibration.ratings import beaten_by
from evolve.errors import EvolveError, RunError
from evolve.files.changes import refuse_link
from evolve.runs.ids import IN_STUDY, find_run, is_id, is_study_in
from evolve.runs.run import Run, Study
from evolve.runs.run_folder import is_locked
from evolve.runs.run_types import CHAMPIONS, PARTS, RUN_TYPES, champion_of
from evolve.runs.summary import check_config, summary_of
from evolve.service.folders import Folders
from evolve.service.job import JobRecord
from evolve.service.models.meta import STUDY
from evolve.service.models.runs import RunSummary
from evolve.service.responses import ProblemError, log_errors, log_failure, not_found
from evolve.tables.paths import CONFIG_FILE, FINAL_FILE, STUDY_FILE
from evolve.terminal_text import plain

_POINTS: Final = 40
_UNNAMED: Final = "no address can have the folder's name: rename it without \\ : ? and unseen signs"
_UNREADABLE: Final = (EvolveError, OSError, LookupError, TypeError, ValueError)
"""Errors of a file that only adds a picture or a metric: a run without them is not damaged."""
_WATCHED: Final = (
    CONFIG_FILE,
    *dict.fromkeys(
        name
        for kind in RUN_TYPES
        for name in kind.files
        if name in CHAMPIONS or name.endswith((".parquet", FINAL_FILE))
    ),
    *PARTS,
)
"""What changes when a run continues: files are replaced, and folders get new files."""


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
        folder = folder or find_run(self._folders.runs, name)
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
        study = find_run(self._folders.runs, name).parent
        return None if study == self._folders.runs else study.name

    def study(self, name: str) -> Study | None:
        if not is_study_in(self._folders.runs, name):
            return None
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
        if summary.kind != STUDY.name:
            curve = _curve(find_run(self._folders.runs, summary.id), summary.date)
            return summary.model_copy(update={"curve": curve})
        stamps = self._stamps_of(summary.id)
        runs = sorted(name for name in stamps if name != summary.id)[:6]
        curves = [_curve(stamps[run].folder, stamps[run].date) for run in runs]
        return summary.model_copy(update={"curves": [curve for curve in curves if len(curve) > 1]})

    def _read(self, name: str, stamps: _Stamps) -> RunSummary:
        """The current summary of a run.

        A run that cannot be read is damaged, with the reason, and does not affect the others.
        """
        known: dict[str, Any] = {
            **dict.fromkeys(RunSummary.model_fields),
            "id": name,
            "date": stamps[name].date,
            "curve": [],
            "curves": [],
        }
        facts = self._facts_of_study if stamps[name].is_study else self._facts
        try:
            refuse_link(stamps[name].folder)
            if not is_id(name):
                raise RunError(_UNNAMED)
            return RunSummary.model_validate(
                {**known, **facts(name, stamps), "date": known["date"]}
            )
        except EvolveError as error:
            problem = self._folders.error_text(error)
        except (OSError, LookupError, TypeError, ValueError) as error:
            problem = f"it cannot be read: {error}"
        except Exception as error:
            failure = log_failure(f"reading run {name}", error)
            problem = f"internal error {failure}; see the server's log"
        return RunSummary.model_validate({**known, "state": "damaged", "problem": problem})

    def _facts(self, name: str, stamps: _Stamps) -> dict[str, Any]:
        run = Run(stamps[name].folder)
        check_config(run)
        kind = run.kind
        progress = kind.reading.progress(run)
        facts = summary_of(run, stamps[name].running, progress)
        rung = beaten_by(facts["rules"], facts.get("elo_low"))
        score, share = facts.get("score"), progress.share
        if isinstance(progress.target, int | float) and progress.target:
            share = progress.done / progress.target
        if facts["state"] == "done" or (share is not None and share > 1.0):
            share = 1.0
        return {
            **facts,
            "study": self.study_of(name),
            "kind": kind.name,
            "noun": kind.noun,
            "unit": kind.unit,
            "done": facts[kind.unit],
            **_gain(run),
            "beats": None if rung is None else rung.label,
            "weights": _weights(run),
            "share": share,
            **{
                f"elo_so_far{end}": facts.get(f"rating{end}") if facts.get("elo") is None else None
                for end in ("", "_low", "_high")
            },
            "score": progress.so_far if score is None and not kind.rated else score,
        }

    def _facts_of_study(self, name: str, stamps: _Stamps) -> dict[str, Any]:
        study = Study(stamps[name].folder)
        summaries = {
            stamps[run].folder.name: self._summary(run, stamps) for run in stamps if run != name
        }
        runs = list(summaries.values())
        grid: dict[str, list[float | None]] = {}  # Elo by setting and seed
        for member in study.design.members:
            champion = summaries.get(member.name)
            grid.setdefault(member.setting.name, []).append(
                None if champion is None else champion.elo
            )
        done, target = sum(run.state == "done" for run in runs), len(study.design.members)
        state = "done" if done == target else "stopped"
        same = {
            key: values.pop() if len(values) == 1 else None
            for key in ("rules", "preset")
            for values in [{getattr(run, key) for run in runs}]
        }
        return {
            **same,
            "kind": STUDY.name,
            "noun": STUDY.noun,
            "unit": STUDY.unit,
            "state": "running" if stamps[name].running else state,
            "command": f"study of {study.design.command}",
            "done": done,
            "target": target,
            "share": done / target if target else None,
            "grid": [*grid.values()],
        }


def _gain(run: Run) -> dict[str, float | None]:
    """How much better its champion is than the defaults, in Elo; nothing where that is unknown."""
    if run.kind.reading.gain is None:
        return {}
    try:
        found = run.kind.reading.gain(run)
    except _UNREADABLE:
        return {}
    return {} if found is None else found.columns("gain")


def _weights(run: Run) -> list[float] | None:
    """Its champion's 10 weights of squares in the middle phase; None for other kinds of agents."""
    champion = champion_of(run.path)
    if champion is None:
        return None
    try:
        phases = read_header(champion).parameters["weights"]
        weights = phases[len(phases) // 2]
    except _UNREADABLE:
        return None
    return weights if isinstance(weights, list) and len(weights) == 10 else None


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
    times = []
    for name in _WATCHED:
        try:
            times.append(os.lstat(f"{path}/{name}").st_mtime_ns)
        except OSError:
            if name == CONFIG_FILE:
                return None
            times.append(0)
    return _Stamp(folder, tuple(times), is_locked(folder))


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
