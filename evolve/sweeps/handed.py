"""A trial that workers do: its state in the sweep's folder, and the file of its agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from optuna.trial import TrialState

from evolve.errors import RunError
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.runs.progress import Observer
from evolve.sweeps.trial import State
from evolve.sweeps.trials import Task, TrialResult, trial_file

_WORTH_KEEPING: Final = 1.0  # seconds of work that are worth a file
_STATE: Final = ".state"


@dataclass
class Handed:
    """A trial that workers do, in the folder of its sweep.

    deaths: workers that died over its current slice.
    """

    folder: Path
    task: Task
    state: State
    deaths: int = 0
    _kept: float = 0.0

    @classmethod
    def of(cls, folder: Path, task: Task, observer: Observer) -> Handed:
        """Take up a trial, from the state that a sweep before this one has left of it."""
        path = trial_file(folder, task.number, _STATE)
        if path.exists():
            try:
                state = State.load(path, task)
                return cls(folder, task, state, _kept=state.seconds)
            except RunError as error:
                observer.note(f"trial {task.number} begins again: {error}")
        return cls(folder, task, State())

    def keep(self) -> None:
        """Write its state, unless little has come to it since the last time."""
        if self.state.seconds - self._kept >= _WORTH_KEEPING:
            self.state.save(trial_file(self.folder, self.task.number, _STATE), self.task)
            self._kept = self.state.seconds

    def filed(self, outcome: TrialResult) -> TrialResult:
        """Write the file of its agent; a trial whose file cannot be written has failed."""
        if outcome.file is None:
            return outcome
        content, suffix = outcome.file
        path = trial_file(self.folder, self.task.number, suffix)
        try:
            write_bytes(path, content)
        except OSError as error:
            reason = f"{error.filename or path}: {error.strerror or error}"
            return TrialResult(TrialState.FAIL, {**outcome.attributes, "reason": reason})
        agent = path.relative_to(self.folder).as_posix()
        return replace(outcome, attributes={**outcome.attributes, "agent": agent})


def drop_state(folder: Path, number: int) -> None:
    """Remove the state of a trial that has ended."""
    remove(trial_file(folder, number, _STATE), missing_ok=True)
