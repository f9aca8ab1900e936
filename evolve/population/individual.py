"""The individual: genes with ancestry and fitness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deap import base


class Fitness(base.Fitness):  # type: ignore[misc]  # DEAP has no types
    """Score, then disc difference in the direction of the rules; higher is better for both."""

    weights = (1.0, 1.0)


class Individual(list[int]):
    """A genome with its id, ancestry and fitness, as DEAP's operators need it.

    cases: after evaluation, its score against each individual of its population, including itself
    (½).

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


def individual_name(generation: int, index: int) -> str:
    """Return the id of an individual, unique in a run: generation of birth and place in it."""
    return f"{generation}-{index}"
