"""The genetic algorithm: survivors, children of the selected individuals, and newcomers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from deap import tools

from evolve.config.evolution import EvolutionSettings
from evolve.errors import SettingsError
from evolve.population.genome import Genome, Individual, Vector, individual_name
from evolve.population.operators import Breeding, Noise, Operators


class GeneticAlgorithm:
    """Selection, crossover, mutation by kind of gene and survival on integer genomes.

    Args:
        settings: shares, operators and rates.
        genome: layout and ranges.
        start: genes to start from; they and their mutants are half of generation 0.
        operators: by default, the operators that the settings name.
    """

    def __init__(
        self,
        settings: EvolutionSettings,
        genome: Genome,
        start: Vector | None = None,
        operators: Operators | None = None,
    ) -> None:
        self.settings = settings
        self.genome = genome
        self.start = start
        self.operators = operators or Operators.of(settings, {})

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Draw random individuals; with a start, half of them are the start and its mutants."""
        size = self.settings.population
        breeding = Breeding(self.settings, self.genome, rng)
        individuals = []
        if self.start is not None:
            origin = individual_name(0, 0)
            individuals.append(Individual(self.start, name=origin, origin="start"))
            for index in range(1, size // 2):
                mutant = self._mutate(self.start, breeding)
                name = individual_name(0, index)
                individuals.append(
                    Individual(mutant, name=name, origin="mutation", parents=(origin,))
                )
        drawn = range(len(individuals), size)
        return individuals + [
            Individual(self.genome.random(rng), name=individual_name(0, index)) for index in drawn
        ]

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Return survivors, then children of selected individuals, then newcomers."""
        breeding = Breeding(self.settings, self.genome, rng)
        ranked: list[Individual] = tools.selBest(population, len(population))
        selected = self._parents(ranked, breeding)
        individuals = self._survivors(ranked, selected, breeding)
        while len(individuals) < self.settings.population - self.settings.newcomer_count:
            name = individual_name(generation, len(individuals))
            individuals.append(self.child(name, generation, selected, breeding))
        while len(individuals) < self.settings.population:
            name = individual_name(generation, len(individuals))
            genes = self.genome.random(rng)
            individuals.append(Individual(genes, name=name, born=generation, origin="newcomer"))
        return individuals

    def child(
        self, name: str, generation: int, selected: Sequence[Individual], breeding: Breeding
    ) -> Individual:
        """Breed a child of two selected individuals, or a mutant of one."""
        rng = breeding.rng
        mother, father = (selected[i] for i in rng.choice(len(selected), 2, replace=False))
        parents: tuple[str, ...] = (mother.name,)
        origin = "mutation"
        genes = np.array(mother, np.int64)
        cross = self.operators.crossover
        crossed = cross is not None and rng.random() < self.settings.crossover_rate
        if cross is not None and crossed:
            parents, origin = (mother.name, father.name), "crossover"
            genes = self._whole("crossover", cross(tuple(mother), tuple(father), breeding))
        mutant = self._mutate(genes, breeding)
        if crossed and not np.array_equal(mutant, genes):
            origin = "crossover+mutation"
        if not crossed and np.array_equal(mutant, genes):
            origin = "copy"
        return Individual(mutant, name=name, born=generation, origin=origin, parents=parents)

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Return the rounded mean of the best individuals, as many as are selected."""
        best = tools.selBest(population, self.settings.survivor_count)
        return [int(gene) for gene in self.genome.clip(np.mean(np.array(best), axis=0))]

    def _parents(self, ranked: Sequence[Individual], breeding: Breeding) -> list[Individual]:
        """Return the best individual and those that the operator selects, best first."""
        count = self.settings.survivor_count - 1
        chosen = self.operators.selection(ranked[1:], count, breeding)
        _check_chosen("selection", chosen, ranked[1:])
        if len(chosen) != count:
            raise SettingsError(f"selection: it chose {len(chosen)} individuals, not {count}")
        return sorted([ranked[0], *chosen], key=lambda parent: parent.fitness, reverse=True)

    def _survivors(
        self, ranked: Sequence[Individual], parents: Sequence[Individual], breeding: Breeding
    ) -> list[Individual]:
        survivors = self.operators.survival(ranked, parents, breeding)
        _check_chosen("survival", survivors, ranked)
        room = self.settings.population - self.settings.newcomer_count
        if len(survivors) >= room:
            raise SettingsError(
                f"survival: {len(survivors)} live on, which of {room} leaves none to be a child"
            )
        return list(survivors)

    def state(self) -> Mapping[str, Any]:
        """Return nothing: the next population depends only on the last one."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing to restore."""

    def _mutate(self, genes: Vector, breeding: Breeding) -> Vector:
        """Mutate each number at the settings' rate, by the mutation of its kind."""
        genome, rng = self.genome, breeding.rng
        hit = rng.random(genome.size) < self.settings.mutation_rate
        normal = rng.standard_normal(genome.size)
        sign = rng.integers(0, 2, genome.size) * 2 - 1
        noise = Noise(normal, sign, genome.random(rng))
        moved = self._whole("mutation", self.operators.mutation(genes.copy(), noise, breeding))
        stepped = self._whole(
            "depth_mutation", self.operators.depth_mutation(genes.copy(), noise, breeding)
        )
        return np.where(hit, np.where(genome.steps, stepped, moved), genes)

    def _whole(self, kind: str, values: npt.ArrayLike) -> Vector:
        """Convert an operator's values to genes; SettingsError unless each is a finite number."""
        numbers = np.asarray(values, np.float64)
        if numbers.shape != (self.genome.size,) or not np.isfinite(numbers).all():
            raise SettingsError(
                f"{kind}: it must give {self.genome.size} finite numbers, not {values!r}"
            )
        return self.genome.clip(numbers)


def _check_chosen(
    kind: str, chosen: Sequence[Individual], candidates: Sequence[Individual]
) -> None:
    """Raise SettingsError unless all chosen individuals are different candidates."""
    allowed = {id(individual) for individual in candidates}
    ids = [id(individual) for individual in chosen]
    if len(set(ids)) < len(ids) or not set(ids) <= allowed:
        raise SettingsError(f"{kind}: it must choose different individuals of those it is given")
