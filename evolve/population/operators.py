"""The operators of a genetic algorithm: the functions that its settings name, or the caller's.

All selections choose different individuals: the selected ones also survive, and a generation must
not contain the same one twice. The textbook forms with replacement draw again until all differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from deap import tools

from evolve.config.evolution import OPERATORS, OWN, OWNABLE, EvolutionSettings
from evolve.errors import SettingsError
from evolve.population.genome import Genome, Individual, Vector
from evolve.population.randomness import drawing_from


@dataclass(frozen=True)
class Breeding:
    """Data that an operator may use, and the only generator that it may draw from."""

    settings: EvolutionSettings
    genome: Genome
    rng: np.random.Generator


class Noise(NamedTuple):
    """Random numbers for mutation, drawn once for every child.

    Both mutations and all their choices share it, so that a choice for one kind of gene does not
    change the draws of the other. normal [size] is drawn from the standard normal distribution,
    sign [size] is −1 or 1, uniform [size] is a genome drawn uniformly from the ranges.
    """

    normal: npt.NDArray[np.float64]
    sign: npt.NDArray[np.int64]
    uniform: Vector


Select = Callable[[Sequence[Individual], int, Breeding], Sequence[Individual]]
"""select(candidates, count, breeding): `count` different ones of the candidates, which come best
first. They do not include the best of the population: it is always selected."""

Cross = Callable[[Sequence[int], Sequence[int], Breeding], npt.ArrayLike]
"""cross(mother, father, breeding): a child's numbers [size]; they are rounded and clipped to the
ranges."""

Mutate = Callable[[Vector, Noise, Breeding], npt.ArrayLike]
"""mutate(genes, noise, breeding): the new value of each number [size] if it mutates, which depends
on the rate; rounded and clipped to the ranges as a child's numbers."""

Survive = Callable[[Sequence[Individual], Sequence[Individual], Breeding], Sequence[Individual]]
"""survive(population, selected, breeding): the survivors of the population. Both sequences come
best first."""


