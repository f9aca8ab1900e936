"""A trial: make an agent with the trial's settings, and let it play the panel at intervals."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from evolve.agents.agent import Agent
from evolve.arena.judges import Panel
from evolve.files.changes import make_folder
from evolve.files.folder import FolderPath
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.tables.paths import TRIALS
from evolve.version import __version__

if TYPE_CHECKING:
    from evolve.sweeps.plan import Plan

Report = Callable[[int, float, float], bool]
"""Called with step, score and standard error; returns True when the trial must end there."""


PLAYED: Final = "played"
PLAY_SECONDS: Final = "play_seconds"
"""Facts of a trial: the games that judged it, and the seconds that these games took."""


@dataclass(frozen=True)
class Task:
    """A trial to run: its number, its values, and its further input (`Plan.brief`)."""

    number: int
    values: Mapping[str, Any]
    brief: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """How a trial ended: its score, error, agent file and further facts.

    agent: None where it ended early or failed. reason: why it failed; None otherwise.
    """

    score: float
    error: float
    agent: FolderPath | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None


class Objective:
    """Runs trials of one sweep in its folder. Made once per process, it keeps compiled code.

    executor: for games of trials with agents that the kernels play.
    """

    def __init__(self, plan: Plan, folder: FolderPath, executor: Executor = ONE_THREAD) -> None:
        self.plan = plan
        self.executor = executor
        self.folder = folder
        self.kept: dict[str, Any] = {}
        """Values that a plan keeps from one trial to the next."""
        self._played, self._seconds = 0, 0.0
        plan.prepare(self)

    @cached_property
    def panel(self) -> Panel:
        """The opponents of trials."""
        sweep = self.plan.sweep
        return Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)

    def run(self, task: Task, report: Report) -> Outcome | None:
        """Run a trial to its end; None when `report` has ended it."""
        self._played, self._seconds = 0, 0.0
        return self.plan.run(self, task, report)

    @contextmanager
    def timed(self, games: Callable[[], int]) -> Iterator[None]:
        """Count the games that the block plays, and their seconds."""
        begin, before = time.perf_counter(), games()
        try:
            yield
        finally:
            self._seconds += time.perf_counter() - begin
            self._played += games() - before

    @property
    def facts(self) -> dict[str, Any]:
        """Cost of the current trial's games so far."""
        return {PLAYED: self._played, PLAY_SECONDS: self._seconds}

    def judged(self, agent: Agent) -> tuple[float, float]:
        """Return an agent's mean score against the panel, and its standard error over openings."""
        played = 0

        def count(games: int) -> None:
            nonlocal played
            played += games

        with self.timed(lambda: played):
            results = self.panel.results(agent, self.executor, count)
        error = math.sqrt(sum(result.error**2 for result in results)) / len(results)
        return sum(result.value for result in results) / len(results), error

    def scored(self, score: float, error: float) -> dict[str, Any]:
        """Return what an agent's file says about its score."""
        sweep = self.plan.sweep
        return {"score": score, "error": error, "against": ", ".join(sweep.panel)}

    def named(self, number: int, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return name and provenance of a trial's agent."""
        run = self.folder.resolve().name
        provenance = {"run": run, "trial": number, "evolve": __version__, **facts}
        return {"name": f"trial-{number}", "provenance": {**provenance, "run": run}}

    def path(self, number: int, suffix: str) -> FolderPath:
        """Return the path for a trial's output; make its folder."""
        path = self.folder / TRIALS / f"trial-{number:04d}{suffix}"
        make_folder(path.parent, exist_ok=True)
        return path


class Marks:
    """When a trial plays the panel: after equal shares of its length; the last time at its end.

    The number of a mark says how much of the trial is done. Trials with long iterations may skip
    marks, so equal numbers compare trials at the same point.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.step = 0

    def due(self, share: float) -> bool:
        """Return whether a new mark before the last is reached; then `step` is its number."""
        reached = min(self.count - 1, int(share * self.count))
        if reached <= self.step:
            return False
        self.step = reached
        return True
