"""The genetic algorithm: survivors live on, their children and newcomers fill the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from deap import tools

from evolve.config.evolution import EvolutionSettings
from evolve.population.algorithm import individual_name
from evolve.population.genome import Genome, Vector
from evolve.population.individual import Individual
from evolve.population.randomness import deap_draws_from


class GeneticAlgorithm:
    """DEAP's selection and crossover on integer genomes, mutation by kind of gene.

    Args:
        settings: shares, operators and rates.
        genome: layout and ranges.
        start: genes to start from: they, and mutants of them as half of generation 0.
    """

    def __init__(
        self, settings: EvolutionSettings, genome: Genome, start: Vector | None = None
    ) -> None:
        self.settings = settings
        self.genome = genome
        self.start = start

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Random individuals, or the start, its mutants and random ones, half and half."""
        size = self.settings.population
        individuals = []
        if self.start is not None:
            origin = individual_name(0, 0)
            individuals.append(Individual(self.start, name=origin, origin="start"))
            for index in range(1, size // 2):
                mutant = self._mutate(self.start, rng)
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
        """Survivors, best first, then children of two survivors each, then newcomers."""
        survivors = self._survivors(population, rng)
        individuals = list(survivors)
        for _ in range(self.settings.population - len(survivors) - self.settings.newcomer_count):
            name = individual_name(generation, len(individuals))
            individuals.append(self._child(name, generation, survivors, rng))
        while len(individuals) < self.settings.population:
            name = individual_name(generation, len(individuals))
            genes = self.genome.random(rng)
            individuals.append(Individual(genes, name=name, born=generation, origin="newcomer"))
        return individuals

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """The mean of as many of the best as survive, rounded."""
        best = tools.selBest(population, self.settings.survivor_count)
        return [int(gene) for gene in self.genome.clip(np.mean(np.array(best), axis=0))]

    def state(self) -> Mapping[str, Any]:
        """Nothing: the last population is all that the next one depends on."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing to restore."""

    def _survivors(
        self, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        count = self.settings.survivor_count
        ranked: list[Individual] = tools.selBest(population, len(population))
        if self.settings.selection == "best":
            return ranked[:count]
        # The best always lives on; tournaments draw with replacement, survivors are distinct.
        chosen = [ranked[0]]
        with deap_draws_from(rng):
            while len(chosen) < count:
                rest = [one for one in ranked if all(one is not other for other in chosen)]
                chosen += tools.selTournament(rest, 1, tournsize=3)
        return sorted(chosen, key=lambda one: one.fitness, reverse=True)

    def _child(
        self, name: str, generation: int, survivors: Sequence[Individual], rng: np.random.Generator
    ) -> Individual:
        mother, father = (survivors[i] for i in rng.choice(len(survivors), 2, replace=False))
        parents: tuple[str, ...] = (mother.name,)
        origin = "mutation"
        genes = np.array(mother, np.int64)
        crossed = self.settings.crossover != "none" and rng.random() < self.settings.crossover_rate
        if crossed:
            parents, origin = (mother.name, father.name), "crossover"
            genes = self._cross(mother, father, rng)
        mutant = self._mutate(genes, rng)
        if crossed and not np.array_equal(mutant, genes):
            origin = "crossover+mutation"
        if not crossed and np.array_equal(mutant, genes):
            origin = "copy"
        return Individual(mutant, name=name, born=generation, origin=origin, parents=parents)

    def _cross(self, mother: Individual, father: Individual, rng: np.random.Generator) -> Vector:
        one: list[Any] = list(mother)
        other: list[Any] = list(father)
        with deap_draws_from(rng):
            match self.settings.crossover:
                case "blend":
                    tools.cxBlend(one, other, alpha=self.settings.blend)
                case "uniform":
                    tools.cxUniform(one, other, indpb=0.5)
                case "one-point":
                    tools.cxOnePoint(one, other)
                case "two-point":
                    tools.cxTwoPoint(one, other)
        return self.genome.clip(one)

    def _mutate(self, genes: Vector, rng: np.random.Generator) -> Vector:
        """Each number mutates at the settings' rate, in the way of its kind."""
        settings, genome = self.settings, self.genome
        hit = rng.random(genome.size) < settings.mutation_rate
        normal = rng.standard_normal(genome.size)
        sign = rng.integers(0, 2, genome.size) * 2 - 1
        anew = genome.random(rng)
        if settings.mutation == "gaussian":
            moved = genes + normal * settings.mutation_size * (genome.high - genome.low)
        else:
            moved = anew.astype(np.float64)
        stepped = genes + sign if settings.depth_mutation == "step" else anew
        changed = np.where(genome.steps, stepped, moved)
        return genome.clip(np.where(hit, changed, genes))
