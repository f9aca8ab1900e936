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
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from optuna.trial import TrialState

from evolve.agents.reference import read_agent
from evolve.arena.match import Match
from evolve.cluster import Placement
from evolve.config.sweep import SweepRung, SweepSettings
from evolve.errors import RunError
from evolve.files.changes import make_folder
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.statistics import mean_of
from evolve.runs import run_folder
from evolve.runs.loading import keep_champion
from evolve.runs.progress import Observer, RunEnding
from evolve.sweeps.final import (
    DEFAULTS,
    KeptMatches,
    is_defaults,
    openings_of_final,
    rate_winner,
    settings_ranked,
)
from evolve.sweeps.study import Queued, Study
from evolve.sweeps.trials import agent_file
from evolve.tables.paths import RETEST, RUNGS, TRIALS
from evolve.tables.trials import Against, FinalDocument, write_final

_RETEST_KEY: Final = 1000
"""Key of the retest's seeds: no rung has that number."""


class RungSweep(Protocol):
    """A sweep, as far as its rungs need it."""

    folder: Path
    settings: SweepSettings
    study: Study
    placement: Placement
    jobs: int

    @property
    def complete(self) -> RunEnding: ...

    def rung(
        self, folder: Path, settings: SweepSettings, queue: Sequence[Queued]
    ) -> AbstractContextManager[RungSweep]: ...

    def run_trials(self, observer: Observer) -> RunEnding: ...


class Trained(NamedTuple):
    """A candidate's finished training: its score, and the file of its agent."""

    score: float
    file: Path


class RungsEnded(Exception):  # noqa: N818  # a result, not an error
    """The rungs ended early, for this reason."""

    def __init__(self, ending: RunEnding) -> None:
        super().__init__(ending)
        self.ending = ending


@dataclass(frozen=True)
class Candidate(Queued):
    """Settings that train again: from a trial, or the defaults."""

    number: int
    trainings: tuple[Trained, ...] = ()

    @property
    def score(self) -> float:
        return sum(training.score for training in self.trainings) / len(self.trainings)

    @property
    def standing(self) -> dict[str, Any]:
        scores = mean_of([training.score for training in self.trainings]).within(0.0, 1.0)
        score, low, high, lives = scores
        return {"candidate": self.origin, "lives": lives, "score": score, "low": low, "high": high}


