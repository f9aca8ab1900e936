"""What a sweep has found: its winner beside the defaults, and how to use it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from evolve.cli.main import main
from evolve.config.sweep import SweepSettings
from evolve.config.toml import config_text
from evolve.sweeps.findings import winner_of
from evolve.sweeps.plan import plan_of
from evolve.tables.trials import write_trials


def swept(folder: Path, values: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """The winner of a sweep with these trials, the first of them the defaults'."""
    sweep = SweepSettings(**settings)
    plan = plan_of(sweep)
    text = config_text(sweep, {"evolve": "0"}, f"sweep {sweep.kind}")
    (folder / "config.toml").write_text(text)
    values = [{**(plan.defaults or {}), **one} for one in values]
    empty = dict.fromkeys(("score_error", "seconds", "worker", "games", "agent", "reason"))
    usual = {**empty, "state": "COMPLETE", "score": 0.5, "reports": []}
    rows = [
        {**usual, "number": number, "origin": "sampler" if number else "defaults", **one}
        for number, one in enumerate(values)
    ]
    write_trials(folder, rows, {p.name: p.type for p in plan.space.parameters})
    return winner_of(folder)


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
