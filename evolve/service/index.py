"""The runs of the folder as lists show them: read on demand, kept until they change."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evolve.agents.agent_file import read_header
from evolve.agents.calibration.ratings import beaten_by
from evolve.errors import EvolveError
from evolve.files.changes import refuse_link
from evolve.fitness.statistics import Estimate, in_elo
from evolve.runs.ids import IN_STUDY, RUN_ID, find_run, is_study_in
from evolve.runs.run import Run, Study
from evolve.runs.run_folder import is_locked
from evolve.runs.run_type import RunProgress
from evolve.runs.run_types import CHAMPIONS, PARTS, RUN_TYPES, champion_of
from evolve.runs.summary import ELO, check_config, summary_of
from evolve.service.folders import Folders
from evolve.service.models.meta import STUDY
from evolve.service.models.runs import ENDED, RunSummary
from evolve.service.responses import ProblemError, log_errors, log_failure, not_found
from evolve.tables.paths import CONFIG_FILE, FINAL_FILE, STUDY_FILE

_POINTS: Final = 40
_CURVES: Final = 6
"""Runs of a study whose curves are drawn in lists."""
_SQUARE_CLASSES: Final = 10
_NAME: Final = re.compile(RUN_ID)
_GROWING: Final = dict.fromkeys(
    name
    for kind in RUN_TYPES
    for name in kind.files
    if name in CHAMPIONS or name.endswith((".parquet", FINAL_FILE))
)
_UNREADABLE: Final = (EvolveError, OSError, LookupError, TypeError, ValueError)
"""Errors of a file that only adds a picture or a metric: a run without them is not damaged."""
_WATCHED: Final = (CONFIG_FILE, *_GROWING, *PARTS)
"""What changes when a run continues: files are replaced, and folders get new files."""


@dataclass(frozen=True)
class Stamp:
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


class Index:
    """All runs by name. Several threads may ask."""

    def __init__(self, folders: Folders, job_of: Callable[[str], tuple[str, str] | None]) -> None:
        """job_of(run): the id and the state of the last job that made or changed it."""
        self._folders = folders
        self._job_of = job_of
        self._stamps: dict[str, Stamp] = {}
        self._known: dict[str, tuple[Stamp, RunSummary]] = {}
        self._curves: dict[str, tuple[float, list[float]]] = {}
        self._guard = threading.Lock()
        self._scanning = threading.Lock()

    def scan(self) -> tuple[list[str], list[str]]:
        """Read the folder: returns the names of new or changed runs, and of deleted ones.

        One scan at a time: an older one would bring back what is deleted meanwhile.
        """
        with self._scanning:
            return self._scanned()

    def _scanned(self) -> tuple[list[str], list[str]]:
        before = self._stamps
        stamps: dict[str, Stamp] = {}
        with os.scandir(self._folders.runs) as entries:
            for entry in entries:
                if not _NAME.fullmatch(entry.name):
                    continue
                with log_errors(f"a look at {entry.name}"):
                    stamps |= self._stamps_of(entry.name)
        with self._guard:
            # runs that `summary` added meanwhile stay
            added = {name: stamp for name, stamp in self._stamps.items() if name not in before}
            self._stamps = {**added, **stamps}
        gone = [name for name in before if name not in stamps]
        for name in gone:
            self._known.pop(name, None)
            self._curves.pop(name, None)
        return [name for name, stamp in stamps.items() if before.get(name) != stamp], gone

    def _stamps_of(self, name: str) -> dict[str, Stamp]:
        """The stamp of a run, or of a study and of its runs; empty where there is neither."""
        folder = find_run(self._folders.runs, name)
        if stamp := _stamp(folder):
            return {name: stamp}
        try:
            times = [os.lstat(f"{folder}/{STUDY_FILE}").st_mtime_ns]
        except OSError:
            return {}
        stamps: dict[str, Stamp] = {}
        with os.scandir(folder) as entries:
            for entry in entries:
                if _NAME.fullmatch(entry.name) and (stamp := _stamp(folder / entry.name)):
                    stamps[f"{name}{IN_STUDY}{entry.name}"] = stamp
        times += [max(stamp.times) for stamp in stamps.values()]
        running = is_locked(folder)
        return {name: Stamp(folder, tuple(sorted(times)), running, is_study=True), **stamps}

    def names(self, study: str | None = None) -> list[str]:
        """The runs of a study; without one, studies and runs outside them. Last grown first."""
        stamps = {
            name: stamp for name, stamp in self._stamps.items() if self.study_of(name) == study
        }
        return sorted(stamps, key=lambda name: (-stamps[name].date, name))

    def study_of(self, name: str) -> str | None:
        """The study of a run; None where it is in none."""
        study, plus, _ = name.partition(IN_STUDY)
        stamp = self._stamps.get(study) if plus else None
        return study if stamp is not None and stamp.is_study else None

    def study(self, name: str) -> Study | None:
        """The study of that name; None where there is none."""
        if not is_study_in(self._folders.runs, name):
            return None
        return Study(self._folders.run(name), check=self._is_unchecked(name))

    def open(self, name: str) -> Run:
        """The run of that name.

        Raises ProblemError where there is none, RunError where its config.toml is damaged.
        """
        if not _NAME.fullmatch(name) or not (self._folders.run(name) / CONFIG_FILE).is_file():
            raise not_found(f"run {name[:80]}")
        run = Run(self._folders.run(name), check=self._is_unchecked(name))
        check_config(run)
        return run

    def _is_unchecked(self, name: str) -> bool:
        """Whether the run's summary does not show that it has no links: not at every request."""
        stored = self._known.get(name)
        return stored is None or stored[1].state == "damaged"

    def is_running(self, name: str) -> bool:
        """Whether a process writes to the run now."""
        return is_locked(self._folders.run(name))

    def running_elsewhere(self) -> int:
        """Number of runs and studies that are written to, but not by a job of this service."""
        found = [name for name, stamp in self._stamps.items() if stamp.running]
        jobs = {name: self._job_of(name) for name in found if self.study_of(name) is None}
        return sum(job is None or job[1] in ENDED for job in jobs.values())

    def summary(self, name: str, *, fresh: bool = True) -> RunSummary:
        """A run as lists show it; ProblemError where there is none.

        Unless it must be fresh, it is as of the last `scan`, which does not access the disk.
        """
        found = _NAME.fullmatch(name)
        stamp, looked = None if fresh else self._stamps.get(name), dict[str, Stamp]()
        if stamp is None and found:
            looked = {} if self.study_of(name) else self._stamps_of(name)
            stamp = looked.get(name) or _stamp(self._folders.run(name))
            with self._guard:
                if stamp is not None and not self._stamps.keys() >= {name, *looked}:
                    # newer than the last scan: lists show it from now on
                    self._stamps = {**self._stamps, name: stamp, **looked}
        if stamp is None:
            raise not_found(f"run {name[:80]}")
        return self._summary(name, stamp, looked)

    def summaries(self, names: Iterable[str], *, fresh: bool = True) -> list[RunSummary]:
        """The summaries of runs, without those that were deleted since the last `scan`."""
        found = []
        for name in names:
            with suppress(ProblemError, FileNotFoundError):
                found.append(self.summary(name, fresh=fresh))
        return found

    def _summary(self, name: str, stamp: Stamp, looked: Mapping[str, Stamp]) -> RunSummary:
        """The summary of a run as of its stamp; `looked` has newer stamps of a study's runs."""
        stored = self._known.get(name)
        if stored is None or stored[0] != stamp:
            stored = stamp, self._read(name, stamp, looked)
            with self._guard:
                self._known[name] = stored
        summary, job = stored[1], self._job_of(name)
        if job is None:
            return summary
        died = job[1] == "interrupted" and summary.state == "stopped"
        state = "interrupted" if died else summary.state
        return summary.model_copy(update={"job": job[0], "state": state})

    def drawn(self, summary: RunSummary) -> RunSummary:
        """The summary with its curve, which takes longer than all the rest; a study's with some."""
        if summary.kind == STUDY.name:
            begin = f"{summary.id}{IN_STUDY}"
            stamps = self._stamps  # a scan may replace it meanwhile
            runs = sorted(name for name in stamps if name.startswith(begin))[:_CURVES]
            curves = [self._curve_of(self._summary(run, stamps[run], {})) for run in runs]
            drawn = [curve for curve in curves if len(curve) > 1]
            return summary.model_copy(update={"curves": drawn})
        return summary.model_copy(update={"curve": self._curve_of(summary)})

    def _curve_of(self, summary: RunSummary) -> list[float]:
        date, made = self._curves.get(summary.id, (0.0, []))
        if date != summary.date:
            made = []
            with log_errors(f"the curve of {summary.id}"), suppress(EvolveError, OSError):
                made = _curve(Run(self._folders.run(summary.id), check=False))
            with self._guard:
                self._curves[summary.id] = summary.date, made
        return made

    def _read(self, name: str, stamp: Stamp, looked: Mapping[str, Stamp]) -> RunSummary:
        """The current summary of a run.

        A run that cannot be read is damaged, with the reason, and does not affect the others.
        """
        values: dict[str, Any] = dict.fromkeys(RunSummary.model_fields)
        values |= {"id": name, "date": stamp.date, "curve": [], "curves": []}
        try:
            return RunSummary.model_validate({**values, **self._facts(name, stamp, looked)})
        except EvolveError as error:
            problem = self._folders.error_text(error)
        except (OSError, LookupError, TypeError, ValueError) as error:
            problem = f"it cannot be read: {error}"
        except Exception as error:
            failure = log_failure(f"reading run {name}", error)
            problem = f"internal error {failure}; see the server's log"
        return RunSummary.model_validate({**values, "state": "damaged", "problem": problem})

    def _facts(self, name: str, stamp: Stamp, looked: Mapping[str, Stamp]) -> dict[str, Any]:
        if stamp.is_study:
            return self._facts_of_study(name, stamp, looked)
        refuse_link(stamp.folder)
        run = Run(stamp.folder)
        check_config(run)
        kind = run.kind
        progress = kind.reading.progress(run)
        facts = summary_of(run, stamp.running, progress)
        done, target = facts[kind.unit], facts.get("target")
        values: dict[str, Any] = {
            key: facts.get(key) for key in ("command", "rules", "preset", "seed", "state")
        }
        values["study"] = self.study_of(name)
        values |= {"kind": kind.name, "noun": kind.noun, "unit": kind.unit}
        values |= {"done": done, "target": target, "champion": facts.get("champion")}
        values |= {key: facts.get(key) for key in (*ELO, "score", "score_low", "score_high")}
        values |= _gain(run)
        rung = beaten_by(values["rules"], values["elo_low"])
        values["beats"] = None if rung is None else rung.label
        values["weights"] = _weights(run)
        values["share"] = 1.0 if facts["state"] == "done" else _share(progress)
        if values["elo"] is None:
            values["elo_so_far"] = facts.get("rating")
        if values["score"] is None and not kind.rated:
            values["score"] = progress.so_far
        return values

    def _facts_of_study(
        self, name: str, stamp: Stamp, looked: Mapping[str, Stamp]
    ) -> dict[str, Any]:
        refuse_link(stamp.folder)
        study = Study(stamp.folder)
        # Its runs as of the same look as its own stamp: the summary is kept under that.
        stamps = {**self._stamps, **looked}
        begin = f"{name}{IN_STUDY}"
        summaries = {
            run.removeprefix(begin): self._summary(run, stamps[run], {})
            for run in stamps
            if run.startswith(begin)
        }
        runs = list(summaries.values())
        done, target = sum(run.state == "done" for run in runs), len(study.members)
        state = "running" if stamp.running else "done" if done == target else "stopped"
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
            "state": state,
            "command": f"study of {study.design.command}",
            "done": done,
            "target": target,
            "share": done / target if target else None,
            "grid": _grid(study, summaries),
        }


