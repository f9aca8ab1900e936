"""The individual: genes with an ancestry and a fitness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deap import base


class Fitness(base.Fitness):  # type: ignore[misc]  # DEAP has no types
    """Score, then disc difference in the direction of the rules; both are better when higher."""

    weights = (1.0, 1.0)


class Individual(list[int]):
    """A genome with its id, ancestry and fitness, as DEAP's operators want it.

    cases: once it is evaluated, its score against each individual of its population, itself (½)
    included.

    A module-level class in place of `creator.create`, whose classes do not survive a pickle.
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
    """Id of an individual, unique in a run: where it was born, and its place there."""
    return f"{generation}-{index}"
