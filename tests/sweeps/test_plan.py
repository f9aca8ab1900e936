"""Plans: what their settings are, what cannot be, and the settings that a sweep tries first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import MCTS_PRESETS
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.patterns.shapes import STRONG_SHAPES
from evolve.errors import SettingsError
from evolve.sweeps.learning_plan import _SHAPE_SETS
from evolve.sweeps.plan import settings_to_try
from evolve.sweeps.space import Parameter, Space, choice, real, whole
from evolve.tables.trials import write_trials
from tests.sweeps import HELD, local, plan, run_one, table_of


@pytest.mark.parametrize("kind", ["dqn", "mcts", "evolution"])
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_defaults_of_the_space_are_those_of_the_settings(kind: str, rules: str) -> None:
    made = plan(kind, rules=rules)
    assert set(made.defaults or ()) == set(made.space.names)
    by_values = made.settings_of(made.defaults or {}, 5).model_dump()
    assert by_values == {**made.base.model_dump(), "seed": 5}
    if kind == "evolution":
        assert by_values["generations"] >= 1_000_000, "its seconds end it"
        assert by_values["panel"] == "fixed", "its own, which is that of the sweep"
    else:
        expected: Any = {"dqn": DqnSettings, "mcts": MctsSettings}[kind]
        assert by_values == expected(rules=rules, budget=60.0, seed=5).model_dump()


def test_a_fixed_value_is_held_and_not_searched() -> None:
    made: Any = plan("dqn", fix={"gamma": 0.5, "width": 128, "others_zero": True})
    assert not {"gamma", "width"} & set(made.space.names)
    settings = made.settings_of(made.defaults, 0)
    assert (settings.gamma, settings.others_zero) == (0.5, True)
    assert settings.layers == ("dense 128 relu", "dense 64") == made.base.layers


def test_fixed_layers_and_presets_hold_what_they_are_made_of() -> None:
    made: Any = plan("mcts", fix={"layers": "dense 8 relu, dense 1 tanh"})
    assert not {"width", "network"} & set(made.space.names)
    assert made.settings_of(made.defaults, 0).layers == ("dense 8 relu", "dense 1 tanh")
    paper: Any = plan("mcts", fix={"preset": "s4-reversiv"})
    assert not {"width", "network"} & set(paper.space.names)
    assert paper.settings_of(paper.example, 0).layers == MCTS_PRESETS["s4-reversiv"]["layers"]
    assert paper.defaults is None  # first_ply and others, but also a window outside the range


@pytest.mark.parametrize(
    ("kind", "fix", "words"),
    [
        ("dqn", {"speed": 1}, "there is no setting 'speed'"),
        ("dqn", {"gamma": 7}, "gamma = 7"),
        ("dqn", {"seed": 7}, "is set by the sweep"),
        ("alphabeta", {"speed": 1}, "speed"),
        ("alphabeta", {"weights.44": 1}, "there is no weights.44"),
        ("alphabeta", {"weights.4": 999}, "must be -200 to 200"),
        ("mcts", {"network": "foo"}, "network = 'foo' must be dense | gated"),
        ("mcts", {"width": "abc"}, "width = 'abc'"),
        ("dqn", {"blocks": "x"}, "blocks = 'x'"),
        ("dqn", {"dueling": "maybe"}, "dueling = 'maybe'"),
        ("evolution", {"generations": 1}, "is set by the sweep"),
    ],
)
def test_fixed_values_that_cannot_be(kind: str, fix: dict[str, Any], words: str) -> None:
    made = plan(kind, fix=fix)
    with pytest.raises(SettingsError, match=words):
        _ = made.agent({}, "x") if kind == "alphabeta" else made.base


def test_nothing_left_to_search() -> None:
    made = plan("evolution")
    held = {name: getattr(made.base, name) for name in made.space.names}
    with pytest.raises(SettingsError, match="every"):
        _ = plan("evolution", fix=held).space


def test_seeds_of_trials_differ_and_repeat() -> None:
    one, same, other = (plan("dqn", seed=seed) for seed in (1, 1, 2))
    assert len({one.seed_of(number) for number in range(100)}) == 100
    assert one.seed_of(3) == same.seed_of(3) != other.seed_of(3)


def drawn(parameter: Parameter, rng: np.random.Generator) -> Any:
    low, high, step = parameter.low, parameter.high, int(parameter.step or 1)
    if parameter.kind == "float":
        return float(rng.uniform(low, high))
    values = parameter.choices or range(int(low), int(high) + 1, step)
    return values[rng.integers(len(values))]


@pytest.mark.parametrize("kind", [kind for kind in SWEEP_TARGETS if kind != "program"])
def test_every_value_makes_settings(kind: str) -> None:
    made, rng, seen = plan(kind), np.random.default_rng(0), set()
    floats = [p for p in made.space.parameters if p.kind == "float"]
    for number in range(40):
        values = {p.name: drawn(p, rng) for p in made.space.parameters}
        if number < 2:  # the ends of every range
            values |= {p.name: (p.low, p.high)[number] for p in floats}
        if kind == "alphabeta":
            agent = made.agent(values, "x")
            assert agent.endgame == values["endgame"]
            assert agent.weights[1][2] == values["weights.12"]
            assert agent.mobility[2] == values["mobility.2"]
            continue
        settings = made.settings_of(values, number)
        for name, value in values.items():
            if name in type(settings).model_fields and name not in ("opponents", "openings"):
                assert getattr(settings, name) == value
        seen.add(str(getattr(settings, "layers", getattr(settings, "shapes", ""))))
    assert len(seen) > 8 or kind in ("alphabeta", "evolution")


def test_new_shapes_are_beside_those_that_are_there() -> None:
    made: Any = plan("patterns")

    def shapes(**changes: Any) -> Any:
        return made.settings_of({**made.defaults, **changes}, 0).shapes

    assert shapes() == STRONG_SHAPES
    two = shapes(new_shapes=2, new_squares=7, new_draw=5)
    assert two[: len(STRONG_SHAPES)] == STRONG_SHAPES
    assert [len(text.split()) for text in two[-2:]] == [7, 7]
    assert two == shapes(new_shapes=2, new_squares=7, new_draw=5)
    assert two != shapes(new_shapes=2, new_squares=7, new_draw=6)
    bare = dict.fromkeys(_SHAPE_SETS, False)
    assert shapes(**bare) == ("corner",)
    with pytest.raises(SettingsError, match="new_squares"):
        plan("patterns", fix={"new_squares": 11, "new_shapes": 1}).settings_of({}, 0)
    with pytest.raises(SettingsError, match="shape"):
        # There are ten single squares that are no images of each other.
        plan("patterns", fix={"new_squares": 1, "new_shapes": 11}).settings_of({}, 0)


SPACE = Space((whole("x", 1, 9), real("y", 0.0, 1.0), choice("s", ("a", "b"))))
DEFAULTS = {"x": 5, "y": 0.5, "s": "a"}


def tried(place: Path, space: Space = SPACE) -> list[dict[str, Any]]:
    return settings_to_try(str(place), space, DEFAULTS)


def test_a_file_of_settings(tmp_path: Path) -> None:
    (tmp_path / "best.toml").write_text("x = 3\nheld = 4\n")
    assert tried(tmp_path / "best.toml") == [{"x": 3, "y": 0.5, "s": "a"}]
    (tmp_path / "best.toml").write_text('x = 3\ny = 1\ns = "b"\n')
    assert tried(tmp_path / "best.toml") == [{"x": 3, "y": 1.0, "s": "b"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 99", "x = 99 is not in 1 to 9"),
        ("x = true", "x = True is not in"),
        ("z = 1", "names none of the parameters x, y, s"),
        ("x = 5", "only the defaults"),
        ("x = 2\ny = 0.9", "break 'x > y"),
        ("{", "not a TOML file"),
    ],
)
def test_what_does_not_fit_is_said(text: str, said: str, tmp_path: Path) -> None:
    space = SPACE.requiring(["x > y * 3"], {})
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(SettingsError) as raised:
        tried(tmp_path / "s.toml", space)
    assert said in str(raised.value)


def test_a_missing_file_and_a_folder_that_is_no_sweep(tmp_path: Path) -> None:
    for place, said in (("none.toml", "none.toml"), ("", "not a sweep with trials")):
        with pytest.raises(SettingsError, match=said):
            tried(tmp_path / place)


def test_the_best_trials_of_a_sweep_come_after_the_defaults(tmp_path: Path) -> None:
    first = local(tmp_path, trials=4)
    for score in (0.5, 0.2, 0.9, 0.7):
        run_one(first, score)
    rows = table_of(first)
    write_trials(tmp_path, rows, first.plan.space.types)
    (tmp_path / "next").mkdir()
    given = {"trials": 9, "seed": 5, "start_from": str(tmp_path), "fix": HELD}
    study = local(tmp_path / "next", **given)
    wanted = [{name: rows[place][name] for name in study.plan.space.names} for place in (2, 3, 1)]
    study = local(tmp_path / "next", **given)  # queued once, however often it is opened
    assert [study.take().values for _ in range(5)][1:4] == wanted
    origins = [row["origin"] for row in table_of(study)]
    assert origins == ["defaults", "start", "start", "start", "sampler"]


def test_the_defaults_of_alphabeta_are_the_reference_agent() -> None:
    made = plan("alphabeta")
    agent = made.agent(made.defaults or {}, "x")
    assert agent.weights == evolve.load_agent("swh").weights * 3  # type: ignore[attr-defined]
    assert agent.depths == (1, 1, 1)


def test_genes_of_alphabeta_are_held_by_fix() -> None:
    """All numbers of a gene, or a single one."""
    weights = [100, -25, 10, 5, -25, 1, 1, 5, 2, 1]
    made = plan("alphabeta", fix={"depths": 2, "weights": weights, "mobility.1": 7})
    assert {"endgame", "mobility.0"} < {*made.space.names}
    assert not [n for n in made.space.names if n.startswith(("depths", "weights", "mobility.1"))]
    agent = made.agent(made.space.example, "x")
    assert (agent.depths, agent.weights[2], agent.mobility[1]) == ((2, 2, 2), (*weights,), 7)


def test_the_defaults_of_alphabeta_must_lie_in_the_space() -> None:
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 95}}).defaults is None
    assert plan("alphabeta", space={"endgame": {"choices": [3, 5]}}).defaults is None
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 105}}).defaults is not None
    assert plan("alphabeta", require=("mobility.0 > 5",)).defaults is None
    assert plan("alphabeta", require=("weights.0 > 5",)).defaults is not None
