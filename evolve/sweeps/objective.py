"""A trial: make an agent by the trial's settings, and let it meet the panel on the way."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import evolve
from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.loading import load_agent, read_alphabeta
from evolve.arena.panel import Panel
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.toml import config_text
from evolve.evolution.loop import Evolution
from evolve.sweeps.plan import Plan
from evolve.tables import folder as store
from evolve.tables.layout import CHAMPION_FILE, TRIALS
from evolve.tables.observer import Silent

Report = Callable[[int, float, float], bool]
"""Told the step, the score and its standard error; True when the trial is to end there."""


@dataclass(frozen=True)
class Outcome:
    """How a trial ended: its score against the panel, its error, its agent's file."""

    score: float
    error: float
    agent: Path


class Objective:
    """Runs trials of one sweep in its folder. Made once in a process, it keeps what is compiled."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        sweep = plan.sweep
        self.panel = Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)
        if sweep.kind == "evolution":  # load what is compiled before the seconds are counted
            self.judged(load_agent(sweep.panel[-1]))
        self._run: Final = {
            "dqn": self._learn,
            "mcts": self._learn,
            "evolution": self._evolve,
            "alphabeta": self._play,
        }[sweep.kind]

    def run(self, number: int, values: Mapping[str, Any], report: Report) -> Outcome | None:
        """Run a trial to its end; None when `report` has ended it."""
        return self._run(number, values, report)

    def judged(self, agent: Agent) -> tuple[float, float]:
        """An agent's mean score against the panel, and its standard error over openings."""
        results = self.panel.results(agent, 1)
        error = math.sqrt(sum(result.error**2 for result in results)) / len(results)
        return sum(result.score for result in results) / len(results), error

    def _learn(self, number: int, values: Mapping[str, Any], report: Report) -> Outcome | None:
        from evolve.learning.course import Course

        settings = self.plan.settings(values, self.plan.seed_of(number))
        assert isinstance(settings, DqnSettings | MctsSettings)
        course = Course(settings, 1)
        course.warm_up()
        marks = _Marks(self.plan.sweep.reports)
        while course.finished is None:
            course.iterate(lambda games, share: None)
            if (
                course.finished is None
                and marks.due(course.share)
                and report(marks.step, *self.judged(course.learner.checked_agent()))
            ):
                return None
        score, error = self.judged(course.learner.checked_agent())
        report(marks.count, score, error)
        facts = {"games": course.games, "steps": course.learner.steps, "seed": settings.seed}
        agent = replace(
            course.learner.agent(), **self._named(number, {**facts, **self._scored(score, error)})
        )
        path = self._path(number, ".npz")
        agent.save(path)
        return Outcome(score, error, path)

    def _evolve(self, number: int, values: Mapping[str, Any], report: Report) -> Outcome | None:
        settings = self.plan.settings(values, self.plan.seed_of(number))
        assert isinstance(settings, EvolutionSettings)
        folder = self.folder / TRIALS / f"trial-{number:04d}"
        store.discard(folder, made=True)  # of an attempt that was killed
        folder.mkdir(parents=True)
        evolution = Evolution(folder, settings, 1)
        store.create(folder, config_text(settings, {"evolve": evolve.__version__}))
        watch = _Evolving(self, folder, report)
        evolution.run(watch)
        if watch.pruned:
            return None
        agent = read_alphabeta(folder / CHAMPION_FILE)
        score, error = self.judged(agent)
        report(watch.marks.count, score, error)
        facts = {**agent.provenance, **self._scored(score, error)}
        path = self._path(number, ".json")
        replace(agent, **self._named(number, facts)).save(path)
        return Outcome(score, error, path)

    def _play(self, number: int, values: Mapping[str, Any], report: Report) -> Outcome:
        agent: AlphaBetaAgent = self.plan.agent(values, f"trial-{number}")
        score, error = self.judged(agent)
        report(1, score, error)
        path = self._path(number, ".json")
        facts = self._scored(score, error)
        replace(agent, **self._named(number, facts)).save(path)
        return Outcome(score, error, path)

    def _scored(self, score: float, error: float) -> dict[str, Any]:
        sweep = self.plan.sweep
        return {"score": score, "error": error, "against": ", ".join(sweep.panel)}

    def _named(self, number: int, facts: Mapping[str, Any]) -> dict[str, Any]:
        run = self.folder.resolve().name
        provenance = {"run": run, "trial": number, "evolve": evolve.__version__, **facts}
        return {"name": f"trial-{number}", "provenance": {**provenance, "run": run}}

    def _path(self, number: int, suffix: str) -> Path:
        path = self.folder / TRIALS / f"trial-{number:04d}{suffix}"
        path.parent.mkdir(exist_ok=True)
        return path


class _Marks:
    """When a trial is to meet the panel: after equal shares of it; the last at its end.

    The number of a mark says how much of the trial is done, so that trials with long iterations,
    which may pass over one, are compared with others at the same place.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.step = 0

    def due(self, share: float) -> bool:
        """Whether a further mark before the last is reached; `step` is its number then."""
        reached = min(self.count - 1, int(share * self.count))
        if reached <= self.step:
            return False
        self.step = reached
        return True


class _Evolving(Silent):
    """Watches an evolution, ends it when its CPU seconds are used, and reports its champion."""

    def __init__(self, objective: Objective, folder: Path, report: Report) -> None:
        self.marks = _Marks(objective.plan.sweep.reports)
        self._objective, self._folder, self._report = objective, folder, report
        self._budget = objective.plan.sweep.budget or math.inf
        self._begin = time.process_time()
        self._share = 0.0
        self.pruned = False

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """A generation is there: count its seconds, and meet the panel when it is time."""
        spent = time.process_time() - self._begin
        self._share = spent / self._budget
        if self._share < 1.0 and self.marks.due(self._share):
            agent = read_alphabeta(self._folder / CHAMPION_FILE)
            self.pruned = self._report(self.marks.step, *self._objective.judged(agent))
            self._begin = time.process_time() - spent  # the panel's games do not count

    def stop(self) -> bool:
        """Whether the budget is used up, or the trial has been ended."""
        return self.pruned or self._share >= 1.0