class Rungs:
    """The rungs of a sweep with finished trials; end: when they must end, by `time.monotonic`."""

    def __init__(self, sweep: RungSweep, end: float | None) -> None:
        self._sweep = sweep
        self._settings: SweepSettings = sweep.settings
        self._end = end
        self._folder = sweep.folder / RUNGS
        self._done = float(sweep.settings.trials)

    def climb(self, observer: Observer) -> FinalDocument | None:
        """Run or resume the rungs; return the result, None without candidates."""
        candidates = []
        for trial in settings_ranked(self._sweep.study.trials()):
            name = DEFAULTS if is_defaults(trial) else f"trial-{trial.number}"
            candidates.append(Candidate(trial.params, name, trial.number))
        for number, rung in enumerate(self._settings.longer, 1):
            best = [candidate for candidate in candidates if candidate.origin != DEFAULTS]
            defaults = [candidate for candidate in candidates if candidate.origin == DEFAULTS]
            chosen = best[: rung.candidates] + defaults
            if not chosen:
                return None
            queue = [candidate for candidate in chosen for _ in range(rung.seeds)]
            observer.note(_rung_text(f"rung {number}", len(chosen), rung))
            last = number == len(self._settings.longer)
            settings = self._settings_of(rung.budget, len(queue), number, shipped=last)
            trainings = self._train(str(number), settings, queue, observer)
            candidates = _judged(chosen, trainings)
            if not candidates:
                raise RunError(f"every training of rung {number} failed: see the table `rungs`")
        return self._select_champion(candidates, observer)

    def _settings_of(
        self, budget: float, trainings: int, key: int, *, shipped: bool
    ) -> SweepSettings:
        seed = np.random.SeedSequence([self._settings.seed, key]).generate_state(1)[0] >> 1
        left = None if self._end is None else max(self._end - time.monotonic(), 1e-3)
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
    ) -> list[Trained | None]:
        """Train a queue of candidates; return the trainings in its order, None for a failed one."""
        folder = self._folder / name
        make_folder(folder, parents=True, exist_ok=True)
        run_folder.sweep_orphans(folder, (TRIALS,))
        worth = (settings.budget or 0.0) / (self._settings.budget or 1.0)
        watch = _OnRung(observer, name, queue, self._done, worth, self._settings.work)
        with self._sweep.rung(folder, settings, queue) as rung:
            ending = rung.run_trials(watch)
            trials = rung.study.trials()
        if ending is not rung.complete:
            raise RungsEnded(ending)
        self._done += worth * len(queue)
        return [
            Trained(trial.values[0], agent_file(folder, trial))
            if trial.state == TrialState.COMPLETE
            else None
            for trial in trials
        ]

    def _select_champion(
        self, candidates: Sequence[Candidate], observer: Observer
    ) -> FinalDocument:
        """Select the winner of the last rung, after a retest against the defaults."""
        folder, winner = self._sweep.folder, candidates[0]
        defaults = {candidate.origin: candidate for candidate in candidates}.get(DEFAULTS)
        trainings: list[Trained | None] = []
        if defaults is not None and winner is not defaults and self._settings.retest > 0:
            pair = [winner, defaults]
            rung = SweepRung(2, self._settings.longer[-1].budget, self._settings.retest)
            observer.note(_rung_text("retest", 2, rung))
            settings = self._settings_of(rung.budget, 2 * rung.seeds, _RETEST_KEY, shipped=True)
            trainings = self._train(RETEST, settings, pair * rung.seeds, observer)
        best = max(winner.trainings, key=lambda training: training.score)
        agent: Any = read_agent(best.file)
        with self._sweep.placement.open(self._sweep.jobs) as executor:
            against = self._against(trainings, observer, executor) if trainings else None
            facts = rate_winner(agent, self._settings, observer, executor)
        facts |= {} if against is None else {"against_defaults": against.score}
        facts |= {"run": folder.resolve().name, "trial": winner.number}
        champion = replace(agent.with_provenance(**facts), name=f"trial-{winner.number}")
        keep_champion(folder, champion)
        result = FinalDocument(
            trials=self._sweep.study.finished(),
            finalists=[candidate.standing for candidate in candidates],
            winner=winner.number,
            defaults=None if defaults is None else defaults.number,
            against_defaults=against,
        )
        observer.whole("rungs", self._settings.work, self._settings.work)
        write_final(folder, result)
        return result

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
            rng = np.random.default_rng([settings.seed, number])
            match = Match(
                read_agent(first.file),
                read_agent(other.file),
                balanced_openings(count, Part.MATCH, settings.rules, rng),
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
        number = self.queue[row["number"]].number
        whole = self.done + self.worth * done
        self.observer.row({**row, "number": number, "rung": self.rung}, whole, self.total)

    def whole(self, name: str, done: float, total: float) -> None:
        self.observer.whole(name, self.done + self.worth * done, self.total)

    def note(self, text: str) -> None:
        self.observer.note(text)

    def stop(self) -> bool:
        return self.observer.stop()


def _judged(chosen: Sequence[Candidate], trainings: Sequence[Trained | None]) -> list[Candidate]:
    """Return the candidates with their trainings, best first.

    Each has the same number of trainings, in order. Candidates without a finished one are left out.
    """
    each = len(trainings) // len(chosen)
    judged = []
    for index, candidate in enumerate(chosen):
        own = tuple(filter(None, trainings[index * each : (index + 1) * each]))
        if own:
            judged.append(replace(candidate, trainings=own))
    return sorted(judged, key=lambda candidate: (-candidate.score, candidate.number))


def _rung_text(what: str, candidates: int, rung: SweepRung) -> str:
    times = f", each with {rung.seeds} seeds" if rung.seeds > 1 else ""
    return f"{what}: {candidates} settings learn for {rung.budget:g} CPU seconds{times}"
