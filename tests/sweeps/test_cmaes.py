"""CMA-ES as a sampler: finds an optimum, and keeps nothing that must be unpickled."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.own_samplers import CMA_GENERATION, CmaSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)


def best_of(sampler: str, seed: int, trials: int = 120) -> float:
    study = optuna.create_study(direction="maximize")
    ours, chance = CmaSampler(10), optuna.samplers.RandomSampler(seed)
    study.sampler = ours if sampler == "cma" else chance
    for number in range(trials):
        ours.reseed(1000 * seed + number)
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", -1.0, 1.0) for i in range(4)]
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        count = trial.suggest_int("count", 0, 20, step=2)
        trial.suggest_categorical("kind", ["a", "b"])
        loss = sum((v - 0.3) ** 2 for v in x) + (np.log10(rate) + 3) ** 2 + (count - 12) ** 2 / 100
        study.tell(trial, -float(loss))
    assert all(isinstance(t.params["count"], int) for t in study.trials)
    assert {t.params["count"] % 2 for t in study.trials} == {0}
    return study.best_value


def test_it_finds_an_optimum_that_chance_does_not() -> None:
    ours = [best_of("cma", seed) for seed in range(3)]
    chance = [best_of("random", seed) for seed in range(3)]
    assert min(ours) > max(chance)
    assert np.median(ours) > np.median(chance) / 3


def test_the_study_holds_no_pickle(tmp_path: Path) -> None:
    study = optuna.create_study(direction="maximize")
    for number in range(40):
        study.sampler = CmaSampler(5)  # a new one each time, as after a stop
        study.sampler.reseed(number)
        trial = study.ask()
        study.tell(trial, -((trial.suggest_float("x", 0, 1) - trial.suggest_float("y", 0, 1)) ** 2))
    kept = {key for trial in study.trials for key in trial.system_attrs}
    assert kept == {CMA_GENERATION}
    generations = [trial.system_attrs.get(CMA_GENERATION) for trial in study.trials]
    assert generations[:5] == [None] * 5
    assert generations[5:] == sorted(generations[5:])
    assert generations[-1] >= 4


@pytest.mark.parametrize("startup", [0, 3])
def test_choices_and_single_numbers_are_left_to_chance(startup: int) -> None:
    study = optuna.create_study(direction="maximize")
    for number in range(8):
        study.sampler = CmaSampler(startup)
        study.sampler.reseed(number)
        trial = study.ask()
        trial.suggest_categorical("kind", [1, 2, 3])
        trial.suggest_int("one", 3, 3)
        study.tell(trial, float(number))
    assert len({trial.params["kind"] for trial in study.trials}) > 1


def told(clock: Callable[[int], int], waits: tuple[int, ...] = ()) -> tuple[dict[str, Any], int]:
    """What a new sampler proposes after 40 trials that ended when `clock` says, and in which
    generation; those in `waits` are still under way."""
    space: dict[str, BaseDistribution] = {
        name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"
    }
    begin, rng = datetime.datetime(2026, 1, 1), np.random.default_rng(1)
    study = optuna.create_study(direction="maximize")
    for number in range(40):
        x, y = (float(v) for v in rng.random(2))
        done = number not in waits
        study.add_trial(
            FrozenTrial(
                number=number,
                trial_id=number,
                state=TrialState.COMPLETE if done else TrialState.RUNNING,
                value=-((x - y) ** 2) if done else None,
                datetime_start=begin,
                datetime_complete=begin + datetime.timedelta(clock(number)) if done else None,
                params={"x": x, "y": y},
                distributions=space,
                user_attrs={},
                system_attrs={} if number < 5 else {CMA_GENERATION: (number - 5) // 8},
                intermediate_values={},
            )
        )
    study.sampler = CmaSampler(5)
    trial = study.ask(space)
    found = study.get_trials()[-1].system_attrs.get(CMA_GENERATION, -1)
    return trial.params, found


def test_a_clock_that_is_set_back_changes_nothing() -> None:
    expected = told(lambda number: number)
    assert expected[1] > 2
    assert told(lambda number: -number) == expected
    assert told(lambda number: (7 * number) % 40) == expected


def test_a_generation_waits_for_its_first_trials_whatever_ends_before_them() -> None:
    assert told(lambda number: number, waits=(7,))[1] == 0
    assert told(lambda number: number, waits=(3,))[1] == -1  # by chance: no begin yet
