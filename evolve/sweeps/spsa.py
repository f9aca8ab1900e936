"""SPSA (Spall 1992) as an Optuna sampler: a step is a trial that plays its own mirror image.

Both lie at ± c around the current point, along a random corner of the cube. Their games move the
point towards the winner. On a grid each end is rounded up or down at random, so that the mean is
where c puts it, and the two ends are at least one step apart: without that a range of few values
never moves. Gains fall as in Spall (1998) and as testers of chess programs use them. The current
point follows from the trials alone.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.joint import JointSampler, is_given
from evolve.sweeps.space import Number, at_step, between, steps_in, units_of, values_at
from evolve.sweeps.trials import MIRROR, number_of

ESTIMATE: Final = "spsa"
"""Origin of the trials at the current point, which play the defaults."""
EVERY: Final = 8
"""One trial in this many is an estimate, and so is the last one."""
_STEP: Final = 0.12
"""c at the end, as a share of every range."""
_GAIN: Final = 0.5
"""How far a won step moves the point at the end, in steps."""
_ALPHA: Final = 0.602
_GAMMA: Final = 0.101
_DELAY: Final = 0.1
"""A, as a share of all steps."""

Numbers = Mapping[str, Number]
Floats = npt.NDArray[np.float64]


class SpsaSampler(JointSampler):
    """Proposes steps from the current point of the search.

    space: only numbers. begin: values of the starting point. trials: their planned number. number:
    of the proposed trial. seed: of its direction. known: settings that have played the defaults;
    instead of an estimate of one of these, a step is taken.
    """

    def __init__(
        self,
        space: Mapping[str, BaseDistribution],
        begin: Mapping[str, Any],
        trials: int,
        number: int,
        seed: int,
        known: Container[tuple[Any, ...]] = (),
    ) -> None:
        self._space, self._begin, self._known = dict(space), begin, known
        # Parameters without a range keep their starting values.
        self.alone = lambda study, trial, name, one: begin[name]
        self._steps = max(1, trials - trials // EVERY)
        self._number, self._last, self._seed = number, trials - 1, seed

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the whole space, or nothing where the trial's values are given."""
        if is_given(trial):
            return {}
        return {name: one for name, one in self._space.items() if not one.single()}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the step's upper end; the lower one is stored as the trial's mirror image."""
        if not search_space:
            return {}
        numbers = cast("Numbers", search_space)
        steps = _steps(study)
        here = _walked(units_of(self._begin, numbers), steps, numbers, self._steps)
        found = values_at(here, numbers)
        setting = tuple({**self._begin, **found}[name] for name in self._space)
        estimated = is_estimate(self._number) or self._number == self._last
        if estimated and setting not in self._known:
            study._storage.set_trial_user_attr(trial._trial_id, "origin", ESTIMATE)
            return found
        rng = np.random.default_rng(self._seed)
        corner = rng.choice([-1.0, 1.0], len(numbers))
        lots = rng.random(len(numbers))
        width = _width(len(steps) + 1, self._steps)
        above, below = {}, {}
        for place, side, lot, (name, one) in zip(here, corner, lots, numbers.items(), strict=True):
            low, high = step_of(float(place), width, float(lot), one)
            above[name], below[name] = (high, low) if side > 0 else (low, high)
        study._storage.set_trial_user_attr(trial._trial_id, MIRROR, below)
        return above


def is_estimate(number: int) -> bool:
    """Return whether a trial is an estimate at the current point, not a step.

    Trial 0 is the defaults. A sweep's last trial is an estimate, too: the result of the steps
    before it is worth a trial.
    """
    return number % EVERY == 0


def _steps(study: optuna.Study) -> list[FrozenTrial]:
    """Return the finished steps in their order."""
    ended = study.get_trials(deepcopy=False, states=(TrialState.PRUNED,))
    return sorted((one for one in ended if MIRROR in one.user_attrs), key=number_of)


def _walked(begin: Floats, steps: Sequence[FrozenTrial], numbers: Numbers, total: int) -> Floats:
    """Return the current point after these steps: each moves it along itself, by its result."""
    here = begin
    delay = _DELAY * total
    for number, trial in enumerate(steps, 1):
        above = units_of(trial.params, numbers)
        below = units_of(trial.user_attrs[MIRROR], numbers)
        won = 2.0 * trial.values[0] - 1.0
        fall = ((delay + total) / (delay + number)) ** _ALPHA * (number / total) ** _GAMMA
        here = np.clip(here + _GAIN * fall * won * (above - below) / 2, 0.0, 1.0)
    return here


def _width(number: int, total: int) -> float:
    """Return c of a step."""
    return float(_STEP * (total / number) ** _GAMMA)


def step_of(
    place: float, width: float, lot: float, distribution: Number
) -> tuple[float | int, float | int]:
    """Return the lower and the upper end of a step around a place, 0 to 1; they always differ.

    width: of each half, as a share of the range. lot: 0 to 1; it rounds both ends to the grid so
    that on average they stay where they were.
    """
    low, high = (between(place + way * width, distribution) for way in (-1, 1))
    step = distribution.step
    if step is None:
        return low, high
    # In steps above the lowest value: the ends are at least one apart, and within the range.
    last = steps_in(distribution.low, distribution.high, step)
    under, over = ((end - distribution.low) / step for end in (low, high))
    if over - under < 1.0:
        under = min(max((under + over - 1.0) / 2, 0.0), last - 1.0)
        over = under + 1.0
    first, second = math.floor(under + lot), math.floor(over + lot)
    if first == second:  # floats are not exact
        first, second = (first - 1, second) if second >= last else (first, second + 1)
    ends = (at_step(end, distribution.low, distribution.high, step) for end in (first, second))
    return next(ends), next(ends)
