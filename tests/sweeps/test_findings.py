"""What a sweep has found: its winner beside the defaults, and what mattered."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest

import evolve
from evolve.cli.main import main
from evolve.config.sweep import SweepSettings
from evolve.config.toml import config_text
from evolve.plots.figure import Look
from evolve.plots.sweep import plot_sweep
from evolve.sweeps.findings import (
    FEWEST,
    _better_part,
    compute_importances,
    importances_in,
    winner_of,
)
from evolve.sweeps.plan import plan_of
from evolve.sweeps.space import Space
from evolve.tables.trials import Importances, importances_of, read_trials, write_trials
from tests.cli import done


def swept(folder: Path, values: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """The winner of a sweep with these trials, the first of them the defaults'."""
    sweep = SweepSettings(**settings)
    plan = plan_of(sweep)
    text = config_text(sweep, {"evolve": "0"}, f"sweep {sweep.kind}")
    (folder / "config.toml").write_text(text)
    write(folder, plan.space, [{**(plan.defaults or {}), **one} for one in values], Importances())
    return winner_of(folder)


def write(
    folder: Path, space: Space, values: list[dict[str, Any]], importances: Importances
) -> None:
    """Write complete trials with these values and scores, the first of them the defaults'."""
    empty = dict.fromkeys(("score_error", "seconds", "worker", "games", "agent", "reason"))
    usual = {**empty, "state": "COMPLETE", "score": 0.5, "reports": []}
    rows = [
        {**usual, "number": number, "origin": "sampler" if number else "defaults", **one}
        for number, one in enumerate(values)
    ]
    write_trials(folder, rows, {p.name: p.type for p in space.parameters}, importances)


def test_settings_of_a_command_are_a_line_to_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [{"score": 0.4}, {"score": 0.6, "rate": 2.0, "round": 2000}, {"score": 0.5}]
    found = swept(tmp_path, trials, kind="patterns", rungs=())
    assert (found["trial"], found["score"], found["chosen"]) == (1, 0.6, False)
    rate = next(one for one in found["settings"] if one["name"] == "rate")
    assert (rate["value"], rate["default"]) == (2.0, 1.0)
    assert rate["low"] < rate["value"] < rate["high"]
    (line,) = [one["line"] for one in found["lines"]]
    words = shlex.split(line)
    assert words[:5] == ["evolve", "train", "patterns", "--rules", "standard"]
    assert words[words.index("--rate") + 1] == "2"
    assert "--trace" not in words, "what is as usual is left out"
    with pytest.raises(SystemExit):
        main([*words[1:], "--config", "nowhere.toml"])
    assert "nowhere.toml" in capsys.readouterr().err, "its options are all right"


def test_an_agent_s_own_numbers_are_no_settings(tmp_path: Path) -> None:
    found = swept(tmp_path, [{"score": 0.4}], kind="alphabeta")
    assert (found["trial"], found["lines"]) == (0, [])
    (tmp_path / "final.json").write_text(json.dumps({"trials": 1, "winner": 0}))
    assert winner_of(tmp_path)["chosen"]


def test_before_a_trial_has_ended_there_is_nothing(tmp_path: Path) -> None:
    text = config_text(SweepSettings(kind="alphabeta"), {}, "sweep alphabeta")
    (tmp_path / "config.toml").write_text(text)
    assert winner_of(tmp_path)["trial"] is None


@pytest.mark.parametrize("best", ["{}", "[]", "no JSON", '{"program": 3}'])
def test_a_best_json_from_elsewhere_gives_no_lines(tmp_path: Path, best: str) -> None:
    (tmp_path / "best.json").write_text(best)
    assert swept(tmp_path, [{"score": 0.4}], kind="alphabeta")["lines"] == []


@pytest.mark.parametrize(
    ("more", "agent"),
    [
        ({}, "gtp:./my engine"),
        ({"commands": ["set x 3"]}, None),
        ({"environment": {"x": "3"}}, None),
    ],
)
def test_a_line_to_copy_plays_the_winner(
    more: dict[str, Any], agent: str | None, tmp_path: Path
) -> None:
    """Its folder does where a command cannot say the values."""
    (tmp_path / "best.json").write_text(json.dumps({"program": "gtp:./my engine", **more}))
    (line,) = swept(tmp_path, [{"score": 0.4}], kind="alphabeta")["lines"]
    assert shlex.split(line["line"])[:3] == ["evolve", "match", agent or str(tmp_path)]


SPACE = Space(
    tuple(
        plan_of(SweepSettings(kind="mcts")).space[name]
        for name in ("learning_rate", "noise", "simulations", "network")
    )
)
"""Few parameters: the time goes by their number."""
DOCS = Path(evolve.__file__).parent.parent / "docs/evidence/data/sweeps"


