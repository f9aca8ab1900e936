"""Trials and the attempts at them, of which those that were lost do not count.

Optuna numbers attempts: one whose process was killed has failed, and its values come again under
a further number. A sweep's own number of a trial is its place: every attempt has the same, and
seeds, files and tables go by it, so that they are those of a sweep that nobody killed. In a
database that machines share there is no writer who could give out places, and Optuna's numbers
serve as ours.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, Final

import optuna
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import StoredAgent
from evolve.errors import RunError
from evolve.files.folder import FolderPath
from evolve.tables.paths import CHAMPION_FILE, LEARNED_FILE, TRIALS

PLACE: Final = "place"
LOST: Final = "lost"
"""Attributes of a trial: its number in the sweep, and of an attempt that was lost, how often its
values will have been tried."""


def number_of(trial: FrozenTrial) -> int:
    """The sweep's number of a trial; Optuna's where there is no other, as in version 0.1."""
    return int(trial.user_attrs.get(PLACE, trial.number))


def is_lost(trial: FrozenTrial) -> bool:
    """Whether a trial is an attempt that was lost, whose values come again."""
    # One that was given up too early may have been finished after all.
    return trial.state == TrialState.FAIL and LOST in trial.user_attrs


def free_place(trials: Iterable[FrozenTrial]) -> int:
    """The lowest number that no trial has."""
    taken = {number_of(trial) for trial in trials}
    return next(place for place in range(len(taken) + 1) if place not in taken)


def values_of(trial: FrozenTrial, names: Iterable[str]) -> dict[str, Any] | None:
    """The values that an attempt was to try; None when it was killed before it had all of them."""
    fixed = trial.system_attrs.get("fixed_params")
    if fixed:
        return dict(fixed)
    return dict(trial.params) if all(name in trial.params for name in names) else None


class CountedStudy(optuna.Study):
    """A study that does not show attempts that were lost: pruners would compare with them."""

    def get_trials(
        self, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """All trials but those attempts."""
        return [trial for trial in super().get_trials(deepcopy, states) if not is_lost(trial)]

    def get_attempts(self) -> list[FrozenTrial]:
        """All trials, by Optuna's numbers; not to be changed."""
        return super().get_trials(deepcopy=False)


def agent_file(folder: FolderPath, trial: FrozenTrial) -> FolderPath:
    """Where a trial's agent is: in the sweep's folder of trials, under the trial's number.

    Raises RunError where the study names any other place: a journal may come from anywhere.
    """
    number, named = number_of(trial), str(trial.user_attrs.get("agent"))
    stem = f"{TRIALS}/trial-{number:04d}"
    if named not in (f"{stem}.json", f"{stem}.npz"):
        raise RunError(
            f"trial {number} of {folder} names {named!r} as its agent: it must be "
            f"{stem}.json or {stem}.npz"
        )
    return folder / named


def keep(folder: FolderPath, agent: StoredAgent) -> FolderPath:
    """Make an agent the sweep's champion; where it is kept."""
    target = folder / (LEARNED_FILE if agent.arrays else CHAMPION_FILE)
    agent.save(target)
    return target
