"""Slices of trials: parts of their work that any process or machine does, without side effects.

A slice gets all that it needs, and answers all that comes of it: what the next one goes on from, a
score on the way, or the trial's end. So a worker that dies costs a slice, and a sweep goes on in
the middle of its trials.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import traceback
from dataclasses import replace
from typing import Final

from evolve.errors import ClusterError, EvolveError, ExtraError, ShortageError
from evolve.programs.kept import working_here
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.trial import Held, PauseError, Slice, SliceResult, State, StateError, Trial
from evolve.sweeps.trials import Report, TrialResult


class _Local(threading.local):
    """What a thread of a worker holds for the sweep whose slices it does."""

    plan: Plan | None = None
    held: Held


_local: Final = _Local()


def advance(part: Slice) -> SliceResult:
    """Go on with a trial for the seconds of a slice, to its next report, or to its end.

    Raises what is no fault of its values: ShortageError, and ClusterError where this machine lacks
    something.
    """
    begin, report, result = time.perf_counter(), None, None
    plan, held = _held_for(part)
    trial = Trial(part, held)
    try:
        with working_here():
            outcome = plan.advance(trial)
        report, result = (outcome, None) if isinstance(outcome, Report) else (None, outcome)
    except PauseError:
        pass
    except StateError as error:
        return replace(advance(replace(part, state=State())), refused=str(error))
    except ExtraError as error:
        raise ClusterError(str(error)) from error
    except ShortageError:
        raise
    except Exception as error:  # the table says why; the other trials continue
        result = TrialResult.failed(reason_of(error))
    trial.facts["seconds"] = part.state.seconds + time.perf_counter() - begin
    state = State(trial.facts, trial.arrays() if result is None else {})
    return SliceResult(f"{socket.gethostname()}:{os.getpid()}", state, report, result)


def _held_for(part: Slice) -> tuple[Plan, Held]:
    plan = _local.plan
    if plan is None or plan.sweep != part.sweep:
        _local.plan = None
        try:
            plan, _local.held = plan_of(part.sweep), Held(part.sweep)
            _ = _local.held.panel
            plan.prepare(_local.held, part.answers)
        except EvolveError as error:  # something is not here
            raise ClusterError(str(error)) from error
        _local.plan = plan
    return plan, _local.held


def reason_of(error: Exception) -> str:
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
