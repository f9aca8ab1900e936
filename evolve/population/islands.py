"""Islands: populations side by side, whose best are copied to the next one on a ring at times.

All of a generation stand in one list, island after island in equal parts. Migration is at fixed
generations, so that the same seed gives the same tables wherever games are played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from deap import tools

from evolve.population.ga import GeneticAlgorithm
from evolve.population.individual import Individual, individual_name

MIGRANT: Final = "migrant"
"""Origin of an individual that is the copy of one on another island."""

T = TypeVar("T")


def on_islands(values: Sequence[T], islands: int) -> list[Sequence[T]]:
    """The values of each island."""
    size = len(values) // islands
    return [values[start : start + size] for start in range(0, len(values), size)]


def places_of(island: int, size: int) -> range:
    """Where its individuals stand among all; size: of each island."""
    return range(island * size, (island + 1) * size)


def on_turn(generation: int, islands: int) -> int:
    """The island whose best the panel judges in a generation.

    Each in its turn: scores of different islands cannot be compared, and the best of several
    ratings would be too high by what luck gives the luckiest.
    """
    return generation % islands


class Islands:
    """A genetic algorithm on each island; see `Algorithm`."""

    def __init__(self, algorithms: Sequence[GeneticAlgorithm]) -> None:
        self.algorithms = algorithms
        self.settings = algorithms[0].settings

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Each island draws its own."""
        return [one for algorithm in self.algorithms for one in algorithm.first(rng)]

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Each island's next; then migrants, where it is time, take the last places."""
        parts = on_islands(population, len(self.algorithms))
        bred = [
            algorithm.next(generation, part, rng)
            for algorithm, part in zip(self.algorithms, parts, strict=True)
        ]
        if self.settings.migrants and generation % self.settings.migrate_every == 0:
            for number, here in enumerate(bred):
                # They come from the island before; that of the first one is the last, number −1.
                best = tools.selBest(parts[number - 1], self.settings.migrants)
                here[-len(best) :] = [
                    self._copied(one, generation, (number + 1) * len(here) - len(best) + place)
                    for place, one in enumerate(best)
                ]
        return [one for island in bred for one in island]

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Of one island's population."""
        return self.algorithms[0].mean(population)

    def state(self) -> Mapping[str, Any]:
        """Nothing: the last population is all that the next one depends on."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing to restore."""

    @staticmethod
    def _copied(one: Individual, generation: int, place: int) -> Individual:
        name = individual_name(generation, place)
        return Individual(one, name=name, born=generation, origin=MIGRANT, parents=(one.name,))
