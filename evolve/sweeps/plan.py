"""What a sweep comes to: its space, and what the values of a trial stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import BaseModel

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import table_agent
from evolve.config.evolution import EvolutionSettings
from evolve.config.sweep import SweepSettings
from evolve.config.toml import resolve_as
from evolve.engine.genes import GENES
from evolve.engine.rules import rule_set
from evolve.errors import SettingsError
from evolve.population.genome import Genome
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.spaces import DEPTHS, FAMILIES, Family, gene_places, genes_space

_FOREVER = 1_000_000
"""Generations of an evolution whose CPU seconds run out first."""
_OURS = ("seed", "budget", "rules", "check_every", "panel_openings", "patience", "generations")
"""Settings of a trial that the sweep itself sets."""


@dataclass(frozen=True)
class Plan:
    """A sweep's space and what a trial is made of. Raises SettingsError when it cannot be.

    begun: where it goes on with a study, the ranges that this was begun with, as text.
    """

    sweep: SweepSettings
    begun: Mapping[str, str] | None = None

    @cached_property
    def family(self) -> Family:
        """What the kind of sweep tunes."""
        return FAMILIES[self.sweep.kind]

    @cached_property
    def base(self) -> BaseModel:
        """The settings that trials start from."""
        parts = self.family.compose(self._parts_at_rest, self.sweep.rules)
        return self._resolved(parts)

    @cached_property
    def space(self) -> Space:
        """The parameters, their ranges as asked for."""
        space = genes_space(self.genome) if self.sweep.kind == "alphabeta" else self.family.space
        held = set(self.sweep.fix)
        if not self._parts_at_rest:
            held |= self._parts
        for name, given in self.sweep.space.items():
            parameter = self._parameter(space, name)
            if not isinstance(given, Mapping):
                raise SettingsError(
                    f"space: {name}: a range is a table, such as {{low = 1, high = 2}}; a value "
                    "is held by fix"
                )
            changed = parameter.narrowed(given, "space")
            if name in self._parts:
                for end in changed.ends:
                    self._check_part(self.family.space[name], end, "space")
            space = space.changed(changed)
        space = space.without(held)
        if self.begun is not None:
            space = space.as_begun(self.begun, self.sweep.space)
        if not space.parameters:
            raise SettingsError("space, fix: every parameter is held, nothing is left to search")
        return space

    @cached_property
    def genome(self) -> Genome:
        """The genome of an alphabeta sweep."""
        assert isinstance(self.base, EvolutionSettings)
        return Genome.of(self.base)

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The values that come to `base`; None where the space does not hold them."""
        values: dict[str, Any] = {}
        if self.sweep.kind == "alphabeta":
            return self._reference_genes()
        for parameter in self.space.parameters:
            value = self._parts_at_rest.get(
                parameter.name, getattr(self.base, parameter.name, None)
            )
            if isinstance(value, Mapping):
                value = ",".join(f"{key}={share:g}" for key, share in value.items())
            if not parameter.holds(value):
                return None
            values[parameter.name] = value
        return values

    def _reference_genes(self) -> dict[str, Any] | None:
        """Those of the reference agent, for an alphabeta sweep."""
        agent = table_agent(rule_set(self.sweep.rules).reference)
        try:
            vector = self.genome.from_agent(agent, agent.name)
        except SettingsError:  # it lies outside the bounds
            return None
        values = {name: int(vector[self._places[name]]) for name in self.space.names}
        return values if all(self.space[n].holds(v) for n, v in values.items()) else None

    def settings(self, values: Mapping[str, Any], seed: int) -> BaseModel:
        """The settings of a trial with these values."""
        plain = {name: value for name, value in values.items() if name in self._fields}
        made = self.family.compose({**self._parts_at_rest, **values}, self.sweep.rules)
        made = {name: value for name, value in made.items() if name not in self.sweep.fix}
        return self._resolved({**plain, **made, "seed": seed})

    def agent(self, values: Mapping[str, Any], name: str) -> AlphaBetaAgent:
        """The agent of an alphabeta trial."""
        vector = self.genome.low.copy()
        for gene, index in self._places.items():
            vector[index] = values.get(gene, self._single_genes.get(gene, vector[index]))
        return self.genome.agent(vector, name)

    def seed_of(self, number: int) -> int:
        """The seed of a trial: its own, drawn from the sweep's."""
        state = np.random.SeedSequence([self.sweep.seed, number]).generate_state(1)
        return int(state[0])

    @property
    def _fields(self) -> Mapping[str, Any]:
        return self.family.model.model_fields

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where the numbers of the genome are, by their names as parameters."""
        return gene_places(self.genome)

    @cached_property
    def _single_genes(self) -> dict[str, int]:
        """Single numbers of a gene that `fix` holds, such as weights.0."""
        if self.sweep.kind != "alphabeta":
            return {}
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

    @cached_property
    def _parts(self) -> set[str]:
        """Parameters that are no settings, but make `composed` ones."""
        return set(self.family.parts)

    @cached_property
    def _parts_at_rest(self) -> dict[str, Any]:
        """Their values where a trial has none; empty where what they make is held."""
        if self.family.composed in self.sweep.fix or "preset" in self.sweep.fix:
            return {}
        held = {name: value for name, value in self.sweep.fix.items() if name in self._parts}
        for name, value in held.items():
            self._check_part(self.family.space[name], value, "fix")
        return {**self.family.parts, **held}

    def _check_part(self, usual: Parameter, value: Any, source: str) -> None:
        """Raise SettingsError for a value that no network can be made of."""
        if usual.kind == "choice":
            if value not in usual.choices or type(value) is not usual.type:
                raise SettingsError(f"{source}: {usual.name} = {value!r}: {usual.range_text}")
        elif not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise SettingsError(f"{source}: {usual.name} = {value!r} must be a whole number")

    def _parameter(self, space: Space, name: str) -> Parameter:
        """A parameter of the space, or any other setting of the kind, to be given a range."""
        if name in space.names:
            return space[name]
        field = self._fields.get(name)
        if field is None or name in _OURS or self.sweep.kind == "alphabeta":
            known = ", ".join(space.names)
            raise SettingsError(f"space: there is no parameter {name!r}; there are {known}")
        kind: Any = "int" if field.annotation is int else "float"
        if field.annotation not in (int, float):
            kind = "choice"
        return Parameter(name, kind, field.description or "")

    def _resolved(self, options: Mapping[str, Any]) -> BaseModel:
        sweep = self.sweep
        fixed = {name: value for name, value in sweep.fix.items() if name not in self._parts}
        for name in fixed:
            if name not in self._fields and sweep.kind != "alphabeta":
                known = ", ".join([*self._fields, *sorted(self._parts)])
                raise SettingsError(f"fix: there is no setting {name!r}; there are {known}")
            if name in _OURS and not (name == "panel_openings" and sweep.kind == "evolution"):
                raise SettingsError(f"fix: {name} is the sweep's own to set")
        ours: dict[str, Any] = {"rules": sweep.rules, "seed": sweep.seed}
        if sweep.kind in ("dqn", "mcts"):
            ours["budget"] = sweep.budget
        elif sweep.kind == "evolution":
            ours["generations"] = _FOREVER
            # That of version 0.1, whose sweeps go on; what counts is the sweep's own panel.
            fixed = {"panel": "fixed", **fixed}
        else:
            genes = {name: value for name, value in fixed.items() if name in GENES}
            fixed = {n: v for n, v in fixed.items() if n not in GENES and not _is_single(n)}
            ours["fix"] = genes
            ours["bounds"] = {"depths": DEPTHS, **fixed.pop("bounds", {})}
        return resolve_as(self.family.model, self.family.presets, {**fixed, **ours, **options})


def _is_single(name: str) -> bool:
    """Whether a name is of one number of a gene: weights.0, depths.2."""
    gene, dot, _ = name.partition(".")
    return bool(dot) and gene in GENES
