"""SPSA (Spall 1992) as an Optuna sampler: a step is a trial that meets its own mirror image.

Both lie at ± c from where the search is, along a random corner of the cube, and their games move
it towards the one that won. On a grid each end is a step up or down by lot, so that the mean is
where c puts it, and the two are a step apart at least: without that a range of few values never
moves. Gains fall as Spall (1998) has them and as testers of chess programs use them; where the
search is follows from the trials alone.
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
from evolve.sweeps.scale import Number, at_step, between, from_unit, steps_in, to_unit
from evolve.sweeps.trials import number_of

MIRROR: Final = "mirror"
"""Attribute of a trial: the values that it meets."""
ESTIMATE: Final = "spsa"
"""Origin of the trials that are where the search is, and meet the defaults."""
EVERY: Final = 8
"""One trial in so many is such a one, and the last."""
_STEP: Final = 0.12
"""c at the end, as a share of every range."""
_GAIN: Final = 0.5
"""How far a won step moves at the end, in steps."""
_ALPHA: Final = 0.602
_GAMMA: Final = 0.101
_DELAY: Final = 0.1
"""A, as a share of all steps."""

Numbers = Mapping[str, Number]
Floats = npt.NDArray[np.float64]


class SpsaSampler(JointSampler):
    """Proposes steps from where the search is.

    space: numbers alone; begin: values that it begins at; trials: how many there will be; number:
    of the trial that is proposed; seed: of its direction; known: settings that have met the
    defaults, which need not do so again: a step is taken instead.
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
        # What has no range is as where the search begins.
        self.alone = lambda study, trial, name, one: begin[name]
        self._steps = max(1, trials - trials // EVERY)
        self._number, self._last, self._seed = number, trials - 1, seed

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """All of the space, unless the trial's values are given."""
        if is_given(trial):
            return {}
        return {name: one for name, one in self._space.items() if not one.single()}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The step's upper end; its lower one is kept as the trial's mirror image."""
        if not search_space:
            return {}
        numbers = cast("Numbers", search_space)
        steps = _steps(study)
        here = _walked(_units(self._begin, numbers), steps, numbers, self._steps)
        found = _values(here, numbers)
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
    """Whether a trial is to be where the search is, and no step; trial 0 is the defaults. So is a
    sweep's last one: what came of the steps before it is worth a trial."""
    return number % EVERY == 0


def _steps(study: optuna.Study) -> list[FrozenTrial]:
    """The steps that are finished, in their order."""
    ended = study.get_trials(deepcopy=False, states=(TrialState.PRUNED,))
    return sorted((one for one in ended if MIRROR in one.user_attrs), key=number_of)


def _walked(begin: Floats, steps: Sequence[FrozenTrial], numbers: Numbers, total: int) -> Floats:
    """Where the search is after these steps: each moves it along itself, by what it won."""
    here = begin
    delay = _DELAY * total
    for number, trial in enumerate(steps, 1):
        above = _units(trial.params, numbers)
        below = _units(trial.user_attrs[MIRROR], numbers)
        won = 2.0 * trial.values[0] - 1.0
        fall = ((delay + total) / (delay + number)) ** _ALPHA * (number / total) ** _GAMMA
        here = np.clip(here + _GAIN * fall * won * (above - below) / 2, 0.0, 1.0)
    return here


def _width(number: int, total: int) -> float:
    """c of a step."""
    return float(_STEP * (total / number) ** _GAMMA)


def step_of(
    place: float, width: float, lot: float, distribution: Number
) -> tuple[float | int, float | int]:
    """The lower and the upper end of a step around a place, 0 to 1, which are never the same.

    width: of each half, as a share of the range; lot: 0 to 1, which rounds both to the grid so
    that on average they are where they were.
    """
    low, high = (between(place + way * width, distribution) for way in (-1, 1))
    step = distribution.step
    if step is None:
        return low, high
    # Steps above the lowest value: the ends are one apart at least, and within the range.
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


def _units(values: Mapping[str, Any], numbers: Numbers) -> Floats:
    return np.array([to_unit(values[name], one) for name, one in numbers.items()])


def _values(units: Floats, numbers: Numbers) -> dict[str, Any]:
    return {
        name: from_unit(float(unit), one)
        for unit, (name, one) in zip(units, numbers.items(), strict=True)
    }
