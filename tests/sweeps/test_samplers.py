"""Samplers and pruners by name: what they end, and that a stop changes nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evolve.errors import SettingsError
from evolve.sweeps.storage import open_journal
from evolve.sweeps.study import Study
from evolve.sweeps.trials import TrialResult, rows_of
from tests.sweeps import local, plan, run_one, take


@pytest.mark.parametrize("pruner", ["median", "race", "none"])
def test_pruners_by_name(pruner: Any, tmp_path: Path) -> None:
    study = local(tmp_path, trials=30, pruner=pruner, sampler="random", startup=3)
    for number in range(30):
        taken = take(study)
        score = (number * 7 % 10) / 10
        for step in range(1, 5):
            if study.report(taken.number, step, score, 0.01):
                study.end(taken.number, TrialResult.pruned())
                break
        else:
            study.end(taken.number, TrialResult.complete(score, 0.1, "x"))
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


@pytest.mark.parametrize("sampler", ["tpe", "random", "cma"])
def test_no_sampler_proposes_what_breaks_a_requirement(sampler: Any, tmp_path: Path) -> None:
    program = "gtp:python3 --lo {lo:0.0:9=1} --hi {hi:0.0:9=8} --s {s:a|b}"
    given = {"sampler": sampler, "trials": 40, "startup": 4}
    rule = ["lo + 4 < hi", "s == 'a' or lo < 1"]
    made = plan("program", program=program, require=rule, **given)
    study = Study(made, open_journal(tmp_path / "journal.log"), "s")
    for number in range(30):
        run_one(study, 0.5 + 0.01 * ((7 * number) % 12))
    values = [one.params for one in study.trials()]
    assert all(one["lo"] + 4 < one["hi"] and (one["s"] == "a" or one["lo"] < 1) for one in values)


def test_a_small_space_is_searched_whole_within_its_requirement(tmp_path: Path) -> None:
    program = "gtp:python3 --lo {lo:1:4} --hi {hi:1:4=4}"
    made = plan("program", program=program, require=["lo < hi"], trials=20)
    assert made.space.count == 6
    assert made.bounded.trials == 6
    study = Study(made, open_journal(tmp_path / "journal.log"), "s")
    for _ in range(6):
        taken = take(study)
        study.end(taken.number, TrialResult.complete(0.5, 0.1, "x", {"games": 4}))
    assert len({(one.params["lo"], one.params["hi"]) for one in study.trials()}) == 6
    assert study.is_over


@pytest.mark.parametrize(
    ("require", "said"),
    [
        ("lo < nonesuch", "there is no parameter 'nonesuch'; there are lo, hi"),
        ("lo > hi + 9", "no setting in these ranges fulfils"),
        ("lo > hi", "the defaults, lo = 3, hi = 4, break 'lo > hi'"),
        ("lo == 'a' or lo < 'b'", "mixes texts and numbers"),
    ],
)
def test_requirements_that_cannot_be(require: str, said: str) -> None:
    made = plan("program", program="gtp:x {lo:1:4} {hi:1:4=4}", require=[require])
    with pytest.raises(SettingsError, match=re.escape(said)):
        _ = made.defaults
