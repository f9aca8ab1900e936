"""Settings that a sweep knows, and a sampler that proposes others.

Where games repeat, a setting that was tried gets the same score again. One that failed fails again
everywhere. Neither is worth a trial.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent
from evolve.agents.mcts import MctsAgent
from evolve.agents.random import RandomAgent
from evolve.sweeps.joint import JointSampler, drawn, is_given
from evolve.sweeps.space import Space
from evolve.sweeps.trials import MIRROR, values_of

SURPLUS: Final = "not wanted any more"
ELSEWHERE: Final = "another machine has the defaults"
TWICE: Final = "another machine tries these settings"
_NOT_TRIED: Final = (SURPLUS, ELSEWHERE, TWICE)
"""Reasons of failed trials that do not count against their settings."""
_LISTED: Final = 10_000
"""Settings that are listed instead of drawn, in addition to twice the known ones."""
_LOTS: Final = 1000

Setting = tuple[Any, ...]
"""The values of a trial, in the order of the space."""


def plays_again(agent: Agent) -> bool:
    """Return whether an agent's games come out the same when they are played again.

    Agents that draw at random do so from the number of the game. Programs, and agents that play by
    the clock, may not repeat.
    """
    drawn = isinstance(agent, RandomAgent | MctsAgent) and agent.limit.seconds is None
    return agent.repeats or drawn


def setting_of(values: Mapping[str, Any], space: Space) -> Setting:
    """Return the values in the order of the space."""
    return tuple(values[name] for name in space.names)


def known_settings(
    trials: Iterable[FrozenTrial], space: Space, *, repeat: bool
) -> frozenset[Setting]:
    """Return the settings that are not to be tried again.

    These are settings that failed; where games repeat, also all that were tried, are running or are
    queued. Steps of SPSA are not settings.
    """
    found = set()
    for trial in trials:
        failed = trial.state == TrialState.FAIL
        if MIRROR in trial.user_attrs or not (repeat or failed):
            continue
        if failed and trial.user_attrs.get("reason") in _NOT_TRIED:
            continue
        values = values_of(trial, space.names)
        if values is not None and all(name in values for name in space.names):
            found.add(setting_of(values, space))
    return frozenset(found)


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
        return setting_of({**single, **values}, self._space) not in self._known

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
