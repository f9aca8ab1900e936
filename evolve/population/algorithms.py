"""The algorithms, by which each generation makes the next: a genetic algorithm, and CMA-ES."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from deap import cma, tools

from evolve.errors import SettingsError
from evolve.fitness.roundrobin import finite_numbers
from evolve.population.genome import Fitness, Genome, Individual, Vector
from evolve.population.operators import FUNCTIONS, Breeding, Noise, Own, operators_of
from evolve.population.randomness import drawing_from


def algorithm_of(genome: Genome, start: Vector | None, own: Own) -> Algorithm:
    """Make the algorithm of the settings, with genes to start from and the caller's operators."""
    if genome.settings.algorithm == "ga":
        return GeneticAlgorithm(genome, start, own)
    unused = [kind for kind in own if kind in FUNCTIONS]
    if unused:
        raise SettingsError(f"algorithm = cma: has operators of its own, and no {unused[0]}")
    return CmaEs(genome, start)


class GeneticAlgorithm:
    """Selection, crossover, mutation by kind of gene and survival on integer genomes.

    Args:
        genome: layout and ranges; its settings have shares, operators and rates.
        start: genes to start from; they and their mutants are half of generation 0.
        own: the caller's operators, in place of those that the settings name.
    """

    def __init__(self, genome: Genome, start: Vector | None = None, own: Own | None = None) -> None:
        self.genome, self.settings, self.start = genome, genome.settings, start
        self._operators = operators_of(self.settings, own or {})

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Draw random individuals; with a start, half of them are the start and its mutants."""
        breeding = Breeding(self.settings, self.genome, rng)
        size, individuals = self.settings.population, list[Individual]()
        if self.start is not None:
            individuals.append(Individual(self.start, name="0-0", origin="start"))
            for index in range(1, size // 2):
                mutant = self._mutate(self.start, breeding)
                individuals.append(
                    Individual(mutant, name=f"0-{index}", origin="mutation", parents=("0-0",))
                )
        for index in range(len(individuals), size):
            individuals.append(Individual(self.genome.random(rng), name=f"0-{index}"))
        return individuals

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Return survivors, then children of selected individuals, then newcomers.

        The best individual is always selected, beside those that the operator chooses.
        """
        breeding = Breeding(self.settings, self.genome, rng)
        ranked: list[Individual] = tools.selBest(population, len(population))
        count = self.settings.survivor_count - 1
        selected = self._operators["selection"](ranked[1:], count, breeding)
        chosen = _check_choice("selection", selected, ranked[1:])
        if len(chosen) != count:
            raise SettingsError(f"selection: it chose {len(chosen)} individuals, not {count}")
        parents = sorted([ranked[0], *chosen], key=lambda parent: parent.fitness, reverse=True)
        survivors = self._operators["survival"](ranked, parents, breeding)
        individuals = _check_choice("survival", survivors, ranked)
        room = self.settings.population - self.settings.newcomer_count
        if len(individuals) >= room:
            raise SettingsError(
                f"survival: {len(individuals)} live on, which of {room} leaves none to be a child"
            )
        for index in range(len(individuals), self.settings.population):
            name = f"{generation}-{index}"
            if index < room:
                new = self._child(name, generation, parents, breeding)
            else:
                genes = self.genome.random(rng)
                new = Individual(genes, name=name, born=generation, origin="newcomer")
            individuals.append(new)
        return individuals

    def _child(
        self, name: str, generation: int, selected: Sequence[Individual], breeding: Breeding
    ) -> Individual:
        """Breed a child of two selected individuals, or a mutant of one."""
        rng = breeding.rng
        mother, father = (selected[i] for i in rng.choice(len(selected), 2, replace=False))
        parents, genes = [mother.name], np.array(mother, np.int64)
        cross = self._operators["crossover"]
        crossed = cross is not None and rng.random() < self.settings.crossover_rate
        if crossed:
            parents.append(father.name)
            genes = self._whole("crossover", cross(tuple(mother), tuple(father), breeding))
        mutant = self._mutate(genes, breeding)
        mutated = not np.array_equal(mutant, genes)
        origin = "+".join(["crossover"] * crossed + ["mutation"] * mutated) or "copy"
        return Individual(mutant, name=name, born=generation, origin=origin, parents=tuple(parents))

    def mean(self, population: Sequence[Individual]) -> Vector:
        """Return the rounded mean of the best individuals, as many as are selected."""
        best = tools.selBest(population, self.settings.survivor_count)
        return self.genome.clip(np.mean(np.array(best), axis=0))

    def state(self) -> Mapping[str, Any]:
        """Return nothing: the next population depends only on the last one."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore nothing."""

    def _mutate(self, genes: Vector, breeding: Breeding) -> Vector:
        genome, rng = self.genome, breeding.rng
        hit = rng.random(genome.size) < self.settings.mutation_rate
        normal = rng.standard_normal(genome.size)
        sign = rng.integers(0, 2, genome.size) * 2 - 1
        noise = Noise(normal, sign, genome.random(rng))
        moved, stepped = (
            self._whole(kind, self._operators[kind](genes.copy(), noise, breeding))
            for kind in ("mutation", "depth_mutation")
        )
        return np.where(hit, np.where(genome.steps, stepped, moved), genes)

    def _whole(self, kind: str, values: npt.ArrayLike) -> Vector:
        """Convert an operator's values to genes; SettingsError unless each is a finite number."""
        return self.genome.clip(finite_numbers(kind, values, self.genome.size))


