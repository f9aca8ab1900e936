"""Slices of trials: parts of their work that any process or machine does, and what a sweep keeps.

A slice has no side effects. It gets all that it needs, and answers all that comes of it: what the
next one goes on from, a score on the way, or the trial's end. So a worker that dies costs a slice,
and a sweep goes on in the middle of its trials.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from optuna.trial import TrialState

from evolve.errors import ClusterError, EvolveError, ExtraError, RunError, ShortageError
from evolve.files.atomic import write_bytes
from evolve.files.changes import make_folder, remove
from evolve.programs.kept import working_here
from evolve.runs.progress import Observer
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.trial import (
    PauseError,
    Report,
    Slice,
    SliceResult,
    State,
    StateError,
    Task,
    Trial,
    TrialResult,
    trial_file,
)
from evolve.tables.paths import TRIALS

_local: Final = threading.local()
"""Has as `plan` that of the sweep whose slices the thread does."""
_WORTH_KEEPING: Final = 1.0  # seconds of work that are worth a file
_SUFFIX: Final = ".state"  # of the file of a state


def advance(part: Slice) -> SliceResult:
    """Go on with a trial for the seconds of a slice, to its next report, or to its end.

    Raises what is no fault of its values: ShortageError, and ClusterError where this machine lacks
    something.
    """
    begin = time.perf_counter()
    plan = _plan_for(part)
    trial = Trial(part, plan.panel)
    outcome: Report | TrialResult | None = None
    try:
        with working_here():
            outcome = plan.advance(trial)
    except PauseError:
        pass
    except StateError as error:
        return replace(advance(replace(part, state=State())), refused=str(error))
    except ExtraError as error:
        raise ClusterError(str(error)) from error
    except ShortageError:
        raise
    except Exception as error:  # the table says why; the other trials continue
        outcome = TrialResult.failed(_reason_of(error))
    trial.facts["seconds"] = part.state.seconds + time.perf_counter() - begin
    state = State(trial.facts, {} if isinstance(outcome, TrialResult) else trial.arrays())
    return SliceResult(f"{socket.gethostname()}:{os.getpid()}", state, outcome)


def _plan_for(part: Slice) -> Plan:
    plan: Plan | None = getattr(_local, "plan", None)
    if plan is None or plan.sweep != part.sweep:
        _local.plan = None
        try:
            plan = plan_of(part.sweep)
            _ = plan.panel
            plan.prepare(part.answers)
        except EvolveError as error:  # something is not here
            raise ClusterError(str(error)) from error
        _local.plan = plan
    return plan


def _reason_of(error: Exception) -> str:
    """Return why a trial failed; print where, if evolve has no words for it."""
    match error:
        case EvolveError():
            return str(error)
        case MemoryError():
            return "not enough memory"
        case OSError():
            return f"{error.filename or 'a file'}: {error.strerror or error}"
    traceback.print_exc()
    return f"{type(error).__name__}: {error}"


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
        make_folder(folder / TRIALS, exist_ok=True)
        path = trial_file(folder, task.number, _SUFFIX)
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
            self.state.save(trial_file(self.folder, self.task.number, _SUFFIX), self.task)
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
            facts = {**outcome.attributes, "reason": _reason_of(error)}
            return TrialResult(TrialState.FAIL, facts)
        agent = path.relative_to(self.folder).as_posix()
        return replace(outcome, attributes={**outcome.attributes, "agent": agent})


def drop_state(folder: Path, number: int) -> None:
    """Remove the state of a trial that has ended."""
    remove(trial_file(folder, number, _SUFFIX), missing_ok=True)
