"""The study of a sweep: proposals, reports and results, and who works on which trial."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, Trial, TrialState

from evolve.errors import RunError
from evolve.sweeps.final import DEFAULTS, best_trial, is_defaults
from evolve.sweeps.first_trials import START, settings_to_try
from evolve.sweeps.importance import importances_in
from evolve.sweeps.own_samplers import CMA_GENERATION
from evolve.sweeps.plan import Plan
from evolve.sweeps.samplers import Hyperband, Proposer, pruner_of
from evolve.sweeps.space import Setting
from evolve.sweeps.storage import Storage, Watch, beat_key, storage_errors, writer_id
from evolve.sweeps.trials import (
    CONTEXT,
    ENDS,
    FINISHED,
    LOST,
    MIRROR,
    PLACE,
    SAME,
    SURPLUS,
    CountedStudy,
    Task,
    TrialResult,
    finished_of,
    free_place,
    games_of,
    is_lost,
    known_result,
    number_of,
    values_of,
)
from evolve.tables.trials import Importances

ATTEMPTS: Final = 3
"""Times that the same values are tried when their workers die."""
IDENTITY: Final = "evolve"
_REPEATS: Final = 5
"""Repeated settings in a row after which a trial is drawn at random."""
_ORDER: Final = 2**31
"""Key of the seed by which all settings of a small space are shuffled."""
_KEPT_OF_QUEUED: Final[tuple[str, ...]] = ("origin", PLACE, CONTEXT, MIRROR)
"""Attributes that a trial keeps when its values are queued again."""

optuna.logging.set_verbosity(optuna.logging.ERROR)


@dataclass(frozen=True)
class Queued:
    """A requested trial, not a proposed one: its values and their origin."""

    values: Mapping[str, Any]
    origin: str


class Study:
    """A study in its storage, as one of its writers.

    Others may write to a shared storage, too; their beats show that they are alive. The trials are
    those of `queue`, or the defaults and what the sampler proposes. Where there are at least as
    many trials as settings, each setting is tried once before the sampler proposes, in an order by
    the seed. A setting that failed, or where games repeat was tried, gets its known result at once.

    Raises RunError when a study of that name belongs to another sweep, StorageError when the
    storage fails.
    """

    def __init__(
        self, plan: Plan, storage: Storage, name: str, queue: Sequence[Queued] | None = None
    ) -> None:
        self.plan = plan
        self.name = name
        self.storage_name = storage.name
        self.shared = storage.shared
        self.writer = writer_id()
        self.storage = storage
        self._queue = queue
        self._storage = storage.optuna
        self._watch = Watch()
        self._proposer = Proposer(plan)
        self._trials: dict[int, Trial] = {}
        with storage_errors(self.storage_name):
            self._pruner = pruner_of(plan.sweep)
            optuna.create_study(
                storage=self._storage, study_name=name, direction="maximize", load_if_exists=True
            )
            self.study = CountedStudy(name, self._storage, self._proposer.sampler(0), self._pruner)
            self._claim()
            self._enqueue_first()

    def _claim(self) -> None:
        """Check that the study belongs to this sweep; claim a new one."""
        space = {p.name: p.range_text for p in self.plan.space.parameters}
        own: dict[str, Any] = json.loads(json.dumps({**self.plan.identity, "space": space}))
        stored = self.study.user_attrs.get(IDENTITY)
        if stored is None:
            if self.study.get_trials(deepcopy=False):
                raise RunError(
                    f"the study {self.name!r} in {self.storage_name} is not one of evolve's"
                )
            self.study.set_user_attr(IDENTITY, own)
        elif stored != own:
            differing = [key for key in {**stored, **own} if stored.get(key) != own.get(key)]
            parts = (f"{key} ({stored.get(key)}, here {own.get(key)})" for key in differing)
            text = "; ".join(part if len(part) < 120 else part[:117] + "…" for part in parts)
            raise RunError(
                f"the study {self.name!r} in {self.storage_name} is of another sweep: {text}; "
                "begin another sweep, --start-from this one to try its best settings first"
            )

    def _enqueue_first(self) -> None:
        """Queue the trials of `queue`, or the defaults and the settings to start from; once each.

        RunError where the study has others than those of `queue`.
        """
        origins = {number_of(t): t.user_attrs.get("origin") for t in self.study.get_attempts()}
        first = self._first_trials()
        if self._queue is not None:
            wanted = {number: queued.origin for number, queued in enumerate(first)}
            if any(wanted.get(number) != origin for number, origin in origins.items()):
                raise RunError(
                    f"{self.storage_name} is of other candidates: was `rungs` changed since?"
                )
        if self.shared and DEFAULTS in origins.values():
            return
        for number, queued in enumerate(first):
            if number not in origins:
                numbered = {} if self.shared else {PLACE: number}
                attributes = {"origin": queued.origin, **numbered}
                self.study.enqueue_trial(dict(queued.values), user_attrs=attributes)
        if self.plan.sweep.start_from is not None:
            self.study.set_user_attr(START, True)

    def _first_trials(self) -> Sequence[Queued]:
        plan, source = self.plan, self.plan.sweep.start_from
        if self._queue is not None:
            return self._queue
        first = [] if plan.defaults is None else [Queued(plan.defaults, DEFAULTS)]
        if source is not None and START not in self.study.user_attrs:
            settings = settings_to_try(source, plan.space, plan.defaults)
            first += [Queued(values, START) for values in settings]
        return first

    def beat(self, count: int) -> None:
        """Record that this process is alive."""
        with storage_errors(self.storage_name):
            self.study.set_user_attr(beat_key(self.writer), count)

    def trials(self) -> list[FrozenTrial]:
        """Return all trials that count, also those of other writers; do not change them."""
        with storage_errors(self.storage_name):
            return self.study.get_trials(deepcopy=False)

    def listed(self) -> list[FrozenTrial]:
        """Return the trials for the table; lost ones too where attempts have their own numbers."""
        with storage_errors(self.storage_name):
            return self.study.get_attempts() if self.shared else self.trials()

    def finished(self) -> int:
        """Count the trials that are complete or pruned."""
        return finished_of(self.trials())

    @property
    def best(self) -> float | None:
        """The best score of a complete trial."""
        trial = best_trial(self.trials())
        return None if trial is None else float(trial.values[0])

    def open(self) -> int:
        """Count the wanted trials that nobody works on yet."""
        trials = self.trials()
        waiting = sum(trial.state == TrialState.WAITING for trial in trials)
        if self._queue is not None:
            return waiting
        if not self._has_room(trials):
            return 0
        wanted = self.plan.sweep.trials - self._counted(trials, TrialState.RUNNING)
        if self._tries_each_once(trials):
            return min(wanted, waiting + len(self._untried(trials)))
        return wanted

    @property
    def is_over(self) -> bool:
        """Whether all wanted trials are finished; of a queue, whether all have ended."""
        trials = self.trials()
        if self._queue is not None:
            return all(trial.state in ENDS for trial in trials)
        if self._counted(trials) >= self.plan.sweep.trials:
            return True
        begun = any(trial.state in (TrialState.RUNNING, TrialState.WAITING) for trial in trials)
        return not begun and (not self._has_room(trials) or self._has_tried_all(trials))

    @property
    def is_exhausted(self) -> bool:
        """Whether fewer trials than wanted have tried every possible setting."""
        trials = self.trials()
        return self._has_tried_all(trials) and self._counted(trials) < self.plan.sweep.trials

    @property
    def progress(self) -> tuple[float, float]:
        """How much is done and how much in all: trials, or games where these are counted."""
        trials, plan = self.trials(), self.plan
        most = plan.sweep.games_of_trials
        if most is not None:
            done = games_of([trial for trial in trials if trial.state in FINISHED], 0)
            return (most if self.is_over else done), most
        planned = plan.bounded if self._tries_each_once(trials) else plan.sweep
        return finished_of(trials), plan.sweep.work - plan.sweep.trials + planned.trials

    def _counted(self, trials: Sequence[FrozenTrial], *more: TrialState) -> int:
        """Count the trials that count towards the wanted ones.

        Where trials may fail one after another, failed ones count. Otherwise a sweep of a program
        that crashes on most values would never end.
        """
        states = (*(ENDS if self.plan.sweep.counts_failures else FINISHED), *more)
        return sum(trial.state in states for trial in trials)

    def _has_room(self, trials: Sequence[FrozenTrial]) -> bool:
        """Return whether the game limit leaves room for another trial."""
        most, each = self.plan.sweep.games_of_trials, self.plan.sweep.trial_games
        return most is None or games_of(trials, each) + each <= most

    @cached_property
    def all_settings(self) -> list[Setting]:
        """All settings in the order of their trials; empty where there are more than trials."""
        plan = self.plan
        if self._queue is not None or plan.space.count is None or not plan.sweep.searches:
            return []
        trials, most = plan.sweep.trials, plan.sweep.games_of_trials
        if most is not None:
            trials = min(trials, most // plan.sweep.trial_games)
        if plan.space.count > trials:
            return []
        settings = list(plan.space.settings)
        order = np.random.default_rng([plan.sweep.seed, _ORDER]).permutation(len(settings))
        return [settings[index] for index in order]

    def _untried(self, trials: Sequence[FrozenTrial]) -> list[Setting]:
        """Return the settings of a small space that no trial has, in their order."""
        space = self.plan.space
        tries = [trial for trial in trials if trial.user_attrs.get("reason") != SURPLUS]
        values = [values_of(trial, space.names) for trial in tries] if self.all_settings else []
        tried = {space.setting_of(chosen) for chosen in values if chosen is not None}
        return [setting for setting in self.all_settings if setting not in tried]

    def _tries_each_once(self, trials: Sequence[FrozenTrial]) -> bool:
        """Return whether a small space is tried once; while that is unknown, it is."""
        return bool(self.all_settings) and self.plan.repeats(trials) is not False

    def _has_tried_all(self, trials: Sequence[FrozenTrial]) -> bool:
        return self._tries_each_once(trials) and not self._untried(trials)

    def take(self, worker: str) -> Task | None:
        """Return a trial to work on; None when another process took the last one first."""
        with storage_errors(self.storage_name):
            before = self.trials()
            number = len(before) if self.shared else free_place(before)
            self._enqueue_untried(before, number)
            self.study.sampler = self._proposer.sampler(number, by_chance=_repeats(before))
            if isinstance(self._pruner, Hyperband):
                self._pruner.next_place = number
            try:
                trial = self.study.ask(self.plan.space.distributions)
                if not self.shared and PLACE not in trial.user_attrs:
                    trial.set_user_attr(PLACE, number)
                trial.set_user_attr("lease", self.writer)
                trial.set_user_attr("worker", worker)
            except UpdateFinishedTrialError:
                # SQLite locks no rows: two may take the same waiting trial, and one has ended it.
                return None
            if self.shared and self._is_surplus(trial.number):
                self._fail(trial._trial_id, SURPLUS)
                return None
            frozen, trials = self._frozen(trial), self.trials()
            number = number_of(frozen)
            self._trials[number] = trial
            if (result := self._known_result(frozen, trials)) is not None:
                return Task(number, dict(trial.params), result=result)
            context = frozen.user_attrs.get(CONTEXT)
            if context is None and (context := self.plan.trial_context(frozen, trials)):
                trial.set_user_attr(CONTEXT, context)
        return Task(number, dict(trial.params), context or {})

    def _known_result(self, new: FrozenTrial, trials: Sequence[FrozenTrial]) -> TrialResult | None:
        """Return the result of a new trial's settings where it needs no games."""
        if self._queue is not None or is_defaults(new):  # the defaults need an agent of their own
            return None
        # Where games differ, failures repeat all the same. One drawn by chance is tried again:
        # a sweep in which everything fails has to end.
        earlier = [trial for trial in trials if number_of(trial) < number_of(new)]
        repeats, failures = self.plan.repeats(trials), not _repeats(earlier)
        known = [t for t in trials if (failures if t.state == TrialState.FAIL else repeats)]
        return known_result(new, known, self.plan.space)

    def _enqueue_untried(self, trials: Sequence[FrozenTrial], number: int) -> None:
        """Queue the next setting of a small space, unless another trial waits."""
        if any(trial.state == TrialState.WAITING for trial in trials):
            return
        for setting in self._untried(trials)[:1]:
            values = dict(zip(self.plan.space.names, setting, strict=True))
            self.study.enqueue_trial(values, user_attrs={} if self.shared else {PLACE: number})

    def _is_surplus(self, number: int) -> bool:
        """Return whether enough trials were taken before one: two writers may ask at once."""
        before = [t for t in self.trials() if t.number < number and t.state != TrialState.FAIL]
        return len(before) >= self.plan.sweep.trials

    def _frozen(self, trial: Trial) -> FrozenTrial:
        """Return a trial as the storage has it."""
        return self._storage.get_trial(trial._trial_id)

    def report(self, number: int, step: int, score: float, error: float) -> bool:
        """Keep an intermediate score; return whether the trial must end there."""
        with storage_errors(self.storage_name):
            trial = self._trials[number]
            try:
                trial.report(score, step)
                trial.set_user_attr("score_error", error)
            except UpdateFinishedTrialError:  # its worker counted as dead: no need to continue
                return True
            # All other trials are compared with the defaults.
            if trial.user_attrs.get("origin") == DEFAULTS:
                return False
            return self.finished() >= self.plan.sweep.startup and bool(trial.should_prune())

    def end(self, number: int, outcome: TrialResult) -> bool:
        """End a trial; False when its worker had counted as dead."""
        trial, state = self._trials.pop(number), outcome.state
        with storage_errors(self.storage_name):
            values = None if outcome.score is None else [outcome.score]
            if state == TrialState.PRUNED and values is None:  # its last score is its score
                reports = self._frozen(trial).intermediate_values
                values = [reports[max(reports)] if reports else 0.0]
            try:
                for key, value in outcome.attributes.items():
                    trial.set_user_attr(key, value)
                return self._storage.set_trial_state_values(trial._trial_id, state, values)
            except UpdateFinishedTrialError:
                return False

    def lose(self, number: int, reason: str, *, blamed: bool) -> bool:
        """Give up a trial of a dead worker; return whether its values are tried again.

        They are, unless they are `blamed` and this was the last of ATTEMPTS. The defaults always
        are.
        """
        with storage_errors(self.storage_name):
            return bool(self._lose(self._frozen(self._trials.pop(number)), reason, blamed))

    def reclaim(self) -> list[int]:
        """Fail the trials of dead writers and queue their values again; return their numbers.

        The death of a journal's single writer does not count against the values.
        """
        own = {trial._trial_id for trial in self._trials.values()}
        dead = [
            trial
            for trial in self.trials()
            if trial.state == TrialState.RUNNING
            and trial._trial_id not in own
            and self._is_dead(trial)
        ]
        with storage_errors(self.storage_name):
            if not self.shared:
                self._mend_queue()
            return [
                number_of(trial)
                for trial in dead
                if self._lose(trial, "the worker died", blamed=self.shared) is not None
            ]

    def _is_dead(self, trial: FrozenTrial) -> bool:
        if not self.shared:
            return True  # this process is the only writer, and the trial is not its own
        writer = trial.user_attrs.get("lease")
        if writer is None:  # killed before it wrote who it is, or about to write it
            return self._watch.stands_still(f"trial:{trial.number}", 0)
        key = beat_key(writer)
        return self._watch.stands_still(key, self.study.user_attrs.get(key, 0))

    def _lose(self, trial: FrozenTrial, reason: str, blamed: bool) -> bool | None:
        """Fail an attempt, and queue its values again where they are to be retried.

        Returns whether they are; None when another process has ended the attempt meanwhile.
        """
        attempt = int(trial.user_attrs.get("attempt", 1)) + blamed
        again = attempt <= ATTEMPTS or trial.user_attrs.get("origin") == DEFAULTS
        try:
            if again:
                self._storage.set_trial_user_attr(trial._trial_id, LOST, attempt)
        except UpdateFinishedTrialError:
            return None
        if not self._fail(trial._trial_id, reason):
            return None
        if again:
            self._enqueue_again(trial, attempt)
        return again

    def _enqueue_again(self, trial: FrozenTrial, attempt: int) -> None:
        """Queue a trial's values again, in its place.

        Where not all values had been proposed, nothing is queued: the sampler proposes the same
        values for that place again.
        """
        values = values_of(trial, self.plan.space.names)
        if values is not None:
            stored = trial.user_attrs
            attributes = {key: stored[key] for key in _KEPT_OF_QUEUED if key in stored}
            attributes |= {"attempt": attempt, "retry_of": trial.number}
            # Like `enqueue_trial`, but the trial stays in its generation of CMA-ES.
            inner = {
                key: trial.system_attrs[key]
                for key in [CMA_GENERATION]
                if key in trial.system_attrs
            }
            self.study.add_trial(
                optuna.trial.create_trial(
                    state=TrialState.WAITING,
                    system_attrs={"fixed_params": values, **inner},
                    user_attrs=attributes,
                )
            )

    def _mend_queue(self) -> None:
        """Queue the values of attempts that failed just before everything was killed."""
        attempts = self.study.get_attempts()
        again = {trial.user_attrs.get("retry_of") for trial in attempts}
        for trial in attempts:
            if is_lost(trial) and trial.number not in again:
                self._enqueue_again(trial, trial.user_attrs[LOST])

    def _fail(self, trial_id: int, reason: str) -> bool:
        """Fail a trial; False when another process has ended it meanwhile."""
        try:
            self._storage.set_trial_user_attr(trial_id, "reason", reason)
            return self._storage.set_trial_state_values(trial_id, TrialState.FAIL)
        except UpdateFinishedTrialError:
            return False

    def importances(self) -> Importances:
        """Return how much each parameter matters for a good score, or why that is unknown.

        Takes seconds.
        """
        new = [trial for trial in self.trials() if SAME not in trial.user_attrs]
        complete = [trial for trial in new if trial.state == TrialState.COMPLETE]
        try:
            return importances_in(
                self.plan.space.distributions,
                [trial.params for trial in complete],
                np.array([trial.values[0] for trial in complete]),
                self.plan.sweep.seed,
            )
        except ValueError as error:  # a value outside its range, which no sweep of evolve draws
            raise RunError(f"the study holds what this sweep did not try: {error}") from error


def _repeats(trials: Sequence[FrozenTrial]) -> bool:
    """Return whether the last trials only repeated settings: then one is drawn at random."""
    latest = sorted(trials, key=number_of, reverse=True)
    repeated = itertools.takewhile(lambda trial: SAME in trial.user_attrs, latest)
    return len([*itertools.islice(repeated, _REPEATS)]) == _REPEATS
