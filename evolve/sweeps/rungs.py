"""Rungs: the best trials train again, for longer, until the last rung decides.

The winner of a short training need not win a long one, so trials are only the first choice. The
candidates of a rung are the best of the one before, and the defaults. All train again with fresh
seeds. The last rung judges agents as they are shipped, and its winner trains once more beside the
defaults: only seeds that did not choose the winner show whether its settings are better.

Each rung is a sweep in its own folder, with queued trials: it resumes like any sweep after it was
stopped or killed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import StoredAgent
from evolve.agents.reference import read_agent
from evolve.arena.match import Match, StoppedError
from evolve.config.sweep import SweepRung, SweepSettings
from evolve.errors import RunError
from evolve.files.changes import make_folder
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.statistics import mean_of
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.sweeps.final import (
    DEFAULTS,
    KeptMatches,
    is_defaults,
    openings_of_final,
    settings_ranked,
)
from evolve.sweeps.study import Queued
from evolve.sweeps.sweep import Sweep, SweepEnding, opened_sweep
from evolve.sweeps.trials import agent_file, keep
from evolve.tables.paths import RETEST, RUNGS, TRIALS
from evolve.tables.trials import Against, FinalDocument, write_final

_INSTANT: Final = 1e-3
"""Seconds of a rung when no time is left: it starts no training."""
_RETEST_KEY: Final = 1000
"""Key of the retest's seeds: no rung has that number."""


@dataclass(frozen=True)
class Trained:
    """A candidate's finished training: its score, and the location of its agent."""

    score: float
    folder: Path
    trial: FrozenTrial

    @property
    def agent(self) -> StoredAgent:
        """The trained agent."""
        return read_agent(agent_file(self.folder, self.trial))


@dataclass(frozen=True)
class Candidate:
    """Settings that train again: from a trial, or the defaults."""

    origin: str
    number: int
    values: Mapping[str, Any]
    trainings: tuple[Trained, ...] = ()

    @property
    def score(self) -> float:
        """The mean score of its trainings."""
        return sum(training.score for training in self.trainings) / len(self.trainings)

    @property
    def best(self) -> Trained:
        """The training with the best score; the first of equals."""
        return max(self.trainings, key=lambda training: training.score)

    @property
    def standing(self) -> dict[str, Any]:
        """Its row in the last rung."""
        score = mean_of([training.score for training in self.trainings]).within(0.0, 1.0)
        return {
            "candidate": self.origin,
            "lives": score.n,
            "score": score.value,
            "low": score.low,
            "high": score.high,
        }


def select_champion(
    sweep: Sweep, observer: Observer, seconds: float | None
) -> tuple[SweepEnding | None, FinalDocument | None]:
    """Select the champion of a sweep's trials, by rungs or by a final.

    Returns why it ended early, and the result, which is None, too, when no trial is complete.
    `seconds` are left of the sweep's time, None for no limit. Raises RunError where all trainings
    of a rung failed.
    """
    try:
        if not sweep.settings.rungs:
            return None, sweep.play_final(observer)
        sweep.compute_importances()
        return Rungs(sweep, seconds).climb(observer)
    except StoppedError:
        return SweepEnding.STOPPED, None


