"""A sweep over the settings of an evolution: a trial evolves for a number of CPU seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolve.agents.agent import StoredAgent
from evolve.agents.reference import read_agent
from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS
from evolve.config.toml import config_text
from evolve.evolution.loop import Evolution
from evolve.files.changes import make_folder
from evolve.files.folder import FolderPath
from evolve.runs import run_folder as store
from evolve.runs.loading import load_agent
from evolve.runs.progress import Silent
from evolve.runs.run_types import champion_of
from evolve.sweeps.objective import Marks, Objective
from evolve.sweeps.settings_plan import SettingsPlan
from evolve.sweeps.space import Space, choice, real, whole
from evolve.sweeps.trials import Outcome, Report, Task, trial_file
from evolve.version import __version__

_FOREVER = 1_000_000
"""Generations of an evolution; its CPU seconds run out first."""


@dataclass(frozen=True)
class EvolutionPlan(SettingsPlan):
    """A trial's agent is the best of its hall of fame when its seconds are used up."""

    ours = tuple(name for name in SettingsPlan.ours if name != "panel_openings")
    searched = Space.of(
        [
            whole("population", 16, 128, log=True),
            real("survivors", 0.1, 0.5),
            real("newcomers", 0.0, 0.2),
            choice("selection", tuple(OPERATORS["selection"])),
            choice("survival", tuple(OPERATORS["survival"])),
            choice("crossover", tuple(OPERATORS["crossover"])),
            real("crossover_rate", 0.5, 1.0),
            real("blend", 0.0, 1.0),
            real("eta", 1.0, 20.0, log=True),
            choice("mutation", tuple(OPERATORS["mutation"])),
            real("mutation_rate", 0.02, 0.5, log=True),
            real("mutation_size", 0.05, 0.8, log=True),
            choice("depth_mutation", tuple(OPERATORS["depth_mutation"])),
            choice("openings", ("pair", "shared", "start")),
            whole("opening_plies", 4, 12),
            whole("openings_per_pair", 1, 3),
        ]
    )

    def prepare(self, objective: Objective) -> None:
        """Load compiled code before the seconds are counted."""
        objective.judged(load_agent(self.sweep.panel[-1]))

    def run(self, objective: Objective, task: Task, report: Report) -> Outcome:
        """Evolve with these values, and let the champion play the panel at intervals."""
        settings = self.settings(task.values, self.seed_of(task.number))
        assert isinstance(settings, EvolutionSettings)
        folder = trial_file(objective.folder, task.number, "")
        store.discard(folder, made=True)  # of an attempt that was killed
        make_folder(folder, parents=True)
        evolution = Evolution(folder, settings, objective.executor)
        store.create(folder, config_text(settings, {"evolve": __version__}))
        watch = _Evolving(objective, folder, report)
        evolution.run(watch)
        if watch.pruned:
            return Outcome.pruned()
        agent = _champion(folder)
        return objective.complete(task, agent, report, watch.marks.count, agent.provenance)

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        # The cheaper one, because only the panel of the sweep counts.
        return {"panel": "fixed", **fixed, "generations": _FOREVER}


def _champion(folder: FolderPath) -> StoredAgent:
    """Return the best agent of an evolution so far."""
    path = champion_of(folder)
    assert path is not None, "a generation is there"
    return read_agent(path)


class _Evolving(Silent):
    """Watches an evolution, ends it when its CPU seconds are used, and reports its champion."""

    def __init__(self, objective: Objective, folder: FolderPath, report: Report) -> None:
        self.marks = Marks(objective.sweep.reports)
        self._objective, self._folder, self._report = objective, folder, report
        self._budget = objective.sweep.budget or math.inf
        self._begin = self._cpu_seconds()
        self._share = 0.0
        self.pruned = False

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Count a generation's seconds, and play the panel when a mark is due."""
        spent = self._cpu_seconds() - self._begin
        self._share = spent / self._budget
        if self._share < 1.0 and self.marks.due(self._share):
            judged = self._objective.judged(_champion(self._folder))
            self.pruned = self._report(self.marks.step, *judged)
            self._begin = self._cpu_seconds() - spent  # the panel's games do not count

    def _cpu_seconds(self) -> float:
        """Return CPU seconds of this process and of games on other machines."""
        return time.process_time() + self._objective.executor.elsewhere

    def stop(self) -> bool:
        """Return whether the budget is used up, or the trial has been ended."""
        return self.pruned or self._share >= 1.0
