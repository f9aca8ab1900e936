"""Islands: parallel populations; at times their best are copied to the next island on a ring.

A generation is one list, island after island in equal parts. Migration is at fixed generations,
so that the same seed gives the same tables, on any executor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from deap import tools

from evolve.population.ga import GeneticAlgorithm
from evolve.population.individual import Individual, individual_name

MIGRANT: Final = "migrant"
"""Origin of an individual that is a copy from another island."""

T = TypeVar("T")


def on_islands(values: Sequence[T], islands: int) -> list[Sequence[T]]:
    """Split values by island."""
    size = len(values) // islands
    return [values[start : start + size] for start in range(0, len(values), size)]


def places_of(island: int, size: int) -> range:
    """Return the places of an island's individuals in the generation; size: of each island."""
    return range(island * size, (island + 1) * size)


def on_turn(generation: int, islands: int) -> int:
    """Return the island with the best individual that the panel judges in a generation.

    Islands take turns: their scores are not comparable with each other, and the maximum of several
    ratings would be biased upwards.
    """
    return generation % islands


class Islands:
    """A genetic algorithm on each island; see `Algorithm`."""

    def __init__(self, algorithms: Sequence[GeneticAlgorithm]) -> None:
        self.algorithms = algorithms
        self.settings = algorithms[0].settings

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Draw generation 0 of each island."""
        return [one for algorithm in self.algorithms for one in algorithm.first(rng)]

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Breed each island's next generation; when due, migrants take its last places."""
        parts = on_islands(population, len(self.algorithms))
        bred = [
            algorithm.next(generation, part, rng)
            for algorithm, part in zip(self.algorithms, parts, strict=True)
        ]
        if self.settings.migrants and generation % self.settings.migrate_every == 0:
            for number, here in enumerate(bred):
                # They come from the island before; before the first is the last, number −1.
                best = tools.selBest(parts[number - 1], self.settings.migrants)
                here[-len(best) :] = [
                    self._copied(one, generation, (number + 1) * len(here) - len(best) + place)
                    for place, one in enumerate(best)
                ]
        return [one for island in bred for one in island]

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Return the mean for one island's population."""
        return self.algorithms[0].mean(population)

    def state(self) -> Mapping[str, Any]:
        """Return nothing: the next population depends only on the last one."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing to restore."""

    @staticmethod
    def _copied(one: Individual, generation: int, place: int) -> Individual:
        name = individual_name(generation, place)
        return Individual(one, name=name, born=generation, origin=MIGRANT, parents=(one.name,))