def _gain(run: Run) -> dict[str, float | None]:
    """How much better its champion is than the defaults, in Elo; nothing where that is unknown."""
    if run.kind.reading.gain is None:
        return {}
    try:
        found = run.kind.reading.gain(run)
    except _UNREADABLE:
        return {}
    if found is None:
        return {}
    return in_elo(Estimate(*found, 0)).columns("gain")


def _weights(run: Run) -> list[float] | None:
    """Its champion's weights of squares in the middle phase; None for other kinds of agents."""
    champion = champion_of(run.path)
    try:
        phases = None if champion is None else read_header(champion).parameters.get("weights")
    except _UNREADABLE:
        return None
    if not isinstance(phases, list) or not phases:
        return None
    weights = phases[len(phases) // 2]
    return weights if isinstance(weights, list) and len(weights) == _SQUARE_CLASSES else None


def _grid(study: Study, runs: Mapping[str, RunSummary]) -> list[list[float | None]]:
    """The Elo of the champions in a study by setting and seed."""
    rows: dict[str, list[float | None]] = {}
    for member in study.members:
        run = runs.get(member.name)
        rows.setdefault(member.setting.name, []).append(None if run is None else run.elo)
    return list(rows.values())


def thinned(count: int, points: int) -> list[int]:
    """At most `points` of the numbers below `count`, evenly spaced, with the last one."""
    if count <= points:
        return list(range(count))
    return sorted({round(i * (count - 1) / (points - 1)) for i in range(points)})


def _stamp(folder: Path) -> Stamp | None:
    """The stamp of a run, None where there is none; of a link, the link's own."""
    path = str(folder)
    if os.path.islink(path):
        return Stamp(folder, (os.lstat(path).st_mtime_ns,), False)
    times = []
    for name in _WATCHED:
        try:
            times.append(os.lstat(f"{path}/{name}").st_mtime_ns)
        except OSError:
            if name == CONFIG_FILE:
                return None
            times.append(0)
    return Stamp(folder, tuple(times), is_locked(folder))


def _share(facts: RunProgress) -> float | None:
    """The part of the run that is done, 0 to 1; None where that is unknown."""
    if isinstance(facts.target, int | float) and facts.target:
        return min(1.0, facts.done / facts.target)
    return None if facts.share is None else min(1.0, facts.share)


def _curve(run: Run) -> list[float]:
    """How the main metric of a run developed, in at most `_POINTS` points."""
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
