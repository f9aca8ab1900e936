"""Settings that were tried: their result is known, and a small space is searched whole."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState, create_trial

from evolve.sweeps.samplers import Proposer
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.storage import open_journal
from evolve.sweeps.study import Study
from evolve.sweeps.trials import SURPLUS, TrialResult, known_result
from tests.sweeps import plan, table_of, take

_GENES = plan("alphabeta", fix={"depths": 1, "endgame": 0})
SEARCHED = ("x_squares.0", "mobility.0", "stability.0")
FIXED = {n: v for n, v in (_GENES.defaults or {}).items() if n not in SEARCHED}
RANGES = {
    "x_squares.0": {"low": -1, "high": 1},
    "mobility.0": {"choices": [0, 7]},
    "stability.0": {"low": -20, "high": 9, "step": 20},
}
"""12 settings in all, the defaults among them."""


def opened(folder: Path, **changes: Any) -> Study:
    fix = {"depths": 1, "endgame": 0, **FIXED}
    few: dict[str, Any] = {"fix": fix, "space": RANGES, "trials": 40, "startup": 3, **changes}
    made = plan("alphabeta", panel=("random", "swh"), **few)
    return Study(made, open_journal(folder / "journal.log"), "s")


def worth(values: dict[str, Any]) -> float:
    return zlib.crc32(repr(sorted(values.items())).encode()) / 2**32


def end(study: Study, number: int, values: Any, fails: bool = False) -> None:
    if fails:
        study.end(number, TrialResult.failed("it crashed"))
    else:
        study.report(number, 1, worth(values), 0.1)
        study.end(number, TrialResult.complete(worth(values), 0.1, "x"))


def settings_of(study: Study) -> list[tuple[Any, ...]]:
    return [
        tuple(trial.params[name] for name in study.plan.space.names) for trial in study.trials()
    ]


@pytest.mark.parametrize("sampler", ["tpe", "cma", "random"])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_small_space_is_searched_once_and_whole(
    sampler: str, workers: int, tmp_path: Path
) -> None:
    """Several trials are in hand at a time, and every fourth fails."""
    study = opened(tmp_path, sampler=sampler)
    assert study.plan.space.count == 12
    hand: list[Any] = []
    while not study.is_over:
        while len(hand) < workers and study.open() > 0:
            hand.append(study.take("w"))
        assert hand, "a sweep that waits for nobody"
        task = hand.pop(0)
        end(study, task.number, task.values, fails=task.number % 4 == 3)
    tried = settings_of(study)
    assert len(tried) == len(set(tried)) == 12
    assert study.is_exhausted
    assert study.open() == 0
    assert study.progress == (9, 12)


def test_more_settings_than_trials_are_not_exhausted(tmp_path: Path) -> None:
    study = opened(tmp_path, trials=5)
    while study.open() > 0:
        task = take(study)
        end(study, task.number, task.values)
    assert (study.is_over, study.is_exhausted, study.finished()) == (True, False, 5)
    assert len(set(settings_of(study))) == 5


def test_values_that_come_again_are_known_meanwhile(tmp_path: Path) -> None:
    study = opened(tmp_path)
    first, second = take(study), take(study)
    study.release(second.number)
    assert study.open() == 11, "10 that are new, and one that waits"
    tasks = [study.take("w") for _ in range(11)]
    assert study.open() == 0
    assert not study.is_over
    found = [tuple(task.values.values()) for task in (first, *tasks) if task is not None]
    assert len(set(found)) == 12


def test_what_was_not_wanted_any_more_is_not_tried(tmp_path: Path) -> None:
    study = opened(tmp_path)
    task = take(study)
    assert len(study._untried(study.trials())) == 11
    study.end(task.number, TrialResult.failed(SURPLUS))
    assert len(study._untried(study.trials())) == 12


def test_the_defaults_are_played_even_where_their_result_is_known(tmp_path: Path) -> None:
    """They need an agent of their own: the final plays it."""
    study = opened(tmp_path)
    first = take(study)
    for _ in range(2):
        study.study.enqueue_trial(dict(first.values))
    second = take(study)
    assert second.result is None, "nothing is known yet"
    end(study, second.number, second.values)
    study.release(first.number)
    again, third = take(study), take(study)
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
    while not study.is_over:
        task = take(study)
        if task.result is None:
            end(study, task.number, task.values)
        else:
            study.end(task.number, task.result)
        results.append(task.result is not None)
    assert results[:12] == [False, *[True] * 5, False, *[True] * 5]
    rows = table_of(study)
    assert [rows[1][key] for key in ("state", "score", "reason", "agent")] == [
        "COMPLETE",
        rows[0]["score"],
        "the settings of trial 0",
        None,
    ]


def test_what_is_known() -> None:
    space = Space((Parameter("a", "int", "", 0, 9),))
    distributions = space.distributions

    def trial(value: int, state: TrialState, **facts: Any) -> FrozenTrial:
        score = 0.1 * value if state.is_finished() and state != TrialState.FAIL else None
        return create_trial(
            state=state, value=score, params={"a": value}, distributions=distributions,
            user_attrs=facts,
        )  # fmt: skip

    trials = [
        trial(0, TrialState.COMPLETE, score_error=0.3),
        trial(1, TrialState.PRUNED),
        trial(2, TrialState.RUNNING),
        create_trial(state=TrialState.WAITING, system_attrs={"fixed_params": {"a": 3}}),
        trial(4, TrialState.FAIL, reason="it crashed"),
        create_trial(state=TrialState.RUNNING),
        trial(5, TrialState.FAIL, reason=SURPLUS),
    ]
    for number, one in enumerate(trials):
        one.number = number

    def result(value: int) -> TrialResult | None:
        return known_result(trial(value, TrialState.RUNNING), trials, space.names)

    assert [value for value in range(9) if result(value) is not None] == [0, 1, 4]
    assert result(0) == TrialResult(
        TrialState.COMPLETE,
        {"same_as": 0, "reason": "the settings of trial 0", "score_error": 0.3},
        0.0,
    )
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
