"""Operators by name, and functions of the caller in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from evolve.config.evolution import OPERATORS, OWNABLE
from evolve.config.toml import resolve
from evolve.errors import SettingsError
from evolve.population.algorithms import GeneticAlgorithm
from evolve.population.genome import Genome, Individual
from evolve.population.operators import FUNCTIONS, Breeding, operators_of, own_name, sbx
from evolve.sweeps.evolution_plan import EvolutionPlan
from tests.cli import fails
from tests.population import children_of


@pytest.mark.parametrize("kind", OPERATORS)
def test_settings_take_every_name(kind: str) -> None:
    names = [*OPERATORS[kind], *["own:mine"] * (kind in OWNABLE)]
    assert [getattr(resolve({kind: name}), kind) for name in names] == names


OTHERS = [(kind, "magic") for kind in OPERATORS]
OTHERS += [(kind, "own:mine") for kind in OPERATORS if kind not in OWNABLE]


@pytest.mark.parametrize(("kind", "name"), OTHERS)
def test_settings_take_no_other_name(kind: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(f'{kind} = "{name}"\n')
    said = fails("run", "--config", tmp_path / "x.toml")
    assert f"{kind} = {name!r}" in said
    assert [known for known in OPERATORS[kind] if known in said] == [*OPERATORS[kind]]


def test_the_sweep_searches_every_operator() -> None:
    searched = {p.name: p.choices for p in EvolutionPlan.searched if p.name in OPERATORS}
    assert searched == {kind: tuple(OPERATORS[kind]) for kind in FUNCTIONS}


def first_ones(candidates: Sequence[Individual], count: int, breeding: Any) -> Any:
    return candidates[:count]


def algorithm(**own: Callable[..., Any]) -> GeneticAlgorithm:
    names = {kind: own_name(kind, function) for kind, function in own.items()}
    settings = resolve({"population": 8, "newcomers": 0.0, **names})
    return GeneticAlgorithm(Genome.of(settings), None, own)


def following(made: GeneticAlgorithm) -> list[Individual]:
    population = made.first(np.random.default_rng(0))
    for value, individual in enumerate(population):
        individual.fitness.values = (float(value), 0.0)
    return made.next(1, population, np.random.default_rng(1))


def test_functions_of_the_caller_are_called() -> None:
    def selection(candidates: Sequence[Individual], count: int, breeding: Any) -> Any:
        return candidates[-count:]  # the worst

    def crossover(mother: Sequence[int], father: Sequence[int], breeding: Any) -> Any:
        return breeding.genome.high

    def mutation(genes: Any, noise: Any, breeding: Any) -> Any:
        return breeding.genome.low

    def survival(population: Sequence[Individual], parents: Any, breeding: Any) -> Any:
        return population[-1:]

    made = algorithm(selection=selection, crossover=crossover, mutation=mutation, survival=survival)
    lives, *children = following(made)
    assert lives.name == "0-0", "the worst alone"
    assert {name for child in children for name in child.parents} == {"0-7", "0-0"}
    weights = np.array(children)[:, ~made.genome.steps]
    low, high = made.genome.low[~made.genome.steps], made.genome.high[~made.genome.steps]
    assert ((weights == high) | (weights == low)).all()
    assert (weights == low).mean() == pytest.approx(0.1, abs=0.08)


@pytest.mark.parametrize(
    ("kind", "answer", "words"),
    [
        ("selection", lambda candidates, count, breeding: [], "it chose 0 individuals, not 1"),
        ("selection", lambda candidates, count, breeding: [candidates[0]] * 2, "different"),
        ("selection", lambda c, n, breeding: [Individual(c[0])], "of those it is given"),
        ("selection", lambda *given: None, "of those it is given"),
        ("survival", lambda population, parents, breeding: population, "none to be a child"),
        ("survival", lambda population, parents, breeding: parents * 2, "different"),
        ("survival", lambda *given: None, "of those it is given"),
        ("crossover", lambda mother, father, breeding: mother[1:], "49 finite numbers"),
        ("crossover", lambda *given: [np.nan] * 49, "49 finite numbers"),
        ("crossover", lambda *given: ["x"] * 49, "49 finite numbers"),
        ("mutation", lambda *given: None, "49 finite numbers"),
        ("depth_mutation", lambda *given: 1.0, "49 finite numbers"),
    ],
)
def test_answers_that_are_none_are_told(kind: str, answer: Callable[..., Any], words: str) -> None:
    def mine(*given: Any) -> Any:
        return answer(*given)

    made = algorithm(**{kind: mine})
    with pytest.raises(SettingsError, match=words) as caught:
        following(made)
    assert str(caught.value).startswith(f"{kind}: ")


def test_parents_are_not_the_functions_to_change() -> None:
    def crossover(mother: Any, father: Any, breeding: Any) -> Any:
        mother[0] = 5

    with pytest.raises(TypeError):
        following(algorithm(crossover=crossover))


@pytest.mark.parametrize("kind", OWNABLE)
def test_settings_and_functions_must_agree(kind: str) -> None:
    settings = resolve({kind: "own:first_ones"})
    operators_of(settings, {kind: first_ones})
    with pytest.raises(SettingsError, match=f"{kind}=first_ones"):
        operators_of(settings, {})
    with pytest.raises(SettingsError, match=f"with {kind}=first_ones"):
        operators_of(settings, {kind: following})
    with pytest.raises(SettingsError, match="own:first_ones"):
        operators_of(resolve({}), {kind: first_ones})


SETTINGS = resolve({})
GENOME = Genome.of(SETTINGS)
TURNS = 3000


def candidates(fitness: Sequence[float], cases: npt.ArrayLike | None = None) -> list[Individual]:
    """Individuals with these values, best first, whose names are their places."""
    made = [Individual([0] * GENOME.size, name=str(place)) for place in range(len(fitness))]
    for individual, value in zip(made, fitness, strict=True):
        individual.fitness.values = (value, 0.0)
        individual.cases = [value] if cases is None else [*np.asarray(cases)[int(individual.name)]]
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
@pytest.mark.parametrize("count", [1, 5, 20])
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
    assert found == pytest.approx(-np.diff((np.arange(n, -1, -1) / n) ** 3), abs=0.03)


def test_rank_is_linear_in_the_rank_whatever_the_fitness() -> None:
    n = 8
    found = chances("rank", candidates([1e6 * 0.5**i - 3 for i in range(n)]), 1)
    assert found == pytest.approx(np.arange(n, 0, -1) / (n * (n + 1) / 2), abs=0.03)


@pytest.mark.slow
def test_lexicase_chooses_specialists_and_never_who_is_beaten_everywhere() -> None:
    cases = [[0.6] * 3, *np.eye(3).tolist(), [0.5] * 3]  # the first is the best on average
    found = chances("lexicase", candidates([0.6, 0.4, 0.4, 0.4, 0.5], cases), 1)
    assert found == pytest.approx([0.0, 1 / 3, 1 / 3, 1 / 3, 0.0], abs=0.03)


def test_lexicase_asks_the_next_case_where_one_leaves_several() -> None:
    among = candidates([0.5, 0.5, 0.5], [[1, 0], [1, 1], [0, 1]])
    assert [turn("lexicase", among, 1, seed) for seed in range(30)] == [[1]] * 30
    among[0].cases = ()
    with pytest.raises(AssertionError, match="cases"):
        turn("lexicase", among, 1, 0)


def weights_by_sbx(low: int, high: int, count: int, eta: float, wide: str) -> npt.NDArray[Any]:
    """The weights of children of parents with `low` and `high` as theirs."""
    settings = resolve({"eta": eta, "bounds": {"weights": wide}})
    genome, rng = Genome.of(settings), np.random.default_rng(0)
    mother, father = genome.random(rng), genome.random(rng)
    mother[:30], father[:30] = low, high
    breeding = Breeding(settings, genome, rng)
    made = [sbx(mother.tolist(), father.tolist(), breeding) for _ in range(count)]
    return np.array(made)[:, :30]


@pytest.mark.parametrize("eta", [0.0, 2.0, 10.0])
def test_children_spread_by_the_index(eta: float) -> None:
    """P(β ≤ b) = b^(η+1) / 2 up to 1, and 1 − b^−(η+1) / 2 beyond (Deb and Agrawal 1995).

    β is the children's distance in parents' distances; the bounds are too far off to matter.
    """
    found = weights_by_sbx(-10, 10, 400, eta, "-10000:10000").ravel()
    crossed = found[found != -10.0]
    assert len(crossed) / len(found) == pytest.approx(0.5, abs=0.02)
    spread = np.abs(crossed) / 10.0
    bs = np.array([0.5, 0.8, 1.0])
    assert np.mean(spread[:, None] <= bs, axis=0) == pytest.approx(bs ** (eta + 1) / 2, abs=0.02)
    assert (spread <= 1.5).mean() == pytest.approx(1 - 1.5 ** -(eta + 1) / 2, abs=0.02)
    assert (crossed > 0).mean() == pytest.approx(0.5, abs=0.02), "near either parent alike"


def test_children_reach_the_bounds_and_keep_what_parents_share() -> None:
    found = weights_by_sbx(-49, 45, 300, 0.0, "-50:50")
    assert -50.0 <= found.min() < -49.0
    assert 45.0 < found.max() <= 50.0
    assert (weights_by_sbx(7, 7, 20, 2.0, "-50:50") == 7.0).all()


def test_uniform_crossover_takes_each_gene_from_a_parent() -> None:
    _, children, parents = children_of(5, crossover="uniform", mutation_rate=0.0)
    assert (children[:, None] == parents).any(axis=1).all()


def test_blend_reaches_a_quarter_beyond_the_parents() -> None:
    _, children, parents = children_of(7, mutation_rate=0.0)
    low, high = parents.min(axis=1), parents.max(axis=1)
    reach = 0.25 * (high - low) + 0.5
    assert ((children >= low - reach) & (children <= high + reach)).all()
    assert ((children < low) | (children > high)).any()
