"""Operators by name, and functions of the caller in their place."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS, OWNABLE, check_operator
from evolve.config.toml import read_toml, resolve
from evolve.errors import SettingsError
from evolve.fitness.roundrobin import FITNESS_FUNCTIONS
from evolve.population.algorithms import GeneticAlgorithm, algorithm_of
from evolve.population.genome import Genome, Individual
from evolve.population.operators import (
    FUNCTIONS,
    Cross,
    Mutate,
    Select,
    Survive,
    operators_of,
    own_name,
)
from evolve.sweeps.evolution_plan import EvolutionPlan
from tests.cli import fails

SIGNATURES = {
    "selection": Select,
    "crossover": Cross,
    "mutation": Mutate,
    "depth_mutation": Mutate,
    "survival": Survive,
}


def positional(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """What an operator is given; keywords are DEAP's."""
    parameters = inspect.signature(function).parameters.values()
    return [given for given in parameters if given.kind is given.POSITIONAL_OR_KEYWORD]


def test_every_name_has_a_line_and_a_function() -> None:
    there = {
        **FUNCTIONS,
        "fitness": FITNESS_FUNCTIONS,
        "encoding": {"direct": Genome.of},
        "algorithm": {"ga": algorithm_of, "cma": algorithm_of},
    }
    assert {kind: tuple(names) for kind, names in there.items()} == {
        kind: tuple(names) for kind, names in OPERATORS.items()
    }
    assert not [names for names in OPERATORS.values() if not all(names.values())]
    found = {
        kind: {len(positional(function)) for function in functions.values() if function is not None}
        for kind, functions in FUNCTIONS.items()
    }
    assert found == {kind: {len(get_args(SIGNATURES[kind])[0])} for kind in FUNCTIONS}


@pytest.mark.parametrize("kind", OPERATORS)
def test_settings_take_every_name_and_no_other(kind: str, tmp_path: Path) -> None:
    names = OPERATORS[kind]
    assert [getattr(resolve({kind: name}), kind) for name in names] == list(names)
    path = tmp_path / "x.toml"
    path.write_text(f'{kind} = "magic"\n')
    with pytest.raises(SettingsError) as caught:
        resolve({}, read_toml(path), "x.toml")
    assert f"{kind} = 'magic'" in str(caught.value)
    assert all(name in str(caught.value) for name in OPERATORS[kind])
    assert str(caught.value).removeprefix("x.toml: ") in fails("run", "--config", path)


@pytest.mark.parametrize("kind", OPERATORS)
def test_a_caller_may_name_own_functions_of_some_kinds(kind: str) -> None:
    assert EvolutionSettings.model_fields[kind].default in OPERATORS[kind]
    if kind in OWNABLE:
        assert check_operator(kind, "own:mine") == "own:mine"
    else:
        with pytest.raises(ValueError, match="no such"):
            check_operator(kind, "own:mine")


def test_the_sweep_searches_every_operator() -> None:
    searched = {p.name: p.choices for p in EvolutionPlan.searched if p.name in OPERATORS}
    assert searched == {kind: tuple(OPERATORS[kind]) for kind in FUNCTIONS}


def test_names_are_known_without_what_they_run() -> None:
    code = (
        "import sys, evolve.config.operators, evolve.cli.options\n"
        "assert not {'deap', 'evolve.population'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def first_ones(candidates: Sequence[Individual], count: int, breeding: Any) -> Any:
    return candidates[:count]


def algorithm(**own: Callable[..., Any]) -> GeneticAlgorithm:
    names = {kind: own_name(kind, function) for kind, function in own.items()}
    settings = resolve({"population": 8, "newcomers": 0.0, **names})
    return GeneticAlgorithm(settings, Genome.of(settings), None, own)


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
        ("selection", lambda candidates, count, breeding: None, "of those it is given"),
        ("survival", lambda population, parents, breeding: population, "none to be a child"),
        ("survival", lambda population, parents, breeding: parents * 2, "different"),
        ("survival", lambda population, parents, breeding: None, "of those it is given"),
        ("crossover", lambda mother, father, breeding: mother[1:], "49 finite numbers"),
        ("crossover", lambda mother, father, breeding: [np.nan] * 49, "49 finite numbers"),
        ("crossover", lambda mother, father, breeding: ["x"] * 49, "49 finite numbers"),
        ("mutation", lambda genes, noise, breeding: None, "49 finite numbers"),
        ("depth_mutation", lambda genes, noise, breeding: 1.0, "49 finite numbers"),
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
        operators_of(settings, {kind: test_names_are_known_without_what_they_run})
    with pytest.raises(SettingsError, match="own:first_ones"):
        operators_of(resolve({}), {kind: first_ones})


def test_what_has_no_name_cannot_be_written_down() -> None:
    with pytest.raises(SettingsError, match="def"):
        own_name("selection", lambda candidates, count, breeding: candidates)


def test_cma_has_operators_of_its_own() -> None:
    settings = resolve({"algorithm": "cma", "selection": "own:first_ones"})
    assert isinstance(settings, EvolutionSettings)
    with pytest.raises(SettingsError, match="algorithm"):
        algorithm_of(settings, Genome.of(settings), None, {"selection": first_ones})
