"""Sweeps over evolutions: over the settings of one, and over the genes of an agent themselves.

A trial evolves for a number of CPU seconds, or its agent plays the panel once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import read_agent, table_agent
from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS
from evolve.config.toml import config_text
from evolve.engine.board.rules import rule_set
from evolve.engine.search.genes import GENES
from evolve.errors import SettingsError
from evolve.evolution.loop import Evolution
from evolve.files.changes import make_folder
from evolve.population.genome import Genome
from evolve.runs import run_folder
from evolve.runs.loading import existing_champion, load_agent
from evolve.runs.progress import Observer
from evolve.sweeps.plan import SettingsPlan
from evolve.sweeps.space import Parameter, choice, real, whole
from evolve.sweeps.trials import Marks, Objective, Report, Task, TrialResult, trial_file
from evolve.version import __version__

_FOREVER = 1_000_000
"""Generations of an evolution; its CPU seconds run out first."""


@dataclass(frozen=True)
class EvolutionPlan(SettingsPlan):
    """A trial's agent is the best of its hall of fame when its seconds are used up."""

    set_by_sweep = tuple(name for name in SettingsPlan.set_by_sweep if name != "panel_openings")
    searched = (
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
    )

    def prepare(self, objective: Objective) -> None:
        # Load compiled code before the seconds are counted.
        objective.judged(load_agent(self.sweep.panel[-1]))

    def run(self, objective: Objective, task: Task, report: Report) -> TrialResult:
        """Evolve with these values, and let the champion play the panel at intervals."""
        settings = self.settings(task.values, self.seed_of(task.number))
        assert isinstance(settings, EvolutionSettings)
        folder = trial_file(objective.folder, task.number, "")
        run_folder.discard(folder, made=True)  # of an attempt that was killed
        make_folder(folder, parents=True)
        evolution = Evolution(folder, settings, objective.executor)
        run_folder.create(folder, config_text(settings, {"evolve": __version__}))
        watch = _Evolving(objective, folder, report)
        evolution.run(watch)
        if watch.pruned:
            return TrialResult.pruned()
        agent = read_agent(existing_champion(folder))
        return objective.complete(task, agent, report, watch.marks.count, agent.provenance)

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        # The cheaper one, because only the panel of the sweep counts.
        return {"panel": "fixed", **fixed, "generations": _FOREVER}


class _Evolving(Observer):
    """Watches an evolution, ends it when its CPU seconds are used, and reports its champion."""

    def __init__(self, objective: Objective, folder: Path, report: Report) -> None:
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
            judged = self._objective.judged(read_agent(existing_champion(self._folder)))
            self.pruned = self._report(self.marks.step, *judged)
            self._begin = self._cpu_seconds() - spent  # the panel's games do not count

    def _cpu_seconds(self) -> float:
        """Return CPU seconds of this process and of games on other machines."""
        return time.process_time() + self._objective.executor.elsewhere

    def stop(self) -> bool:
        return self.pruned or self._share >= 1.0


_DEPTHS: Final = (1, 4)
"""Depths of the agents: only this range limits the cost of deeper searches."""


@dataclass(frozen=True)
class GenesPlan(SettingsPlan):
    """Every number of the genome is a parameter."""

    makes_agents = True

    def run(self, objective: Objective, task: Task, report: Report) -> TrialResult:
        agent = self.agent(task.values, f"trial-{task.number}")
        return objective.complete(task, agent, report, 1)

    def check(self, values: Mapping[str, Any]) -> None:
        self.agent(values, "example")

    def agent(self, values: Mapping[str, Any], name: str) -> AlphaBetaAgent:
        vector = self.genome.low.copy()
        for gene, index in self._places.items():
            vector[index] = values.get(gene, self._single_genes.get(gene, vector[index]))
        return self.genome.agent(vector, name)

    @cached_property
    def genome(self) -> Genome:
        assert isinstance(self.base, EvolutionSettings)
        return Genome.of(self.base)

    @property
    def usual_parameters(self) -> dict[str, Parameter]:
        """A parameter for every free number."""
        low, high, free = self.genome.low, self.genome.high, self.genome.free
        return {
            name: whole(name, int(low[at]), int(high[at]), GENES[name.partition(".")[0]].about)
            for name, at in self._places.items()
            if free[at]
        }

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The genes of the reference agent; None where the space does not hold them."""
        agent = table_agent(rule_set(self.sweep.rules).reference)
        try:
            vector = self.genome.from_agent(agent, agent.name)
        except SettingsError:  # the agent lies outside the bounds
            return None
        values = {name: int(vector[self._places[name]]) for name in self.space.names}
        return values if self.space.holds(values) else None

    @cached_property
    def _places(self) -> dict[str, int]:
        """Places of the numbers in the genome: `weights.0`, …, `endgame`."""
        sizes, slices = self.genome.sizes, self.genome.slices
        return {
            gene if size == 1 else f"{gene}.{number}": slices[gene].start + number
            for gene, size in sizes.items()
            for number in range(size)
        }

    @cached_property
    def _single_genes(self) -> dict[str, int]:
        """Single numbers of genes that `fix` holds, such as weights.0."""
        held = {name: value for name, value in self.sweep.fix.items() if _is_single(name)}
        for name, value in held.items():
            if name not in self._places:
                raise SettingsError(f"fix: there is no {name}; there are {', '.join(self._places)}")
            at = self._places[name]
            low, high = int(self.genome.low[at]), int(self.genome.high[at])
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise SettingsError(f"fix: {name} = {value!r} must be {low} to {high}")
        return held

    def _check_fixed(self, name: str) -> None:
        """Allow genes and single numbers of genes, too."""
        if name not in GENES and not _is_single(name):
            super()._check_fixed(name)

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        genes = {name: value for name, value in fixed.items() if name in GENES}
        others = {n: v for n, v in fixed.items() if n not in GENES and not _is_single(n)}
        bounds = {"depths": _DEPTHS, **others.pop("bounds", {})}
        return {**others, "fix": genes, "bounds": bounds}


def _is_single(name: str) -> bool:
    """Return whether a name means one number of a gene: weights.0, depths.2."""
    return "." in name and name.partition(".")[0] in GENES


PLANS: Final = {"alphabeta": GenesPlan, "evolution": EvolutionPlan}
