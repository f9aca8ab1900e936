"""The genome: genes, their ranges, the agent that they encode; individuals, which have one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
from deap import base

from evolve import __version__
from evolve.agents.agent import StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.config.evolution import DIRECT, EvolutionSettings
from evolve.engine.board.rules import Rules
from evolve.engine.search.genes import GENES, TERM_NAMES, Gene
from evolve.errors import AgentError, SettingsError
from evolve.tables.individuals import FITNESS, INDIVIDUALS_COLUMNS, SCALAR_GENES

Vector = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Genome:
    """A fixed layout of integer genes in one vector of `size` numbers.

    sizes: how many numbers each gene takes; low, high [size]: the range of each number (equal
    if the gene is fixed or switched off); encoding: for the caller's custom genes.
    """

    settings: EvolutionSettings
    sizes: Mapping[str, int]
    low: Vector
    high: Vector
    encoding: Encoding | None = None

    @classmethod
    def of(cls, settings: EvolutionSettings, encoding: Encoding | None = None) -> Genome:
        """Make the genome of the settings; raises SettingsError if it encodes invalid agents."""
        if encoding is not None:
            sizes = {name: gene.numbers for name, gene in encoding.genes.items()}
            ends: list[Any] = [gene.bounds for gene in encoding.genes.values()]
        elif settings.encoding == DIRECT:
            sizes = {gene: settings.gene_sizes(gene)[-1] for gene in settings.genes}
            fixed = settings.fix | {gene: (0,) for gene in settings.genes if settings.is_off(gene)}
            spans = {**settings.bounds, **{gene: (only, only) for gene, only in fixed.items()}}
            ends = [spans[gene] for gene in settings.genes]
        else:
            raise SettingsError(
                f"encoding = {settings.encoding}: only the Python program of the run knows what "
                "agents its genes stand for"
            )
        ranges = [np.array(each, np.int64).reshape(2, -1) for each in ends]
        numbers = zip(ranges, sizes.values(), strict=True)
        low, high = np.hstack([np.tile(part, size // part.shape[1]) for part, size in numbers])
        genome = cls(settings, sizes, low, high, encoding)
        if not genome.free.any():
            raise SettingsError("fix, bounds: every gene is fixed, nothing is left to evolve")
        # The largest weights must make a valid agent, or some individual would fail during the run.
        genome.agent(np.where(-genome.low > genome.high, genome.low, genome.high), "bounds")
        return genome

    @property
    def size(self) -> int:
        """Numbers in a genome."""
        return len(self.low)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The position of each gene in the vector."""
        spans = pairwise(accumulate(self.sizes.values(), initial=0))
        return {gene: slice(*span) for gene, span in zip(self.sizes, spans, strict=True)}

    @cached_property
    def steps(self) -> npt.NDArray[np.bool_]:
        """Which numbers mutate by single steps, [size]."""
        mask = np.zeros(self.size, bool)
        genes = GENES if self.encoding is None else self.encoding.genes
        for gene, part in self.slices.items():
            mask[part] = genes[gene].steps
        return mask

    @cached_property
    def largest_endgame(self) -> int:
        """Most empties from which an agent searches to the end.

        With custom genes, it is the larger value of the agents at the two ends of the ranges.
        """
        if self.encoding is None:
            return int(self.high[self.slices["endgame"]][0])
        return max(self.agent(end, "bounds").endgame for end in (self.low, self.high))

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """Which numbers can differ between individuals, [size]."""
        return self.low < self.high

    def genes(self, vector: Sequence[int] | Vector) -> dict[str, list[int]]:
        """Split the vector into genes."""
        return {gene: [int(v) for v in vector[part]] for gene, part in self.slices.items()}

    def vector(self, genes: Mapping[str, Sequence[int]]) -> Vector:
        """Join genes into a vector; the inverse of `genes`."""
        return np.concatenate([np.asarray(genes[gene], np.int64).ravel() for gene in self.sizes])

    def random(self, rng: np.random.Generator) -> Vector:
        """Draw a genome uniformly from the ranges."""
        return rng.integers(self.low, self.high, endpoint=True)

    def clip(self, values: npt.ArrayLike) -> Vector:
        """Return the whole numbers within the ranges nearest to `values`."""
        rounded = np.rint(np.asarray(values, np.float64)).astype(np.int64)
        return np.clip(rounded, self.low, self.high)

    def agent(self, vector: Sequence[int] | Vector, name: str) -> AlphaBetaAgent:
        settings, genes = self.settings, self.genes(vector)
        if self.encoding is not None:
            return self.encoding(genes, name, settings.rules)
        per_phase: dict[str, Any] = {
            gene: genes[gene] * (settings.phases // len(genes[gene]))
            for gene in (*TERM_NAMES, "depths")
            if gene in genes
        }
        tables = genes["weights"] * (10 * settings.phases // len(genes["weights"]))
        return AlphaBetaAgent(
            [tables[10 * phase : 10 * phase + 10] for phase in range(settings.phases)],
            boundaries=settings.boundaries,
            endgame=genes["endgame"][0],
            rules=settings.rules,
            name=name,
            **per_phase,
        )

    def agent_of(self, individual: Individual, run: str) -> StoredAgent:
        """Return the agent of an individual, which says from which run it is."""
        return self.agent(individual, individual.name).with_provenance(
            run=run,
            generation=individual.born,
            individual=individual.name,
            origin=individual.origin,
            parents=list(individual.parents),
            seed=self.settings.seed,
            evolve=__version__,
        )

    def from_agent(self, agent: AlphaBetaAgent, source: str) -> Vector:
        """Return the genes of an agent; those of a one-phase agent are used in every phase.

        Raises SettingsError if the agent does not fit the genome or its ranges. Fixed genes keep
        their fixed value.
        """
        for term, values in agent.terms.items():
            if any(values) and term not in self.settings.terms:
                raise SettingsError(
                    f"start_from: {source} weighs {term}, which is not among the terms in use"
                )
        phases = self.settings.phases
        if agent.phases not in (1, phases):
            raise SettingsError(
                f"start_from: {source} has {agent.phases} phases; set phases to {agent.phases}"
            )
        if agent.phases > 1 and agent.boundaries != self.settings.boundaries:
            boundaries = ",".join(map(str, agent.boundaries))
            raise SettingsError(
                f"start_from: {source} has other boundaries; set boundaries to {boundaries}"
            )
        repeat = phases // agent.phases
        genes: dict[str, list[int]] = {"endgame": [agent.endgame]}
        for gene in self.sizes:
            if not GENES[gene].phased:
                continue
            per_phase = list(getattr(agent, gene)) * repeat
            if self.settings.tied(gene):
                if len(set(per_phase)) > 1:
                    raise SettingsError(
                        f"start_from: {gene} of {source} change with the phase; tie less"
                    )
                per_phase = per_phase[:1]
            genes[gene] = np.array(per_phase, np.int64).ravel().tolist()
        vector = self.vector(genes)
        vector[~self.free] = self.low[~self.free]
        for gene, part in self.slices.items():
            outside = (vector[part] < self.low[part]) | (vector[part] > self.high[part])
            if outside.any():
                low, high = self.settings.bounds[gene]
                raise SettingsError(
                    f"start_from: {gene} of {source} is {vector[part][outside][0]}, outside its "
                    f"bounds {low}:{high}; widen them with bounds"
                )
        return vector


_LARGEST: Final = int(np.iinfo(np.int32).max)  # largest gene: tables store genes as 32-bit integers


@dataclass(frozen=True)
class Encoding:
    """Encoding of agents in genes that are not the agents' parameters.

    genes: by name, in the order of the genome; of each, `bounds`, `numbers` and `steps` count.
    make: returns the agent of a genome, a dictionary of lists of numbers; the same genes must give
    the same agent. The run sets name and rules. Raises SettingsError for invalid genes.
    """

    genes: Mapping[str, Gene]
    make: Callable[[dict[str, list[int]]], AlphaBetaAgent]

    def __post_init__(self) -> None:
        reserved = (*INDIVIDUALS_COLUMNS.names, FITNESS)
        fault = "" if self.genes else "there is no gene"
        for name, gene in self.genes.items():
            if not name.isidentifier() or name in reserved:
                fault = f"a gene cannot be called {name!r}"
            elif not isinstance(gene, Gene) or not all(isinstance(end, int) for end in gene.bounds):
                fault = f"{name}: {gene!r} is not a Gene of whole numbers"
            elif not -_LARGEST <= gene.bounds[0] <= gene.bounds[1] <= _LARGEST:
                fault = f"{name}: {gene.bounds[0]} to {gene.bounds[1]} is not a range"
            elif gene.numbers < 1 or (name in SCALAR_GENES and gene.numbers > 1):
                fault = f"{name} cannot have {gene.numbers} numbers"
        if fault:
            raise SettingsError(f"encoding: {fault}")

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
        if getattr(agent, "kind", "") != AlphaBetaAgent.kind or agent.row is None:
            raise SettingsError(
                f"encoding: it must make an alpha-beta agent without a limit, not {agent!r}"
            )
        return cast("AlphaBetaAgent", replace(agent.with_rules(rules), name=name))


class Fitness(base.Fitness):  # type: ignore[misc]  # DEAP has no types
    """Score, then disc difference in the direction of the rules; higher is better for both."""

    weights = (1.0, 1.0)


class Individual(list[int]):
    """A genome with its id, ancestry and fitness, as DEAP's operators need it.

    name: its id, unique in a run: generation of birth and place in it. cases: after evaluation, its
    score against each individual of its population, including itself (½).

    A module-level class instead of `creator.create`, because classes from there cannot be pickled.
    """

    def __init__(
        self,
        genes: Iterable[int],
        *,
        name: str = "",
        born: int = 0,
        origin: str = "random",
        parents: tuple[str, ...] = (),
    ) -> None:
        super().__init__(int(gene) for gene in genes)
        self.name = name
        self.born = born
        self.origin = origin
        self.parents = parents
        self.fitness = Fitness()
        self.cases: Sequence[float] = ()

    @classmethod
    def of_row(
        cls, row: Mapping[str, Any], genes: Vector, fitness: tuple[float, float]
    ) -> Individual:
        """Make an individual of its row in a table, or of its entry in a hall of fame."""
        individual = cls(
            genes,
            name=row["individual"],
            born=row["born"],
            origin=row["origin"],
            parents=tuple(row["parents"]),
        )
        individual.fitness.values = fitness
        return individual
