"""Samplers and pruners by name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.pruners import BasePruner
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.sweeps.own_samplers import (
    CmaSampler,
    JointSampler,
    SpsaSampler,
)
from evolve.sweeps.plan import Plan
from evolve.sweeps.space import Space, snapped

_CERTAIN: Final = 2.0
_DRAWS: Final = 8
"""Times that a sampler may break a requirement before any other setting is taken."""
_LOTS: Final = 20_000
_ANY: Final = 2**31
"""Part of the seed of a setting that no sampler has proposed."""


class Proposer:
    """Makes the sampler of every trial.

    Its seed is drawn from the sweep's seed and the trial's number. That number does not count lost
    attempts, so a sweep that was stopped or killed continues as if it had not been.
    """

    def __init__(self, plan: Plan) -> None:
        settings = plan.sweep
        self._plan, self._settings = plan, settings
        self._cma = CmaSampler(settings.startup)

    def sampler(self, number: int, *, by_chance: bool = False) -> BaseSampler:
        """Return the sampler that proposes trial `number`; by chance, whatever the settings say."""
        settings = self._settings
        if settings.sampler == "spsa":
            begin = self._plan.defaults or {}
            space, seed = self._plan.space.distributions, self._seed(number)
            return SpsaSampler(space, begin, settings.trials, number, seed)
        name = "random" if by_chance else settings.sampler
        return AllowedSampler(
            lambda draw: self._usual(name, self._seed(number, *([draw] if draw else []))),
            self._plan.space,
            self._seed(number, _ANY),
        )

    def _seed(self, *key: int) -> int:
        """Return a seed of the sweep for a trial's number and a further key."""
        drawn = np.random.SeedSequence([self._settings.seed, *key]).generate_state(1)[0]
        return int(drawn >> 1)

    def _usual(self, name: str, seed: int) -> BaseSampler:
        """Return the sampler of that name."""
        startup = self._settings.startup
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            match name:
                case "tpe":
                    return optuna.samplers.TPESampler(
                        seed=seed, n_startup_trials=startup, multivariate=True
                    )
                case "gp":
                    return optuna.samplers.GPSampler(seed=seed, n_startup_trials=startup)
                case "cma":
                    self._cma.reseed(seed)
                    return self._cma
                case _:
                    return optuna.samplers.RandomSampler(seed=seed)


def pruner_of(settings: SweepSettings) -> BasePruner:
    """Return the pruner of the settings.

    The median pruner waits for `startup` finished trials, and for a trial's second report: a
    learning rate that falls late makes first scores deceptive.
    """
    match settings.pruner:
        case "median":
            return optuna.pruners.MedianPruner(
                n_startup_trials=settings.startup, n_warmup_steps=2, n_min_trials=3
            )
        case "race":
            return _Race()
        case "none":
            return optuna.pruners.NopPruner()


class _Race(BasePruner):
    """Ends a trial that is certainly worse than the best one.

    It is certain when their difference exceeds twice its error. Scores on different openings would
    differ by more than that.
    """

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if not complete or trial.last_step is None:
            return False
        best = max(complete, key=lambda compared: compared.values[0])
        error = math.hypot(
            *(compared.user_attrs.get("score_error", 0.0) for compared in (best, trial))
        )
        return bool(trial.intermediate_values[trial.last_step] + _CERTAIN * error < best.values[0])


def drawn(
    sampler: BaseSampler,
    study: optuna.Study,
    trial: FrozenTrial,
    space: Mapping[str, BaseDistribution],
) -> dict[str, Any]:
    """Return a sampler's proposal for a whole space, asked value by value as Optuna does."""
    joint = sampler.infer_relative_search_space(study, trial)
    values = sampler.sample_relative(study, trial, joint)
    for name, distribution in space.items():
        if name not in values:
            values[name] = sampler.sample_independent(study, trial, name, distribution)
    return {name: snapped(values[name], distribution) for name, distribution in space.items()}


class AllowedSampler(JointSampler):
    """Proposes what another sampler does, but nothing that breaks a requirement of the space.

    made: makes the sampler, from the number of its proposals so far, each time with another seed.
    After DRAWS such proposals any allowed setting is taken, drawn by `seed`.
    """

    def __init__(self, made: Callable[[int], BaseSampler], space: Space, seed: int) -> None:
        self._made, self._space, self._seed = made, space, seed
        self._first = made(0)
        self.alone = self._first.sample_independent

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self._first.before_trial(study, trial)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the whole space: its values are proposed together."""
        return {
            name: distribution
            for name, distribution in self._space.distributions.items()
            if not distribution.single()
        }

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values that fulfil all requirements; RunError where none are found."""
        for draw in range(_DRAWS):
            sampler = self._made(draw) if draw else self._first
            values = drawn(sampler, study, trial, search_space)
            if self._is_allowed(values):
                return values
        if self._space.count is not None:
            settings = list(self._space.settings)
            setting = settings[int(np.random.default_rng(self._seed).integers(len(settings)))]
            values = dict(zip(self._space.names, setting, strict=True))
            return {name: values[name] for name in search_space}
        sampler = optuna.samplers.RandomSampler(seed=self._seed % 2**32)
        for _ in range(_LOTS):
            values = drawn(sampler, study, trial, search_space)
            if self._is_allowed(values):
                return values
        texts = " and ".join(repr(requirement.text) for requirement in self._space.required)
        raise RunError(
            f"no setting that fulfils {texts} was found: make the ranges fit the requirement"
        )

    def _is_allowed(self, values: Mapping[str, Any]) -> bool:
        held = {parameter.name: parameter.example for parameter in self._space.parameters}
        return self._space.allows({**held, **values})
