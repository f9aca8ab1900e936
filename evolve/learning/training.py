"""A training run: learn, check against the panel, keep all in its folder; as a Python call."""

from __future__ import annotations

import json
import math
import time
import timeit
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np

from evolve import __version__
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.agents.reference import read_agent
from evolve.arena.judges import (
    RATING,
    RATING_SECONDS,
    ChampionRating,
    Judgement,
    Ladder,
    Panel,
    rating_seconds,
)
from evolve.config.learning import LearningSettings, TrainingSettings
from evolve.config.toml import resolve_as
from evolve.engine.board.board import Board
from evolve.engine.board.rules import rule_set
from evolve.errors import RunError, SettingsError
from evolve.fitness.executor import Threads
from evolve.fitness.games import counted
from evolve.fitness.statistics import Z95, stated
from evolve.learning.kind import KIND as TRAININGS
from evolve.learning.learner import InMemoryTraining, Learner, LearningEnding
from evolve.learning.tables import CHECKS, METRICS_SCORES
from evolve.number_text import duration
from evolve.parsing import parse_json, taking_settings
from evolve.runs import life_cycle
from evolve.runs.loading import existing_champion, keep_champion
from evolve.runs.progress import Observer, TimeLeft, shown
from evolve.runs.run import Run
from evolve.tables.paths import CHECKPOINT_FILE

if TYPE_CHECKING:
    from evolve.keywords import TrainingKeywords

_HEADER: Final = "facts"
_LAST_CHECK: Final = "last check"  # name of a stage
_SEARCHED: Final = 0.75
"""Time of a share of a training with its checks where games are searched, which all threads do, to
that of one before, where learning takes most of it, on one: .81 and .72 by two presets."""


