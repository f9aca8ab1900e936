"""What a sweep has found: its winner beside the defaults, and how to use it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.cli.main import main
from evolve.config.sweep import SweepSettings
from evolve.config.toml import config_text
from evolve.sweeps.findings import winner_of
from evolve.sweeps.plan import plan_of
from evolve.sweeps.scatter import Scatter, Setting, scatter_of
from evolve.tables.trials import write_trials


def swept(folder: Path, values: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """The winner of a sweep with these trials, the first of them the defaults'."""
    sweep = SweepSettings(**settings)
    plan = plan_of(sweep)
    text = config_text(sweep, {"evolve": "0"}, f"sweep {sweep.kind}")
    (folder / "config.toml").write_text(text)
    usual = {**(plan.defaults or {}), "state": "COMPLETE", "score": 0.5}
    origins = ["defaults", *["sampler"] * len(values)]
    rows = [{**usual, "number": n, "origin": origins[n], **one} for n, one in enumerate(values)]
    write_trials(folder, rows, plan.space.types)
    return winner_of(folder)


def test_settings_are_a_line_to_copy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trials = [{"score": 0.4}, {"score": 0.6, "rate": 2.0}, {"score": 0.5}]
    found = swept(tmp_path, trials, kind="patterns")
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


def test_all_that_a_network_is_made_of_is_in_the_line(tmp_path: Path) -> None:
    trials = [{"score": 0.4}, {"score": 0.6, "network": "revnet"}]
    (line,) = swept(tmp_path, trials, kind="mcts")["lines"]
    words = shlex.split(line["line"])
    found = [words[words.index(option) + 1] for option in ("--input", "--layers")]
    assert found == ["canonical", "gate,gate,dense 1 tanh"]


def test_an_agent_s_own_numbers_are_no_settings(tmp_path: Path) -> None:
    found = swept(tmp_path, [{"score": 0.4}], kind="alphabeta")
    assert (found["trial"], found["chosen"], found["lines"]) == (0, False, [])
    (tmp_path / "final.json").write_text(json.dumps({"trials": 1, "winner": 0}))
    assert winner_of(tmp_path)["chosen"]


def test_before_a_trial_has_ended_there_is_nothing(tmp_path: Path) -> None:
    swept(tmp_path, [{"state": "RUNNING", "score": None}], kind="alphabeta")
    assert winner_of(tmp_path)["trial"] is None


@pytest.mark.parametrize(
    ("best", "words"),
    [
        ("{}", []),
        ("[]", []),
        ("no JSON", []),
        ('{"program": 3}', []),
        ('{"program": "gtp:./my engine"}', ["evolve", "match", "gtp:./my engine"]),
        ('{"program": "gtp:x", "commands": ["set x 3"]}', ["evolve", "match", "FOLDER"]),
        ('{"program": "gtp:x", "environment": {"x": "3"}}', ["evolve", "match", "FOLDER"]),
    ],
)
def test_a_line_to_copy_plays_the_winner(best: str, words: list[str], tmp_path: Path) -> None:
    """Its folder does where a command cannot say the values; files from elsewhere have none."""
    (tmp_path / "best.json").write_text(best)
    lines = swept(tmp_path, [{"score": 0.4}], kind="alphabeta")["lines"]
    found = [word for one in lines for word in shlex.split(one["line"])[:3]]
    assert [word.replace(str(tmp_path), "FOLDER") for word in found] == words


TYPES = {"idle": int, "x": float, "held": int, "style": str, "rate": float}


def made(folder: Path, count: int, **others: Any) -> Scatter:
    """The scatter of so many trials, whose score is that of x alone; the first has the defaults."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(count):
        x = float(rng.uniform(0, 10))
        values = {"idle": int(rng.integers(0, 21)), "x": x, "held": 3, "style": "abc"[number % 3]}
        values["rate"] = 10.0 ** rng.uniform(-5, -1)
        origin = "sampler" if number else "defaults"
        facts = {"number": number, "state": "COMPLETE", "score": 0.8 - 0.01 * (x - 7) ** 2}
        rows.append({**facts, "origin": origin, **values, **others.get(f"of_{number}", {})})
    write_trials(folder, rows, TYPES)
    return scatter_of(folder)


def test_the_setting_that_decides_the_score_comes_first(tmp_path: Path) -> None:
    scatter = made(tmp_path, 40)
    assert {setting.name for setting in scatter.settings} == {*TYPES} - {"held"}
    first = scatter.settings[0]
    assert (first.name, scatter.note, scatter.defaults) == ("x", "", 0)
    assert scatter.winner == int(np.argmax(scatter.scores))
    assert first.values[scatter.winner] == pytest.approx(7, abs=0.5)
    assert max(map(abs, scatter.colours)) == pytest.approx(1)
    assert sum(scatter.colours) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("count", "enough"), [(6, False), (11, False), (12, True)])
def test_under_three_trials_a_setting_the_order_says_nothing(
    count: int, enough: bool, tmp_path: Path
) -> None:
    scatter = made(tmp_path, count)
    names = [setting.name for setting in scatter.settings]
    assert (names != ["idle", "x", "style", "rate"]) is (scatter.note == "") is enough
    assert ("4 settings" in scatter.note) is not enough


def test_a_result_counts_once_and_one_without_a_score_not_at_all(tmp_path: Path) -> None:
    repeated = {"of_9": {"reason": "the settings of trial 3"}}
    failed = {"of_5": {"state": "FAIL", "score": None}, "of_6": {"reason": "the worker died"}}
    scatter = made(tmp_path, 12, **repeated, **failed)
    assert scatter.trials == [number for number in range(12) if number not in (5, 9)]


def test_before_the_first_trial_it_is_empty(tmp_path: Path) -> None:
    assert scatter_of(tmp_path) == Scatter([], [], [], [], None, None, "")
    assert made(tmp_path, 1).settings == []


def test_the_winner_is_that_of_the_final(tmp_path: Path) -> None:
    (tmp_path / "final.json").write_text('{"trials": 12, "winner": 4}')
    assert made(tmp_path, 12).winner == 4


def test_choices_have_their_order_and_ratios_their_scale() -> None:
    flag = Setting.of("flag", [True, None, False])
    assert (flag.choices, flag.places[0], flag.places[2]) == (("False", "True"), 1.0, 0.0)
    assert np.isnan(flag.places[1])
    rate = Setting.of("rate", [0.001, 0.01, 0.1])
    assert (rate.log, rate.places) == (True, pytest.approx([0.0, 0.5, 1.0]))
    assert not Setting.of("weights", [-200, 0, 200]).log
    assert not Setting.of("spread", [1.0, 60.0, 100.0]).log
