"""Custom genes: their layout, and the agents that they encode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.rules import Rules
from evolve.engine.search.genes import Gene
from evolve.errors import AgentError, SettingsError
from evolve.tables.individuals import INDIVIDUALS_COLUMNS, SCALAR_GENES, SOMETIMES

_LARGEST: Final = int(np.iinfo(np.int32).max)
"""Largest gene: tables store genes as 32-bit integers."""


@dataclass(frozen=True)
class Encoding:
    """Encoding of agents in genes that are not the agents' parameters.

    genes: by name, in the order of the genome; only `bounds`, `numbers` and `steps` of each are
    used. make: returns the agent of a genome, a dictionary of lists of numbers; the same genes must
    give the same agent. The run sets name and rules. Raises SettingsError for invalid genes.
    """

    genes: Mapping[str, Gene]
    make: Callable[[dict[str, list[int]]], AlphaBetaAgent]

    def __post_init__(self) -> None:
        taken = (*INDIVIDUALS_COLUMNS.names, *SOMETIMES)
        if not self.genes:
            raise SettingsError("encoding: there is no gene")
        for name, gene in self.genes.items():
            if not isinstance(name, str) or not name.isidentifier() or name in taken:
                raise SettingsError(f"encoding: a gene cannot be called {name!r}")
            if not isinstance(gene, Gene) or not all(isinstance(end, int) for end in gene.bounds):
                raise SettingsError(f"encoding: {name}: {gene!r} is not a Gene of whole numbers")
            low, high = gene.bounds
            if not -_LARGEST <= low <= high <= _LARGEST:
                raise SettingsError(f"encoding: {name}: {low} to {high} is not a range")
            if gene.numbers < 1 or (name in SCALAR_GENES and gene.numbers > 1):
                raise SettingsError(f"encoding: {name} cannot have {gene.numbers} numbers")

    @property
    def __name__(self) -> str:
        """The name in the run's config.toml."""
        return str(getattr(self.make, "__name__", ""))

    def __call__(self, genes: dict[str, list[int]], name: str, rules: Rules) -> AlphaBetaAgent:
        """Make the agent of these genes; raises SettingsError if `make` returns an invalid one."""
        try:
            agent: Any = self.make(genes)
        except AgentError as error:
            raise SettingsError(f"encoding: no agent can be made of {genes}: {error}") from error
        if not isinstance(agent, AlphaBetaAgent) or agent.row is None:
            raise SettingsError(
                f"encoding: it must make an alpha-beta agent without a limit, not {agent!r}"
            )
        return replace(agent.with_rules(rules), name=name)
