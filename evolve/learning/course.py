"""One course of learning, from its settings to its end: iterations of games and steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from evolve.config.learning import DqnSettings, MctsSettings, TrainingSettings
from evolve.config.pattern_training import PatternSettings
from evolve.learning.learner import Learner
from evolve.tables.progress import RunEnding
from evolve.tables.run_type import imported

LEARNERS: Final[Mapping[type[TrainingSettings], str]] = {
    MctsSettings: "evolve.learning.mcts:TreeLearner",
    DqnSettings: "evolve.learning.dqn:MoveLearner",
    PatternSettings: "evolve.learning.patterns:PatternLearner",
}
"""The learner for each kind of settings, by name: patterns are learned without PyTorch."""


def learner_for(settings: TrainingSettings, jobs: int) -> Learner:
    """A new learner, with so many threads for its games."""
    made: Callable[[TrainingSettings, int], Learner] = imported(LEARNERS[type(settings)])
    return made(settings, jobs)


class LearningEnding(RunEnding):
    """Why a training returned."""

    GAMES = "all games are played"
    BUDGET = "the budget is used up"
    PATIENCE = "the score has stopped rising"
    STOPPED = "stopped"


class Course:
    """A learner on its way, saved nowhere.

    The same settings and number of games teach the same, whatever `jobs`; a budget in CPU seconds
    ends wherever the machine has got to.
    """

    def __init__(self, settings: TrainingSettings, jobs: int) -> None:
        self.settings = settings
        self.jobs = jobs
        self.learner = learner_for(settings, jobs)
        self.games = 0
        self.spent = 0.0
        """CPU seconds so far."""
        self.seconds = 0.0
        self.rng = np.random.default_rng(np.random.SeedSequence([settings.seed, 1]))

    @property
    def share(self) -> float:
        """The share of the course that is done, 0 to 1."""
        settings, shares = self.settings, [0.0]
        if settings.games is not None:
            shares.append(self.games / settings.games)
        if settings.budget is not None:
            shares.append(self.spent / self._end)
        return min(1.0, max(shares))

    @property
    def finished(self) -> LearningEnding | None:
        """Why there is nothing left to do; None when there is."""
        settings = self.settings
        if settings.games is not None and self.games >= settings.games:
            return LearningEnding.GAMES
        if self.spent >= self._end:
            return LearningEnding.BUDGET
        return None

    @property
    def taught_little(self) -> bool:
        """Whether it has had less than two rounds: nearly all its games were played by weights
        that nothing had taught yet."""
        return self.games < 2 * self.settings.games_in_hand(0.0)

    def iterate(self, watch: Callable[[int, float], None]) -> float:
        """Play and learn once; the mean loss. `watch` gets the games and the share on the way.

        A budget ends it where it is: games that are not over then are given up.
        """
        begin, cpu = time.perf_counter(), time.process_time()
        before = self.games

        def progress(games: int) -> None:
            nonlocal before
            before += games
            watch(before, self.share)

        count = self.settings.games_in_hand(self.share)
        if self.settings.games is not None:
            count = min(count, self.settings.games - self.games)
        if self.settings.budget is not None and self.spent > 0.0:
            # No more than the budget is likely to hold: iterations may be long.
            rest = self._end - self.spent
            count = min(count, max(1, round(rest * self.games / self.spent)))

        def left() -> float:
            return self._end - self.spent - (time.process_time() - cpu)

        def share() -> float:
            """By games it does not change within an iteration, so that the run repeats."""
            budget = self.settings.budget
            return self.share if budget is None else max(self.share, 1.0 - left() / self._end)

        done = self.learner.iterate(self.rng, count, share, progress, left)
        self.games += done.games
        self.spent += time.process_time() - cpu
        self.seconds += time.perf_counter() - begin
        watch(self.games, self.share)
        return done.loss

    def finish(self) -> None:
        """Let the learner do what is left when all games are learned from."""
        begin, cpu = time.perf_counter(), time.process_time()
        budget = math.inf if self.settings.budget is None else self.settings.budget
        self.learner.finish(lambda: budget - self.spent - (time.process_time() - cpu))
        self.spent += time.process_time() - cpu
        self.seconds += time.perf_counter() - begin

    @property
    def _end(self) -> float:
        """CPU seconds at which its games end."""
        budget = self.settings.budget
        return math.inf if budget is None else budget - self.learner.reserve

    def warm_up(self) -> None:
        """Compile every kernel, so that the budget is not spent on it."""
        # A few steps: one of the published policy-value network takes a second.
        learner = learner_for(self.settings.brief(), 1)
        rng = np.random.default_rng(0)
        for share in (_at_first, _at_last):
            learner.iterate(rng, 4, share, lambda games: None, lambda: math.inf)


def _at_first() -> float:
    return 0.0


def _at_last() -> float:
    return 1.0
