"""The study of a sweep: its journal, proposals, reports and results.

The journal in the sweep's folder is Optuna's, which other programs may open. It has one writer,
which holds the folder's lock: whatever runs there and is not the writer's is dead.

An interrupted trial waits again, under its number and with its values, so that seeds, files and
tables equal those of a sweep that nobody killed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import optuna
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, Trial, TrialState

from evolve.errors import RunError, StorageError
from evolve.files.changes import append, cut
from evolve.sweeps.plan import Plan, settings_to_try
from evolve.sweeps.samplers import Proposer, is_pruned
from evolve.sweeps.space import Setting
from evolve.sweeps.trial import (
    SAME,
    Report,
    Task,
    TrialResult,
    finished_of,
    games_of,
    is_defaults,
    is_retest,
    known_result,
    values_of,
)
from evolve.tables.trials import DEFAULTS, FINISHED, RETEST, START

_REPEATS: Final = 5  # repeated settings in a row after which a trial is drawn at random

optuna.logging.set_verbosity(optuna.logging.ERROR)


class _Journal(JournalFileBackend):
    """Optuna's journal of a single writer: it waits for the disk where a trial changes its state.

    A killed process loses nothing either way; a power cut loses at most running trials. entries:
    how many this process has written.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path, self.entries = path, 0
        content = path.read_bytes()
        if content and not content.startswith(b"{"):  # before anything of it is cut off
            raise ValueError("it has no entries of a journal")
        if content and not content.endswith(b"\n"):  # an incomplete line of a killed writer
            cut(path, content.rfind(b"\n") + 1)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Append entries in one write, one line each."""
        text = "".join(json.dumps(log, separators=(",", ":")) + "\n" for log in logs)
        self.entries += len(logs)
        append(self._path, text.encode(), sync=any("state" in log for log in logs))


class _Budget(NamedTuple):
    """What of a study's trials is done, and what is left.

    finished: complete and pruned trials. done, total: trials, or games where these are counted.
    open: wanted trials that nobody works on yet. over: whether all wanted trials are finished.
    exhausted: whether fewer than wanted have tried every setting. Trainings of a retest are open or
    done, and nothing else.
    """

    finished: int
    done: float
    total: float
    open: int
    over: bool
    exhausted: bool


class Study:
    """A study in its journal, as its only writer.

    The trials are the defaults and what the sampler proposes. Where there are at least as many
    trials as settings, each is tried in an order by the seed. A setting that comes again gets its
    known result at once.

    The journal is made where there is none. Hold the lock of its folder. Raises StorageError where
    it is damaged, RunError when it is of another sweep.
    """

    def __init__(self, plan: Plan, path: Path) -> None:
        self.plan, self.path = plan, path
        try:
            self._journal = _Journal(path)
            # This reads all of it.
            self.storage = storage = optuna.storages.JournalStorage(self._journal)
        except OSError:
            raise
        except Exception as error:  # Optuna does not check a journal's content
            reason = str(error) if isinstance(error, ValueError) else repr(error)
            raise StorageError(f"{path} is damaged: {reason}") from error
        self._proposer = Proposer(plan)
        self._running: dict[int, Trial] = {}
        self._entries: int | None = None
        self._trials: list[FrozenTrial] = []
        # A found one is only read: what is refused below has changed nothing.
        if found := storage.get_all_studies():
            name = found[0].study_name
            self.study = optuna.load_study(study_name=name, storage=storage, sampler=self._proposer)
        else:
            self.study = optuna.create_study(
                study_name="sweep", storage=storage, sampler=self._proposer, direction="maximize"
            )
        self._claim()
        self._enqueue_first()

    def _claim(self) -> None:
        space = {p.name: p.range_text for p in self.plan.space.parameters}
        own: dict[str, Any] = json.loads(json.dumps({**self.plan.sweep.identity, "space": space}))
        stored = self.study.user_attrs.get("evolve")
        if stored is None:
            if self.trials():
                raise RunError(f"the study in {self.path} is not one of evolve's")
            self.study.set_user_attr("evolve", own)
        elif differing := [k for k in {**stored, **own} if stored.get(k) != own.get(k)]:
            parts = (f"{key} ({stored.get(key)}, here {own.get(key)})" for key in differing)
            text = "; ".join(part if len(part) < 120 else part[:117] + "…" for part in parts)
            raise RunError(
                f"the study in {self.path} is of another sweep: {text}; "
                "begin another sweep, --start-from this one to try its best settings first"
            )

    def _enqueue_first(self) -> None:
        plan, source = self.plan, self.plan.sweep.start_from
        first = [] if plan.defaults is None else [(plan.defaults, DEFAULTS)]
        if source is not None and START not in self.study.user_attrs:
            settings = settings_to_try(source, plan.space, plan.defaults)
            first += [(values, START) for values in settings]
        for values, origin in first[len(self.trials()) :]:
            self.study.enqueue_trial(dict(values), user_attrs={"origin": origin})
        if source is not None:
            self.study.set_user_attr(START, True)

    def queue_retest(self, winner: FrozenTrial, defaults: FrozenTrial) -> None:
        """Queue trainings of the winner's settings and of the defaults, in turn, once each."""
        for number in range(len(self.retests), 2 * self.plan.sweep.retest):
            values = (winner, defaults)[number % 2].params
            self.study.enqueue_trial(dict(values), user_attrs={"origin": RETEST})

    @property
    def retests(self) -> list[FrozenTrial]:
        """The trainings of a retest; those before the last trial are of another one."""
        trials = self.trials()
        last = max((trial.number for trial in trials if not is_retest(trial)), default=-1)
        return trials[last + 1 :]

    @property
    def searched(self) -> list[FrozenTrial]:
        """The trials without those of a retest."""
        return [trial for trial in self.trials() if not is_retest(trial)]

    def trials(self) -> list[FrozenTrial]:
        """Return all trials by their numbers; do not change them.

        Their scores are those that all games so far give them, see `Plan.rated`. Samplers of Optuna
        read the study itself, where each trial has its score of when it ended.
        """
        entries = self._journal.entries
        if entries != self._entries:
            self._trials = self.plan.rated(self.study.get_trials(deepcopy=False))
            self._entries = entries
        return self._trials

    @property
    def budget(self) -> _Budget:
        """What is done, and what is left."""
        trials, sweep = self.searched, self.plan.sweep
        states = Counter(trial.state for trial in trials)
        again = Counter(trial.state for trial in self.retests)
        finished, waiting = finished_of(trials), states[TrialState.WAITING]
        ended = finished + states[TrialState.FAIL] == len(trials)
        retest = sweep.work - sweep.trials
        total = retest + self.plan.bounded.trials
        # Where trials may fail one after another, failed ones count. Otherwise a sweep of a program
        # that crashes on most values would never end.
        left = sweep.trials - finished - sweep.COUNTS_FAILURES * states[TrialState.FAIL]
        untried = self._untried(trials)
        tried_all = bool(self.all_settings) and not untried
        most, each = sweep.games_of_trials, sweep.trial_games
        room = most is None or games_of(trials, each) + each <= most
        over = left <= 0 or (ended and (not room or tried_all))
        wanted = left - states[TrialState.RUNNING] if room else 0
        if room and self.all_settings:
            wanted = min(wanted, waiting + len(untried))
        done: float = finished
        if retest:
            ended_again = again[TrialState.COMPLETE] + again[TrialState.FAIL]
            done += retest * ended_again / (2 * sweep.retest)
        if most is not None:
            ends = [trial for trial in trials if trial.state.name in FINISHED]
            done, total = most if over else games_of(ends, 0), most
        wanted = max(0, wanted) + again[TrialState.WAITING]
        return _Budget(finished, done, total, wanted, over, tried_all and left > 0)

    @cached_property
    def all_settings(self) -> list[Setting]:
        """All settings in the order of their trials; empty where there are more than trials."""
        plan = self.plan
        if plan.space.count is None or not plan.sweep.searches:
            return []
        trials, most = plan.sweep.trials, plan.sweep.games_of_trials
        if most is not None:
            trials = min(trials, most // plan.sweep.trial_games)
        if plan.space.count > trials:
            return []
        settings = list(plan.space.settings)
        rng = np.random.default_rng([plan.sweep.seed, 2**31])  # beyond the numbers of trials
        order = rng.permutation(len(settings))
        return [settings[index] for index in order]

    def _untried(self, trials: Sequence[FrozenTrial]) -> list[Setting]:
        if not self.all_settings:
            return []
        names = self.plan.space.names
        tried = {tuple(map(values_of(trial).get, names)) for trial in trials}
        return [setting for setting in self.all_settings if setting not in tried]

    def take(self) -> Task:
        """Return a trial to work on."""
        trials, space = self.trials(), self.plan.space
        waiting = [trial.number for trial in trials if trial.state == TrialState.WAITING]
        if not waiting:
            for setting in self._untried(trials)[:1]:
                self.study.enqueue_trial(dict(zip(space.names, setting, strict=True)))
        before = trials[: min(waiting, default=len(trials))]
        last = [SAME in trial.user_attrs for trial in before[-_REPEATS:]]
        self._proposer.by_chance = len(last) == _REPEATS and all(last)
        trial = self.study.ask(space.distributions)
        trials, number = self.trials(), trial.number
        frozen, values = self.storage.get_trial(trial._trial_id), dict(trial.params)
        self._running[number] = trial
        if is_retest(frozen):
            return Task(number, values, {RETEST: True})
        # The defaults need an agent of their own, and steps of SPSA play one another.
        if self.plan.sweep.searches and not is_defaults(frozen):
            known = known_result(frozen, trials)
            if known is not None:
                return Task(number, values, result=known)
        context = frozen.user_attrs.get("brief")  # one that goes on gets the same
        if context is None and (context := self.plan.trial_context(frozen, trials)):
            trial.set_user_attr("brief", context)
        return Task(number, values, context or {})

    def report(self, number: int, report: Report) -> bool:
        """Keep an intermediate score; return whether the trial must end there."""
        trial = self._running[number]
        self.storage.set_trial_intermediate_value(trial._trial_id, report.step, report.score)
        trial.set_user_attr("score_error", report.error)
        frozen = self.storage.get_trial(trial._trial_id)
        # All other trials are compared with the defaults, and one whose state was lost has passed
        # its earlier reports already.
        if is_defaults(frozen) or report.step != frozen.last_step:
            return False
        return is_pruned(self.plan.sweep, self.study, frozen, self.searched)

    def end(self, number: int, outcome: TrialResult) -> None:
        """End a trial; a pruned one keeps its last report as its score."""
        trial, score, last = self._running.pop(number), outcome.score, outcome.report
        if last is not None:
            self.storage.set_trial_intermediate_value(trial._trial_id, last.step, last.score)
        if outcome.state == TrialState.PRUNED and score is None:
            reports = self.storage.get_trial(trial._trial_id).intermediate_values
            score = reports[max(reports)] if reports else 0.0
        facts = dict(outcome.attributes)
        if last is not None:
            facts.setdefault("score_error", last.error)
        for key, value in facts.items():
            self.storage.set_trial_user_attr(trial._trial_id, key, value)
        values = None if score is None else [score]
        self.storage.set_trial_state_values(trial._trial_id, outcome.state, values)

    def release(self, number: int) -> None:
        """Let a trial wait again: it goes on from its state later."""
        trial_id = self._running.pop(number)._trial_id
        self.storage.set_trial_state_values(trial_id, TrialState.WAITING)

    def interrupted(self) -> list[int]:
        """Let the trials of a writer before this one wait again; return their numbers.

        Those that it released itself are among them.
        """
        begun = [trial for trial in self.trials() if trial.datetime_start is not None]
        running = [trial for trial in begun if trial.state == TrialState.RUNNING]
        for trial in running:
            self.storage.set_trial_state_values(trial._trial_id, TrialState.WAITING)
        waiting = (TrialState.RUNNING, TrialState.WAITING)
        return [trial.number for trial in begun if trial.state in waiting]
