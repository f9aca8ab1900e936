"""A sweep over the genes of an alpha-beta agent: a trial's agent plays the panel once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from optuna.trial import FrozenTrial

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import table_agent
from evolve.config.evolution import EvolutionSettings
from evolve.engine.board.rules import rule_set
from evolve.engine.search.genes import GENES
from evolve.errors import SettingsError
from evolve.population.genome import Genome
from evolve.runs.loading import load_agent
from evolve.sweeps.objective import Objective
from evolve.sweeps.plan import plays_again
from evolve.sweeps.settings_plan import SettingsPlan
from evolve.sweeps.space import Parameter, Space, whole
from evolve.sweeps.trials import Outcome, Report, Task

_DEPTHS: Final = (1, 4)
"""Depths of the agents: only this range limits the cost of deeper searches."""


@dataclass(frozen=True)
class GenesPlan(SettingsPlan):
    """Every number of the genome is a parameter."""

    def run(self, objective: Objective, task: Task, report: Report) -> Outcome:
        """Let the agent with these values play the panel."""
        agent = self.agent(task.values, f"trial-{task.number}")
        return objective.complete(task, agent, report, 1)

    def repeats(self, trials: Sequence[FrozenTrial]) -> bool | None:
        """See Plan: true unless a panel member plays by the clock or is a program."""
        return self._panel_plays_again

    @cached_property
    def _panel_plays_again(self) -> bool:
        return all(plays_again(load_agent(name)) for name in self.sweep.panel)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise SettingsError or AgentError for values that no agent can have."""
        self.agent(values, "example")

    def agent(self, values: Mapping[str, Any], name: str) -> AlphaBetaAgent:
        """Return the agent of a trial."""
        vector = self.genome.low.copy()
        for gene, index in self._places.items():
            vector[index] = values.get(gene, self._single_genes.get(gene, vector[index]))
        agent = self.genome.agent(vector, name)
        assert isinstance(agent, AlphaBetaAgent)
        return agent

    @cached_property
    def genome(self) -> Genome:
        """The genome that the sweep searches."""
        assert isinstance(self.base, EvolutionSettings)
        if self.base.evaluation is not None:
            raise SettingsError("fix: evaluation: the weights are what is tuned here")
        return Genome.of(self.base)

    @property
    def usual_space(self) -> Space:
        """A parameter for every free number."""
        genome = self.genome
        return Space.of(
            whole(name, int(genome.low[at]), int(genome.high[at]), GENES[_gene_of(name)].about)
            for name, at in self._places.items()
            if genome.free[at]
        )

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The genes of the reference agent; None where the space does not hold them."""
        agent = table_agent(rule_set(self.sweep.rules).reference)
        try:
            vector = self.genome.from_agent(agent, agent.name)
        except SettingsError:  # the agent lies outside the bounds
            return None
        values = {name: int(vector[self._places[name]]) for name in self.space.names}
        return values if all(self.space[n].holds(v) for n, v in values.items()) else None

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
            low, high = (
                int(end[self._places[name]]) for end in (self.genome.low, self.genome.high)
            )
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise SettingsError(f"fix: {name} = {value!r} must be {low} to {high}")
        return held

    def _parameter(self, space: Space, name: str) -> Parameter:
        """Return a parameter of the space; other settings are not allowed."""
        if name not in space.names:
            known = ", ".join(space.names)
            raise SettingsError(f"space: there is no parameter {name!r}; there are {known}")
        return space[name]

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
    return "." in name and _gene_of(name) in GENES


def _gene_of(name: str) -> str:
    return name.partition(".")[0]
