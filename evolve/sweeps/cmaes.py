"""CMA-ES (Hansen and Ostermeier 2001) as an Optuna sampler without state beyond the trials.

Optuna's own sampler keeps its state as a pickle in the study, and unpickles what it finds there.
This one rebuilds the state from the trials: a generation counts once enough of its trials have
ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.joint import JointSampler, by_chance, common_space
from evolve.sweeps.space import Number, units_of, values_at

if TYPE_CHECKING:
    import cmaes

GENERATION: Final = "cma:generation"
_SIGMA: Final = 1 / 6
"""First standard deviation, as a share of every range; the same as Optuna's."""

Numbers = Mapping[str, Number]


class CmaSampler(JointSampler):
    """Proposes numbers by CMA-ES on the unit cube; choices and the first trials at random.

    `startup` finished trials come before the first proposal; the search begins at the best of them.
    Call `reseed` before every proposal: the proposal then follows from that seed and the trials
    alone.
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
        """Return the numbers of the space that all finished trials have."""
        found = common_space(study)
        return {name: one for name, one in found.items() if isinstance(one, Number)}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return a point of the current generation."""
        numbers = {name: one for name, one in search_space.items() if isinstance(one, Number)}
        others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
        optimizer = self._optimizer(others, numbers) if len(numbers) > 1 else None
        if optimizer is None:
            return {}
        study._storage.set_trial_system_attr(trial._trial_id, GENERATION, optimizer.generation)
        optimizer._rng.seed(self._seed)
        return values_at(optimizer.ask(), numbers)

    def _optimizer(self, others: Sequence[FrozenTrial], numbers: Numbers) -> cmaes.CMA | None:
        """Return CMA-ES after all complete generations; None before its start."""
        if self._known is None or self._known[0] != list(numbers):
            first = _whole(others, None, max(1, self._startup))
            if first is None:
                return None
            self._known = list(numbers), _begun(first, numbers)
        optimizer = self._known[1]
        while (mine := _whole(others, optimizer.generation, optimizer.population_size)) is not None:
            optimizer.tell([(units_of(one.params, numbers), -one.values[0]) for one in mine])
        return optimizer


def _whole(
    trials: Sequence[FrozenTrial], generation: int | None, count: int
) -> list[FrozenTrial] | None:
    """Return the `count` lowest-numbered trials of a generation, once all are complete.

    Trials that failed or were pruned do not count. None while one of the trials is waiting or
    running.

    The order is by number, because nothing else is stable: ordered by the time of their end, a
    clock that is set back, or the clocks of two machines, would change the search after a stop.
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
    """Start CMA-ES around the best of the first trials."""
    import cmaes  # imported here: it loads scipy.stats, 0.5 s, and most sweeps use other samplers

    best = max(first, key=lambda one: one.values[0])
    return cmaes.CMA(
        mean=np.clip(units_of(best.params, numbers), 0.05, 0.95),
        sigma=_SIGMA,
        bounds=np.tile([0.0, 1.0], (len(numbers), 1)),
        n_max_resampling=10 * len(numbers),
    )
