"""CMA-ES (Hansen and Ostermeier 2001) as an Optuna sampler that keeps nothing but the trials.

Optuna's own keeps its state as a pickle in the study, and unpickles what it finds there. Here the
state is built again from the trials: a generation counts once enough of its trials have ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.joint import JointSampler, by_chance, common_space
from evolve.sweeps.scale import Number, from_unit, to_unit

if TYPE_CHECKING:
    import cmaes

GENERATION: Final = "cma:generation"
_SIGMA: Final = 1 / 6
"""First standard deviation, as a share of every range; Optuna's."""

Numbers = Mapping[str, Number]


class CmaSampler(JointSampler):
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
        self.alone = by_chance(self._seed)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The numbers of the space, which all finished trials have."""
        found = common_space(study)
        return {name: one for name, one in found.items() if isinstance(one, Number)}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """A point of the generation in hand."""
        numbers = {name: one for name, one in search_space.items() if isinstance(one, Number)}
        others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
        optimizer = self._optimizer(others, numbers) if len(numbers) > 1 else None
        if optimizer is None:
            return {}
        study._storage.set_trial_system_attr(trial._trial_id, GENERATION, optimizer.generation)
        optimizer._rng.seed(self._seed)
        point = optimizer.ask()
        return {
            name: from_unit(float(x), one)
            for (name, one), x in zip(numbers.items(), point, strict=True)
        }

    def _optimizer(self, others: Sequence[FrozenTrial], numbers: Numbers) -> cmaes.CMA | None:
        """CMA-ES as it is after all generations that are whole; None before its start."""
        if self._known is None or self._known[0] != list(numbers):
            first = _whole(others, None, max(1, self._startup))
            if first is None:
                return None
            self._known = list(numbers), _begun(first, numbers)
        optimizer = self._known[1]
        while (mine := _whole(others, optimizer.generation, optimizer.population_size)) is not None:
            optimizer.tell([(_point(one, numbers), -one.values[0]) for one in mine])
        return optimizer


def _whole(
    trials: Sequence[FrozenTrial], generation: int | None, count: int
) -> list[FrozenTrial] | None:
    """The `count` trials of a generation with the lowest numbers, of those that did not fail and
    were not pruned; None while one of them is to come, or under way.

    By number, because nothing else stays as it is: by the time that they ended, a clock that is
    set back, or those of two machines, would give another search after a stop than before it.
    """
    mine = [
        one
        for one in sorted(trials, key=lambda trial: trial.number)
        if one.system_attrs.get(GENERATION) == generation
        and one.state not in (TrialState.FAIL, TrialState.PRUNED, TrialState.WAITING)
    ][:count]
    whole = len(mine) == count and all(one.state == TrialState.COMPLETE for one in mine)
    return mine if whole else None


def _begun(first: Sequence[FrozenTrial], numbers: Numbers) -> cmaes.CMA:
    """CMA-ES at its start, around the best of the first trials."""
    import cmaes  # not above: it loads scipy.stats, 0.5 s, and most sweeps have other samplers

    mean = _point(max(first, key=lambda one: one.values[0]), numbers)
    return cmaes.CMA(
        mean=np.clip(mean, 0.05, 0.95),
        sigma=_SIGMA,
        bounds=np.tile([0.0, 1.0], (len(numbers), 1)),
        n_max_resampling=10 * len(numbers),
    )


def _point(trial: FrozenTrial, numbers: Numbers) -> npt.NDArray[np.float64]:
    """A trial's values on the unit cube."""
    return np.array([to_unit(trial.params[name], one) for name, one in numbers.items()])
