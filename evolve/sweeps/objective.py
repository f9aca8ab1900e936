"""What the trials of a process share: their panel, the cost of their games, and their files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

from evolve.agents.agent import Agent, StoredAgent
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.files.folder import FolderPath
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.sweeps.trials import PLAY_SECONDS, PLAYED, Outcome, Report, Task, trial_file
from evolve.version import __version__


class Objective:
    """Judges and keeps the agents of a sweep's trials, in its folder.

    executor: for games of agents that the kernels play.
    """

    def __init__(
        self, sweep: SweepSettings, folder: FolderPath, executor: Executor = ONE_THREAD
    ) -> None:
        self.sweep = sweep
        self.executor = executor
        self.folder = folder
        self.kept: dict[str, Any] = {}
        """Values that a plan keeps from one trial to the next."""
        self.begin()

    @cached_property
    def panel(self) -> Panel:
        """The opponents of trials."""
        sweep = self.sweep
        return Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)

    def begin(self) -> None:
        """Count the cost of a trial's games from now on."""
        self._played, self._seconds = 0, 0.0

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
            judged = self.panel.judge(agent, self.executor, count)
        return judged.score, judged.error

    def complete(
        self,
        task: Task,
        agent: StoredAgent,
        report: Report,
        step: int,
        facts: Mapping[str, Any] | None = None,
        judged: Agent | None = None,
    ) -> Outcome:
        """Judge the agent of a trial for the last time, as report `step`, and keep it in a file.

        facts: of its provenance. judged: the agent that plays in its place.
        """
        score, error = self.judged(judged or agent)
        report(step, score, error)
        against = ", ".join(self.sweep.panel)
        own = {"run": self.folder.resolve().name, "trial": task.number}
        provenance = {
            **own,
            "evolve": __version__,
            **(facts or {}),
            "score": score,
            "error": error,
            "against": against,
            **own,
        }
        file = trial_file(self.folder, task.number, ".npz" if agent.arrays else ".json")
        named: Any = agent
        replace(named, name=f"trial-{task.number}", provenance=provenance).save(file)
        return Outcome.complete(score, error, file.relative_to(self.folder).as_posix())


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