def best(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Truncation: choose the first `count`."""
    return list(candidates[:count])


def tournament(
    candidates: Sequence[Individual], count: int, breeding: Breeding
) -> list[Individual]:
    """Choose the best of three random candidates, repeatedly."""
    draw = partial(drawing_from(breeding.rng, tools.selTournament), tournsize=3)
    return _different(draw, candidates, count)


def _different(draw: Callable[..., Any], candidates: Sequence[Any], count: int) -> list[Any]:
    """Draw candidates by an operator of DEAP, each from those that are left."""
    chosen: list[Any] = []
    while len(chosen) < count:
        [winner] = draw(candidates, 1)
        chosen.append(winner)
        candidates = [candidate for candidate in candidates if candidate is not winner]
    return chosen


def rank(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Linear ranking: of n candidates, the best has weight n, the worst weight 1.

    J. E. Baker, "Adaptive selection methods for genetic algorithms", ICGA 1985. The scale of
    fitness does not matter, so selection pressure stays when scores become similar.
    """
    lots = np.arange(len(candidates), 0, -1, dtype=np.float64)
    drawn = breeding.rng.choice(len(candidates), count, replace=False, p=lots / lots.sum())
    return [candidates[index] for index in drawn]


def lexicase(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Choose the best against one opponent after another, in a random order for each choice.

    T. Helmuth, L. Spector, J. Matheson, "Solving uncompromising problems with lexicase
    selection", IEEE Transactions on Evolutionary Computation 19(5), 2015. A case is the score
    against one individual of the population. Specialists survive: they beat opponents that others
    lose to.
    """
    assert all(candidate.cases for candidate in candidates), "lexicase selection needs cases"
    # DEAP takes cases as the values of a fitness.
    cases = [
        SimpleNamespace(
            individual=candidate,
            fitness=SimpleNamespace(values=candidate.cases, weights=(1.0,) * len(candidate.cases)),
        )
        for candidate in candidates
    ]
    draw = drawing_from(breeding.rng, tools.selLexicase)
    return [chosen.individual for chosen in _different(draw, cases, count)]


def blend(mother: Sequence[int], father: Sequence[int], breeding: Breeding) -> list[float]:
    """BLX-α (Eshelman and Schaffer, FOGA 1993) with α = `blend` of the settings."""
    return _by_deap(tools.cxBlend, mother, father, breeding, alpha=breeding.settings.blend)


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
    """Call an operator of DEAP, which makes two children in place; return the first."""
    child, second = list(map(float, mother)), list(map(float, father))
    drawing_from(breeding.rng, cross)(child, second, **arguments)
    return child


def gaussian(genes: Vector, noise: Noise, breeding: Breeding) -> npt.NDArray[np.float64]:
    """Add a normal step with a standard deviation of `mutation_size` times the number's range."""
    span = breeding.genome.high - breeding.genome.low
    steps: npt.NDArray[np.float64] = noise.normal * breeding.settings.mutation_size * span
    return genes + steps


def _uniform_mutation(genes: Vector, noise: Noise, breeding: Breeding) -> Vector:
    """Draw a new value from the range."""
    return noise.uniform


def step(genes: Vector, noise: Noise, breeding: Breeding) -> Vector:
    """Move one up or down."""
    return genes + noise.sign


FUNCTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "selection": {
        "best": best,
        "tournament": tournament,
        "rank": rank,
        "lexicase": lexicase,
    },
    "crossover": {
        "blend": blend,
        "uniform": partial(_by_deap, tools.cxUniform, indpb=0.5),  # Syswerda, ICGA 1989
        "one-point": partial(_by_deap, tools.cxOnePoint),  # Holland 1975
        "two-point": partial(_by_deap, tools.cxTwoPoint),  # De Jong 1975
        "sbx": sbx,
        "none": None,  # no function: the choice whether to cross is not drawn either
    },
    "mutation": {"gaussian": gaussian, "uniform": _uniform_mutation},
    "depth_mutation": {"step": step, "uniform": _uniform_mutation},
    "survival": {
        # Generations overlap, and good individuals play again.
        "selected": lambda population, parents, breeding: parents,
        # Generations replace each other: the elitist plan of De Jong 1975.
        "best": lambda population, parents, breeding: population[:1],
    },
}
"""The functions for all names of OPERATORS."""

for _kind, _functions in FUNCTIONS.items():
    assert tuple(_functions) == tuple(OPERATORS[_kind]), _kind


Own = Mapping[str, Callable[..., Any]]
"""The caller's functions, by the setting that each replaces, such as `selection`."""


def own_name(kind: str, function: Callable[..., Any]) -> str:
    """Return the name of a caller's function for a setting, as a run's settings have it.

    SettingsError if it has none, or the setting takes no function.
    """
    if kind in EvolutionSettings.model_fields and kind not in OWNABLE:
        raise SettingsError(f"{kind}: is not a function; those may be: {', '.join(OWNABLE)}")
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise SettingsError(
            f"{function!r} has no name to write down in the run's config.toml; make it with def"
        )
    return OWN + name


def check_own(settings: EvolutionSettings, own: Own) -> None:
    """Raise SettingsError unless the settings name exactly these functions of the caller."""
    for kind in OWNABLE:
        name: str = getattr(settings, kind)
        given = own_name(kind, own[kind]) if kind in own else None
        if name.startswith(OWN) and given != name:
            raise SettingsError(
                f"{kind} = {name}: is a function from Python; such a run begins and continues by a "
                f"call of evolve.evolve with {kind}={name.removeprefix(OWN)}"
            )
        if given not in (None, name):
            raise SettingsError(f"{kind} = {name}: the function given is {given}")


def operators_of(settings: EvolutionSettings, own: Own) -> dict[str, Any]:
    """Return the functions that the settings name, by kind; raises the errors of `check_own`."""
    check_own(settings, own)
    return {
        kind: own[kind] if kind in own else functions[getattr(settings, kind)]
        for kind, functions in FUNCTIONS.items()
    }
