"""Samplers that propose all values of a trial at once, and their shared functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.scale import snapped

Independent = Callable[[optuna.Study, FrozenTrial, str, BaseDistribution], Any]
"""Draws the value of one parameter by itself."""


class JointSampler(BaseSampler):
    """A sampler that proposes values that belong together.

    alone: draws the value of a parameter that such a proposal leaves out.
    """

    alone: Independent

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return the value of a parameter that was left out."""
        return self.alone(study, trial, param_name, param_distribution)


def by_chance(seed: int) -> Independent:
    """Return a function that draws values at random."""
    return optuna.samplers.RandomSampler(seed=seed % 2**32).sample_independent


def is_given(trial: FrozenTrial) -> bool:
    """Return whether a trial has its values already, so that none is proposed."""
    return "fixed_params" in trial.system_attrs


def complete_trials(study: optuna.Study) -> list[FrozenTrial]:
    """Return the trials that samplers learn from; do not change them."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def common_space(study: optuna.Study) -> dict[str, BaseDistribution]:
    """Return the parameters that all complete trials have, without those of a single value."""
    found = optuna.search_space.intersection_search_space(complete_trials(study))
    return {name: one for name, one in found.items() if not one.single()}


def drawn(
    sampler: BaseSampler,
    study: optuna.Study,
    trial: FrozenTrial,
    space: Mapping[str, BaseDistribution],
) -> dict[str, Any]:
    """Return a sampler's proposal for a whole space, asked value by value as Optuna does."""
    found = sampler.sample_relative(study, trial, sampler.infer_relative_search_space(study, trial))
    values = {
        name: found[name] if name in found else sampler.sample_independent(study, trial, name, one)
        for name, one in space.items()
    }
    return {name: snapped(values[name], one) for name, one in space.items()}