def _check_choice(kind: str, given: Any, candidates: Sequence[Individual]) -> list[Individual]:
    """What an operator chose; SettingsError unless all are different candidates."""
    allowed = {id(individual): individual for individual in candidates}
    ids = list(map(id, given)) if isinstance(given, Iterable) else [0]
    if len({*ids}) < len(ids) or not {*ids} <= {*allowed}:
        raise SettingsError(f"{kind}: it must choose different individuals of those it is given")
    return [allowed[number] for number in ids]


# Parts of DEAP's strategy that change between generations; the rest is computed from them.
_ARRAYS: Final = ("centroid", "ps", "pc", "C")


class CmaEs:
    """DEAP's `cma.Strategy` over the free genes, each scaled to 0..1 of its range.

    The strategy learns from the real-valued points that it drew; individuals are those points
    rounded to whole genes and clipped to the ranges.
    """

    def __init__(self, genome: Genome, start: Vector | None = None) -> None:
        self.genome, settings = genome, genome.settings
        self._points: list[list[float]] = []
        free = genome.free
        self._low = genome.low[free].astype(np.float64)
        self._span = (genome.high - genome.low)[free].astype(np.float64)
        # The standard deviation is a share of each range, of which it covers most at first.
        centroid, sigma = np.full(int(free.sum()), 0.5), 0.3
        if start is not None:
            centroid, sigma = (start[free] - self._low) / self._span, 0.1
        self._strategy = cma.Strategy(
            centroid=centroid, sigma=sigma, lambda_=settings.population, mu=settings.survivor_count
        )

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Draw generation 0."""
        return self._sample(0, rng, ())

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Move the distribution toward the best points, and draw from it."""
        points = [_Point(point) for point in self._points]
        for point, individual in zip(points, population, strict=True):
            point.fitness = individual.fitness
        self._strategy.update(points)
        parents = tuple(parent.name for parent in tools.selBest(population, 2))
        return self._sample(generation, rng, parents)

    def mean(self, population: Sequence[Individual]) -> Vector:
        """Return the centre of the distribution that the population was drawn from."""
        return self._genes(self._strategy.centroid)

    def state(self) -> Mapping[str, Any]:
        """Return the distribution, its paths and the points being evaluated."""
        strategy = self._strategy
        arrays = {key: np.asarray(getattr(strategy, key)).tolist() for key in _ARRAYS}
        return {
            **arrays,
            "sigma": float(strategy.sigma),
            "update_count": int(strategy.update_count),
            "points": self._points,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore the distribution, and what DEAP derives from its covariance."""
        strategy = self._strategy
        for key in _ARRAYS:
            setattr(strategy, key, np.array(state[key], np.float64))
        strategy.sigma = state["sigma"]
        strategy.update_count = state["update_count"]
        if strategy.update_count:
            strategy.diagD, strategy.B = np.linalg.eigh(strategy.C)
            order = np.argsort(strategy.diagD)
            strategy.diagD = strategy.diagD[order] ** 0.5
            strategy.B = strategy.B[:, order]
            strategy.BD = strategy.B * strategy.diagD
        self._points = [list(map(float, point)) for point in state["points"]]

    def _sample(
        self, generation: int, rng: np.random.Generator, parents: tuple[str, ...]
    ) -> list[Individual]:
        generate = drawing_from(rng, cma.Strategy.generate)
        self._points = generate(self._strategy, np.ndarray.tolist)
        return [
            Individual(
                self._genes(np.array(point)),
                name=f"{generation}-{index}",
                born=generation,
                origin="cma",
                parents=parents,
            )
            for index, point in enumerate(self._points)
        ]

    def _genes(self, point: npt.NDArray[np.float64]) -> Vector:
        values = self.genome.low.astype(np.float64)
        values[self.genome.free] = self._low + point * self._span
        return self.genome.clip(values)


class _Point(list[float]):
    """A drawn point with its individual's fitness, as DEAP's strategy needs it."""

    fitness: Fitness


Algorithm = GeneticAlgorithm | CmaEs
"""Breeds generations by fitness; `state` and `restore` preserve it over restarts."""
