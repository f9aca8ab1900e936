"""CMA-ES as an Optuna sampler that keeps nothing but the trials themselves.

Optuna's own keeps its state as a pickle in the study, and unpickles what it finds there. Here the
state is built again from the trials: a generation is told once enough of its trials have ended.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import cmaes
import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

GENERATION: Final = "cma:generation"
_SIGMA: Final = 1 / 6
"""First standard deviation, as a share of every range; Optuna's."""

Numbers = Mapping[str, FloatDistribution | IntDistribution]


class CmaSampler(BaseSampler):
    """Proposes numbers by CMA-ES on the unit cube; choices, and the first trials, by chance.

    `startup` finished trials come before the first proposal; the best of them is where the search
    begins. `reseed` it before every proposal: what it proposes then follows from that seed and
    the trials alone.
    """

    def __init__(self, startup: int) -> None:
        self._startup = startup
        self._known: tuple[list[str], cmaes.CMA] | None = None
        self.reseed(0)

    def reseed(self, seed: int) -> None:
        """Set the seed of the next proposal."""
        self._seed = seed % 2**32
        self._random = optuna.samplers.RandomSampler(seed=self._seed)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The numbers of the space, which all finished trials have."""
        found = optuna.search_space.intersection_search_space(
            study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        )
        return {
            name: distribution
            for name, distribution in found.items()
            if isinstance(distribution, FloatDistribution | IntDistribution)
            and not distribution.single()
        }

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """A point of the generation in hand."""
        numbers = {
            name: distribution
            for name, distribution in search_space.items()
            if isinstance(distribution, FloatDistribution | IntDistribution)
        }
        ended = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if len(numbers) < 2 or len(ended) < max(1, self._startup):
            return {}
        # As they ended: what is known of a generation does not change with what ends later.
        optimizer = self._optimizer(sorted(ended, key=_ending), numbers)
        study._storage.set_trial_system_attr(trial._trial_id, GENERATION, optimizer.generation)
        optimizer._rng.seed(self._seed)
        point = optimizer.ask()
        return {
            name: _value(float(x), numbers[name]) for name, x in zip(numbers, point, strict=True)
        }

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """By chance."""
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def _optimizer(self, ended: Sequence[FrozenTrial], numbers: Numbers) -> cmaes.CMA:
        """CMA-ES as it is after all generations that are whole."""
        if self._known is None or self._known[0] != list(numbers):
            self._known = list(numbers), _begun(ended, numbers, max(1, self._startup))
        optimizer = self._known[1]
        while True:
            mine = [
                one
                for one in ended
                if one.system_attrs.get(GENERATION) == optimizer.generation
                and all(name in one.params for name in numbers)
            ][: optimizer.population_size]
            if len(mine) < optimizer.population_size:
                return optimizer
            optimizer.tell([(_point(one, numbers), -one.values[0]) for one in mine])


def _ending(trial: FrozenTrial) -> tuple[float, int]:
    """When a trial ended, to sort by."""
    ended = trial.datetime_complete
    return (0.0 if ended is None else ended.timestamp(), trial.number)


def _begun(ended: Sequence[FrozenTrial], numbers: Numbers, startup: int) -> cmaes.CMA:
    """CMA-ES at its begin, around the best of the `startup` trials that ended first."""
    first = [one for one in ended[:startup] if GENERATION not in one.system_attrs]
    mean = np.full(len(numbers), 0.5)
    if first:
        mean = _point(max(first, key=lambda one: one.values[0]), numbers)
    return cmaes.CMA(
        mean=np.clip(mean, 0.05, 0.95),
        sigma=_SIGMA,
        bounds=np.tile([0.0, 1.0], (len(numbers), 1)),
        n_max_resampling=10 * len(numbers),
    )


def _point(trial: FrozenTrial, numbers: Numbers) -> npt.NDArray[np.float64]:
    """A trial's values on the unit cube."""
    point = []
    for name, distribution in numbers.items():
        low, high, scale = _scale(distribution)
        point.append((scale(trial.params[name]) - low) / (high - low))
    return np.array(point)


def _value(x: float, distribution: FloatDistribution | IntDistribution) -> float | int:
    """The value that a coordinate of the cube stands for."""
    low, high, _ = _scale(distribution)
    value = low + min(1.0, max(0.0, x)) * (high - low)
    if distribution.log:
        value = math.exp(value)
    value = min(max(value, distribution.low), distribution.high)
    if isinstance(distribution, IntDistribution):
        steps = round((value - distribution.low) / distribution.step)
        return min(distribution.low + steps * distribution.step, distribution.high)
    return value


def _scale(distribution: FloatDistribution | IntDistribution) -> tuple[float, float, Any]:
    scale = math.log if distribution.log else float
    return scale(distribution.low), scale(distribution.high), scale
