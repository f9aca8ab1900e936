"""Studies: who works on what, exactly so many trials, and nothing lost with those who die."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.trial import TrialState, create_trial

from evolve.errors import RunError, StorageError
from evolve.sweeps.samplers import Proposer
from evolve.sweeps.study import Study
from evolve.sweeps.trial import Report, Task, TrialResult, known_result
from tests.sweeps import (
    HELD,
    SEARCHED,
    completed,
    local,
    plan,
    run_one,
    small_plan,
    states,
    table_of,
    trial_of,
)


def test_trials_are_read_once_until_something_is_written(tmp_path: Path) -> None:
    study = local(tmp_path)
    held = study.trials()
    assert study.trials() is held
    study.take()
    assert [trial.state for trial in study.trials()] == [TrialState.RUNNING]
    assert held[0].state == TrialState.WAITING, "what was read stays as it was"


def test_interrupted_trials_come_again_with_their_values(tmp_path: Path) -> None:
    first = local(tmp_path)
    values = [first.take(), first.take()]
    assert values[0].values == first.plan.defaults != values[1].values
    assert set(values[1].values) == set(first.plan.space.names) == set(SEARCHED)
    first.release(1)
    assert states(first) == {"RUNNING": 1, "WAITING": 1}
    second = local(tmp_path)  # the folder's lock says that the first one is gone
    assert second.interrupted() == [0, 1]
    assert states(second) == {"WAITING": 2}
    assert second.budget.open == 4
    assert [second.take(), second.take()] == values
    assert [row["origin"] for row in table_of(second)] == ["defaults", "sampler"]


def play_one(study: Study) -> None:
    """A trial from its proposal to its end, pruned or not, its scores drawn from its values."""
    taken = study.take()
    text = json.dumps(taken.values, sort_keys=True)
    scores = np.random.default_rng(zlib.crc32(text.encode())).random(4)
    for step, score in enumerate(scores, 1):
        if study.report(taken.number, Report(step, float(score), 0.1)):
            study.end(taken.number, TrialResult(TrialState.PRUNED, {"seconds": 1.0}))
            return
    study.end(taken.number, completed(float(scores[-1])))


SMALL: dict[str, Any] = {
    "fix": {**HELD, "learning_rate": 0.01, "simulations": 20, "network": "dense"},
    "space": {"noise": {"choices": [0.05 * number for number in range(12)]}},
}
"""Twelve settings, and the defaults, which are none of them."""


@pytest.mark.parametrize(
    ("sampler", "pruner", "few"),
    [
        pytest.param("tpe", "median", {}, marks=pytest.mark.slow),
        pytest.param("random", "median", {}, marks=pytest.mark.slow),
        ("tpe", "none", {}),
        ("random", "none", {}),
        ("cma", "none", {}),
        pytest.param("cma", "race", {}, marks=pytest.mark.slow),
        pytest.param("gp", "none", {}, marks=pytest.mark.learning),
        ("tpe", "none", SMALL),
    ],
)
def test_a_journal_cut_off_anywhere_gives_the_same_table(
    sampler: Any, pruner: Any, few: dict[str, Any], tmp_path: Path
) -> None:
    """What `kill -9` leaves is what was written before it: here up to any byte of a trial."""
    trials = 30 if few or pruner != "none" else 8 if sampler == "gp" else 12  # a GP takes seconds
    settings = {"trials": trials, "sampler": sampler, "pruner": pruner, "startup": 6, **few}
    rng = np.random.default_rng(zlib.crc32(f"{sampler} {pruner}".encode()))

    def table(folder: Path, kills: int) -> list[dict[str, Any]]:
        folder.mkdir()
        journal = folder / "journal.log"
        study = local(folder, **settings)
        while not study.budget.over:
            before = journal.stat().st_size
            play_one(study)
            if not kills or rng.random() > 0.7:
                continue
            kills -= 1
            for _ in range(2):  # the second one while it takes up again what the first has left
                size = journal.stat().st_size
                os.truncate(journal, int(rng.integers(before, size + 1)))
                before = journal.read_bytes().rfind(b"\n") + 1
                study = local(folder, **settings)
                study.interrupted()
        assert kills == 0
        return [{**row, "seconds": None} for row in table_of(study)]

    whole = table(tmp_path / "whole", 0)
    assert pruner == "none" or len({row["state"] for row in whole}) == 2
    assert table(tmp_path / "cut", 8 if few else trials) == whole


def test_pruned_trials_keep_their_last_score_and_no_defaults_are_pruned(tmp_path: Path) -> None:
    study = local(tmp_path, trials=12, pruner="median", startup=3)
    asked: list[list[bool]] = []
    for number in range(12):
        taken = study.take()
        score = 0.1 if number in (0, 11) else 0.9
        reports = [Report(1, 0.2, 0.01), Report(2, score, 0.01)]
        asked.append([study.report(taken.number, report) for report in reports])
        if asked[-1][-1]:
            study.end(taken.number, TrialResult.pruned())
        else:
            study.end(taken.number, completed(score))
    assert asked == [[False, number == 11] for number in range(12)]
    assert states(study) == {"COMPLETE": 11, "PRUNED": 1}
    row = table_of(study)[11]
    assert (row["state"], row["score"], row["reports"]) == ("PRUNED", 0.1, [0.2, 0.1])


def test_a_study_of_another_sweep_is_refused(tmp_path: Path) -> None:
    local(tmp_path)
    with pytest.raises(RunError, match="budget"):
        local(tmp_path, budget=7.0)
    with pytest.raises(RunError, match="kind"):
        Study(plan("dqn"), tmp_path / "journal.log")
    with pytest.raises(RunError, match="seed"):
        local(tmp_path, seed=4)  # the panel's openings come of it
    with pytest.raises(RunError, match="space"):
        local(tmp_path, space={"noise": {"low": 0.0, "high": 0.1}})
    local(tmp_path, trials=9, sampler="random", startup=7)  # these may differ
    foreign = tmp_path / "foreign.log"
    backend = optuna.storages.journal.JournalFileBackend(str(foreign))
    study = optuna.create_study(storage=optuna.storages.JournalStorage(backend))
    study.add_trial(create_trial(value=1.0))
    with pytest.raises(RunError, match="evolve's"):
        Study(small_plan(), foreign)


RANGES = {
    "x_squares.0": {"low": -1, "high": 1},
    "mobility.0": {"choices": [0, 7]},
    "stability.0": {"low": -20, "high": 9, "step": 20},
}
FIXED: dict[str, Any] = {"depths": 1, "endgame": 0}
FIXED |= {n: v for n, v in (plan("alphabeta", fix=FIXED).defaults or {}).items() if n not in RANGES}
"""12 settings in all, the defaults among them."""


def opened(folder: Path, **changes: Any) -> Study:
    few: dict[str, Any] = {"fix": FIXED, "space": RANGES, "trials": 40, "startup": 3, **changes}
    made = plan("alphabeta", panel=("random", "swh"), **few)
    return Study(made, folder / "journal.log")


def worth(values: dict[str, Any]) -> float:
    return zlib.crc32(repr(sorted(values.items())).encode()) / 2**32


def end(study: Study, task: Task) -> None:
    study.report(task.number, Report(1, worth(task.values), 0.1))
    study.end(task.number, completed(worth(task.values)))


def settings_of(study: Study) -> list[tuple[Any, ...]]:
    names = study.plan.space.names
    return [tuple(trial.params[name] for name in names) for trial in study.trials()]


@pytest.mark.parametrize("sampler", ["tpe", "cma", "random"])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_small_space_is_searched_once(sampler: str, workers: int, tmp_path: Path) -> None:
    """Several trials are in hand at a time, and every fourth fails."""
    study = opened(tmp_path, sampler=sampler)
    assert study.plan.space.count == 12
    hand: list[Any] = []
    while not study.budget.over:
        while len(hand) < workers and study.budget.open > 0:
            hand.append(study.take())
        assert hand, "a sweep that waits for nobody"
        task = hand.pop(0)
        if task.number % 4 == 3:
            study.end(task.number, TrialResult.failed("it crashed"))
        else:
            end(study, task)
    tried = settings_of(study)
    assert len(tried) == len(set(tried)) == 12
    assert study.budget == (9, 9, 12, 0, True, True)


def test_more_settings_than_trials_are_not_exhausted(tmp_path: Path) -> None:
    study = opened(tmp_path, trials=5)
    while study.budget.open > 0:
        end(study, study.take())
    assert (study.budget.over, study.budget.exhausted, study.budget.finished) == (True, False, 5)
    assert len(set(settings_of(study))) == 5


def test_values_that_come_again_are_known_meanwhile(tmp_path: Path) -> None:
    study = opened(tmp_path)
    first, second = study.take(), study.take()
    study.release(second.number)
    assert study.budget.open == 11, "10 that are new, and one that waits"
    tasks = [study.take() for _ in range(11)]
    assert study.budget.open == 0
    assert not study.budget.over
    assert len({tuple(task.values.values()) for task in (first, *tasks)}) == 12


def test_the_defaults_are_played_even_where_their_result_is_known(tmp_path: Path) -> None:
    """They need an agent of their own: the final plays it."""
    study = opened(tmp_path)
    first = study.take()
    for _ in range(2):
        study.study.enqueue_trial(dict(first.values))
    second = study.take()
    assert second.result is None, "nothing is known yet"
    end(study, second)
    study.release(first.number)
    again, third = study.take(), study.take()
    assert third.result is not None
    assert (again.number, again.values, again.result) == (0, first.values, None)


def insist_on(proposer: Proposer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a proposer propose 0 for everything, but what is by chance."""
    usual = proposer._drawn

    def insisting(name: str, *given: Any) -> dict[str, Any]:
        return usual(name, *given) if name == "random" else dict.fromkeys(proposer._varied, 0)

    monkeypatch.setattr(proposer, "_drawn", insisting)


