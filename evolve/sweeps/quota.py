"""Trials that a sweep still wants, and settings that are not worth one.

This follows from the trials so far: the number asked for, and the games and settings left. Where
games repeat, a setting that was tried gets the same score again. One that failed fails again
everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from optuna.trial import FrozenTrial, TrialState

from evolve.sweeps.final import is_defaults
from evolve.sweeps.plan import Plan
from evolve.sweeps.space import Setting, Space
from evolve.sweeps.trials import ENDS, FINISHED, MIRROR, finished_of, values_of

SURPLUS: Final = "not wanted any more"
ELSEWHERE: Final = "another machine has the defaults"
TWICE: Final = "another machine tries these settings"
_NOT_TRIED: Final = (SURPLUS, ELSEWHERE, TWICE)
"""Reasons of failed trials that do not count against their settings."""


def known_settings(
    trials: Iterable[FrozenTrial], space: Space, *, repeat: bool
) -> frozenset[Setting]:
    """Return the settings that are not to be tried again.

    These are settings that failed; where games repeat, also all that were tried, are running or are
    queued. Steps of SPSA are not settings.
    """
    settings = set()
    for trial in trials:
        failed = trial.state == TrialState.FAIL
        if MIRROR in trial.user_attrs or not (repeat or failed):
            continue
        if failed and trial.user_attrs.get("reason") in _NOT_TRIED:
            continue
        values = values_of(trial, space.names)
        if values is not None and all(name in values for name in space.names):
            settings.add(space.setting_of(values))
    return frozenset(settings)


@dataclass(frozen=True)
class Quota:
    """The trials that a plan asks for; with `queued`, only those of a queue.

    Every method takes the trials so far, without lost attempts.
    """

    plan: Plan
    queued: bool

    def open(self, trials: Sequence[FrozenTrial]) -> int:
        """Count the wanted trials that nobody works on yet."""
        waiting = sum(trial.state == TrialState.WAITING for trial in trials)
        if self.queued:
            return waiting
        if not self._has_room(trials):
            return 0
        wanted = self.plan.sweep.trials - self._counted(trials, TrialState.RUNNING)
        left = self._left(trials)
        return wanted if left is None else min(wanted, left + waiting)

    def is_over(self, trials: Sequence[FrozenTrial]) -> bool:
        """Return whether all wanted trials are finished; of a queue, whether all have ended."""
        if self.queued:
            return all(trial.state in ENDS for trial in trials)
        if self._counted(trials) >= self.plan.sweep.trials:
            return True
        begun = any(trial.state in (TrialState.RUNNING, TrialState.WAITING) for trial in trials)
        return not begun and (not self._has_room(trials) or self._left(trials) == 0)

    def is_exhausted(self, trials: Sequence[FrozenTrial]) -> bool:
        """Return whether fewer trials than wanted have tried every possible setting."""
        return self._left(trials) == 0 and self._counted(trials) < self.plan.sweep.trials

    def known(self, trials: Sequence[FrozenTrial]) -> frozenset[Setting]:
        """Return the settings that are not tried again.

        Empty while nobody knows whether games repeat: other settings come first.
        """
        if self.queued:
            return frozenset()
        repeat = self.plan.repeats(trials) is not False
        return known_settings(trials, self.plan.space, repeat=repeat)

    def unwanted(self, mine: FrozenTrial, trials: Sequence[FrozenTrial]) -> str | None:
        """Return why a trial is not run; None where it is.

        Two processes may have asked at once: enough trials were taken before it, or one with the
        same settings where these give the same score.
        """
        before = [
            one for one in trials if one.number < mine.number and one.state != TrialState.FAIL
        ]
        if len(before) >= self.plan.sweep.trials:
            return SURPLUS
        if is_defaults(mine) or self.plan.repeats(before) is not True:
            return None
        known = known_settings(before, self.plan.space, repeat=True)
        return TWICE if self.plan.space.setting_of(mine.params) in known else None

    def progress(self, trials: Sequence[FrozenTrial]) -> tuple[float, float]:
        """Return how much is done and how much in all: trials, or games where these are counted."""
        plan = self.plan
        if plan.games is not None:
            done = plan.games_of([trial for trial in trials if trial.state in FINISHED])
            return (plan.games if self.is_over(trials) else done), plan.games
        wanted, count = plan.sweep.trials, plan.space.count
        if not self.queued and plan.searches and count is not None:
            wanted = min(wanted, count) if plan.repeats(trials) else wanted
        return finished_of(trials), plan.sweep.work - plan.sweep.trials + wanted

    def _left(self, trials: Sequence[FrozenTrial]) -> int | None:
        """Count the settings that are left to propose; None for any number of trials."""
        count = self.plan.space.count
        if count is None or self.queued or not self.plan.searches:
            return None
        if count >= self.plan.sweep.trials + len(trials):
            return None  # more settings than trials could ever use
        left = max(0, count - len(self.known(trials)))
        return None if left and self.plan.repeats(trials) is False else left

    def _counted(self, trials: Sequence[FrozenTrial], *more: TrialState) -> int:
        """Count the trials that count towards the wanted ones.

        Where trials may fail one after another, failed ones count. Otherwise a sweep of a program
        that crashes on most values would never end.
        """
        states = (*(ENDS if self.plan.tolerates_failures else FINISHED), *more)
        return sum(trial.state in states for trial in trials)

    def _has_room(self, trials: Sequence[FrozenTrial]) -> bool:
        """Return whether the game limit leaves room for another trial."""
        most = self.plan.games
        return most is None or self.plan.games_of(trials) + self.plan.games_of_one <= most