class Rungs:
    """The rungs of a sweep with finished trials."""

    def __init__(self, sweep: Sweep, seconds: float | None) -> None:
        self._sweep = sweep
        self._settings = sweep.settings
        self._end = None if seconds is None else time.monotonic() + seconds
        self._folder = sweep.folder / RUNGS
        self._done = float(sweep.settings.trials)

    def climb(self, observer: Observer) -> tuple[SweepEnding | None, FinalDocument | None]:
        """Run or resume the rungs; return why they ended early, or the result.

        The result is None without candidates.
        """
        candidates = self._first()
        for number, rung in enumerate(self._settings.longer, 1):
            last = number == len(self._settings.longer)
            chosen = _with_defaults(candidates, rung.candidates)
            if not chosen:
                return None, None
            queue = [candidate for candidate in chosen for _ in range(rung.seeds)]
            observer.note(_rung_text(f"rung {number}", len(chosen), rung))
            settings = self._settings_of(rung.budget, len(queue), number, shipped=last)
            ending, trainings = self._train(str(number), settings, queue, observer)
            if ending is not None:
                return ending, None
            candidates = _judged(chosen, trainings)
            if not candidates:
                raise RunError(f"every training of rung {number} failed: see the table `rungs`")
        return self._select_champion(candidates, observer)

    def _first(self) -> list[Candidate]:
        """Return the settings of complete trials, best first."""
        return [
            Candidate(
                DEFAULTS if is_defaults(trial) else _name(trial.number),
                trial.number,
                trial.params,
            )
            for trial in settings_ranked(self._sweep.study.trials())
        ]

    def _settings_of(
        self, budget: float, trainings: int, key: int, *, shipped: bool
    ) -> SweepSettings:
        """Return the settings of a rung's sweep, with its own seeds and openings."""
        seed = np.random.SeedSequence([self._settings.seed, key]).generate_state(1)[0] >> 1
        left = None if self._end is None else max(self._end - time.monotonic(), _INSTANT)
        changes = {
            "budget": budget,
            "trials": trainings,
            "seed": int(seed),
            "shipped": shipped or self._settings.shipped,
            "pruner": "none",
            "reports": 1,
            "rungs": (),
            "timeout": left,
        }
        return self._settings.model_copy(update=changes)

    def _train(
        self, name: str, settings: SweepSettings, queue: Sequence[Candidate], observer: Observer
    ) -> tuple[SweepEnding | None, list[Trained | None]]:
        """Train a queue of candidates; return why it ended early, and the trainings.

        The trainings are in the queue's order, None for a failed one.
        """
        folder = self._folder / name
        make_folder(folder, parents=True, exist_ok=True)
        run_folder.sweep_orphans(folder, (TRIALS,))
        queued = [Queued(candidate.values, candidate.origin) for candidate in queue]
        worth = (settings.budget or 0.0) / (self._settings.budget or 1.0)
        watch = _OnRung(observer, name, queue, self._done, worth, self._settings.work)
        with opened_sweep(folder, settings, queued, self._sweep.placement) as sweep:
            ending = sweep.run(watch)
            by_number = {trial.number: trial for trial in sweep.study.trials()}
        if ending is not SweepEnding.COMPLETE:
            return ending, []
        self._done += worth * len(queue)
        trainings = [_trained(by_number.get(number), folder) for number in range(len(queue))]
        return None, trainings

    def _select_champion(
        self, candidates: Sequence[Candidate], observer: Observer
    ) -> tuple[SweepEnding | None, FinalDocument | None]:
        """Select the winner of the last rung, after a retest against the defaults."""
        folder, winner = self._sweep.folder, candidates[0]
        defaults = next(
            (candidate for candidate in candidates if candidate.origin == DEFAULTS), None
        )
        against = None
        if defaults is not None and winner is not defaults and self._settings.retest > 0:
            pair = [winner, defaults]
            rung = SweepRung(2, self._settings.longer[-1].budget, self._settings.retest)
            observer.note(_rung_text("retest", 2, rung))
            settings = self._settings_of(rung.budget, 2 * rung.seeds, _RETEST_KEY, shipped=True)
            ending, trainings = self._train(RETEST, settings, pair * rung.seeds, observer)
            if ending is not None:
                return ending, None
            with self._sweep.placement.open(self._sweep.jobs) as executor:
                against = self._against(trainings, observer, executor)
        facts: dict[str, Any] = {} if against is None else {"against_defaults": against.score}
        facts |= {"run": folder.resolve().name, "trial": winner.number}
        agent: Any = winner.best.agent.with_provenance(**facts)
        keep(folder, replace(agent, name=_name(winner.number)))
        result = FinalDocument(
            trials=self._sweep.study.finished(),
            finalists=[candidate.standing for candidate in candidates],
            winner=winner.number,
            defaults=None if defaults is None else defaults.number,
            against_defaults=against,
        )
        observer.stage("rungs", self._settings.work, self._settings.work)
        write_final(folder, result)
        return None, result

    def _against(
        self, trainings: Sequence[Trained | None], observer: Observer, executor: Executor
    ) -> Against | None:
        """Score the winner against the defaults, seed by seed; None where no pair is complete."""
        settings, matches = self._settings, len(trainings) // 2
        count = openings_of_final(settings, self._sweep.study.trials(), matches)
        key = f"retest {settings.trials} {settings.rungs} {count} {settings.seed}"
        games = KeptMatches(self._sweep.folder, key, 2 * count * matches, observer)
        scores: list[float] = []
        for number, (first, other) in enumerate(zip(trainings[::2], trainings[1::2], strict=True)):
            if first is None or other is None:
                continue
            match = Match(
                first.agent,
                other.agent,
                balanced_openings(
                    count,
                    Part.MATCH,
                    settings.rules,
                    np.random.default_rng([settings.seed, number]),
                ),
                settings.rules,
                names=(f"life-{2 * number}", f"life-{2 * number + 1}"),
                seed=settings.seed,
                executor=executor,
            )
            games.play(match, games.progress)
            scores.append(match.result.score.value)
        games.drop()
        if not scores:
            return None
        score, low, high, seeds = mean_of(scores).within(0.0, 1.0)
        return Against(score=score, low=low, high=high, games=2 * count * seeds, seeds=seeds)


