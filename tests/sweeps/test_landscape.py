"""Landscapes: the hill is where it is, and what nobody tried is uncertain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.config.ranges import value_at
from evolve.sweeps.landscape import FEWEST, Axis, Trials
from evolve.tables.trials import Importances, write_trials

RNG = np.random.default_rng(0)


def rows(count: int = 40, **others: Any) -> list[dict[str, Any]]:
    found = []
    for number in range(count):
        x, y = float(RNG.uniform(0, 10)), int(RNG.integers(0, 21))
        score = 0.8 - 0.01 * (x - 7) ** 2 - 0.001 * (y - 5) ** 2 + RNG.normal(0, 0.02)
        origin = "sampler" if number else "defaults"
        facts = {"number": number, "score": score, "score_error": 0.02, "origin": origin}
        found.append({**facts, "x": x, "y": y, **others})
    return found


def test_the_hill_is_found() -> None:
    made = rows()
    land = Trials(made, [], [], None).over(["x", "y"], (30, 20))
    assert land is not None
    assert land.y is not None
    assert land.mean.shape == land.error.shape == (20, 30)
    up, across = np.unravel_index(land.mean.argmax(), land.mean.shape)
    assert value_at(land.across[across], land.x) == pytest.approx(7, abs=1.5)
    assert value_at(land.up[up], land.y) == pytest.approx(5, abs=5)
    best = max(made, key=lambda row: row["score"])
    assert value_at(land.best[0], land.x) == pytest.approx(best["x"])
    assert land.defaults is not None
    assert value_at(land.defaults[0], land.x) == pytest.approx(made[0]["x"])


def test_it_is_uncertain_where_nothing_was_tried() -> None:
    made = [row for row in rows(60) if row["x"] < 5]
    made += [{**rows(1)[0], "x": 10.0, "y": 0}, {**made[0], "x": 0.0}]  # with 0: no scale of ratios
    land = Trials(made, [], [], None).over(["x", "y"], (20, 20))
    assert land is not None
    assert land.error[10, 17] > 1.5 * land.error[10, 4]


def test_parameters_that_do_not_vary_are_left_out() -> None:
    land = Trials(rows(held=3), [], [], None).over(["held", "x", "y"], (9, 9))
    assert land is not None
    assert land.x.name == "x"
    alone = Trials(rows(), [], [], None).over(["x"], (9, 9))
    assert alone is not None
    assert alone.y is None
    assert alone.mean.shape == (1, 9)
    assert Trials(rows(held=3), [], [], None).over(["held"], (9, 9)) is None
    assert Trials(rows(FEWEST - 1), [], [], None).over(["x", "y"], (9, 9)) is None


def test_repeated_settings_count_once(tmp_path: Path) -> None:
    made = [{"state": "COMPLETE", **row} for row in rows(12)]
    made[9] |= {"score": made[3]["score"], "reason": "the settings of trial 3"}
    made[5] |= {"reason": "the worker died"}  # as another one counted it as dead
    write_trials(tmp_path, made, {"x": float, "y": int}, Importances())
    numbers = [row["number"] for row in Trials.of(tmp_path).rows]
    assert numbers == [number for number in range(12) if number != 9]


def test_choices_have_no_order_and_ratios_their_scale() -> None:
    made = rows()
    for row in made:
        row["style"] = "abc"[row["number"] % 3]
        row["score"] = 0.7 if row["style"] == "b" else 0.4
        row["rate"] = 10.0 ** (row["x"] / 3)
    land = Trials(made, [], [], None).over(["style", "rate"], (9, 9))
    assert land is not None
    assert land.mean.shape == (9, 3)
    assert (land.mean.argmax(axis=1) == 1).all()
    assert land.y is not None
    assert land.y.log
    assert value_at(0.5, land.y) == pytest.approx((land.y.low * land.y.high) ** 0.5)
    assert Axis.of("flag", [True, False, True]).choices == ("False", "True")
