"""The genetic algorithm as a sampler: it finds an optimum, and keeps nothing but the trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna

from evolve.sweeps.own_samplers import GeneticSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)


def study_of(sampler: str, seed: int, trials: int) -> optuna.Study:
    study = optuna.create_study(direction="maximize")
    for number in range(trials):
        study.sampler = (
            GeneticSampler(10, 1000 * seed + number)
            if sampler == "ga"
            else optuna.samplers.RandomSampler(1000 * seed + number)
        )
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", -1.0, 1.0) for i in range(4)]
        rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
        count = trial.suggest_int("count", 0, 20, step=2)
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        trial.suggest_float("held", 2.0, 2.0)
        loss = sum((v - 0.3) ** 2 for v in x) + (np.log10(rate) + 3) ** 2 + (count - 12) ** 2 / 100
        study.tell(trial, -float(loss) - (kind != "b"))
    return study


def test_it_finds_an_optimum_that_chance_does_not() -> None:
    ours = [study_of("ga", seed, 120) for seed in range(3)]
    chance = [study_of("random", seed, 120).best_value for seed in range(3)]
    best = [study.best_value for study in ours]
    assert min(best) > max(chance)
    assert np.median(best) > np.median(chance) / 3
    assert {study.best_params["kind"] for study in ours} == {"b"}


def test_proposals_are_in_their_ranges_and_follow_from_the_trials_alone() -> None:
    study, again = study_of("ga", 1, 40), study_of("ga", 1, 40)
    assert [trial.params for trial in study.trials] == [trial.params for trial in again.trials]
    assert not any(trial.system_attrs for trial in study.trials)
    for trial in study.trials:
        params: dict[str, Any] = trial.params
        assert all(-1.0 <= params[f"x{i}"] <= 1.0 for i in range(4))
        assert 1e-4 <= params["rate"] <= 1e-1
        assert (params["count"] % 2, params["held"]) == (0, 2.0)
        assert isinstance(params["count"], int)


def test_children_are_of_the_best() -> None:
    """Far from the best no child is born, but for mutations."""
    study = optuna.create_study(direction="maximize")
    for number in range(40):
        trial = study.ask()
        x = [trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(5)]
        study.tell(trial, -sum(x) - (number % 2) * 100)
    study.sampler = GeneticSampler(10, 7)
    ranked = sorted(study.trials, key=lambda trial: -trial.values[0])[:16]
    known = {round(trial.params[f"x{i}"], 3) for trial in ranked for i in range(5)}
    taken = 0
    for seed in range(50):
        study.sampler = GeneticSampler(10, seed)
        trial = study.ask({f"x{i}": optuna.distributions.FloatDistribution(0, 1) for i in range(5)})
        taken += sum(
            any(abs(value - one) < 0.002 for one in known) for value in trial.params.values()
        )
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
    assert taken / 250 > 0.8


def test_few_trials_are_drawn_by_chance() -> None:
    study = study_of("ga", 0, 9)
    sampler = GeneticSampler(10, 3)
    trial = study.ask()
    space = sampler.infer_relative_search_space(study, study._storage.get_trial(trial._trial_id))
    assert set(space) == {*(f"x{i}" for i in range(4)), "rate", "count", "kind"}
    frozen = study._storage.get_trial(trial._trial_id)
    assert sampler.sample_relative(study, frozen, space) == {}
