"""Trials: their numbers, attempts, files and judges."""

from __future__ import annotations

from typing import Any

import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from evolve.sweeps.trials import (
    LOST,
    PLACE,
    CountedStudy,
    Marks,
    free_place,
    is_lost,
    number_of,
    values_of,
)

LOST_ONCE: dict[str, Any] = {PLACE: 0, LOST: 1}


def attempt(state: TrialState = TrialState.COMPLETE, **attributes: Any) -> FrozenTrial:
    value = 0.5 if state == TrialState.COMPLETE else None
    return create_trial(state=state, value=value, user_attrs=attributes)


def test_the_number_is_the_place_or_optunas_own() -> None:
    trial = attempt()
    trial.number = 7
    assert number_of(trial) == 7
    trial.set_user_attr(PLACE, 3)
    assert number_of(trial) == 3


def test_an_attempt_is_lost_when_it_failed_and_comes_again() -> None:
    assert is_lost(attempt(TrialState.FAIL, **LOST_ONCE))
    assert not is_lost(attempt(TrialState.FAIL, **{PLACE: 0})), "its settings cannot be"
    assert not is_lost(attempt(TrialState.COMPLETE, **LOST_ONCE)), "it was finished after all"


def test_the_lowest_free_place_is_given_out() -> None:
    def trials(*places: int) -> list[FrozenTrial]:
        return [attempt(**{PLACE: place}) for place in places]

    assert free_place([]) == 0
    assert free_place(trials(0, 1, 2)) == 3
    assert free_place(trials(2, 0)) == 1
    assert free_place(trials(0, 0, 1)) == 2, "a trial and the attempt before it"


def test_values_are_those_that_were_to_be_tried() -> None:
    study = optuna.create_study()
    study.enqueue_trial({"x": 1.0, "y": 2.0})
    running = study.ask()
    running.suggest_float("x", 0.0, 5.0)
    frozen = study.get_trials()[0]
    assert values_of(frozen, ["x", "y"]) == {"x": 1.0, "y": 2.0}, "more than it has asked for"
    whole = create_trial(value=1.0, params={"x": 3.0}, distributions={"x": FloatDistribution(0, 5)})
    assert values_of(whole, ["x"]) == {"x": 3.0}
    assert values_of(whole, ["x", "y"]) is None, "killed before it had all"


def test_lost_attempts_are_not_shown_but_kept() -> None:
    storage = optuna.storages.InMemoryStorage()
    optuna.create_study(storage=storage, study_name="s")
    study = CountedStudy("s", storage)
    study.add_trials([attempt(TrialState.FAIL, **LOST_ONCE), attempt(**{PLACE: 0})])
    assert [trial.number for trial in study.get_trials()] == [1]
    assert [trial.number for trial in study.get_attempts()] == [0, 1]
    assert study.get_trials(states=[TrialState.FAIL]) == []


def test_a_mark_says_how_much_of_the_trial_is_done() -> None:
    marks = Marks(4)
    reached = [(share, marks.step) for share in (0.1, 0.3, 0.4, 0.8, 0.9, 1.0) if marks.due(share)]
    assert reached == [(0.3, 1), (0.8, 3)]
    assert not any(Marks(1).due(share) for share in (0.1, 0.5, 1.0))
