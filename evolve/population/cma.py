"""CMA-ES (Hansen and Ostermeier 2001) with DEAP: a normal distribution instead of a population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from deap import cma

from evolve.config.evolution import EvolutionSettings
from evolve.population.genome import Genome, Individual, Vector, individual_name
from evolve.population.randomness import drawing_from

_FIRST_SIGMA: Final = 0.3
"""Standard deviation at the start, as a share of each range: it covers most of the range."""
_START_SIGMA: Final = 0.1
"""The same if the run starts from an agent."""

# Parts of DEAP's strategy that change between generations; the rest is computed from them.
_ARRAYS: Final = ("centroid", "ps", "pc", "C")


class CmaEs:
    """DEAP's `cma.Strategy` over the free genes, each scaled to 0..1 of its range.

    The strategy learns from the real-valued points that it drew; individuals are those points
    rounded to whole genes and clipped to the ranges.
    """

    def __init__(
        self, settings: EvolutionSettings, genome: Genome, start: Vector | None = None
    ) -> None:
        self.settings = settings
        self.genome = genome
        self._points: list[list[float]] = []
        free = genome.free
        self._low = genome.low[free].astype(np.float64)
        self._span = (genome.high - genome.low)[free].astype(np.float64)
        centroid = np.full(int(free.sum()), 0.5)
        sigma = _FIRST_SIGMA
        if start is not None:
            centroid, sigma = (start[free] - self._low) / self._span, _START_SIGMA
        self._strategy = cma.Strategy(
            centroid=centroid,
            sigma=sigma,
            lambda_=settings.population,
            mu=settings.survivor_count,
        )

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Draw generation 0 from the first distribution."""
        return self._sample(0, rng, ())

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Move the distribution toward the best points, and draw from it."""
        order = sorted(range(len(population)), key=lambda i: population[i].fitness, reverse=True)
        points = [_Point(self._points[index]) for index in order]
        # DEAP sorts by fitness again; points have no fitness, so use their ranks.
        for rank, point in enumerate(points):
            point.fitness = -rank
        self._strategy.update(points)
        parents = tuple(population[index].name for index in order[:2])
        return self._sample(generation, rng, parents)

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Return the centre of the distribution that the population was drawn from."""
        return [int(gene) for gene in self._genes(self._strategy.centroid)]

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
            strategy.cond = strategy.diagD[order[-1]] / strategy.diagD[order[0]]
            strategy.diagD = strategy.diagD[order] ** 0.5
            strategy.B = strategy.B[:, order]
            strategy.BD = strategy.B * strategy.diagD
        self._points = [list(map(float, point)) for point in state["points"]]

    def _sample(
        self, generation: int, rng: np.random.Generator, parents: tuple[str, ...]
    ) -> list[Individual]:
        points = drawing_from(rng, cma.Strategy.generate)(self._strategy, list)
        self._points = [[float(value) for value in point] for point in points]
        return [
            Individual(
                self._genes(np.array(point)),
                name=individual_name(generation, index),
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
    """A drawn point with its rank, as DEAP's strategy needs it."""

    fitness: int = 0
