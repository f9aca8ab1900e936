"""A trial: what it gets and how it ends, its state between two slices, its attributes and files.

The sweep keeps the state in its folder, and there the file of the trial's agent at the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from optuna.trial import FrozenTrial, TrialState

from evolve import __version__
from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.fitness.statistics import Estimate
from evolve.parsing import parse_json
from evolve.programs.kept import Answers
from evolve.runs.time_slice import seconds_for
from evolve.tables.paths import TRIALS
from evolve.tables.trials import DEFAULTS, FINISHED, REPEATED, RETEST, TRIALS_COLUMNS

# Attributes of a trial in the study.
MIRROR: Final = "mirror"
"""Of a step of SPSA: the values of its opponent, the mirror image."""
SAME: Final = "same_as"
"""Of a trial with the settings of an earlier one: its number."""
PLAYED: Final = "played"
PLAY_SECONDS: Final = "play_seconds"
"""The games that judged it, and the seconds that these games took."""

ALIKE: Final = "alike"
"""Of a trial of a program: whether all games with the defaults were as if these played themselves.
"""
REMARK: Final = "remark"
"""Of a complete trial: what people should know of it."""
MET: Final = "met"
"""Of a trial of a program, part by part: its opponents by number, the games with each, its points,
and the standard error of its score."""
_KEPT: Final = (PLAYED, PLAY_SECONDS, "seconds", "games", ALIKE, REMARK, MET)
"""Facts of a trial's state that the study keeps."""

_HEADER: Final = "facts"


@dataclass(frozen=True)
class Task:
    """A trial to run: its number, its values, and its further input (`Plan.trial_context`).

    result: known from an earlier trial, so that it need not run.
    """

    number: int
    values: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    result: TrialResult | None = None


class Report(NamedTuple):
    """A score of a trial on its way, and its standard error."""

    step: int
    score: float
    error: float


@dataclass(frozen=True)
class TrialResult:
    """How a trial ended.

    score: of a complete trial; a pruned one keeps its last report. attributes: what the study
    keeps with it. report: its last one. file: the content and the suffix of its agent's file.
    """

    state: TrialState
    attributes: Mapping[str, Any]
    score: float | None = None
    report: Report | None = None
    file: tuple[bytes, str] | None = None

    @classmethod
    def complete(cls, report: Report, content: bytes, suffix: str) -> Self:
        """Return the end of a complete trial with the file of its agent."""
        return cls(TrialState.COMPLETE, {}, report.score, report, (content, suffix))

    @classmethod
    def pruned(cls, report: Report | None = None) -> Self:
        """Return the end of a trial that is no candidate: it ended early, or was a step of SPSA."""
        return cls(TrialState.PRUNED, {}, report=report)

    @classmethod
    def failed(cls, reason: str) -> Self:
        """Return the end of a trial with impossible values: they are not tried again."""
        return cls(TrialState.FAIL, {"reason": reason})


def is_defaults(trial: FrozenTrial) -> bool:
    """Return whether a trial has the defaults."""
    return trial.user_attrs.get("origin") == DEFAULTS


def is_retest(trial: FrozenTrial) -> bool:
    """Return whether a trial is a training of a retest, by which nothing is chosen."""
    return trial.user_attrs.get("origin") == RETEST


def finished_of(trials: Iterable[FrozenTrial]) -> int:
    """Count the trials that are complete or pruned."""
    return sum(trial.state.name in FINISHED for trial in trials)


def games_of(trials: Sequence[FrozenTrial], of_each: int) -> int:
    """Count the games that trials have played; those that run count as `of_each`."""
    running = sum(trial.state == TrialState.RUNNING for trial in trials)
    return running * of_each + sum(int(trial.user_attrs.get(PLAYED, 0)) for trial in trials)


def values_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return the values of a trial, also of one that waits or was killed before it had them all."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def known_result(trial: FrozenTrial, trials: Iterable[FrozenTrial]) -> TrialResult | None:
    """Return the result of the first ended trial with the same settings; None without one."""
    for twin in trials:
        if twin.params == trial.params and twin.state.is_finished():
            facts = {SAME: twin.number, "reason": f"{REPEATED} {twin.number}"}
            known = ("score_error", "reason")
            facts |= {key: twin.user_attrs[key] for key in known if key in twin.user_attrs}
            return TrialResult(twin.state, facts, twin.values[0] if twin.values else None)
    return None


def row_of(trial: FrozenTrial, names: Iterable[str]) -> dict[str, Any]:
    """Return a trial as a row of the trials table, with the parameters of these names."""
    stored, reports = trial.user_attrs, trial.intermediate_values
    began, ended = trial.datetime_start, trial.datetime_complete
    took = (ended - began).total_seconds() if began and ended else None
    return {
        **{name: stored.get(name) for name in TRIALS_COLUMNS.names},
        "number": trial.number,
        "state": trial.state.name,
        "score": trial.values[0] if trial.state.name in FINISHED and trial.values else None,
        "reports": [reports[step] for step in sorted(reports)],
        "origin": stored.get("origin", "sampler"),
        "reason": stored.get("reason", stored.get(REMARK)),
        "seconds": stored.get("seconds", took if trial.state.is_finished() else None),
        **{name: trial.params.get(name) for name in names},
    }


