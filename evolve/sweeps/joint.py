"""Samplers that propose all values of a trial at once, and their shared functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.space import Setting, Space, snapped

_LISTED: Final = 10_000
"""Settings that are listed instead of drawn, in addition to twice the known ones."""
_LOTS: Final = 1000

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


class OtherSampler(JointSampler):
    """Proposes what another sampler does, but never a known setting.

    made: makes the sampler, from the number of known settings it has proposed so far, each time
    with another seed. After `draws` such proposals any other setting is taken, drawn by `seed`.
    """

    def __init__(
        self,
        made: Callable[[int], BaseSampler],
        space: Space,
        known: frozenset[Setting],
        seed: int,
        draws: int,
    ) -> None:
        self._made, self._space, self._known = made, space, known
        self._seed, self._draws = seed, draws
        self._first = made(0)
        self.alone = self._first.sample_independent

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self._first.before_trial(study, trial)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the whole space: its values are proposed together."""
        if is_given(trial):
            return self._first.infer_relative_search_space(study, trial)
        return {name: one for name, one in self._space.distributions.items() if not one.single()}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values that are not known, as long as there are any."""
        if is_given(trial):
            return self._first.sample_relative(study, trial, search_space)
        values: dict[str, Any] = {}
        for draw in range(self._draws):
            sampler = self._made(draw) if draw else self._first
            values = drawn(sampler, study, trial, search_space)
            if self._is_new(values):
                return values
        return self._any_other(study, trial, search_space) or values

    def _is_new(self, values: Mapping[str, Any]) -> bool:
        single = {one.name: one.example for one in self._space.parameters}
        return self._space.setting_of({**single, **values}) not in self._known

    def _any_other(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any] | None:
        """Draw a setting that is not known, all with equal chance; None where none is left."""
        count = self._space.count
        if count is not None and count <= _LISTED + 2 * len(self._known):
            every = itertools.product(*(one.values for one in self._space.parameters))
            left = [one for one in every if one not in self._known]
            if not left:
                return None
            chosen = left[int(np.random.default_rng(self._seed).integers(len(left)))]
            found = dict(zip(self._space.names, chosen, strict=True))
            return {name: found[name] for name in search_space}
        # At least half of the settings are new.
        sampler = optuna.samplers.RandomSampler(seed=self._seed % 2**32)
        for _ in range(_LOTS):
            values = drawn(sampler, study, trial, search_space)
            if self._is_new(values):
                return values
        return None