def drawn(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Values of so many trials, by chance."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    return [study.ask(SPACE.distributions).params for _ in range(count)]


@pytest.mark.slow
def test_what_matters_has_a_small_p_and_the_rest_a_large_one() -> None:
    values = drawn(120)
    noise = 0.01 * np.random.default_rng(1).standard_normal(120)
    scores = np.array([-abs(math.log(one["learning_rate"] / 0.002)) for one in values]) + noise
    found = importances_in(SPACE.distributions, values, scores, 0)
    assert next(iter(found.shares)) == "learning_rate"
    assert found.shares["learning_rate"] > 0.4
    assert found.p["learning_rate"] <= 0.01
    assert all(p > 0.1 for name, p in found.p.items() if name != "learning_rate")
    assert sum(found.shares.values()) == pytest.approx(1.0)
    assert importances_in(SPACE.distributions, values, scores, 0) == found


@pytest.mark.slow
def test_where_nothing_matters_the_largest_share_has_a_p_as_any_other() -> None:
    """Of 30 sweeps without any effect one or two have a p of 0.05 or less, whichever parameter."""
    values = drawn(100)
    rng = np.random.default_rng(2)
    smallest = [
        min(compute_importances(SPACE.distributions, values, rng.random(100), seed, 19).p.values())
        for seed in range(30)
    ]
    assert sum(p <= 0.05 for p in smallest) <= 5
    assert 0.3 < float(np.mean(smallest)) < 0.7


@pytest.mark.parametrize(("trials", "better"), [(0, 0), (1, 1), (44, 5), (90, 9), (91, 10)])
def test_none_below_ten_in_the_better_part(trials: int, better: int) -> None:
    scores = np.arange(trials) / 100
    assert _better_part(scores) == better
    found = importances_in(SPACE.distributions, drawn(trials), scores, 0)
    if better < FEWEST:
        assert not found.shares
        assert (
            f"the best tenth of the complete trials, {better} of {trials} with ties, is"
            in found.reason
        )
    else:
        assert set(found.shares) == set(found.p) == set(SPACE.names)


def test_ties_of_the_last_one_are_in_the_better_part() -> None:
    assert _better_part(np.array([0.1, 0.5, 0.5, 0.2])) == 2
    same = importances_in(SPACE.distributions, drawn(20), np.full(20, 0.5), 0)
    assert same.reason == "all complete trials have the same score"


@pytest.mark.parametrize(
    ("kind", "held", "first", "low"),
    [
        pytest.param("dqn", {"lookahead": 0}, "updates", 0.05, marks=pytest.mark.slow),
        ("mcts", {}, "temperature_plies", 0.2),
    ],
)
def test_of_the_sweeps_in_the_docs_chance_shows_as_much(
    kind: Any, held: dict[str, Any], first: str, low: float
) -> None:
    trials = pd.read_csv(DOCS / f"{kind}.csv")
    trials = trials[trials["state"] == "COMPLETE"]
    space = plan_of(SweepSettings(kind=kind, fix=held)).space
    values: Any = trials[space.names].astype(object).to_dict("records")
    scores = trials["score"].to_numpy()
    result = compute_importances(space.distributions, values, scores, 0, permutations=49)
    assert next(iter(result.shares)) == first
    assert low < min(result.p.values()) < 0.6
    assert not importances_in(space.distributions, values, scores, 0).shares


def sweep_folder(folder: Path, importances: Importances) -> Path:
    """A finished sweep as `show` and `plot` find it."""
    folder.mkdir()
    (folder / "config.toml").write_text('command = "sweep mcts"\nrules = "standard"\n')
    write(folder, SPACE, drawn(4), importances)
    return folder


def test_what_is_kept_of_them_is_shown(tmp_path: Path) -> None:
    known = Importances({"noise": 0.25, "network": 0.75}, {"noise": 0.4, "network": 0.005})
    folder = sweep_folder(tmp_path / "known", known)
    table = read_trials(folder)
    assert table is not None
    assert list(importances_of(table).shares) == ["network", "noise"]
    shown = " ".join(done("show", folder).out.split())
    assert "network 0.75 (p 0.005), noise 0.25 (p 0.400)" in shown
    plot_sweep(evolve.load_run(folder), Look()).save(tmp_path / "known.png")
    few = sweep_folder(tmp_path / "few", Importances(reason="no importances: too few"))
    assert "no importances: too few" in done("show", few).out
    plot_sweep(evolve.load_run(few), Look()).save(tmp_path / "few.png")
    assert (tmp_path / "few.png").stat().st_size != (tmp_path / "known.png").stat().st_size
