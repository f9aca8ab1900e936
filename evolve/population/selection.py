"""Selection: choose the parents from the evaluated population. See `breeding.Select`.

All operators choose different individuals: the selected ones also survive, and a generation must
not contain the same one twice. The textbook forms with replacement draw again until all differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from deap import tools

from evolve.errors import SettingsError
from evolve.population.breeding import Breeding, Select, Survive
from evolve.population.individual import Individual
from evolve.population.randomness import drawing_from


def best(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Truncation: choose the first `count`."""
    return list(candidates[:count])


def tournament(
    candidates: Sequence[Individual], count: int, breeding: Breeding
) -> list[Individual]:
    """Choose the best of three random candidates, repeatedly."""
    left = list(candidates)
    chosen: list[Individual] = []
    draw = drawing_from(breeding.rng, tools.selTournament)
    while len(chosen) < count:
        [winner] = draw(left, 1, tournsize=3)
        chosen.append(winner)
        left = [one for one in left if one is not winner]
    return chosen


def rank(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Linear ranking: of n candidates, the best has weight n, the worst weight 1.

    J. E. Baker, "Adaptive selection methods for genetic algorithms", ICGA 1985. The scale of
    fitness does not matter, so selection pressure stays when scores become similar.
    """
    lots = np.arange(len(candidates), 0, -1, dtype=np.float64)
    drawn = breeding.rng.choice(len(candidates), count, replace=False, p=lots / lots.sum())
    return [candidates[index] for index in drawn]


def sus(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Stochastic universal sampling: one turn of a wheel with `count` evenly spaced pointers.

    J. E. Baker, "Reducing bias and inefficiency in the selection algorithm", ICGA 1987: a candidate
    is chosen as often as expected, rounded up or down. A candidate that expects one place or more
    always gets exactly one, and the wheel decides the rest; DEAP's version could choose it twice.
    Raises SettingsError for negative fitness, which has no share.
    """
    fitness = np.array([one.fitness.values[0] for one in candidates], np.float64)
    if (fitness < 0.0).any():
        raise SettingsError(
            f"selection = sus: a fitness of {fitness.min():g} has no share; it takes 0 and more"
        )
    chosen: list[int] = []
    left = np.arange(len(candidates))
    while len(chosen) < count:
        shares = fitness[left] if fitness[left].any() else np.ones(len(left))
        expected = (count - len(chosen)) * shares / shares.sum()
        # Almost one counts as one: rounding in the sums below must not give two pointers.
        certain = expected > 1.0 - 1e-9
        if not certain.any():
            ends = np.cumsum(expected)
            pointers = breeding.rng.random() + np.arange(count - len(chosen))
            chosen += left[np.searchsorted(ends, pointers.clip(max=ends[-1]))].tolist()
            break
        chosen += left[certain].tolist()
        left = left[~certain]
    return [candidates[index] for index in chosen]


class _Cases(NamedTuple):
    """Input of DEAP's lexicase selection: the cases instead of a fitness."""

    values: Sequence[float]
    weights: Sequence[float]


@dataclass(frozen=True)
class _Candidate:
    """An individual with its cases as fitness."""

    individual: Individual
    fitness: _Cases


def lexicase(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    """Choose the best against one opponent after another, in a random order for each choice.

    T. Helmuth, L. Spector, J. Matheson, "Solving uncompromising problems with lexicase
    selection", IEEE Transactions on Evolutionary Computation 19(5), 2015. A case is the score
    against one individual of the population. Specialists survive: they beat opponents that others
    lose to.
    """
    left = [_Candidate(one, _Cases(one.cases, (1.0,) * len(one.cases))) for one in candidates]
    assert all(one.individual.cases for one in left), "lexicase selection needs cases"
    chosen: list[Individual] = []
    draw = drawing_from(breeding.rng, tools.selLexicase)
    while len(chosen) < count:
        [winner] = draw(left, 1)
        chosen.append(winner.individual)
        left = [one for one in left if one is not winner]
    return chosen


SELECTIONS: Final[Mapping[str, Select]] = {
    "best": best,
    "tournament": tournament,
    "rank": rank,
    "sus": sus,
    "lexicase": lexicase,
}


def selected(
    population: Sequence[Individual], parents: Sequence[Individual], breeding: Breeding
) -> Sequence[Individual]:
    """Keep all selected individuals: generations overlap, and good individuals play again."""
    return parents


def best_alone(
    population: Sequence[Individual], parents: Sequence[Individual], breeding: Breeding
) -> Sequence[Individual]:
    """Keep only the best: generations replace each other (the elitist plan of De Jong 1975)."""
    return population[:1]


SURVIVALS: Final[Mapping[str, Survive]] = {"selected": selected, "best": best_alone}
