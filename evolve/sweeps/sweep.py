"""A running sweep: hands trials to workers, keeps their results, and selects the best."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from optuna.trial import TrialState

from evolve.arena.judges import RATING, rating_seconds
from evolve.arena.match import StoppedError
from evolve.cluster import HERE, Placement
from evolve.config.sweep import SweepSettings
from evolve.engine.games.first_use import compile_first
from evolve.errors import ClusterError, RunError, ShortageError
from evolve.runs import run_folder
from evolve.runs.life_cycle import Work
from evolve.runs.progress import COMPILING, Observer, RunEnding, TimeLeft
from evolve.sweeps.final import SweepFinal, best_trial, fetch_agents
from evolve.sweeps.plan import Plan, checked_plan
from evolve.sweeps.rungs import Rungs, RungsEnded
from evolve.sweeps.storage import BEAT, beating, open_database, open_journal, storage_errors
from evolve.sweeps.study import Queued, Study
from evolve.sweeps.trials import (
    FINISHED,
    FOLDER,
    PLAY_SECONDS,
    SAME,
    TrialResult,
    games_of,
    rows_of,
)
from evolve.sweeps.worker import IntermediateScore, Worker, ready
from evolve.tables.paths import JOURNAL_FILE, RUNGS, TRIALS
from evolve.tables.trials import FinalDocument, whole_final, write_trials
from evolve.terminal_text import count_of

_LOOK: Final = 0.25
"""Seconds between two checks for Ctrl-C, and of a database for other writers' results."""
_IN_A_ROW: Final = 5
"""Trials that may fail in a row before the sweep itself fails."""


class SweepEnding(RunEnding):
    """Why a sweep returned."""

    COMPLETE = "all trials are finished"
    EXHAUSTED = "every setting there is was tried"
    TIMEOUT = "the time is up"
    STOPPED = "stopped"


