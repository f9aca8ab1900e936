"""Where the agents of trials are kept, and the sweep's own."""

from __future__ import annotations

from optuna.trial import FrozenTrial

from evolve.agents.agent import StoredAgent
from evolve.errors import RunError
from evolve.files.folder import FolderPath
from evolve.sweeps.attempts import number_of
from evolve.tables.paths import CHAMPION_FILE, LEARNED_FILE, TRIALS


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
