"""Selection: different individuals, and the pressure that each operator is known for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from evolve.config.operators import OPERATORS
from evolve.config.toml import resolve
from evolve.population.genome import Genome, Individual
from evolve.population.operators import FUNCTIONS, Breeding

SETTINGS = resolve({})
GENOME = Genome.of(SETTINGS)
TURNS = 3000


def candidates(fitness: Sequence[float], cases: npt.ArrayLike | None = None) -> list[Individual]:
    """Individuals with these values, best first, whose names are their places."""
    made = []
    for place, value in enumerate(fitness):
        individual = Individual([0] * GENOME.size, name=str(place))
        individual.fitness.values = (value, 0.0)
        individual.cases = [value] if cases is None else list(np.asarray(cases)[place])
        made.append(individual)
    return made


def turn(name: str, among: Sequence[Individual], count: int, seed: int) -> list[int]:
    breeding = Breeding(SETTINGS, GENOME, np.random.default_rng(seed))
    return [int(one.name) for one in FUNCTIONS["selection"][name](among, count, breeding)]


def chances(name: str, among: Sequence[Individual], count: int) -> npt.NDArray[np.float64]:
    """How often each is among those chosen."""
    seen = Counter(place for seed in range(TURNS) for place in turn(name, among, count, seed))
    return np.array([seen[place] for place in range(len(among))]) / TURNS


@pytest.mark.parametrize(
    "values",
    [[*np.sort(np.random.default_rng(4).random(20))[::-1]], [1.0] * 20, [1.0] + [0.0] * 19],
)
@pytest.mark.parametrize("name", OPERATORS["selection"])
@pytest.mark.parametrize("count", [1, 5, 19, 20])
def test_different_ones_are_chosen_and_the_seed_decides(
    name: str, count: int, values: Sequence[float]
) -> None:
    rng = np.random.default_rng(3)
    among = candidates([float(value) for value in values], rng.integers(0, 3, (20, 20)) / 2)
    chosen = turn(name, among, count, 7)
    assert len(set(chosen)) == len(chosen) == count
    assert chosen == turn(name, among, count, 7)


def test_best_takes_the_first() -> None:
    assert turn("best", candidates([0.9, 0.8, 0.7, 0.1]), 2, 0) == [0, 1]


@pytest.mark.slow
def test_tournaments_of_three() -> None:
    # The winner is worse than place i where all three of n that are drawn are: ((n − i − 1)/n)³.
    n = 10
    found = chances("tournament", candidates(np.linspace(1, 0, n).tolist()), 1)
    expected = [((n - i) / n) ** 3 - ((n - i - 1) / n) ** 3 for i in range(n)]
    assert found == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_rank_is_linear_in_the_rank_whatever_the_fitness(scale: float) -> None:
    n = 8
    found = chances("rank", candidates([scale * 0.5**i - 3 for i in range(n)]), 1)
    assert found == pytest.approx(np.arange(n, 0, -1) / (n * (n + 1) / 2), abs=0.03)


@pytest.mark.slow
def test_lexicase_chooses_specialists_and_never_who_is_beaten_everywhere() -> None:
    cases = [
        [0.6, 0.6, 0.6],  # the best on average, the best nowhere
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.5, 0.5, 0.5],
    ]
    found = chances("lexicase", candidates([0.6, 0.4, 0.4, 0.4, 0.5], cases), 1)
    assert found == pytest.approx([0.0, 1 / 3, 1 / 3, 1 / 3, 0.0], abs=0.03)


def test_lexicase_asks_the_next_case_where_one_leaves_several() -> None:
    found = chances("lexicase", candidates([0.5, 0.5, 0.5], [[1, 0], [1, 1], [0, 1]]), 1)
    assert found.tolist() == [0.0, 1.0, 0.0]


def test_lexicase_wants_cases() -> None:
    among = candidates([0.5, 0.4])
    among[0].cases = ()
    with pytest.raises(AssertionError, match="cases"):
        turn("lexicase", among, 1, 0)
