"""Spaces: what the defaults come to, what every value makes, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import MCTS_PRESETS
from evolve.config.subjects import SUBJECTS
from evolve.config.sweep import SweepSettings
from evolve.errors import SettingsError
from evolve.population.genome import Genome
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.space import Parameter

LEARNING = tuple(word for word, subject in SUBJECTS.items() if subject.learns)


def plan(kind: str, **changes: Any) -> Plan:
    return plan_of(SweepSettings(kind=kind, **changes))


def drawn(parameter: Parameter, rng: np.random.Generator) -> Any:
    if parameter.kind == "choice":
        return parameter.choices[rng.integers(len(parameter.choices))]
    if parameter.kind == "int":
        return int(rng.choice(np.arange(parameter.low, parameter.high + 1, parameter.step)))
    return float(rng.uniform(parameter.low, parameter.high))


@pytest.mark.parametrize("kind", ["dqn", "mcts", "evolution"])
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_defaults_of_the_space_are_those_of_the_settings(kind: str, rules: str) -> None:
    made = plan(kind, rules=rules)
    assert made.defaults is not None
    assert set(made.defaults) == set(made.space.names)
    by_values = made.settings(made.defaults, 5).model_dump()
    assert by_values == {**made.base.model_dump(), "seed": 5}
    expected = {"dqn": DqnSettings, "mcts": MctsSettings}.get(kind)
    if expected is not None:
        plain = expected(rules=rules, budget=60.0, seed=5).model_dump()  # type: ignore[arg-type]
        assert by_values == plain


def test_the_defaults_of_alphabeta_are_the_reference_agent() -> None:
    made = plan("alphabeta")
    assert made.defaults is not None
    agent = made.agent(made.defaults, "x")
    swh = made.genome.agent(made.genome.from_agent(agent, "x"), "x")
    assert agent.weights == swh.weights
    assert agent.weights[0][0] == 100
    assert agent.depths == (1, 1, 1)


@pytest.mark.parametrize("kind", SUBJECTS)
def test_every_value_makes_settings(kind: str) -> None:
    made, rng = plan(kind), np.random.default_rng(0)
    seen = set()
    for number in range(100):
        values = {p.name: drawn(p, rng) for p in made.space.parameters}
        if number < 2:  # the ends of every range
            values.update(
                {
                    p.name: (p.low, p.high)[number] if p.kind == "float" else drawn(p, rng)
                    for p in made.space.parameters
                }
            )
        if kind == "alphabeta":
            agent = made.agent(values, "x")
            assert agent.endgame == values["endgame"]
            assert agent.weights[1][2] == values["weights.12"]
            assert agent.mobility[2] == values["mobility.2"]
            continue
        settings = made.settings(values, number)
        for name, value in values.items():
            if name in type(settings).model_fields and name not in ("opponents", "openings"):
                assert getattr(settings, name) == value
        seen.add(str(getattr(settings, "layers", "")))
    assert len(seen) > 8 or kind in ("alphabeta", "evolution")


def test_a_fixed_value_is_held_and_not_searched() -> None:
    made = plan("dqn", fix={"gamma": 0.5, "width": 128, "loss": "huber"})
    assert not {"gamma", "width"} & set(made.space.names)
    assert made.defaults is not None
    settings = made.settings(made.defaults, 0)
    assert isinstance(settings, DqnSettings)
    assert (settings.gamma, settings.loss) == (0.5, "huber")
    assert settings.layers == ("dense 128 relu", "dense 64") == made.base.layers  # type: ignore[attr-defined]


def test_fixed_layers_and_presets_hold_what_they_are_made_of() -> None:
    made = plan("mcts", fix={"layers": "dense 8 relu, dense 1 tanh"})
    assert not {"width", "network"} & set(made.space.names)
    assert made.settings(made.defaults or {}, 0).layers == ("dense 8 relu", "dense 1 tanh")  # type: ignore[attr-defined]
    paper = plan("mcts", fix={"preset": "s4-reversiv"})
    assert not {"width", "network"} & set(paper.space.names)
    values = {p.name: p.example for p in paper.space.parameters}
    assert paper.settings(values, 0).layers == MCTS_PRESETS["s4-reversiv"]["layers"]  # type: ignore[attr-defined]
    assert paper.defaults is None  # first_ply and others, but also a window outside the range


def test_genes_of_alphabeta_are_held_by_fix() -> None:
    made = plan("alphabeta", fix={"depths": 2, "weights": [100, -25, 10, 5, -25, 1, 1, 5, 2, 1]})
    assert "endgame" in made.space.names
    assert not [n for n in made.space.names if n.startswith(("depths", "weights"))]
    agent = made.agent({p.name: p.example for p in made.space.parameters}, "x")
    assert agent.depths == (2, 2, 2)
    assert isinstance(made.genome, Genome)


def test_single_numbers_of_a_gene_are_held_too() -> None:
    made = plan("alphabeta", fix={"weights.3": 77, "depths.1": 3})
    assert not {"weights.3", "depths.1"} & set(made.space.names)
    agent = made.agent({p.name: p.example for p in made.space.parameters}, "x")
    assert (agent.weights[0][3], agent.depths[1]) == (77, 3)


def test_the_defaults_of_alphabeta_must_lie_in_the_space() -> None:
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 95}}).defaults is None
    assert plan("alphabeta", space={"endgame": {"choices": [3, 5]}}).defaults is None
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 105}}).defaults is not None


def test_ranges_narrow_widen_and_join() -> None:
    made = plan(
        "dqn",
        space={
            "gamma": {"low": 0.1, "high": 0.2},
            "steps": {"choices": [2, 4]},
            "batch": {"low": 64, "high": 128},
            "weight_decay": {"low": 1e-6, "high": 1e-2, "log": True},
            "width": {"high": 512},
        },
    )
    space = made.space
    assert (space["gamma"].low, space["gamma"].high) == (0.1, 0.2)
    assert space["steps"].choices == (2, 4)
    assert (space["batch"].kind, space["batch"].low) == ("int", 64)
    assert space["weight_decay"].log
    assert (space["width"].low, space["width"].high, space["width"].step) == (64, 512, 64)
    assert made.defaults is None


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({"speed": {"low": 1}}, "there is no parameter 'speed'; there are learning_rate"),
        ({"gamma": {"low": 2.0}}, "low 2 is above high 1"),
        ({"gamma": {"lo": 2.0}}, "there is no 'lo'"),
        ({"gamma": {"low": "x"}}, "'x' is no number"),
        ({"gamma": {"low": float("nan")}}, "nan is no number"),
        ({"gamma": {"log": 1}}, "must be true or false"),
        ({"gamma": {"low": 0.0, "log": True}}, "needs a low over 0"),
        ({"gamma": {"step": 2}}, "step 2"),
        ({"width": {"low": 64.5}}, "is a whole number"),
        ({"width": {"step": 0}}, "step 0"),
        ({"steps": {"low": 1}}, "give choices, or both low and high"),
        ({"steps": {"choices": []}}, "one or more"),
        ({"steps": {"choices": [1, "a"]}}, "must all be numbers, all texts"),
        ({"steps": {"choices": [[1]]}}, "must all be numbers, all texts"),
        ({"steps": {"choices": [1], "low": 1}}, "stand alone"),
        ({"budget": {"low": 1.0, "high": 2.0}}, "there is no parameter 'budget'"),
        ({"gamma": 3}, "a range is a table"),
        ({"width": {"low": -64}}, "width = -64 must be a whole number"),
        ({"dueling": {"choices": ["maybe"]}}, "dueling = 'maybe'"),
    ],
)
def test_ranges_that_cannot_be(space: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        _ = plan("dqn", space=space).space


@pytest.mark.parametrize(
    ("kind", "fix", "words"),
    [
        ("dqn", {"speed": 1}, "there is no setting 'speed'"),
        ("dqn", {"gamma": 7}, "gamma = 7"),
        ("dqn", {"seed": 7}, "the sweep's own"),
        ("alphabeta", {"speed": 1}, "speed"),
        ("alphabeta", {"weights.44": 1}, "there is no weights.44"),
        ("alphabeta", {"weights.4": 999}, "must be -200 to 200"),
        ("mcts", {"network": "foo"}, "network = 'foo': dense | gated"),
        ("mcts", {"width": "abc"}, "width = 'abc'"),
        ("dqn", {"blocks": "x"}, "blocks = 'x'"),
        ("dqn", {"dueling": "maybe"}, "dueling = 'maybe'"),
        ("evolution", {"generations": 1}, "the sweep's own"),
    ],
)
def test_fixed_values_that_cannot_be(kind: str, fix: dict[str, Any], words: str) -> None:
    made = plan(kind, fix=fix)
    with pytest.raises(SettingsError, match=words):
        _ = made.agent({}, "x") if kind == "alphabeta" else made.base


def test_nothing_left_to_search() -> None:
    every = dict.fromkeys(plan("evolution").space.names)
    base = plan("evolution").base
    held = {name: getattr(base, name) for name in every}
    with pytest.raises(SettingsError, match="every parameter is held"):
        _ = plan("evolution", fix=held).space


def test_seeds_of_trials_differ_and_repeat() -> None:
    seeds = [plan("dqn", seed=1).seed_of(number) for number in range(100)]
    assert len(set(seeds)) == 100
    assert seeds[3] == plan("dqn", seed=1).seed_of(3) != plan("dqn", seed=2).seed_of(3)