@dataclass(frozen=True)
class State:
    """Where a trial stands between two slices.

    facts: as JSON, among them the cost so far. arrays: such as a training's checkpoint has.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    @property
    def kept(self) -> dict[str, Any]:
        """What the study keeps of it once the trial has ended."""
        return {name: self.facts[name] for name in _KEPT if name in self.facts}

    @property
    def seconds(self) -> float:
        """What its slices took so far."""
        return float(self.facts.get("seconds", 0.0))

    def save(self, path: Path, task: Task) -> None:
        """Write it in one step, with the trial that it is of."""
        facts = {"facts": self.facts, "number": task.number, "values": task.values}
        write_arrays(path, {_HEADER: np.array(json.dumps(facts)), **self.arrays})

    @classmethod
    def load(cls, path: Path, task: Task) -> State:
        """Read what `save` wrote; RunError where it is damaged, or of another trial."""
        try:
            arrays = read_arrays(path)
            header = parse_json(str(arrays.pop(_HEADER)))
            if (header["number"], header["values"]) != (task.number, dict(task.values)):
                raise ValueError("it is of another trial")
            return cls(dict(header["facts"]), arrays)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise RunError(f"{path} cannot be used: {error}") from error


@dataclass(frozen=True)
class Slice:
    """The next part of a trial.

    sweep_name: of its folder, for the provenance of agents. answers: how the program that is tuned
    answers on the machine of the sweep, where workers are elsewhere.
    """

    sweep: SweepSettings
    sweep_name: str
    task: Task
    state: State = State()
    answers: Answers | None = None


@dataclass(frozen=True)
class SliceResult:
    """What came of a slice: nothing but a state, a report, or the end of the trial.

    refused: why the state that it was to go on from does not fit, so that the trial began again.
    """

    worker: str
    state: State
    outcome: Report | TrialResult | None = None
    refused: str | None = None


class PauseError(Exception):
    """The seconds of a slice are over."""


class StateError(Exception):
    """A state does not fit its trial."""


class Trial:
    """A trial, as the slice of it that runs now sees it.

    facts: what the next slice goes on from, with the cost so far; a plan adds its own. arrays: it
    is called for the rest. before: the arrays of the slice before.
    """

    def __init__(self, part: Slice, panel: Panel) -> None:
        self.sweep, self.task, self.panel = part.sweep, part.task, panel
        self.sweep_name = part.sweep_name
        self.before = part.state.arrays
        self.arrays: Callable[[], Mapping[str, npt.NDArray[Any]]] = lambda: self.before
        self.facts: dict[str, Any] = deepcopy({PLAYED: 0, PLAY_SECONDS: 0.0, **part.state.facts})
        size = sum(array.nbytes for array in self.before.values())
        self._end = time.monotonic() + seconds_for(size)

    def pause_if_due(self) -> None:
        """Raise PauseError where the seconds of the slice are over: what comes next is another's.

        Call it after a step, so that each slice has one; the facts and `arrays` must say all that
        the next one needs.
        """
        if time.monotonic() >= self._end:
            raise PauseError

    @property
    def time_left(self) -> float:
        """Seconds of the slice."""
        return self._end - time.monotonic()

    def steps(self, key: str, count: int, step: Callable[[int], Any]) -> list[Any]:
        """Return what `count` steps give, each by its number and as JSON; it may pause between two.

        key: of the facts that keep what is done, until all are.
        """
        done: list[Any] = self.facts.setdefault(key, [])
        while len(done) < count:
            done.append(step(len(done)))
            if len(done) < count:
                self.pause_if_due()
        return list(self.facts.pop(key))

    def mark_at(self, share: float) -> int | None:
        """Return the number of a report that is due, for a trial that is done to this share.

        Trials with long iterations may skip some, so equal numbers compare trials at the same
        point. Those of a retest report at their end alone.
        """
        mark = sum(share >= due for due in self.sweep.marks[:-1])
        due = mark > self.facts.get("mark", 0) and RETEST not in self.task.context
        return mark if due else None

    def report(self, mark: int, agent: Agent) -> Report:
        """Let the agent play the panel, and return the score of that mark."""
        score, error = self.judged(agent)
        self.facts["mark"] = mark
        return Report(mark, score, error)

    def count(self, games: int, seconds: float) -> None:
        self.facts[PLAYED] += games
        self.facts[PLAY_SECONDS] += seconds

    def judged(self, agent: Agent) -> tuple[float, float]:
        """Return an agent's mean score against the panel, and its standard error over openings.

        It may pause between two of the panel.
        """
        panel = self.panel

        def play(number: int) -> list[float]:
            begin = time.perf_counter()
            score = panel.match(agent, number).play().observed
            self.count(score.n, time.perf_counter() - begin)
            return list(score)

        scores = self.steps("scores", panel.opponents, play)
        judged = panel.judgement([Estimate(*score) for score in scores])
        return judged.score, judged.error

    def complete(
        self,
        agent: StoredAgent,
        step: int,
        facts: Mapping[str, Any] | None = None,
        judged: Agent | None = None,
    ) -> TrialResult:
        """Judge the agent of a trial for the last time, as report `step`; return it with its file.

        facts: of its provenance. judged: the agent that plays in its place.
        """
        score, error = self.judged(judged or agent)
        number = self.task.number
        own = {"run": self.sweep_name, "trial": number}
        result = {"score": score, "error": error, "against": ", ".join(self.sweep.panel)}
        provenance = {**own, "evolve": __version__, **(facts or {}), **result, **own}
        judged_agent: Any = agent
        kept = replace(judged_agent, name=f"trial-{number}", provenance=provenance)
        return TrialResult.complete(Report(step, score, error), *kept.file())


def trial_file(folder: Path, number: int, suffix: str) -> Path:
    """Return the path for a trial's output in a sweep's folder."""
    return folder / TRIALS / f"trial-{number:04d}{suffix}"
