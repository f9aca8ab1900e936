"""The study of a sweep: proposals, reports and results, and who works on which trial."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from evolve.sweeps.quota import ELSEWHERE, Quota
from evolve.sweeps.samplers import Hyperband, Proposer, pruner_of
from evolve.sweeps.storage import Lease, Storage, Watch, is_gone, key_of, telling
from evolve.sweeps.trials import (
    CONTEXT,
    LOST,
    MIRROR,
    PLACE,
    CountedStudy,
    Outcome,
    Task,
    finished_of,
    free_place,
    is_lost,
    number_of,
    values_of,
)
from evolve.tables.trials import Importances

ATTEMPTS: Final = 3
"""Times that the same values are tried when their workers die."""
IDENTITY: Final = "evolve"
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
    the defaults and the sampler's proposals, or only those of `queue`. Raises RunError when a study
    of that name belongs to another sweep, StorageError when the storage fails.
    """

    def __init__(
        self,
        plan: Plan,
        storage: Storage,
        name: str,
        queue: Sequence[Queued] | None = None,
    ) -> None:
        self.plan = plan
        self._queue = queue
        self.name = name
        self.place = storage.place
        self.shared = storage.shared
        self.lease = Lease()
        self.storage = storage
        self._storage = storage.optuna
        self._watch = Watch()
        self._proposer = Proposer(plan)
        self._trials: dict[int, Trial] = {}
        with telling(self.place):
            self._pruner = pruner_of(plan.sweep)
            optuna.create_study(
                storage=self._storage, study_name=name, direction="maximize", load_if_exists=True
            )
            self.study = CountedStudy(name, self._storage, self._proposer.sampler(0), self._pruner)
            self._claim()

    def _claim(self) -> None:
        """Check that the study belongs to this sweep; claim a new one."""
        strange = bool(self.study.get_trials(deepcopy=False))
        there = self.study.user_attrs.get(IDENTITY)
        mine = self._identity()
        if there is None:
            if strange:
                raise RunError(f"the study {self.name!r} in {self.place} is not one of evolve's")
            self.study.set_user_attr(IDENTITY, mine)
            there = mine
        if there != mine:
            differing = [key for key in {**there, **mine} if there.get(key) != mine.get(key)]
            parts = (f"{key} ({there.get(key)}, here {mine.get(key)})" for key in differing)
            text = "; ".join(part if len(part) < 120 else part[:117] + "…" for part in parts)
            raise RunError(
                f"the study {self.name!r} in {self.place} is of another sweep: {text}; begin "
                "another sweep, --start-from this one to try its best settings first"
            )
        if self._queue is None:
            self._enqueue_defaults()
            self._enqueue_starts()
        else:
            self._enqueue(self._queue)

    def _enqueue(self, queue: Sequence[Queued]) -> None:
        """Add missing trials to the queue, each in its place; RunError where others are there."""
        there = {
            number_of(trial): trial.user_attrs.get("origin") for trial in self.study.get_attempts()
        }
        wanted = {place: one.origin for place, one in enumerate(queue)}
        if any(wanted.get(place) != origin for place, origin in there.items()):
            raise RunError(f"{self.place} is of other candidates: was `rungs` changed since?")
        for place, one in enumerate(queue):
            if place not in there:
                attributes = {"origin": one.origin, PLACE: place}
                self.study.enqueue_trial(dict(one.values), user_attrs=attributes)

    def _enqueue_starts(self) -> None:
        """Queue the settings to try first, once."""
        place = self.plan.sweep.start_from
        if place is None or START in self.study.user_attrs:
            return
        there = {trial.user_attrs.get(START) for trial in self.study.get_attempts()}
        settings = settings_to_try(place, self.plan.space, self.plan.defaults)
        for number, values in enumerate(settings):
            if number not in there:
                place_of = {PLACE: free_place(self.trials())}
                attributes = {"origin": START, START: number, **place_of}
                self.study.enqueue_trial(values, user_attrs=attributes)
        self.study.set_user_attr(START, len(settings))

    def _enqueue_defaults(self) -> None:
        """Put the defaults first in the queue, once: two machines may begin at the same time."""
        if self.plan.defaults is None or self._defaults():
            return
        place = {} if self.shared else {PLACE: free_place(self.trials())}
        attributes = {"origin": DEFAULTS, **place}
        self.study.enqueue_trial(self.plan.defaults, user_attrs=attributes)
        self._drop_further_defaults()

    def _drop_further_defaults(self) -> None:
        for trial in self._defaults()[1:]:
            if trial.state == TrialState.WAITING:
                self._fail(trial._trial_id, ELSEWHERE)

    def _defaults(self) -> list[FrozenTrial]:
        return list(filter(is_defaults, self.study.get_attempts()))

    def _identity(self) -> dict[str, Any]:
        """Return what all writers to the study share, as JSON restores it."""
        space = {p.name: p.range_text for p in self.plan.space.parameters}
        identity: dict[str, Any] = json.loads(json.dumps({**self.plan.identity, "space": space}))
        return identity

    def beat(self, count: int) -> None:
        """Record that this process is alive."""
        with telling(self.place):
            self.study.set_user_attr(self.lease.key, count)

    def trials(self) -> list[FrozenTrial]:
        """Return all trials that count, also those of other writers; do not change them."""
        with telling(self.place):
            return self.study.get_trials(deepcopy=False)

    def listed(self) -> list[FrozenTrial]:
        """Return the trials for the table; lost ones too where attempts have their own numbers."""
        with telling(self.place):
            return self.study.get_attempts() if self.shared else self.trials()

    def finished(self) -> int:
        """Count the trials that are complete or pruned."""
        return finished_of(self.trials())

    def open(self) -> int:
        """Count the wanted trials that nobody works on yet."""
        return self._quota.open(self.trials())

    @property
    def is_over(self) -> bool:
        """Whether all wanted trials are finished; of a queue, whether all have ended."""
        return self._quota.is_over(self.trials())

    @property
    def is_exhausted(self) -> bool:
        """Whether fewer trials than wanted have tried every possible setting."""
        return self._quota.is_exhausted(self.trials())

    @property
    def _quota(self) -> Quota:
        return Quota(self.plan, queued=self._queue is not None)

    @property
    def best(self) -> float | None:
        """The best score of a complete trial."""
        trial = best_trial(self.trials())
        return None if trial is None else float(trial.values[0])

    @property
    def progress(self) -> tuple[float, float]:
        """How much is done and how much in all: trials, or games where these are counted."""
        return self._quota.progress(self.trials())

    def take(self, worker: str) -> Task | None:
        """Return a trial to work on; None when another process took the last one first."""
        with telling(self.place):
            before = self.trials()
            place = len(before) if self.shared else free_place(self.trials())
            self.study.sampler = self._proposer.sampler(place, self._quota.known(before))
            if isinstance(self._pruner, Hyperband):
                self._pruner.next_place = place
            try:
                trial = self.study.ask(self.plan.space.distributions)
                if not self.shared and PLACE not in trial.user_attrs:
                    trial.set_user_attr(PLACE, place)
                trial.set_user_attr("lease", self.lease.identity)
                trial.set_user_attr("worker", worker)
            except UpdateFinishedTrialError:
                # SQLite locks no rows: two may take the same waiting trial, and one has ended it.
                return None
            unwanted = None
            if self.shared:
                unwanted = self._quota.unwanted(self._frozen(trial), self.trials())
            if unwanted is not None:
                self._fail(trial._trial_id, unwanted)
                return None
        frozen = self._frozen(trial)
        number = number_of(frozen)
        self._trials[number] = trial
        with telling(self.place):
            context = frozen.user_attrs.get(CONTEXT)
            if context is None and (context := self.plan.trial_context(frozen, self.trials())):
                trial.set_user_attr(CONTEXT, context)
        return Task(number, dict(trial.params), context or {})

    def _frozen(self, trial: Trial) -> FrozenTrial:
        """Return a trial as the storage has it."""
        return self._storage.get_trial(trial._trial_id)

    def report(self, number: int, step: int, score: float, error: float) -> bool:
        """Keep an intermediate score; return whether the trial must end there."""
        with telling(self.place):
            trial = self._trials[number]
            try:
                trial.report(score, step)
                trial.set_user_attr("score_error", error)
            except UpdateFinishedTrialError:  # it was given up for dead: no need to continue
                return True
            # All other trials are compared with the defaults.
            if trial.user_attrs.get("origin") == DEFAULTS:
                return False
            return self.finished() >= self.plan.sweep.startup and bool(trial.should_prune())

    def end(self, number: int, outcome: Outcome) -> bool:
        """End a trial; False when it had been given up for dead."""
        trial, state = self._trials.pop(number), outcome.state
        with telling(self.place):
            values = None if outcome.score is None else [outcome.score]
            if state == TrialState.PRUNED:  # its last score is its score
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
        with telling(self.place):
            return bool(self._lose(self._frozen(self._trials.pop(number)), reason, blamed))

    def reclaim(self) -> list[int]:
        """Fail the trials of dead writers and queue their values again; return their numbers.

        The death of a journal's single writer does not count against the values.
        """
        mine = {trial._trial_id for trial in self._trials.values()}
        dead = [
            trial
            for trial in self.trials()
            if trial.state == TrialState.RUNNING
            and trial._trial_id not in mine
            and self._is_dead(trial)
        ]
        with telling(self.place):
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
        identity = trial.user_attrs.get("lease")
        if identity is None:  # killed before it wrote its identity, or about to write it
            return self._watch.stands_still(f"trial:{trial.number}", 0)
        if is_gone(identity):
            return True
        beat = self.study.user_attrs.get(key_of(identity), 0)
        return self._watch.stands_still(key_of(identity), beat)

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
            known = trial.user_attrs
            attributes = {key: known[key] for key in _KEPT_OF_QUEUED if key in known}
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
        with telling(self.place):
            complete = self.study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        try:
            return importances_in(
                self.plan.space.distributions,
                [trial.params for trial in complete],
                np.array([trial.values[0] for trial in complete]),
                self.plan.sweep.seed,
            )
        except ValueError as error:  # a value outside its range, which no sweep of evolve draws
            raise RunError(f"the study holds what this sweep did not try: {error}") from error
