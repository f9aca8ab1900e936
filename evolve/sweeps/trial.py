"""A trial on its way: its state between two slices, and what a slice of it sees and answers.

The sweep keeps the state in its folder, and there the file of the trial's agent at the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from optuna.trial import TrialState

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.fitness.statistics import Estimate
from evolve.parsing import parse_json
from evolve.programs.kept import Answers
from evolve.runs.progress import Observer
from evolve.runs.time_slice import seconds_for
from evolve.sweeps.trials import (
    KEPT,
    PLAY_SECONDS,
    PLAYED,
    Report,
    Task,
    TrialResult,
    trial_file,
)
from evolve.tables.trials import RETEST
from evolve.version import __version__

_WORTH_KEEPING: Final = 1.0  # seconds of work that are worth a file
_SUFFIX: Final = ".state"  # of the file of a state
_HEADER: Final = "facts"
_SCORES: Final = "scores"


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
        return {name: self.facts[name] for name in KEPT if name in self.facts}

    @property
    def seconds(self) -> float:
        """What its slices took so far."""
        return float(self.facts.get("seconds", 0.0))

    @property
    def slice_seconds(self) -> float:
        """About how long the next slice should last."""
        return seconds_for(sum(array.nbytes for array in self.arrays.values()))

    def save(self, path: Path, task: Task) -> None:
        """Write it in one step, with the trial that it is of."""
        facts = {"facts": self.facts, "number": task.number, "values": task.values}
        write_arrays(path, {_HEADER: np.array(json.dumps(facts)), **self.arrays}, packed=False)

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
    """What came of a slice.

    report: at its end. result: of a trial that has ended. refused: why the state that it was to go
    on from does not fit, so that the trial began again.
    """

    worker: str
    state: State
    report: Report | None = None
    result: TrialResult | None = None
    refused: str | None = None


class PauseError(Exception):
    """The seconds of a slice are over."""


class StateError(Exception):
    """A state does not fit its trial."""


@dataclass
class Held:
    """What a thread of a worker keeps from a slice to the next of the same sweep.

    programs: the last that a plan has used, by name, with their values; `programs.kept` has them
    running.
    """

    sweep: SweepSettings
    programs: dict[str, tuple[Mapping[str, Any], Any]] = field(default_factory=dict)

    @cached_property
    def panel(self) -> Panel:
        sweep = self.sweep
        return Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)


class Trial:
    """A trial, as the slice of it that runs now sees it.

    facts: what the next slice goes on from, with the cost so far; a plan adds its own. arrays: it
    is called for the rest. before: the arrays of the slice before.
    """

    def __init__(self, part: Slice, held: Held) -> None:
        self.sweep, self.task, self.held = part.sweep, part.task, held
        self.sweep_name = part.sweep_name
        self.before = part.state.arrays
        self.arrays: Callable[[], Mapping[str, npt.NDArray[Any]]] = lambda: self.before
        self.facts: dict[str, Any] = deepcopy({PLAYED: 0, PLAY_SECONDS: 0.0, **part.state.facts})
        self._end = time.monotonic() + part.state.slice_seconds

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
        panel = self.held.panel
        scores = [Estimate(*row) for row in self.facts.get(_SCORES, ())]
        while len(scores) < panel.opponents:
            begin = time.perf_counter()
            scores.append(panel.match(agent, len(scores)).play().observed)
            self.count(scores[-1].n, time.perf_counter() - begin)
            self.facts[_SCORES] = [list(score) for score in scores]
            if len(scores) < panel.opponents:
                self.pause_if_due()
        self.facts.pop(_SCORES, None)
        judged = panel.judgement(scores)
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


@dataclass
class Handed:
    """A trial that workers do, in the folder of its sweep.

    deaths: workers that died over its current slice.
    """

    folder: Path
    task: Task
    state: State
    deaths: int = 0
    _kept: float = 0.0

    @classmethod
    def of(cls, folder: Path, task: Task, observer: Observer) -> Handed:
        """Take up a trial, from the state that a sweep before this one has left of it."""
        path = trial_file(folder, task.number, _SUFFIX)
        if path.exists():
            try:
                state = State.load(path, task)
                return cls(folder, task, state, _kept=state.seconds)
            except RunError as error:
                observer.note(f"trial {task.number} begins again: {error}")
        return cls(folder, task, State())

    def keep(self) -> None:
        """Write its state, unless little has come to it since the last time."""
        if self.state.seconds - self._kept >= _WORTH_KEEPING:
            self.state.save(trial_file(self.folder, self.task.number, _SUFFIX), self.task)
            self._kept = self.state.seconds

    def filed(self, outcome: TrialResult) -> TrialResult:
        """Write the file of its agent; a trial whose file cannot be written has failed."""
        if outcome.file is None:
            return outcome
        content, suffix = outcome.file
        path = trial_file(self.folder, self.task.number, suffix)
        try:
            write_bytes(path, content)
        except OSError as error:
            reason = f"{error.filename or path}: {error.strerror or error}"
            return TrialResult(TrialState.FAIL, {**outcome.attributes, "reason": reason})
        agent = path.relative_to(self.folder).as_posix()
        return replace(outcome, attributes={**outcome.attributes, "agent": agent})


def drop_state(folder: Path, number: int) -> None:
    """Remove the state of a trial that has ended."""
    remove(trial_file(folder, number, _SUFFIX), missing_ok=True)
