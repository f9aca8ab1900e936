"""Trials: their numbers, attempts, files and judges."""

from __future__ import annotations

import optuna
from optuna.distributions import FloatDistribution
from optuna.trial import create_trial

from evolve.sweeps.trials import Marks, values_of


def test_values_are_those_that_were_to_be_tried() -> None:
    study = optuna.create_study()
    study.enqueue_trial({"x": 1.0, "y": 2.0})
    running = study.ask()
    running.suggest_float("x", 0.0, 5.0)
    frozen = study.get_trials()[0]
    assert values_of(frozen) == {"x": 1.0, "y": 2.0}, "more than it has asked for"
    whole = create_trial(value=1.0, params={"x": 3.0}, distributions={"x": FloatDistribution(0, 5)})
    assert values_of(whole) == {"x": 3.0}


def test_a_mark_says_how_much_of_the_trial_is_done() -> None:
    marks = Marks(4)
    reached = [(share, marks.step) for share in (0.1, 0.3, 0.4, 0.8, 0.9, 1.0) if marks.due(share)]
    assert reached == [(0.3, 1), (0.8, 3)]
    assert not any(Marks(1).due(share) for share in (0.1, 0.5, 1.0))
