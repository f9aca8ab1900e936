"""A training run: learn, check against the panel, keep all in its folder."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from evolve import __version__
from evolve.agents.agent_file import read_arrays, write_arrays
from evolve.agents.reference import read_agent
from evolve.arena.judges import RATING_SECONDS, ChampionRating, Judgement, Ladder, Panel
from evolve.config.learning import TrainingSettings
from evolve.engine.board.rules import rule_set
from evolve.engine.games.first_use import compile_first
from evolve.errors import RunError, SettingsError
from evolve.fitness.executor import Threads
from evolve.fitness.games import counted
from evolve.fitness.statistics import Z95, stated
from evolve.learning.forecast import LAST_CHECK, Forecast
from evolve.learning.learner import learner_for
from evolve.learning.tables import CHECKS, METRICS_SCORES
from evolve.parsing import parse_json
from evolve.runs.life_cycle import Work
from evolve.runs.loading import existing_champion, keep_champion
from evolve.runs.progress import COMPILING, Observer, RunEnding
from evolve.tables.paths import CHECKPOINT_FILE

_HEADER: Final = "facts"


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


class LearningEnding(RunEnding):
    """Why a training returned."""

    GAMES = "all games are played"
    BUDGET = "the budget is used up"
    PATIENCE = "the score has stopped rising"
    STOPPED = "stopped"


class InMemoryTraining:
    """A training in memory, saved nowhere.

    The same settings and number of games give the same result, whatever `jobs`. A budget in CPU
    seconds ends wherever the machine has got to.
    """

    FACTS: ClassVar[tuple[str, ...]] = ("games", "spent", "wall")
    """Attributes that a checkpoint holds."""

    def __init__(self, settings: TrainingSettings, jobs: int) -> None:
        self.settings = settings
        self.jobs = jobs
        self.learner = learner_for(settings, jobs)
        self.games = 0
        self.spent = 0.0  # CPU seconds so far
        self.wall = 0.0  # seconds so far
        self.rng = np.random.default_rng(np.random.SeedSequence([settings.seed, 1]))
        self.step = 0.0, 0.0
        """CPU seconds of a step of learning, and seconds by the clock; zeros if unknown."""

    @property
    def share(self) -> float:
        games = self.settings.games
        return min(1.0, max(0.0 if games is None else self.games / games, self.spent / self._end))

    @property
    def done(self) -> float:
        """The share of all its work that is done, with what follows the games, 0 to 1."""
        return self.share if self.finished is not None else self._whole(self.share)

    def _whole(self, share: float) -> float:
        """The share of all its work, for that of the games."""
        budget = self.settings.budget
        return share if budget is None else share * self._end / budget

    @property
    def finished(self) -> LearningEnding | None:
        """Why nothing is left to do; None while something is."""
        games = self.settings.games
        if games is not None and self.games >= games:
            return LearningEnding.GAMES
        if self.spent >= self._end:
            return LearningEnding.BUDGET
        return None

    @property
    def learned_little(self) -> bool:
        """Whether untrained weights played nearly all its games: those of less than two rounds."""
        return self.games < 2 * self.settings.games_in_hand(0.0)

    def iterate(self, watch: Callable[[int, float], None]) -> float:
        """Play and learn once; return the mean loss. `watch` gets games and share on the way.

        A budget ends it at any point: games that are not over then are given up.
        """
        begin, cpu, done = time.perf_counter(), time.process_time(), self.games

        def progress(games: int) -> None:
            nonlocal done
            done += games
            watch(done, self.share)

        count = self.settings.games_in_hand(self.share)
        if self.settings.games is not None:
            count = min(count, self.settings.games - self.games)
        if self.settings.budget is not None and self.spent > 0.0:
            # No more games than the budget is likely to allow: iterations may be long.
            count = min(count, max(1, round((self._end - self.spent) * self.games / self.spent)))

        def left() -> float:
            return self._end - self.spent - (time.process_time() - cpu)

        def share() -> float:
            # Without a budget it is fixed within an iteration, so that the run repeats.
            if self.settings.budget is None:
                return self.share
            passed = max(self.share, 1.0 - left() / self._end)
            watch(done, passed)  # steps may take longer than games
            return passed

        games, loss = self.learner.iterate(self.rng, count, share, progress, left)
        self.games += games
        self.spent += time.process_time() - cpu
        self.wall += time.perf_counter() - begin
        watch(self.games, self.share)
        return loss

    def finish(self) -> None:
        """Let the learner do its remaining work after all games are learned from."""
        begin, cpu = time.perf_counter(), time.process_time()
        budget = math.inf if self.settings.budget is None else self.settings.budget
        self.learner.finish(lambda: budget - self.spent - (time.process_time() - cpu))
        self.spent += time.process_time() - cpu
        self.wall += time.perf_counter() - begin

    @property
    def _end(self) -> float:
        """CPU seconds at which its games end."""
        budget = self.settings.budget
        return math.inf if budget is None else budget - self.settings.reserve

    def facts(self) -> dict[str, Any]:
        """Return all that a checkpoint holds beside the learner's arrays, as JSON."""
        return {
            **{name: getattr(self, name) for name in self.FACTS},
            "rng": self.rng.bit_generator.state,
            "learner": self.learner.facts(),
            "identity": self.settings.identity,
        }

    def continue_from(self, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> bool:
        """Continue from what `facts` and the learner's `arrays` returned; False of other settings.

        Raises all kinds of errors where they are damaged.
        """
        if facts["identity"] != self.settings.identity:
            return False
        self.learner.restore(facts["learner"], arrays)
        self.rng.bit_generator.state = facts["rng"]
        for name in self.FACTS:
            setattr(self, name, facts[name])
        return True

    def warm_up(self, observer: Observer | None = None) -> None:
        """Compile every kernel, so that the budget is not spent on it; begin what has not begun.

        It also measures a step of learning.
        """
        stage = (observer or Observer()).stage
        compile_first(partial(stage, COMPILING))
        if self.games == 0:
            self.learner.begin()
        # Few steps, because one of the published policy-value network takes a second.
        learner, parts = learner_for(self.settings.brief(), 1), self.settings.parts
        rng = np.random.default_rng(0)
        for number, share in enumerate(parts):
            stage("warm-up", number, len(parts))
            steps: list[tuple[float, float]] = []

            def before_step(share: float = share, steps: Any = steps) -> float:
                steps.append((time.process_time(), time.perf_counter()))
                return share

            learner.iterate(rng, 4, before_step, lambda games: None, lambda: math.inf)
            for (cpu, wall), (cpu_after, wall_after) in pairwise(steps):
                self.step = cpu_after - cpu, wall_after - wall


class Training(InMemoryTraining, Work):
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
        return self.finished is not None and not self.check_is_due

    @property
    def check_is_due(self) -> bool:
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
        self._forecast = Forecast(self.settings, self.judge, self.learner, self.jobs)
        if text := self._forecast.warning(self.step, self.spent):
            observer.note(text)
        observer.expect(self._forecast.time_left())

        def report(games: int, share: float) -> None:
            self._forecast.expect(games, share, self.checked)
            observer.whole(f"{games} games", self._whole(share), 1.0)

        report(self.games, self.share)
        while True:
            if self.check_is_due:
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

    def _check(self, observer: Observer) -> None:
        """Play the panel, then commit the agent where it is the best, the metrics, and all else.

        The last check rates the champion before it commits the metrics: the training is finished
        then.
        """
        begin, finished = time.perf_counter(), self.finished is not None
        if finished:
            self._save_checkpoint()  # a kill in the games of the check loses no learning
            self.finish()
        stage = partial(observer.stage, LAST_CHECK if finished else "check")
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
            observer.row(row, self.done, 1.0)
            self._rate_champion(observer)
        CHECKS.commit(self.folder, self.check, row)
        self.best_score = max(self.best_score, judged.score)
        self.check += 1
        self.checked, self.checked_share = self.games, self.share
        self.losses = []
        self._save_checkpoint()
        if not last:
            observer.row(row, self.done, 1.0)

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
