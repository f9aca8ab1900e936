"""Crossover: combine the numbers of two parents into a child's. See `breeding.Cross`.

DEAP's operators make two children in place; only the first is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from deap import tools

from evolve.population.breeding import Breeding, Cross
from evolve.population.randomness import drawing_from


def blend(mother: Sequence[int], father: Sequence[int], breeding: Breeding) -> list[float]:
    """BLX-α (Eshelman and Schaffer, FOGA 1993) with α = `blend` of the settings."""
    return _by_deap(tools.cxBlend, mother, father, breeding, alpha=breeding.settings.blend)


def uniform(mother: Sequence[int], father: Sequence[int], breeding: Breeding) -> list[float]:
    """Take each number from either parent with probability ½ (Syswerda, ICGA 1989)."""
    return _by_deap(tools.cxUniform, mother, father, breeding, indpb=0.5)


def one_point(mother: Sequence[int], father: Sequence[int], breeding: Breeding) -> list[float]:
    """Take the mother's numbers up to a point, then the father's (Holland 1975)."""
    return _by_deap(tools.cxOnePoint, mother, father, breeding)


def two_point(mother: Sequence[int], father: Sequence[int], breeding: Breeding) -> list[float]:
    """Take the father's numbers between two points, the mother's elsewhere (De Jong 1975)."""
    return _by_deap(tools.cxTwoPoint, mother, father, breeding)


def sbx(mother: Sequence[int], father: Sequence[int], breeding: Breeding) -> list[float]:
    """Simulated binary crossover within the bounds, with η = `eta` of the settings.

    K. Deb, R. B. Agrawal, "Simulated binary crossover for continuous search space", Complex
    Systems 9, 1995: the spread of children around their parents is that of one-point crossover
    on bits. Each number is crossed with probability ½, and is the mother's otherwise.
    """
    genome = breeding.genome
    return _by_deap(
        tools.cxSimulatedBinaryBounded,
        mother,
        father,
        breeding,
        eta=breeding.settings.eta,
        low=genome.low.tolist(),
        up=genome.high.tolist(),
    )


def _by_deap(
    cross: Callable[..., Any],
    mother: Sequence[int],
    father: Sequence[int],
    breeding: Breeding,
    **arguments: Any,
) -> list[float]:
    one, other = list(map(float, mother)), list(map(float, father))
    drawing_from(breeding.rng, cross)(one, other, **arguments)
    return one


CROSSOVERS: Final[Mapping[str, Cross | None]] = {
    "blend": blend,
    "uniform": uniform,
    "one-point": one_point,
    "two-point": two_point,
    "sbx": sbx,
    "none": None,  # no function: the choice whether to cross is not drawn either
}