@dataclass(frozen=True)
class _OnRung(Observer):
    """Reports a rung as part of the whole sweep, with the candidates' trial numbers."""

    observer: Observer
    rung: str
    queue: Sequence[Candidate]
    done: float
    worth: float
    total: float

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Report a finished training."""
        number = self.queue[row["number"]].number
        whole = self.done + self.worth * done
        self.observer.row({**row, "number": number, "rung": self.rung}, whole, self.total)

    def stage(self, name: str, done: float, total: float) -> None:
        """Report the number of finished trainings."""
        self.observer.stage(name, self.done + self.worth * done, self.total)

    def note(self, text: str) -> None:
        """Pass a note on unchanged."""
        self.observer.note(text)

    def stop(self) -> bool:
        """Return whether to end."""
        return self.observer.stop()


def _with_defaults(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return the best `count` candidates, and the defaults."""
    others = [candidate for candidate in candidates if candidate.origin != DEFAULTS]
    return others[:count] + [candidate for candidate in candidates if candidate.origin == DEFAULTS]


def _judged(chosen: Sequence[Candidate], trainings: Sequence[Trained | None]) -> list[Candidate]:
    """Return the candidates with their trainings, best first.

    Each has the same number of trainings, in order. Candidates without a finished one are left out.
    """
    each = len(trainings) // len(chosen)
    judged = []
    for index, candidate in enumerate(chosen):
        own = tuple(
            training
            for training in trainings[index * each : (index + 1) * each]
            if training is not None
        )
        if own:
            judged.append(Candidate(candidate.origin, candidate.number, candidate.values, own))
    return sorted(judged, key=lambda candidate: (-candidate.score, candidate.number))


def _trained(trial: FrozenTrial | None, folder: Path) -> Trained | None:
    if trial is None or trial.state != TrialState.COMPLETE:
        return None
    if not agent_file(folder, trial).exists():
        raise RunError(f"{agent_file(folder, trial)} is missing")
    return Trained(trial.values[0], folder, trial)


def _name(number: int) -> str:
    return f"trial-{number}"


def _rung_text(what: str, candidates: int, rung: SweepRung) -> str:
    times = f", each with {rung.seeds} seeds" if rung.seeds > 1 else ""
    return f"{what}: {candidates} settings learn for {rung.budget:g} CPU seconds{times}"
