"""What a sweep has found, beside the defaults, and how to use it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from evolve.cli.main import main
from evolve.config.sweep import SweepSettings
from evolve.config.toml import config_text
from evolve.sweeps.plan import plan_of
from evolve.sweeps.winner import TunedProgram, winner_of
from evolve.tables.trials import Importances, write_trials


def swept(folder: Path, values: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """The winner of a sweep with these trials, the first of them the defaults'."""
    sweep = SweepSettings(**settings)
    plan = plan_of(sweep)
    text = config_text(sweep, {"evolve": "0"}, f"sweep {sweep.kind}")
    (folder / "config.toml").write_text(text)
    rows = [
        {
            **dict.fromkeys(("score_error", "seconds", "worker", "games", "agent", "reason")),
            "number": number,
            "state": "COMPLETE",
            "reports": [],
            "origin": "sampler" if number else "defaults",
            **(plan.defaults or {}),
            **one,
        }
        for number, one in enumerate(values)
    ]
    types = {one.name: one.type for one in plan.space.parameters}
    write_trials(folder, rows, types, Importances())
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


def test_a_line_to_copy_plays_the_winner() -> None:
    best = TunedProgram(program="gtp:./my engine", environment={"corner": "a b"})
    assert shlex.split(best.match_line)[:4] == ["corner=a b", "evolve", "match", "gtp:./my engine"]


@pytest.mark.parametrize(
    "best", ["{}", "[]", "no JSON", '{"program": 3}', '{"program": "x", "environment": {"a": 1}}']
)
def test_a_best_json_from_elsewhere_gives_no_lines(tmp_path: Path, best: str) -> None:
    (tmp_path / "best.json").write_text(best)
    assert swept(tmp_path, [{"score": 0.4}], kind="alphabeta")["lines"] == []


def test_values_over_gtp_are_shown_as_commands(tmp_path: Path) -> None:
    best = {"program": "gtp:./mine", "commands": ["set_param x 3"]}
    (tmp_path / "best.json").write_text(json.dumps(best))
    found = swept(tmp_path, [{"score": 0.4}], kind="alphabeta")
    assert [one["line"] for one in found["lines"]] == ["gtp:./mine", "set_param x 3"]
