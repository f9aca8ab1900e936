"""The sampler of a sweep, those that Optuna lacks, and the pruners.

CMA-ES and SPSA have no state beyond the trials: what they propose follows from them and a seed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

from evolve.config.ranges import value_at
from evolve.config.sweep import REDUCTION, SweepSettings
from evolve.errors import RunError
from evolve.fitness.statistics import Floats
from evolve.sweeps.plan import Plan
from evolve.sweeps.space import Number, at_step, snapped, steps_in, units_of, values_at
from evolve.sweeps.trial import MIRROR, finished_of, values_of
from evolve.tables.trials import ESTIMATE, START

if TYPE_CHECKING:
    import cmaes

_CMA_GENERATION: Final = "cma:generation"
_EVERY: Final = 8
"""One trial in this many is an estimate, and so is the last one."""
_GAMMA: Final = 0.101

_Numbers = Mapping[str, Number]


class _Cma:
    """Proposes numbers by CMA-ES (Hansen and Ostermeier 2001).

    Optuna's own sampler keeps its state as a pickle in the study, and unpickles what it finds
    there. This one rebuilds the state from the trials: a generation counts once enough of its
    trials have ended.

    `startup` finished trials come before the first proposal; the search begins at the best of them.
    """

    def __init__(self, startup: int, numbers: _Numbers) -> None:
        self._startup, self._numbers = startup, numbers
        self._optimizer: cmaes.CMA | None = None

    def values(self, study: optuna.Study, trial: FrozenTrial, seed: int) -> dict[str, Any]:
        """Return a point of the current generation; nothing before its start."""
        others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number]
        if self._optimizer is None and len(self._numbers) > 1:
            first = _whole(others, None, max(1, self._startup))
            self._optimizer = None if first is None else _begun(first, self._numbers)
        optimizer = self._optimizer
        if optimizer is None:
            return {}
        while whole := _whole(others, optimizer.generation, optimizer.population_size):
            optimizer.tell([(units_of(t.params, self._numbers), -t.values[0]) for t in whole])
        study._storage.set_trial_system_attr(trial._trial_id, _CMA_GENERATION, optimizer.generation)
        optimizer._rng.seed(seed)
        return values_at(optimizer.ask(), self._numbers)


def _whole(
    trials: Sequence[FrozenTrial], generation: int | None, count: int
) -> list[FrozenTrial] | None:
    """Return the `count` lowest-numbered trials of a generation, once all are complete.

    Trials that failed or were pruned do not count. None while one of the trials is waiting or
    running.

    The order is by number, because nothing else is stable: ordered by the time of their end, a
    clock that is set back, or the clocks of two machines, would change the search after a stop.
    """
    members = [
        trial
        for trial in sorted(trials, key=lambda trial: trial.number)
        if trial.system_attrs.get(_CMA_GENERATION) == generation
        and trial.state not in (TrialState.FAIL, TrialState.PRUNED, TrialState.WAITING)
    ][:count]
    whole = len(members) == count and all(trial.state == TrialState.COMPLETE for trial in members)
    return members if whole else None


def _begun(first: Sequence[FrozenTrial], numbers: _Numbers) -> cmaes.CMA:
    import cmaes  # imported here: it loads scipy.stats, 0.5 s, and most sweeps use other samplers

    best = max(first, key=lambda trial: trial.values[0])
    return cmaes.CMA(
        mean=np.clip(units_of(best.params, numbers), 0.05, 0.95),
        sigma=1 / 6,  # of every range, as Optuna has it
        bounds=np.tile([0.0, 1.0], (len(numbers), 1)),
        n_max_resampling=10 * len(numbers),
    )


class _Spsa:
    """Proposes steps from the current point of the search (Spall 1992).

    A step is a trial that plays its own mirror image. Both lie at ± c around the current point,
    along a random corner of the cube, and their games move the point towards the winner. On a grid
    each end is rounded up or down at random, so that the mean is where c puts it, and the two ends
    are at least one step apart: without that a range of few values never moves. Gains fall as in
    Spall (1998) and as testers of chess programs use them.

    numbers: the whole space. begin: values of the starting point, unless the sweep starts from
    others. trials: their planned number.
    """

    def __init__(self, numbers: _Numbers, begin: Mapping[str, Any], trials: int) -> None:
        self._numbers, self._begin, self._trials = numbers, begin, trials
        self._planned = max(1, trials - trials // _EVERY)

    def values(self, study: optuna.Study, trial: FrozenTrial, seed: int) -> dict[str, Any]:
        """Return a step's upper end; the lower one is stored as the trial's mirror image.

        seed: of its direction.
        """
        before = study.get_trials(deepcopy=False)
        steps = [t for t in before if t.state == TrialState.PRUNED and MIRROR in t.user_attrs]
        first = (t for t in before if t.user_attrs.get("origin") == START)
        start = next((t for t in first if t.state != TrialState.FAIL), None)
        point = self._walked(self._begin if start is None else values_of(start), steps)
        # Trial 0 is the defaults. The result of the last steps is worth a trial, too.
        if trial.number % _EVERY == 0 or trial.number == self._trials - 1:
            study._storage.set_trial_user_attr(trial._trial_id, "origin", ESTIMATE)
            return values_at(point, self._numbers)
        rng = np.random.default_rng(seed)
        corner = rng.choice([-1.0, 1.0], len(self._numbers))
        lots = rng.random(len(self._numbers))
        # c: at the end 0.12 of every range.
        width = float(0.12 * (self._planned / (len(steps) + 1)) ** _GAMMA)
        above, below = {}, {}
        for unit, side, lot, (name, distribution) in zip(
            point, corner, lots, self._numbers.items(), strict=True
        ):
            low, high = _step_of(float(unit), width, float(lot), distribution)
            above[name], below[name] = (high, low) if side > 0 else (low, high)
        study._storage.set_trial_user_attr(trial._trial_id, MIRROR, below)
        return above

    def _walked(self, begin: Mapping[str, Any], steps: Sequence[FrozenTrial]) -> Floats:
        """Return the current point after these steps: each moves it along itself, by its result.

        At the end a won step moves the point by half a step. A is a tenth of all steps, alpha
        0.602.
        """
        point, total = units_of(begin, self._numbers), self._planned
        delay = 0.1 * total
        for number, trial in enumerate(steps, 1):
            fall = ((delay + total) / (delay + number)) ** 0.602 * (number / total) ** _GAMMA
            above = units_of(trial.params, self._numbers)
            below = units_of(trial.user_attrs[MIRROR], self._numbers)
            won = 2.0 * trial.values[0] - 1.0
            point = np.clip(point + fall * (0.5 * won * (above - below) / 2), 0.0, 1.0)
        return point


def _step_of(
    unit: float, width: float, lot: float, distribution: Number
) -> tuple[float | int, float | int]:
    """Return the lower and the upper end of a step around a place, 0 to 1; they always differ.

    width: of each half, as a share of the range. lot: 0 to 1; it rounds both ends to the grid so
    that on average they stay where they were.
    """
    low, high = (value_at(unit + way * width, distribution) for way in (-1, 1))
    step = distribution.step
    if step is None:
        return low, high
    # In steps above the lowest value: the ends are at least one apart, and within the range.
    last = steps_in(distribution)
    under, over = ((end - distribution.low) / step for end in (low, high))
    if over - under < 1.0:
        under = min(max((under + over - 1.0) / 2, 0.0), last - 1.0)
        over = under + 1.0
    first, second = math.floor(under + lot), math.floor(over + lot)
    if first == second:  # floats are not exact
        first, second = (first - 1, second) if second >= last else (first, second + 1)
    ends = (at_step(end, distribution) for end in (first, second))
    return next(ends), next(ends)


class Proposer(RandomSampler):
    """The sampler of a sweep: that of its settings, but nothing that breaks a requirement.

    Each proposal's seed is drawn from the sweep's seed and the trial's number, so a sweep that was
    stopped or killed continues as if it had not been. by_chance: propose next by chance, whatever
    the settings say.
    """

    by_chance = False

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan, self._settings, self._space = plan, plan.sweep, plan.space
        ranges = plan.space.distributions.items()
        self._varied = {name: number for name, number in ranges if not number.single()}
        varied = self._varied.items()
        self._numbers = {name: number for name, number in varied if isinstance(number, Number)}
        self._cma = _Cma(plan.sweep.startup, dict(sorted(self._numbers.items())))
        self._spsa = _Spsa(self._numbers, plan.defaults or {}, plan.sweep.trials)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the whole space: its values are proposed together."""
        return dict(self._varied)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values that fulfil all requirements; RunError where none are found."""
        own = "random" if self.by_chance else self._settings.sampler
        for draw in range(20_000):
            key = [self._settings.seed, trial.number, *([draw] if draw else [])]
            seed = int(np.random.SeedSequence(key).generate_state(1)[0] >> 1)
            # By chance where the sampler breaks a requirement again and again.
            values = self._drawn(own if draw < 8 else "random", seed, study, trial)
            if not self._space.broken({**self._space.example, **values}):
                return values
        texts = " and ".join(repr(requirement.text) for requirement in self._space.required)
        raise RunError(
            f"no setting that fulfils {texts} was found: make the ranges fit the requirement"
        )

    def _drawn(
        self, name: str, seed: int, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, Any]:
        """Return what the sampler of that name proposes, and by chance what it leaves open."""
        settings, samplers = self._settings, optuna.samplers
        sampler: BaseSampler = RandomSampler(seed)
        values: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            match name:
                case "tpe":
                    sampler = samplers.TPESampler(
                        seed=seed, n_startup_trials=settings.startup, multivariate=True
                    )
                case "gp":
                    sampler = samplers.GPSampler(seed=seed, n_startup_trials=settings.startup)
                case "cma":
                    values = self._cma.values(study, trial, seed)
                case "spsa":
                    values = self._spsa.values(study, trial, seed)
        joint = sampler.infer_relative_search_space(study, trial)
        values |= sampler.sample_relative(study, trial, joint)
        for name, distribution in self._varied.items():
            if name not in values:
                values[name] = sampler.sample_independent(study, trial, name, distribution)
        return {name: snapped(values[name], number) for name, number in self._varied.items()}


def is_pruned(
    settings: SweepSettings, study: optuna.Study, trial: FrozenTrial, trials: Sequence[FrozenTrial]
) -> bool:
    """Return whether a trial ends at its last report; trials: of the study, as rated now.

    The median pruner waits for `startup` finished trials, and for a trial's second report: a
    learning rate that falls late makes first scores deceptive. A race ends a trial that is
    certainly worse than the best one: by more than twice the error of their difference. Halving
    (Li and others 2020, without waiting) lets those go on that are in the best quarter so far.
    """
    at = trial.last_step
    if at is None or settings.pruner == "none":
        return False
    if settings.pruner == "halving":
        scores = sorted(t.intermediate_values[at] for t in trials if at in t.intermediate_values)
        return bool(trial.intermediate_values[at] < scores[-max(1, len(scores) // REDUCTION)])
    if finished_of(trials) < settings.startup:
        return False
    if settings.pruner == "median":
        median = optuna.pruners.MedianPruner(settings.startup, n_warmup_steps=2, n_min_trials=3)
        return median.prune(study, trial)
    complete = [compared for compared in trials if compared.state == TrialState.COMPLETE]
    if not complete:
        return False
    best = max(complete, key=lambda compared: compared.values[0])
    errors = (compared.user_attrs.get("score_error", 0.0) for compared in (best, trial))
    reach = trial.intermediate_values[at] + 2.0 * math.hypot(*errors)
    return bool(reach < best.values[0])