def _columns_of(judged: Judgement) -> dict[str, float | None]:
    """Return the columns of the metrics for what a judge found."""
    half = Z95 * judged.error
    ends = {"score_low": max(0.0, judged.score - half), "score_high": min(1.0, judged.score + half)}
    columns: dict[str, float | None] = {"score": judged.score, **ends}
    if judged.elo is not None:
        return columns | judged.elo.columns("elo")
    for key, score in zip(METRICS_SCORES, judged.scores, strict=True):
        columns |= stated(score, score.n // 2).columns(key)
    return columns


class _Forecast:
    """The checks of a training that are to come, and its rating, in seconds.

    check: of a check of a network against the panel, which is measured by a move of all its games;
    0 of others, whose checks may take longer than all else. to_come: checks before the last one.
    """

    def __init__(self, settings: Any, judge: Any, learner: Learner, jobs: int) -> None:
        self._settings, self._jobs = settings, jobs
        self.check, self.to_come, self._paused, self._rating = 0.0, 0, 0.0, 0.0
        if settings.judge == "panel":  # else the last check rates it
            self._rating = rating_seconds(settings.rules, settings.panel_openings, jobs)
        if isinstance(settings, LearningSettings) and isinstance(judge, Panel):
            agent, boards = learner.checked_agent(), [Board.start()] * 2 * len(judge.openings)
            # The first loads what it needs, and one may be disturbed.
            times = timeit.repeat(lambda: agent.choose_all(boards), number=1, repeat=3)
            moves = 26  # of an agent in a game after its opening
            self.check = len(judge.agents) * moves * min(times[1:])

    def warning(self, step: tuple[float, float], spent: float) -> str:
        """Return a line for people where the budget is too small for a check in its course.

        step: CPU seconds and seconds of a step of learning; spent: CPU seconds so far.
        """
        (cpu, wall), budget = step, self._settings.budget
        if budget is None or not self.check:
            return ""
        positions = 50  # of a game to learn from
        updates = self._settings.updates / self._settings.batch
        if self._settings.check_every * positions * updates * cpu < budget:
            return ""
        left = (budget - spent) * wall / cpu + self.check
        return (
            f"the budget is too small for a check before its end: about {duration(left)} by the "
            f"clock with the only check, and at most {duration(RATING_SECONDS)} more for the rating"
        )

    def time_left(self) -> TimeLeft:
        """Return the estimate of all: by the games, without the time of checks."""
        return TimeLeft(
            after=lambda pace: {
                "checks": self.to_come * self.check,
                _LAST_CHECK: self.check,
                RATING: self._rating,
            },
            work=self._work,
            paused=lambda: self._paused,
            by_rows=not self.check,
            least=2.0 if self.check else 0.0,
        )

    def _work(self, done: float) -> float:
        searched = max(0.0, done - self._settings.parts[1]) if self._jobs > 1 else 0.0
        return done - (1.0 - _SEARCHED) * searched

    def expect(self, games: int, share: float, checked: int) -> None:
        """Expect as many checks as follow from the games of a share; the last was at `checked`."""
        if self.check and share > 0.0:
            in_all = (games / share - checked) / self._settings.check_every
            self.to_come = max(0, math.ceil(in_all - 1e-6) - 1)

    def took(self, seconds: float, last: bool) -> None:
        """Learn how long a check took; where its time is not known before, the pace has it."""
        if self.check:
            self._paused += seconds
            self.to_come = max(0, self.to_come - 1)
            self.check = 0.0 if last else seconds


class Training(InMemoryTraining, life_cycle.Work):
    """One training in its folder: interrupted and resumed, it gives the same tables."""

    FACTS = (
        *InMemoryTraining.FACTS, "check", "best_score", "since_best", "checked", "checked_share",
        "losses",
    )  # fmt: skip

    def __init__(self, folder: Path, settings: TrainingSettings, jobs: int) -> None:
        super().__init__(settings, jobs)
        self.folder = folder
        self.check = 0
        self.best_score = -1.0
        self.checked = 0
        self.checked_share = 0.0
        self.since_best = 0
        self.losses: list[float] = []

    @cached_property
    def judge(self) -> Panel | Ladder:
        """The judge of its checks; a panel has a member for each column of metrics."""
        settings = self.settings
        games, rules, seed = 2 * settings.panel_openings, settings.rules, settings.seed
        if settings.judge == "ladder":
            return Ladder(rules, games, seed)
        return Panel(rule_set(rules).panel[: len(METRICS_SCORES)], games, rules, seed)

    @property
    def finished(self) -> LearningEnding | None:
        ending, patience = super().finished, self.settings.patience
        if ending is None and patience is not None and self.since_best >= patience:
            return LearningEnding.PATIENCE
        return ending

    @property
    def is_over(self) -> bool:
        return self.finished is not None and not self._check_is_due

    @property
    def _check_is_due(self) -> bool:
        """Whether a check is due, with something played or learned since the last one."""
        share, played = self.share - self.checked_share, self.games > self.checked
        if self.finished is not None:
            # A budget may end before one more game is over; the learning since then is checked.
            return self.games > 0 and (played or share > 0.0)
        return played and self.settings.check_is_due(self.checked, self.games, share)

    def run(self, observer: Observer) -> LearningEnding:
        """Train to the end, or until the observer asks to stop.

        Raises SettingsError where the budget ends before the first game.
        """
        self.warm_up(observer)
        self._forecast = _Forecast(self.settings, self.judge, self.learner, self.jobs)
        if text := self._forecast.warning(self.step, self.spent):
            observer.note(text)
        observer.expect(self._forecast.time_left())

        def report(games: int, share: float) -> None:
            self._forecast.expect(games, share, self.checked)
            observer.whole(f"{games} games", self._whole(share), 1.0)

        report(self.games, self.share)
        while True:
            if self._check_is_due:
                self._check(observer)
            ending = self.finished
            if ending is not None and self.games == 0:
                raise SettingsError(
                    f"budget: {self.settings.budget:g} CPU seconds are too few for a game; "
                    f"the default is {self.settings.default_budget:g}"
                )
            if ending is None and observer.stop():
                ending = LearningEnding.STOPPED
                # No check, so that the tables are those of a run that was not stopped.
                self._save_checkpoint()
            if ending is not None:
                return ending
            self.losses.append(self.iterate(report))

    def _whole(self, share: float) -> float:
        """The share of all its work, with what follows the games, for that of the games."""
        budget = self.settings.budget
        return share if budget is None else share * self._end / budget

    def _check(self, observer: Observer) -> None:
        """Play the panel, then commit the agent where it is the best, the metrics, and all else.

        The last check rates the champion before it commits the metrics: the training is finished
        then.
        """
        begin, finished = time.perf_counter(), self.finished is not None
        if finished:
            self._save_checkpoint()  # a kill in the games of the check loses no learning
            self.finish()
        stage = partial(observer.stage, _LAST_CHECK if finished else "check")
        games = 2 * len(self.judge.openings) * self.judge.opponents
        stage(0, games)
        agent, progress = self.learner.checked_agent(), counted(games, stage)
        judged = self.judge.judge(agent, Threads(self.jobs), progress)
        self._forecast.took(time.perf_counter() - begin, finished)
        losses = [loss for loss in self.losses if not math.isnan(loss)]
        row: dict[str, Any] = {
            "check": self.check,
            "games": self.games,
            "steps": self.learner.steps,
            "loss": float(np.mean(losses)) if losses else None,
            **_columns_of(judged),
            **self.learner.metrics,
            "cpu_seconds": self.spent,
            "accept_seconds": self.learner.accept_seconds,
            "seconds": self.wall,
        }
        self.since_best = 0 if judged.score > self.best_score else self.since_best + 1
        if self.finished is not None and not finished:
            self.finish()
        if judged.score >= self.best_score or self.learner.keeps_last:
            self._save_champion(row, judged)
        last = self.finished is not None
        if last:
            observer.row(row, self.share, 1.0)
            self._rate_champion(observer)
        CHECKS.commit(self.folder, self.check, row)
        self.best_score = max(self.best_score, judged.score)
        self.check += 1
        self.checked, self.checked_share = self.games, self.share
        self.losses = []
        self._save_checkpoint()
        if not last:
            observer.row(row, self._whole(self.share), 1.0)

    def _save_champion(self, row: Mapping[str, Any], judged: Judgement) -> None:
        elo = judged.elo
        provenance = {
            "run": self.folder.resolve().name,
            "seed": self.settings.seed,
            "games": row["games"],
            "steps": row["steps"],
            "evolve": __version__,
            "score": row["score"],
            "error": judged.error,
            "against": judged.against,
            **({} if elo is None else {**elo.columns("elo"), "elo_games": elo.n}),
        }
        name = f"{self.learner.kind}-{row['games']}"
        agent = replace(self.learner.agent(), name=name, provenance=provenance)
        keep_champion(self.folder, agent)

    def _rate_champion(self, observer: Observer) -> None:
        """Rate the champion on the ladder, unless its check or an earlier end of training did."""
        file = existing_champion(self.folder)
        agent, settings = read_agent(file), self.settings
        if "elo_games" not in agent.provenance:
            rating = ChampionRating(
                Ladder(settings.rules, seed=settings.seed),
                agent,
                observer,
                seconds=max(RATING_SECONDS, self.wall / 10.0),
                executor=Threads(self.jobs),
            )
            agent.with_provenance(**rating.play(settings.panel_openings)).save(file)

    def _save_checkpoint(self) -> None:
        arrays = {_HEADER: np.array(json.dumps(self.facts())), **self.learner.arrays()}
        write_arrays(self.folder / CHECKPOINT_FILE, arrays)

    def restore(self) -> None:
        """Continue from the folder's checkpoint; from the beginning where there is none.

        Raises RunError when it is damaged, or has other settings.
        """
        path = self.folder / CHECKPOINT_FILE
        if not path.exists():
            # The first check's metrics are written before the first checkpoint.
            if CHECKS.count(self.folder) > 1:
                raise RunError(f"{path} is missing, though there are checks")
            CHECKS.forget(self.folder, 0)
            return
        try:
            arrays = read_arrays(path)
            same = self.continue_from(parse_json(str(arrays.pop(_HEADER))), arrays)
        except OSError as error:
            raise RunError(f"{path}: {error.strerror or error}") from error
        except Exception as error:  # numpy and torch raise all kinds
            raise RunError(f"{path} is damaged: {error}") from error
        if not same:
            raise RunError(f"{path} is of other settings than those in config.toml")
        CHECKS.forget(self.folder, self.check)  # a killed writer left them uncommitted


@taking_settings
def train(
    kind: str,
    folder: str | Path,
    *,
    jobs: int = 1,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[TrainingKeywords],
) -> Run:
    """Train an agent in a folder, as `evolve train` does; the same call resumes a stopped run.

    Args:
        kind: `patterns`, which needs nothing else, or `dqn` or `mcts`, which need PyTorch.
        folder: folder of the run; a new one, or one that a call with the same settings started.
        jobs: number of threads; results do not depend on it.
        progress: whether to show a line of progress.
        observer: receives checks.
        settings: those of `evolve train KIND --help`, such as `preset="quick"` or `budget=60`.
            Later calls may name more `games` or another `budget` or `patience`.

    Returns the run: `.tables["metrics"]`, `.champion`, `.elo`, `.plot()`. Raises SettingsError for
    invalid settings, RunError for a folder that belongs to another run, ExtraError without PyTorch.

    >>> evolve.train("patterns", "runs/taught", games=200, depth=1, panel_openings=2)
    Run('runs/taught', games=200)
    """
    variant, command = life_cycle.variant_of(TRAININGS, kind), TRAININGS.command(kind)
    requested = resolve_as(variant.model(), variant.all_presets(), settings)
    with (
        life_cycle.opened(TRAININGS, command, Path(folder), requested) as begun,
        shown(progress, observer) as watching,
    ):
        training = Training(begun.folder, requested, jobs)
        if begun.restore(training):
            training.run(watching)
    return Run(folder)
