"""The curve of a sweep by SPSA: how strong the point is where the search is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.config.sweep import ProgramSweepSettings
from evolve.config.toml import config_text
from evolve.studies.course import Course, course_of
from evolve.tables.trials import CENTRE_COLUMNS, ESTIMATE, REPEATED, write_trials

PROGRAM = "gtp:x {a:0:9}"


def course(folder: Path, estimates: list[float], **settings: Any) -> Course:
    """Of trials of 10 games: the defaults, then by turns a step and an estimate of that Elo."""
    sweep = ProgramSweepSettings(program=PROGRAM, sampler="spsa", **settings)
    (folder / "config.toml").write_text(config_text(sweep, {"evolve": "0"}, "sweep program"))
    usual: dict[str, Any] = {"games": 10, "a": 5, "score": 0.5}
    rows = [{**usual, "state": "COMPLETE", "origin": "defaults", "elo": 0.0}]
    for elo in estimates:
        step = {**usual, "state": "PRUNED", "origin": "sampler", "score": 1.0}
        known = {"elo": elo, "elo_low": elo - 100, "elo_high": elo + 100}
        rows += [step, {**usual, **known, "state": "COMPLETE", "origin": ESTIMATE}]
    rows[-1]["reason"] = settings.get("start_from") and f"{REPEATED} 2"
    write_trials(folder, [{"number": number, **row} for number, row in enumerate(rows)], {"a": int})
    return course_of(evolve.load_run(folder), None)


def test_it_is_smoothed_elo_over_all_games_so_far(tmp_path: Path) -> None:
    found = course(tmp_path, [80.0, -60.0] * 10)
    assert found.steps == "games"
    assert found.x.tolist() == [10.0, *range(30, 420, 20)][: len(found.x)]
    assert found.y[0] == pytest.approx(0.0, abs=1.0)
    assert abs(found.y[10:] - 10.0).max() < 25.0
    assert found.low is not None
    assert 20.0 < found.y[10] - found.low[10] < 100.0, "less than of one estimate"
    table = evolve.load_run(tmp_path).trials
    assert table[CENTRE_COLUMNS.names[0]].dropna().tolist() == found.y.tolist()


def test_from_elsewhere_it_does_not_begin_at_the_defaults(tmp_path: Path) -> None:
    """And a setting that comes again measures nothing."""
    found = course(tmp_path, [200.0, 210.0, 190.0], start_from="runs/x")
    assert found.x.tolist() == [30.0, 50.0]
    assert found.y.min() > 150.0
