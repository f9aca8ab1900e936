"""A trial on its way: its state between two slices, and what a slice of it sees and answers."""

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

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.fitness.statistics import Estimate
from evolve.parsing import parse_json
from evolve.programs.kept import Answers
from evolve.runs.time_slice import seconds_for
from evolve.sweeps.trials import KEPT, PLAY_SECONDS, PLAYED, Report, Task, TrialResult
from evolve.tables.trials import RETEST
from evolve.version import __version__

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
