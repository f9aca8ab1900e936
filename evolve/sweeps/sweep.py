"""A running sweep: hands slices of trials out, keeps what comes of them, and selects the best."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from optuna.trial import FrozenTrial, TrialState

from evolve.arena.judges import RATING, rating_seconds
from evolve.arena.match import StoppedError
from evolve.cluster import Pool, open_executor, open_pool
from evolve.config.sweep import SweepSettings
from evolve.config.toml import resolve_as
from evolve.engine.games.first_use import compile_first
from evolve.errors import RunError, WorkerDiedError
from evolve.parsing import taking_settings
from evolve.programs.kept import Answers
from evolve.runs import life_cycle
from evolve.runs.progress import COMPILING, Observer, RunEnding, TimeLeft, shown
from evolve.runs.run import Run
from evolve.sweeps.final import SweepFinal, best_trial
from evolve.sweeps.kind import KIND as SWEEPS
from evolve.sweeps.plan import checked_plan
from evolve.sweeps.slices import Handed, advance, drop_state
from evolve.sweeps.study import Study
from evolve.sweeps.trial import (
    PLAY_SECONDS,
    SAME,
    Report,
    Slice,
    TrialResult,
    finished_of,
    games_of,
    is_defaults,
    row_of,
)
from evolve.tables.paths import JOURNAL_FILE, RETEST_FILE
from evolve.tables.trials import FinalDocument, whole_final, write_trials
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.keywords import SweepKeywords

_ATTEMPTS: Final = 3
"""Workers that a slice may kill before its trial has failed."""
_MODULES: Final = ("evolve.sweeps.slices", "evolve.engine.games.game", "pyarrow.parquet")
"""What workers import."""
_APART: Final = 20.0  # times of writing the table that pass before it is written again
_IN_A_ROW: Final = 5  # trials that may fail in a row before the sweep itself fails


class SweepEnding(RunEnding):
    """Why a sweep returned."""

    COMPLETE = "all trials are finished"
    EXHAUSTED = "every setting there is was tried"
    TIMEOUT = "the time is up"
    STOPPED = "stopped"


class _TimeUp(Exception):  # noqa: N818  # an ending, not an error
    """The time ended in a retest."""


class Sweep(life_cycle.Work):
    """One sweep in its folder, whose study it begins or joins. Make it inside the folder's lock.

    It has as many workers as its settings say, by default one. scheduler: of the cluster where
    games are played; None: here. Raises what `checked_plan` does, RunError, StorageError.
    """

    def __init__(self, folder: Path, settings: SweepSettings, scheduler: str | None = None) -> None:
        super().__init__(folder, settings, settings.jobs or 1)
        self.plan, self.scheduler = checked_plan(settings), scheduler
        self.study = Study(self.plan, folder / JOURNAL_FILE)
        self.result: FinalDocument | None = None
        self._hand: dict[int, Handed] = {}
        self._failed, self._due = 0, 0.0

    def restore(self) -> None:
        if self._has_champion:  # it may have died between the final and the table
            self.save()

    def run(self, observer: Observer) -> SweepEnding:
        """Run the trials that are left, then play the final; `result` has it.

        RunError where no trial was played to its end.
        """
        compile_first(partial(observer.stage, COMPILING))  # not in the workers' first trials
        observer.expect(self.time_left)
        budget = self.study.budget
        observer.whole("trials", budget.done, budget.total)
        ending = self._complete if budget.over else self.run_trials(observer)
        if ending.stopped:
            return ending
        if self.failure is not None:
            raise RunError(f"{self.folder}: {self.failure}")
        try:
            self.result = self._play_final(observer)
        except StoppedError:
            return SweepEnding.STOPPED
        except _TimeUp:
            return SweepEnding.TIMEOUT
        if self.result is None and ending is not SweepEnding.TIMEOUT:
            raise RunError(f"{self.folder}: no trial was played to its end: there is no champion")
        return ending

    def run_trials(self, observer: Observer) -> SweepEnding:
        """Run trials up to the settings' number, and those of a retest."""
        for number in self.study.interrupted():
            observer.note(f"trial {number}: it was interrupted, going on")
        with open_pool(self.scheduler, _MODULES, observer.note) as pool:
            self.save()
            try:
                ending = self._run_trials(pool, observer)
            except BaseException:
                with suppress(OSError):  # the first error is the one to report
                    self.save()
                raise
        self.save()
        return ending

    def _run_trials(self, pool: Pool, observer: Observer) -> SweepEnding:
        while True:
            ending = self._stop_reason(observer)
            if ending is None:
                self._assign_trials(pool, observer)
            elif ending.stopped:  # they go on from their states later
                for number in self._hand:
                    self.study.release(number)
                self._hand.clear()
            if not self._hand and (ending is not None or self.study.budget.over):
                return ending or self._complete
            for number, answer in pool.ready(0.25):  # seconds between two checks for Ctrl-C
                self._handle(number, answer, pool, observer)

    @cached_property
    def _end_of_time(self) -> float:
        return time.monotonic() + (self.settings.timeout or math.inf)

    @property
    def _complete(self) -> SweepEnding:
        """Why a sweep with finished trials has no more of them."""
        return SweepEnding.EXHAUSTED if self.study.budget.exhausted else SweepEnding.COMPLETE

    def _play_final(self, observer: Observer) -> FinalDocument | None:
        """Let the best trials play for the champion; None where no complete one is here.

        Raises StoppedError where the observer asks to stop, _TimeUp where the time ends in a
        retest; the same call resumes.
        """
        trials, over = self.study.searched, self.study.budget.over
        train = partial(self.train_again, observer)
        with open_executor(self.scheduler, self.jobs) as executor:
            final = SweepFinal(self.folder, self.plan, trials, executor, observer, train, over)
            result = final.play()
        self.save()
        return result

    def train_again(
        self, observer: Observer, winner: FrozenTrial, defaults: FrozenTrial
    ) -> list[FrozenTrial]:
        """Run the trainings of a retest; return them, the winner's and the defaults' in turn.

        StoppedError or _TimeUp ends it before.
        """
        self.study.queue_retest(winner, defaults)
        ending = self.run_trials(observer)
        if ending.stopped or ending is SweepEnding.TIMEOUT:
            raise StoppedError if ending.stopped else _TimeUp
        return self.study.retests[: 2 * self.settings.retest]

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
        """Expected seconds of the final, from the trials' games; 0 without games.

        It uses as many threads as there are workers.
        """
        trials = self.study.trials()
        games = games_of(trials, 0)
        seconds = sum(trial.user_attrs.get(PLAY_SECONDS, 0.0) for trial in trials)
        return seconds / games / self.jobs * self.plan.bounded.final_games if games else 0.0

    @property
    def failure(self) -> str | None:
        """Why there is no result: every ended trial failed; None otherwise."""
        trials = self.study.searched
        failed = [trial for trial in trials if trial.state == TrialState.FAIL]
        if not failed or finished_of(trials):
            return None
        every = "the only trial" if len(failed) == 1 else f"all {len(failed)} trials"
        return f"{every} failed, the last one: {failed[-1].user_attrs.get('reason')}"

    @property
    def is_over(self) -> bool:
        return self.study.budget.over and self._has_champion

    @property
    def _has_champion(self) -> bool:
        """Whether the final has been played since the last trial ended."""
        return whole_final(self.folder).trials == self.study.budget.finished

    def _stop_reason(self, observer: Observer) -> SweepEnding | None:
        """Return why no further trial may start; None where one may."""
        if observer.stop():
            return SweepEnding.STOPPED
        late = time.monotonic() >= self._end_of_time
        return SweepEnding.TIMEOUT if late and self.study.budget.open > 0 else None

    @cached_property
    def _answers(self) -> Answers | None:
        return None if self.scheduler is None else self.plan.answers()

    def _assign_trials(self, pool: Pool, observer: Observer) -> None:
        while len(self._hand) < self.jobs and self.study.budget.open > 0:
            task = self.study.take()
            if task.result is not None:
                self._end(task.number, task.result, observer)
                continue
            handed = self._hand[task.number] = Handed.of(self.folder, task, observer)
            self._submit(handed, pool)
            self._save_if_due()
        running, budget = len(self._hand), self.study.budget
        observer.whole(f"{count_of(running, 'trial')} running", budget.done, budget.total)

    def _submit(self, handed: Handed, pool: Pool) -> None:
        name = self.folder.resolve().name
        part = Slice(self.settings, name, handed.task, handed.state, self._answers)
        pool.submit(handed.task.number, advance, part)

    def _handle(self, number: int, answer: Any, pool: Pool, observer: Observer) -> None:
        handed = self._hand[number]
        match answer:
            case WorkerDiedError():
                self._handle_death(handed, str(answer), pool, observer)
                return
            case Exception():
                self.study.release(number)
                raise answer
        outcome = answer.outcome
        if answer.refused is not None:
            observer.note(f"trial {number} begins again: {answer.refused}")
        handed.state, handed.deaths = answer.state, 0
        if isinstance(outcome, Report):
            outcome = TrialResult.pruned() if self.study.report(number, outcome) else None
        if outcome is None:
            handed.keep()
            self._submit(handed, pool)
            return
        del self._hand[number]
        facts = {**answer.state.kept, **outcome.attributes, "worker": answer.worker}
        self._end(number, handed.filed(replace(outcome, attributes=facts)), observer)

    def _end(self, number: int, outcome: TrialResult, observer: Observer) -> None:
        self.study.end(number, outcome)
        drop_state(self.folder, number)
        new = SAME not in outcome.attributes
        self._failed = self._failed + new if outcome.state == TrialState.FAIL else 0
        best = best_trial(self.study.searched)
        if best is not None and best.number == number:
            self.plan.save_champion(self.folder, best, {})
        self._tell(number, observer)
        if self._failed >= _IN_A_ROW and not (self.settings.COUNTS_FAILURES and best is not None):
            reason = outcome.attributes["reason"]
            raise RunError(f"{self._failed} trials in a row failed, the last one: {reason}")

    def _handle_death(self, handed: Handed, reason: str, pool: Pool, observer: Observer) -> None:
        """Do the slice of a dead worker again, unless its trial has killed too many."""
        number = handed.task.number
        handed.deaths += 1
        again = handed.deaths < _ATTEMPTS or is_defaults(self.study.trials()[number])
        observer.note(f"trial {number}: {reason}; {'trying again' if again else 'given up'}")
        self._failed += 1
        if self._failed >= _IN_A_ROW:
            self.study.release(number)
            raise RunError(f"{self._failed} trials in a row failed: {reason}")
        if again:
            self._submit(handed, pool)
            return
        del self._hand[number]
        self.study.end(number, TrialResult.failed(reason))
        drop_state(self.folder, number)
        self._tell(number, observer)

    def _tell(self, number: int, observer: Observer) -> None:
        self._save_if_due()
        row, *_ = self._rows([number])
        best, budget = best_trial(self.study.searched), self.study.budget
        shown = {**row, "best": None if best is None else best.values[0]}
        observer.row(shown, budget.done, budget.total)

    def _save_if_due(self) -> None:
        if time.monotonic() >= self._due:
            begin = time.monotonic()
            self.save()
            self._due = time.monotonic() + _APART * (time.monotonic() - begin)

    def _rows(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        """The rows of these trials in the table; further ones may follow them."""
        final, trials = whole_final(self.folder), self.study.trials()
        winner = [] if final.winner is None else [final.winner]
        chosen = dict.fromkeys([*numbers, *winner])
        rows = [row_of(trials[number], self.plan.space.names) for number in chosen]
        self.plan.add_final(rows, final)
        return rows

    def save(self) -> None:
        """Write the table of trials, and that of a retest."""
        types = self.plan.space.types
        searched = self.study.searched
        write_trials(self.folder, self._rows(trial.number for trial in searched), types)
        if retests := self.study.retests:
            rows = [row_of(trial, self.plan.space.names) for trial in retests]
            write_trials(self.folder, rows, types, RETEST_FILE)


@taking_settings
def sweep(
    kind: str,
    folder: str | Path,
    *,
    jobs: int | None = None,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[SweepKeywords],
) -> Run:
    """Search hyperparameters, as `evolve sweep` does; the same call resumes a stopped sweep.

    Args:
        kind: what is searched: `alphabeta`, `evolution`, `patterns`, `dqn`, `mcts` or `program`.
        folder: folder of the sweep; a new one, or one that a call with the same settings started.
        jobs: workers; a sweep keeps their number, 1 if it is not given, as its trials depend on it.
        progress: whether to show a line of progress.
        observer: receives trials.
        settings: those of `evolve sweep KIND --help`, such as `trials=60`, `fix={"depths": 1}`,
            `space={"mobility": {"low": 0, "high": 9}}`, or `program="gtp:…"`. Later calls may name
            more `trials`.

    Workers are processes of their own, but scripts need no `if __name__ == "__main__"`. Returns the
    run: `.tables["trials"]`, `.champion`, `.elo`, `.plot()`. Raises SettingsError for invalid
    settings, RunError for a folder that belongs to another run or where every trial failed,
    ExtraError without what the kind needs.

    >>> evolve.sweep("alphabeta", "runs/tuned", trials=2)
    Run('runs/tuned', trials=2)
    """
    model, command = life_cycle.variant_of(SWEEPS, kind).model(), SWEEPS.command(kind)
    given = {"kind": kind, **settings, **({} if jobs is None else {"jobs": jobs})}
    requested = resolve_as(model, {}, given)
    with life_cycle.opened(SWEEPS, command, Path(folder), requested) as begun:
        work = Sweep(begun.folder, begun.settings)
        with shown(progress, observer) as watching:
            if begun.restore(work):
                work.run(watching)
    return Run(folder)
