"""Samplers and pruners by name: what they end, and that a stop changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evolve.sweeps.trials import Outcome, rows_of
from tests.sweeps import local, run_one


@pytest.mark.parametrize("pruner", ["median", "hyperband", "asha", "none"])
def test_pruners_by_name(pruner: Any, tmp_path: Path) -> None:
    study = local(tmp_path, trials=30, pruner=pruner, sampler="random", startup=3)
    for number in range(30):
        taken = study.take("w")
        assert taken is not None
        score = (number * 7 % 10) / 10
        for step in range(1, 5):
            if study.report(taken.number, step, score, 0.01):
                study.end(taken.number, Outcome.pruned())
                break
        else:
            study.end(taken.number, Outcome.complete(score, 0.1, "x"))
    rows = rows_of(study.trials(), study.plan.space.names)
    pruned = [row["score"] for row in rows if row["state"] == "PRUNED"]
    complete = [row["score"] for row in rows if row["state"] == "COMPLETE"]
    assert len(pruned) + len(complete) == 30
    assert [row["state"] for row in rows[:3]] == ["COMPLETE"] * 3  # of the startup
    if pruner == "none":
        assert not pruned
    else:
        assert len(pruned) >= 5
        assert sum(pruned) / len(pruned) < sum(complete) / len(complete)


@pytest.mark.parametrize(
    "sampler", ["tpe", "random", "cma", pytest.param("gp", marks=pytest.mark.learning)]
)
def test_a_stopped_study_goes_on_as_if_it_had_not_been(sampler: Any, tmp_path: Path) -> None:
    settings = {"trials": 12, "sampler": sampler, "startup": 10}
    count = 11 if sampler == "gp" else 12  # a Gaussian process takes seconds

    def values(folder: Path, stops: bool) -> list[Any]:
        folder.mkdir()
        study = local(folder, **settings)
        for number in range(count):
            run_one(study, 0.5 + 0.01 * ((7 * number) % 12))
            if stops:
                study = local(folder, **settings)
        return [trial.params for trial in study.trials()]

    whole = values(tmp_path / "a", False)
    assert values(tmp_path / "b", True) == whole
    assert len({json.dumps(one) for one in whole}) == count
