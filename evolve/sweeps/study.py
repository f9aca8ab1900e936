"""The study of a sweep: proposals, reports and results, and who works on which trial.

A trial of a dead worker waits again, under its number and with its values, so that seeds, files and
tables equal those of a sweep that nobody killed.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, Trial, TrialState

from evolve.errors import RunError
from evolve.sweeps.final import DEFAULTS, best_trial, is_defaults
from evolve.sweeps.plan import START, Plan, settings_to_try
from evolve.sweeps.samplers import Proposer, pruner_of
from evolve.sweeps.space import Setting
from evolve.sweeps.storage import Storage, Watch, beat_key
from evolve.sweeps.trials import (
    CONTEXT,
    ENDS,
    FINISHED,
    SAME,
    SURPLUS,
    Task,
    TrialResult,
    finished_of,
    games_of,
    known_result,
    values_of,
)

ATTEMPTS: Final = 3
"""Times that the same values are tried when their workers die."""
_IDENTITY: Final = "evolve"
_REPEATS: Final = 5
"""Repeated settings in a row after which a trial is drawn at random."""
_ORDER: Final = 2**31
"""Key of the seed by which all settings of a small space are shuffled."""

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
    many trials as settings, each is tried in an order by the seed. A setting that comes again gets
    its known result at once.

    Raises RunError when a study of that name belongs to another sweep.
    """

    def __init__(
        self, plan: Plan, storage: Storage, name: str, queue: Sequence[Queued] | None = None
    ) -> None:
        self.plan = plan
        self.name = name
        self.shared = storage.shared
        # A name for this process, stored with its trials.
        self.writer = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
        self.storage = storage
        self._queue = queue
        self._storage = storage.optuna
        self._watch = Watch()
        self._proposer = Proposer(plan)
        self._trials: dict[int, Trial] = {}
        self._pruner = pruner_of(plan.sweep, self.trials)
        self.study = optuna.create_study(
            storage=self._storage,
            sampler=self._proposer,
            study_name=name,
            direction="maximize",
            load_if_exists=True,
        )
        self._claim()
        self._enqueue_first()

    def _claim(self) -> None:
        """Check that the study belongs to this sweep; claim a new one."""
        space = {p.name: p.range_text for p in self.plan.space.parameters}
        own: dict[str, Any] = json.loads(json.dumps({**self.plan.sweep.identity, "space": space}))
        stored = self.study.user_attrs.get(_IDENTITY)
        if stored is None:
            if self.trials():
                raise RunError(
                    f"the study {self.name!r} in {self.storage.name} is not one of evolve's"
                )
            self.study.set_user_attr(_IDENTITY, own)
        elif differing := [k for k in {**stored, **own} if stored.get(k) != own.get(k)]:
            parts = (f"{key} ({stored.get(key)}, here {own.get(key)})" for key in differing)
            text = "; ".join(part if len(part) < 120 else part[:117] + "…" for part in parts)
            raise RunError(
                f"the study {self.name!r} in {self.storage.name} is of another sweep: {text}; "
                "begin another sweep, --start-from this one to try its best settings first"
            )

    def _enqueue_first(self) -> None:
        """Queue the trials of `queue`, or the defaults and the settings to start from; once each.

        RunError where the study has others than those of `queue`.
        """
        origins = {trial.number: trial.user_attrs.get("origin") for trial in self.trials()}
        first = self._first_trials()
        wanted = {number: queued.origin for number, queued in enumerate(first)}
        if self._queue is not None and not origins.items() <= wanted.items():
            raise RunError(
                f"{self.storage.name} is of other candidates: was `rungs` changed since?"
            )
        if self.shared and DEFAULTS in origins.values():
            return
        for number, queued in enumerate(first):
            if number not in origins:
                self.study.enqueue_trial(dict(queued.values), user_attrs={"origin": queued.origin})
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
        self.study.set_user_attr(beat_key(self.writer), count)

    def trials(self) -> list[FrozenTrial]:
        """Return all trials, also those of other writers, by their numbers; do not change them.

        Their scores are those that all games so far give them, see `Plan.rated`. Samplers of Optuna
        read the study itself, where each trial has its score of when it ended.
        """
        return self.plan.rated(self.study.get_trials(deepcopy=False))

    def finished(self) -> int:
        return finished_of(self.trials())

    @property
    def best(self) -> float | None:
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
        return min(wanted, waiting + len(self._untried(trials))) if self.all_settings else wanted

    @property
    def is_over(self) -> bool:
        """Whether all wanted trials are finished; of a queue, whether all have ended."""
        trials = self.trials()
        if self._queue is not None:
            return all(trial.state in ENDS for trial in trials)
        if self._counted(trials) >= self.plan.sweep.trials:
            return True
        ended = all(trial.state in ENDS for trial in trials)
        return ended and (not self._has_room(trials) or self._has_tried_all(trials))

    @property
    def is_exhausted(self) -> bool:
        """Whether fewer trials than wanted have tried every possible setting."""
        trials = self.trials()
        return self._has_tried_all(trials) and self._counted(trials) < self.plan.sweep.trials

    @property
    def progress(self) -> tuple[float, float]:
        """How much is done and how much in all: trials, or games where these are counted."""
        trials, sweep = self.trials(), self.plan.sweep
        most = sweep.games_of_trials
        if most is not None:
            done = games_of([trial for trial in trials if trial.state in FINISHED], 0)
            return (most if self.is_over else done), most
        return finished_of(trials), sweep.work - sweep.trials + self.plan.bounded.trials

    def _counted(self, trials: Sequence[FrozenTrial], *more: TrialState) -> int:
        """Count the trials that count towards the wanted ones.

        Where trials may fail one after another, failed ones count. Otherwise a sweep of a program
        that crashes on most values would never end.
        """
        states = (*(ENDS if self.plan.sweep.COUNTS_FAILURES else FINISHED), *more)
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
        tries = [values_of(t) for t in trials if t.user_attrs.get("reason") != SURPLUS]
        tried = {tuple(map(values.get, self.plan.space.names)) for values in tries}
        return [setting for setting in self.all_settings if setting not in tried]

    def _has_tried_all(self, trials: Sequence[FrozenTrial]) -> bool:
        return bool(self.all_settings) and not self._untried(trials)

    def take(self, worker: str) -> Task | None:
        """Return a trial to work on; None when another process took the last one first."""
        trials, names = self.trials(), self.plan.space.names
        waiting = [trial.number for trial in trials if trial.state == TrialState.WAITING]
        if not waiting:
            for setting in self._untried(trials)[:1]:
                self.study.enqueue_trial(dict(zip(names, setting, strict=True)))
        before = trials[: min(waiting, default=len(trials))]
        last = [SAME in trial.user_attrs for trial in before[-_REPEATS:]]
        self._proposer.by_chance = len(last) == _REPEATS and all(last)
        try:
            trial = self.study.ask(self.plan.space.distributions)
            trial.set_user_attr("lease", self.writer)
            trial.set_user_attr("worker", worker)
        except UpdateFinishedTrialError:
            # SQLite locks no rows: two may take the same waiting trial, and one has ended it.
            return None
        earlier = [
            t for t in self.trials() if t.number < trial.number and t.state != TrialState.FAIL
        ]
        if self.shared and len(earlier) >= self.plan.sweep.trials:  # two writers asked at once
            self._fail(trial._trial_id, SURPLUS)
            return None
        frozen, trials = self._storage.get_trial(trial._trial_id), self.trials()
        self._trials[trial.number] = trial
        # The defaults need an agent of their own, and steps of SPSA play one another.
        if self._queue is None and self.plan.sweep.searches and not is_defaults(frozen):
            known = known_result(frozen, trials, names)
            if known is not None:
                return Task(trial.number, dict(trial.params), result=known)
        context = frozen.user_attrs.get(CONTEXT)
        if context is None and (context := self.plan.trial_context(frozen, trials)):
            trial.set_user_attr(CONTEXT, context)
        return Task(trial.number, dict(trial.params), context or {})

    def report(self, number: int, step: int, score: float, error: float) -> bool:
        """Keep an intermediate score; return whether the trial must end there."""
        trial = self._trials[number]
        try:
            self._storage.set_trial_intermediate_value(trial._trial_id, step, score)
            trial.set_user_attr("score_error", error)
        except UpdateFinishedTrialError:  # its worker counted as dead: no need to continue
            return True
        frozen = self._storage.get_trial(trial._trial_id)
        # All other trials are compared with the defaults, and one whose worker died has passed its
        # earlier reports already.
        if is_defaults(frozen) or step != frozen.last_step:
            return False
        enough = self.finished() >= self.plan.sweep.startup
        return enough and self._pruner.prune(self.study, frozen)

    def end(self, number: int, outcome: TrialResult) -> bool:
        """End a trial; False when its worker had counted as dead, and another has ended it."""
        trial, state = self._trials.pop(number), outcome.state
        values = None if outcome.score is None else [outcome.score]
        if state == TrialState.PRUNED and values is None:  # its last score is its score
            reports = self._storage.get_trial(trial._trial_id).intermediate_values
            values = [reports[max(reports)] if reports else 0.0]
        try:
            for key, value in outcome.attributes.items():
                trial.set_user_attr(key, value)
            return self._storage.set_trial_state_values(trial._trial_id, state, values)
        except UpdateFinishedTrialError:
            return False

    def lose(self, number: int, reason: str) -> bool:
        """Take back the trial of a dead worker; return whether it is tried again.

        It is, up to ATTEMPTS times; the defaults always are.
        """
        trial = self._storage.get_trial(self._trials[number]._trial_id)
        attempts = 1 + int(trial.user_attrs.get("attempts", 0))
        if attempts >= ATTEMPTS and not is_defaults(trial):
            self._fail(self._trials.pop(number)._trial_id, reason)
            return False
        self._trials[number].set_user_attr("attempts", attempts)
        self.release(number)
        return True

    def release(self, number: int) -> None:
        """Let a trial wait again: it was dropped, and nothing is known of its values."""
        self._storage.set_trial_state_values(self._trials.pop(number)._trial_id, TrialState.WAITING)

    def dropped(self) -> list[int]:
        """Return the numbers of the trials that began before, and wait again."""
        waiting = (trial for trial in self.trials() if trial.state == TrialState.WAITING)
        return [trial.number for trial in waiting if trial.datetime_start is not None]

    def reclaim(self) -> list[int]:
        """Let the trials of dead writers wait again; return their numbers."""
        dead = [
            trial
            for trial in self.trials()
            if trial.state == TrialState.RUNNING
            and trial.number not in self._trials
            and self._is_dead(trial)
        ]
        for trial in dead:
            with suppress(UpdateFinishedTrialError):  # it may have ended meanwhile
                self._storage.set_trial_state_values(trial._trial_id, TrialState.WAITING)
        return [trial.number for trial in dead]

    def _is_dead(self, trial: FrozenTrial) -> bool:
        if not self.shared:
            return True  # this process is the only writer, and the trial is not its own
        writer = trial.user_attrs.get("lease")
        # A trial without one: it was killed before it wrote who it is, or is about to write it.
        key = f"trial:{trial.number}" if writer is None else beat_key(writer)
        return self._watch.stands_still(key, self.study.user_attrs.get(key, 0))

    def _fail(self, trial_id: int, reason: str) -> None:
        """Fail a trial, unless another process has ended it meanwhile."""
        with suppress(UpdateFinishedTrialError):
            self._storage.set_trial_user_attr(trial_id, "reason", reason)
            self._storage.set_trial_state_values(trial_id, TrialState.FAIL)