def test_repeated_settings_have_their_result_and_at_most_so_many_in_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = {**RANGES, "stability.0": {"low": -40, "high": 40}}
    study = opened(tmp_path, space=wide, trials=30)
    insist_on(study._proposer, monkeypatch)
    results: list[bool] = []
    while not study.budget.over:
        task = study.take()
        if task.result is None:
            end(study, task)
        else:
            study.end(task.number, task.result)
        results.append(task.result is not None)
    assert results[:12] == [False, *[True] * 5, False, *[True] * 5]
    rows = table_of(study)
    expected = ["COMPLETE", rows[0]["score"], "the settings of trial 0", None]
    assert [rows[1][key] for key in ("state", "score", "reason", "agent")] == expected


def test_what_is_known() -> None:
    waiting = create_trial(state=TrialState.WAITING, system_attrs={"fixed_params": {"x": 3}})
    trials = [
        trial_of(0, 0.0, x=0, score_error=0.3),
        trial_of(1, 0.1, TrialState.PRUNED, x=1),
        trial_of(2, x=2),
        waiting,
        trial_of(4, None, TrialState.FAIL, x=4, reason="it crashed"),
        trial_of(5),
    ]

    def result(value: int) -> TrialResult | None:
        return known_result(trial_of(6, x=value), trials)

    assert [value for value in range(9) if result(value) is not None] == [0, 1, 4]
    facts = {"same_as": 0, "reason": "the settings of trial 0", "score_error": 0.3}
    assert result(0) == TrialResult(TrialState.COMPLETE, facts, 0.0)
    assert result(4) == TrialResult(TrialState.FAIL, {"same_as": 4, "reason": "it crashed"})


@pytest.mark.parametrize("high", ["3", "10.0"])
def test_a_sampler_that_insists_on_what_is_not_allowed_is_not_listened_to(
    high: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan("program", program=f"gtp:x {{a:0:{high}=2}}", require=["a > 1"])
    proposer = Proposer(made)
    insist_on(proposer, monkeypatch)
    study = optuna.create_study(sampler=proposer)
    asked = [study.ask(made.space.distributions).params["a"] for _ in range(5)]
    assert min(asked) > 1


def test_other_programs_open_the_same_journal(tmp_path: Path) -> None:
    run_one(local(tmp_path), 0.5)
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "journal.log"))
    study = optuna.load_study(study_name="sweep", storage=optuna.storages.JournalStorage(backend))
    assert study.best_value == 0.5
    study.set_user_attr("note", "from the dashboard")
    assert local(tmp_path).study.user_attrs["note"] == "from the dashboard"


@pytest.mark.parametrize("content", [bytes(9), b"notes\nof mine", b"\n{}\n"])
def test_a_file_that_is_no_journal_is_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"journal\.log"):
        Study(small_plan(), path)
    assert path.read_bytes() == content
