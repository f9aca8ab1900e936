"""One course of learning, from its settings to its end: iterations of games and steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import torch

from evolve.config.learning import DqnSettings, LearningSettings, MctsSettings
from evolve.learning.dqn import MoveLearner
from evolve.learning.learner import Learner
from evolve.learning.mcts import TreeLearner
from evolve.tables.observer import RunEnding

LEARNERS: Final[Mapping[type[LearningSettings], Callable[[Any, int], Learner]]] = {
    MctsSettings: TreeLearner,
    DqnSettings: MoveLearner,
}
"""The learner for each kind of settings, made with a number of jobs."""


class LearningEnding(RunEnding):
    """Why a training returned."""

    GAMES = "all games are played"
    BUDGET = "the budget is used up"
    PATIENCE = "the panel score has not risen any more"
    STOPPED = "stopped"


class Course:
    """A learner on its way, saved nowhere.

    The same settings and number of games teach the same, whatever `jobs`; a budget in CPU seconds
    ends wherever the machine has got to.
    """

    def __init__(self, settings: MctsSettings | DqnSettings, jobs: int) -> None:
        torch.set_num_threads(1)  # small networks: more threads cost more than they give
        self.settings = settings
        self.jobs = jobs
        self.learner = LEARNERS[type(settings)](settings, jobs)
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
            shares.append(self.spent / settings.budget)
        return min(1.0, max(shares))

    @property
    def finished(self) -> LearningEnding | None:
        """Why there is nothing left to do; None when there is."""
        settings = self.settings
        if settings.games is not None and self.games >= settings.games:
            return LearningEnding.GAMES
        if settings.budget is not None and self.spent >= settings.budget:
            return LearningEnding.BUDGET
        return None

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

        count = self.settings.games_per_iteration
        if self.settings.games is not None:
            count = min(count, self.settings.games - self.games)
        if self.settings.budget is not None and self.spent > 0.0:
            # No more than the budget is likely to hold: iterations may be long.
            rest = self.settings.budget - self.spent
            count = min(count, max(1, round(rest * self.games / self.spent)))

        def left() -> float:
            if self.settings.budget is None:
                return math.inf
            return self.settings.budget - self.spent - (time.process_time() - cpu)

        def share() -> float:
            """By games it does not change within an iteration, so that the run repeats."""
            budget = self.settings.budget
            return self.share if budget is None else max(self.share, 1.0 - left() / budget)

        done = self.learner.iterate(self.rng, count, share, progress, left)
        self.games += done.games
        self.spent += time.process_time() - cpu
        self.seconds += time.perf_counter() - begin
        watch(self.games, self.share)
        return done.loss

    def warm_up(self) -> None:
        """Compile every kernel, so that the budget is not spent on it."""
        # A few steps: one of the published policy-value network takes a second.
        learner = LEARNERS[type(self.settings)](self.settings.brief(), 1)
        rng = np.random.default_rng(0)
        for _ in range(2):
            learner.iterate(rng, 4, lambda: 0.0, lambda games: None, lambda: math.inf)
