"""Survival: choose who of a population stays in the next one. See `breeding.Survive`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evolve.population.breeding import Breeding, Survive
from evolve.population.individual import Individual


def selected(
    population: Sequence[Individual], parents: Sequence[Individual], breeding: Breeding
) -> Sequence[Individual]:
    """Keep all selected individuals: generations overlap, and good individuals play again."""
    return parents


def best(
    population: Sequence[Individual], parents: Sequence[Individual], breeding: Breeding
) -> Sequence[Individual]:
    """Keep only the best: generations replace each other (the elitist plan of De Jong 1975)."""
    return population[:1]


SURVIVALS: Final[Mapping[str, Survive]] = {"selected": selected, "best": best}
