"""The trials over each setting: what varies, what decides the score, and where they are too few."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.sweeps.scatter import Scatter, Setting, scatter_of
from evolve.tables.trials import write_trials

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
    assert (scatter.note == "") is enough
    assert (names == ["idle", "x", "style", "rate"]) is not enough
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
    made(tmp_path, 12)
    (tmp_path / "final.json").write_text('{"trials": 12, "winner": 4}')
    scatter = scatter_of(tmp_path)
    assert scatter.winner is not None
    assert scatter.trials[scatter.winner] == 4


def test_choices_have_their_order_and_ratios_their_scale() -> None:
    flag = Setting.of("flag", [True, None, False])
    assert (flag.choices, flag.places[0], flag.places[2]) == (("False", "True"), 1.0, 0.0)
    assert np.isnan(flag.places[1])
    rate = Setting.of("rate", [0.001, 0.01, 0.1])
    assert (rate.log, rate.places) == (True, pytest.approx([0.0, 0.5, 1.0]))
    assert not Setting.of("weights", [-200, 0, 200]).log
