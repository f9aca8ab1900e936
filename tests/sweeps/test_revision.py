"""Other ranges for a sweep that has begun: trials that fit count, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

from evolve.errors import RunError
from evolve.files.folder import inside
from evolve.sweeps.optuna_study import Study
from evolve.sweeps.plan import plan_of
from evolve.sweeps.revision import newest_name
from evolve.sweeps.storage import open_journal
from evolve.sweeps.sweep import Sweep
from evolve.sweeps.trials import rows_of
from tests.sweeps import plan, run_one

PROGRAM = "gtp:python3 --x {x:0:30=10} --s {s:a|b|c}"


def study(path: Path, **settings: Any) -> Study:
    made = plan("program", program=PROGRAM, **{"startup": 2, "trials": 30, **settings})
    return Study(made, open_journal(path / "journal.log"), "s")


def begun(path: Path, count: int = 12) -> Study:
    made = study(path, sampler="random")
    for number in range(count):
        run_one(made, number / 20)
    return made


def test_trials_that_fit_count_and_the_others_keep_their_numbers(tmp_path: Path) -> None:
    before = begun(tmp_path)
    ranges = {"x": {"low": 5, "high": 40}, "s": {"choices": ["a", "b", "d"]}}
    after = study(tmp_path, space=ranges)
    assert after.revised
    fit = [one for one in before.trials() if 5 <= one.params["x"] <= 30 and one.params["s"] in "ab"]
    assert 0 < len(fit) < 12, "some of both, or this tests nothing"
    assert [one.params for one in after.trials()] == [one.params for one in fit]
    assert [one.values for one in after.trials()] == [one.values for one in fit]
    assert after.finished() == len(fit)
    rows = rows_of(after.listed(), after.plan.space.names)
    assert [row["number"] for row in rows] == list(range(12))
    lost = [row for row in rows if row["state"] == "FAIL"]
    assert len(lost) == 12 - len(fit)
    assert all("outside of the ranges" in row["reason"] for row in lost)
    # The sampler learns from them, as their ranges are those of the study.
    assert run_one(after, 0.9) == 12
    assert "d" in after.study.get_trials()[-1].distributions["s"].choices
    again = study(tmp_path, space=ranges)
    assert not again.revised
    assert len(again.listed()) == 13
    back = study(tmp_path)
    assert back.revised
    assert back.finished() == 12, "and not the one of the wider range, x = 37"
    assert [one.values for one in back.trials()[:12]] == [one.values for one in before.trials()]


def test_requirements_may_change_too(tmp_path: Path) -> None:
    begun(tmp_path)
    after = study(tmp_path, require=["x > 5 or s == 'a'"])
    assert after.revised
    assert all(one.params["x"] > 5 or one.params["s"] == "a" for one in after.trials())


def test_what_was_being_played_is_played_again(tmp_path: Path) -> None:
    before = begun(tmp_path, 3)
    running = before.take("w")
    assert running is not None
    after = study(tmp_path, space={"x": {"low": 0, "high": 60}})
    assert after.take("w") == running


def test_one_that_was_killed_on_its_way_is_made_again(tmp_path: Path) -> None:
    storage = begun(tmp_path).storage.optuna
    optuna.create_study(storage=storage, study_name="s~2", direction="maximize")
    after = study(tmp_path, space={"x": {"low": 0, "high": 60}})
    assert after.study.study_name == "s~2"
    assert after.finished() == 12
    assert newest_name(storage, "s") == "s~2"


def test_another_sweep_stays_another(tmp_path: Path) -> None:
    begun(tmp_path, 2)
    with pytest.raises(RunError, match=r"of another sweep: .*pairs"):
        study(tmp_path, pairs=7, space={"x": {"low": 0, "high": 60}})


def test_states_are_kept(tmp_path: Path) -> None:
    before = begun(tmp_path, 2)
    taken = before.take("w")
    assert taken is not None
    before.lose(taken.number, "gone", blamed=False)
    after = study(tmp_path, space={"x": {"low": 0, "high": 60}})
    assert [one.state for one in after.trials()] == [TrialState.COMPLETE] * 2 + [TrialState.WAITING]
    assert plan_of(after.plan.sweep).space["x"].high == 60


def test_a_kill_before_new_ranges_count_leaves_them_to_the_next_start(tmp_path: Path) -> None:
    made = begun(tmp_path, 2)
    wider = plan(
        "program", program=PROGRAM, startup=2, trials=30, space={"x": {"low": 0, "high": 60}}
    )

    def killed() -> None:
        assert newest_name(made.storage.optuna, "s") == "s", "the new study does not count yet"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Study(wider, open_journal(tmp_path / "journal.log"), "s", revising=killed)
    assert not study(tmp_path).revised, "it is as it was"
    assert Study(wider, open_journal(tmp_path / "journal.log"), "s").revised


def test_the_winner_of_other_ranges_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the best of the trials that still fit is the champion; config.toml is the new one."""
    monkeypatch.setattr("evolve.sweeps.sweep.checked_plan", plan_of)  # it starts no program
    begun(tmp_path, 6)
    results = ("final.json", "best.json", "best.toml", "champion.json", "champion.npz")
    for file in results:
        (tmp_path / file).write_text("of before")
    settings = {"program": PROGRAM, "startup": 2, "trials": 30, "study": "s"}
    ranges = {"x": {"low": 9, "high": 11}, "s": {"choices": ["a", "d"]}}
    sweep = Sweep(
        inside(tmp_path), plan("program", **settings, space=ranges).sweep, config="the new one"
    )
    fit = sweep.study.trials()
    sweep.close()
    there = {file for file in results if (tmp_path / file).exists()}
    assert there == {"best.json", "best.toml"}
    best = json.loads((tmp_path / "best.json").read_text())
    assert best["parameters"] == max(fit, key=lambda one: one.values[0]).params
    assert best["parameters"]["x"] in (9, 10, 11)
    assert (tmp_path / "config.toml").read_text() == "the new one"
