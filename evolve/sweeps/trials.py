"""Trials and their attempts; lost attempts do not count.

Optuna numbers attempts: one with a killed process has failed, and its values are tried again under
a further number. A sweep's own number of a trial is its place. Every attempt has the same place,
and seeds, files and tables use it, so that they equal those of a sweep that nobody killed. In a
database that machines share no writer can assign places, so Optuna's numbers serve as ours.
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
"""Attributes of a trial: its number in the sweep, and for a lost attempt its count of tries.

The count is how often its values will have been tried.
"""


def number_of(trial: FrozenTrial) -> int:
    """Return the sweep's number of a trial; Optuna's where there is none, as in version 0.1."""
    return int(trial.user_attrs.get(PLACE, trial.number))


def is_lost(trial: FrozenTrial) -> bool:
    """Return whether a trial is a lost attempt, with values that are tried again."""
    # An attempt given up too early may have finished after all.
    return trial.state == TrialState.FAIL and LOST in trial.user_attrs


def free_place(trials: Iterable[FrozenTrial]) -> int:
    """Return the lowest number that no trial has."""
    taken = {number_of(trial) for trial in trials}
    return next(place for place in range(len(taken) + 1) if place not in taken)


def values_of(trial: FrozenTrial, names: Iterable[str]) -> dict[str, Any] | None:
    """Return the values of an attempt; None when it was killed before it had all of them."""
    fixed = trial.system_attrs.get("fixed_params")
    if fixed:
        return dict(fixed)
    return dict(trial.params) if all(name in trial.params for name in names) else None


class CountedStudy(optuna.Study):
    """A study that hides lost attempts: pruners would compare with them."""

    def get_trials(
        self, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Return all trials except lost attempts."""
        return [trial for trial in super().get_trials(deepcopy, states) if not is_lost(trial)]

    def get_attempts(self) -> list[FrozenTrial]:
        """Return all trials by Optuna's numbers; do not change them."""
        return super().get_trials(deepcopy=False)


def agent_file(folder: FolderPath, trial: FrozenTrial) -> FolderPath:
    """Return the path of a trial's agent: in the sweep's folder of trials, under its number.

    Raises RunError where the study names another place: a journal may come from anywhere.
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
    """Make an agent the sweep's champion; return its file."""
    target = folder / (LEARNED_FILE if agent.arrays else CHAMPION_FILE)
    agent.save(target)
    return target
