"""What a training takes beside its games: its checks and its rating."""

from __future__ import annotations

import math
import timeit
from typing import Any, Final

from evolve.arena.judges import RATING, RATING_SECONDS, Panel, rating_seconds
from evolve.config.learning import LearningSettings
from evolve.engine.board.board import Board
from evolve.learning.learner import Learner
from evolve.number_text import duration
from evolve.runs.progress import TimeLeft

LAST_CHECK: Final = "last check"
"""Name of a stage."""
_SEARCHED: Final = 0.75
"""Time of a share of a training with its checks where games are searched, which all threads do, to
that of one before, where learning takes most of it, on one: .81 and .72 by two presets."""


class Forecast:
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
                LAST_CHECK: self.check,
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
