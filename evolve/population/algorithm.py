"""What every algorithm of evolution offers to the loop that evaluates its individuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from evolve.population.individual import Individual


class Algorithm(Protocol):
    """Ask for a generation, tell how it did; `state` and `restore` carry it over a restart."""

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Generation 0."""

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """The generation after `population`, whose fitness is known."""

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Genes of the mean of the best of an evaluated population."""

    def state(self) -> Mapping[str, Any]:
        """What `restore` needs beside the last evaluated population, as JSON."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on as from the moment of `state`."""


def individual_name(generation: int, index: int) -> str:
    """Id of an individual, unique in a run: where it was born, and its place there."""
    return f"{generation}-{index}"
