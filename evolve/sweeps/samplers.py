"""Samplers and pruners by name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.pruners import BasePruner
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.sweeps.own_samplers import (
    CmaSampler,
    SpsaSampler,
)
from evolve.sweeps.plan import Plan
from evolve.sweeps.space import Number, snapped

_CERTAIN: Final = 2.0
_DRAWS: Final = 8
"""Times that a sampler may break a requirement before values are drawn at random."""
_LOTS: Final = 20_000


class Proposer(RandomSampler):
    """The sampler of a sweep: that of its settings, but nothing that breaks a requirement.

    Each proposal's seed is drawn from the sweep's seed and the trial's number, so a sweep that was
    stopped or killed continues as if it had not been. Call `begin` before each.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        settings, space = plan.sweep, plan.space
        self._plan, self._settings, self._space = plan, settings, space
        varied = {name: d for name, d in space.distributions.items() if not d.single()}
        numbers = {name: d for name, d in varied.items() if isinstance(d, Number)}
        self._varied, self._numbers = varied, numbers
        self._cma = CmaSampler(settings.startup, dict(sorted(numbers.items())))
        self.begin(0)

    def begin(self, number: int, *, by_chance: bool = False) -> None:
        """Propose trial `number` next; by chance, whatever the settings say."""
        self._number = number
        self._name = "random" if by_chance else self._settings.sampler

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the whole space: its values are proposed together."""
        return dict(self._varied)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values that fulfil all requirements; RunError where none are found."""
        held = {parameter.name: parameter.example for parameter in self._space.parameters}
        for draw in range(_DRAWS + _LOTS):
            name = self._name if draw < _DRAWS else "random"
            sampler = self._usual(name, self._seed(*([draw] if draw else [])))
            values = drawn(sampler, study, trial, search_space)
            if self._space.allows({**held, **values}):
                return values
        texts = " and ".join(repr(requirement.text) for requirement in self._space.required)
        raise RunError(
            f"no setting that fulfils {texts} was found: make the ranges fit the requirement"
        )

    def _seed(self, *key: int) -> int:
        """Return a seed of the sweep for the trial's number and a further key."""
        sequence = np.random.SeedSequence([self._settings.seed, self._number, *key])
        return int(sequence.generate_state(1)[0] >> 1)

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
                case "spsa":
                    begin, trials = self._plan.defaults or {}, self._settings.trials
                    return SpsaSampler(self._numbers, begin, trials, self._number, seed)
                case _:
                    return RandomSampler(seed=seed)


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
