"""SPSA: steps that are mirror images, and a walk that follows from the trials alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from evolve.fitness.score import score_of_elo
from evolve.sweeps.spsa import ESTIMATE, EVERY, MIRROR, SpsaSampler

SPACE: dict[str, BaseDistribution] = {
    "a": FloatDistribution(0.0, 1.0),
    "b": IntDistribution(0, 1000),
    "c": FloatDistribution(0.01, 100.0, log=True),
}
BEGIN: dict[str, Any] = {"a": 0.1, "b": 900, "c": 0.05}


def elo(values: dict[str, Any]) -> float:
    """A hill: best at a = 0.7, b = 300, c = 5."""
    at = values["a"], values["b"] / 1000, (np.log10(values["c"]) + 2) / 4
    return -800.0 * sum((x - y) ** 2 for x, y in zip(at, (0.7, 0.3, 0.675), strict=True))


def walked(trials: int, seed: int, begin: dict[str, Any] = BEGIN) -> optuna.Study:
    rng = np.random.default_rng(seed)
    study = optuna.create_study(direction="maximize")
    study.enqueue_trial(begin, user_attrs={"place": 0})
    for number in range(trials):
        study.sampler = SpsaSampler(SPACE, begin, trials, number, seed * 1000 + number)
        trial = study.ask(SPACE)
        trial.set_user_attr("place", number)
        known = study.get_trials(deepcopy=False)[-1].user_attrs
        if MIRROR not in known:
            study.tell(trial, 0.5)
            continue
        share = score_of_elo(elo(trial.params) - elo(known[MIRROR]))
        score = rng.binomial(12, share) / 12
        study._storage.set_trial_state_values(trial._trial_id, TrialState.PRUNED, [score])
    return study


def test_steps_mirror_each_other_around_where_the_search_is() -> None:
    study = walked(2, 0)
    first, step = study.get_trials(deepcopy=False)
    assert (first.params, first.user_attrs) == (BEGIN, {"place": 0})
    above, below = step.params, step.user_attrs[MIRROR]
    assert (above["a"] + below["a"]) / 2 == pytest.approx(BEGIN["a"], abs=0.11)
    assert above["b"] != below["b"]
    assert all(one.low <= below[name] <= one.high for name, one in SPACE.items())  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(4))
def test_it_climbs_a_noisy_hill(seed: int) -> None:
    trials = walked(12 * EVERY + 1, seed).get_trials(deepcopy=False)
    last = trials[-1]
    assert last.user_attrs["origin"] == ESTIMATE
    assert elo(last.params) > elo(BEGIN) / 3


def test_the_same_trials_give_the_same_walk() -> None:
    one, other = walked(30, 1), walked(30, 1)
    assert [t.params for t in one.get_trials()] == [t.params for t in other.get_trials()]


def test_what_is_not_among_its_own_steps_moves_nothing() -> None:
    study = walked(3, 2)
    before = study.get_trials(deepcopy=False)
    study.add_trial(create_trial(value=1.0, params=BEGIN, distributions=SPACE))
    study.sampler = SpsaSampler(SPACE, BEGIN, 30, EVERY, 5)
    estimate = study.ask(SPACE)
    moved = [before[place].params != estimate.params for place in range(3)]
    assert all(moved)