class Sweep(Work):
    """One sweep in its folder. Make it inside the folder's lock.

    It has as many workers as its settings say, by default one.
    """

    def __init__(self, folder: Path, plan: Plan, study: Study, placement: Placement = HERE) -> None:
        self.folder = folder
        self.placement = placement
        self.settings = plan.sweep
        self.plan = plan
        self.study = study
        self.jobs = plan.sweep.jobs or 1
        self.result: FinalDocument | None = None
        self._new_worker = partial(Worker, folder, plan.sweep, placement)
        self._workers: list[Worker] = []
        self._failed = 0
        self._next_look = 0.0

    def run(self, observer: Observer) -> SweepEnding:
        """Run the trials that are left, then play the final or the rungs; `result` has these.

        RunError where no trial was played to its end.
        """
        compile_first(partial(observer.stage, COMPILING))  # not in the workers' first trials
        observer.expect(self.time_left)
        observer.whole("trials", *self.study.progress)
        timeout = self.settings.timeout
        end = None if timeout is None else time.monotonic() + timeout
        ending = self.complete if self.study.is_over else self.run_trials(observer)
        if ending.stopped:
            return ending
        if self.failure is not None:
            raise RunError(f"{self.folder}: {self.failure}")
        try:
            rungs = self.settings.rungs
            self.result = Rungs(self, end).climb(observer) if rungs else self.play_final(observer)
        except StoppedError:
            return SweepEnding.STOPPED
        except RungsEnded as ended:
            return SweepEnding(ended.ending)
        if self.result is None and ending is not SweepEnding.TIMEOUT:
            raise RunError(f"{self.folder}: no trial was played to its end: there is no champion")
        return ending

    def run_trials(self, observer: Observer) -> SweepEnding:
        """Run trials up to the settings' number."""
        begin = time.monotonic()
        if not self.study.is_over and (self.folder / RUNGS).exists():
            run_folder.discard(self.folder / RUNGS, made=False)  # of fewer trials than now
        heart = beating(self.study.beat) if self.study.shared else nullcontext()
        with heart, self._at_work():
            self._reclaim(observer, self.study.dropped())
            self.save()
            while True:
                ending = self._stop_reason(observer, begin)
                if ending is None:
                    self._assign_trials(observer)
                elif ending.stopped:
                    self._drop_trials()
                busy = [worker for worker in self._workers if not worker.idle]
                if not busy and (ending is not None or self.study.is_over):
                    self.save()
                    return ending or self.complete
                for worker in ready(busy, _LOOK):
                    self._handle_message(worker, observer)
                if not busy:
                    time.sleep(_LOOK)  # other processes run the last trials
                if self.study.shared and time.monotonic() >= self._next_look:
                    self._reclaim(observer)

    @property
    def complete(self) -> SweepEnding:
        """Why a sweep with finished trials has no more of them."""
        return SweepEnding.EXHAUSTED if self.study.is_exhausted else SweepEnding.COMPLETE

    def play_final(self, observer: Observer) -> FinalDocument | None:
        """Let the best trials play for the champion; None where no complete one is here.

        Raises StoppedError where the observer asks to stop; the same call resumes.
        """
        trials, count = self.study.trials(), self.settings.finalists
        missing = fetch_agents(self.folder, trials, count) if self.study.shared else []
        if missing:
            observer.note(
                f"some of the best trials do not play: {', '.join(missing)} cannot be read here; "
                f"copy them to {self.folder / TRIALS} and resume"
            )
        over = self.study.is_over
        with self.placement.open(self.jobs) as executor:
            final = SweepFinal(self.folder, self.plan, trials, executor, observer, over).play()
        self.save()
        return final

    @property
    def time_left(self) -> TimeLeft:
        """What is known of its time, with the stages after the trials."""
        settings, rating = self.settings, 0.0
        if settings.kind != "program":  # which the ladder does not rate
            rating = rating_seconds(settings.rules, settings.panel_openings, self.jobs)
        return TimeLeft(
            after=lambda pace: {"final": self.final_seconds, RATING: rating},
            at_once=self.jobs,
            known_after=settings.first_trials,
            by_rows=True,
        )

    @property
    def final_seconds(self) -> float:
        """Expected seconds of the final or the retest, from the trials' games; 0 without games.

        It uses as many threads as there are workers.
        """
        trials = self.study.trials()
        games = games_of(trials, 0)
        seconds = sum(trial.user_attrs.get(PLAY_SECONDS, 0.0) for trial in trials)
        return seconds / games / self.jobs * self.plan.bounded.final_games if games else 0.0

    @property
    def failure(self) -> str | None:
        """Why there is no result: every ended trial failed; None otherwise."""
        trials = self.study.trials()
        failed = [trial for trial in trials if trial.state == TrialState.FAIL]
        if not failed or any(trial.state in FINISHED for trial in trials):
            return None
        last = failed[-1].user_attrs.get("reason")
        every = "the only trial" if len(failed) == 1 else f"all {len(failed)} trials"
        return f"{every} failed, the last one: {last}"

    @property
    def is_over(self) -> bool:
        return self.study.is_over and self.has_champion

    @property
    def has_champion(self) -> bool:
        """Whether the final has been played since the last trial ended."""
        final = whole_final(self.folder)
        return final is not None and final.trials == self.study.finished()

    def rung(
        self, folder: Path, settings: SweepSettings, queue: Sequence[Queued]
    ) -> AbstractContextManager[Sweep]:
        """Open the sweep of a rung, which runs the trials of a queue."""
        return opened_sweep(folder, settings, queue, self.placement)

    def _reclaim(self, observer: Observer, dropped: Sequence[int] = ()) -> None:
        self._next_look = time.monotonic() + BEAT
        for number in sorted([*dropped, *self.study.reclaim()]):
            observer.note(f"trial {number}: it was interrupted, trying again")

    def _stop_reason(self, observer: Observer, begin: float) -> SweepEnding | None:
        """Return why no further trial may start; None where one may."""
        timeout = self.settings.timeout
        if observer.stop():
            return SweepEnding.STOPPED
        late = timeout is not None and time.monotonic() - begin >= timeout
        return SweepEnding.TIMEOUT if late and not self.study.is_over else None

    def _assign_trials(self, observer: Observer) -> None:
        for worker in [worker for worker in self._workers if worker.idle]:
            while worker.idle:
                if self.study.open() <= 0:
                    return
                taken = self.study.take(f"{self.study.writer.rpartition(':')[0]}/{worker.name}")
                if taken is None:
                    break
                if taken.result is not None:
                    self._end(taken.number, taken.result, observer)
                else:
                    worker.start(taken)
                    self.save()
        running = sum(not worker.idle for worker in self._workers)
        observer.whole(f"{count_of(running, 'trial')} running", *self.study.progress)

    def _drop_trials(self) -> None:
        """End the workers and queue the values of their trials again: a trial may take minutes."""
        for worker in self._workers:
            if worker.number is not None:
                self.study.release(worker.number)
            worker.kill()
        self._workers.clear()

    def _handle_message(self, worker: Worker, observer: Observer) -> None:
        assert worker.number is not None
        number = worker.number
        try:
            message = worker.receive()
        except (EOFError, OSError):
            self._handle_death(worker, observer)
            return
        match message:
            case IntermediateScore(step, score, error):
                worker.answer(self.study.report(number, step, score, error))
            case ClusterError() | ShortageError() as lost:
                self.study.release(number)
                raise lost
            case TrialResult():
                worker.number = None
                self._end(number, message, observer)

    def _end(self, number: int, outcome: TrialResult, observer: Observer) -> None:
        """Keep how a trial ended; RunError where too many have failed in a row."""
        complete = outcome.state == TrialState.COMPLETE
        if complete and self.study.shared and outcome.attributes.get("agent"):
            folder = {FOLDER: str(self.folder.resolve())}
            outcome = replace(outcome, attributes={**outcome.attributes, **folder})
        counts = self.study.end(number, outcome)
        new = SAME not in outcome.attributes
        self._failed = self._failed + new if outcome.state == TrialState.FAIL else 0
        best = best_trial(self.study.trials())
        if complete and best is not None and best.number == number:
            self.plan.save_champion(self.folder, best, {})
        if not counts:
            observer.note(f"trial {number}: its worker counted as dead; the result does not count")
        self._tell(number, observer)
        if self._failed >= _IN_A_ROW and not (self.settings.COUNTS_FAILURES and best is not None):
            reason = outcome.attributes["reason"]
            raise RunError(f"{self._failed} trials in a row failed, the last one: {reason}")

    def _handle_death(self, worker: Worker, observer: Observer) -> None:
        """Take back a dead worker's trial, and start another worker in its place."""
        assert worker.number is not None
        reason = worker.death()
        again = self.study.lose(worker.number, reason)
        follows = "trying again" if again else "given up"
        observer.note(f"trial {worker.number}: {reason}; {follows}")
        if again:
            self.save()
        else:
            self._tell(worker.number, observer)
        worker.kill()
        self._failed += 1
        if self._failed >= _IN_A_ROW:
            raise RunError(f"{self._failed} trials in a row failed: {reason}")
        self._workers[self._workers.index(worker)] = self._new_worker()

    def _tell(self, number: int, observer: Observer) -> None:
        row = next(row for row in self.save() if row["number"] == number)
        observer.row({**row, "best": self.study.best}, *self.study.progress)

    def save(self) -> list[dict[str, Any]]:
        """Write the trials table; return its rows."""
        rows = rows_of(self.study.trials(), self.plan.space.names)
        if (final := whole_final(self.folder)) is not None:
            self.plan.add_final(rows, final)
        types = {p.name: p.type for p in self.plan.space.parameters}
        write_trials(self.folder, rows, types)
        return rows

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Keep workers while the block runs, at most as many as trials are left."""
        wanted = min(self.jobs, self.settings.trials - self.study.finished())
        try:
            for _ in range(wanted):
                self._workers.append(self._new_worker())
            yield
        finally:
            for worker in self._workers:
                worker.kill()
            self._workers.clear()


@contextmanager
def opened_sweep(
    folder: Path,
    settings: SweepSettings,
    queue: Sequence[Queued] | None = None,
    placement: Placement = HERE,
) -> Iterator[Sweep]:
    """Open the sweep of a folder: begin its study or join it, and queue its first trials.

    With a `queue`, only its trials run. placement: where games are played. Raises what
    `checked_plan` does, RunError, and StorageError, also for errors of the storage in the block.
    """
    plan, database = checked_plan(settings), settings.storage
    storage = open_journal(folder / JOURNAL_FILE) if database is None else open_database(database)
    with closing(storage), storage_errors(storage.name):
        # A folder may be moved, so the study's name must not depend on the folder's.
        study = Study(plan, storage, settings.study or "sweep", queue)
        sweep = Sweep(folder, plan, study, placement)
        if sweep.has_champion:  # it may have died between the final and the table
            sweep.save()
        yield sweep
