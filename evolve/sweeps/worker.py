"""Worker processes: each runs trials one after another, with messages over a pipe.

Messages to a worker are a `Task`, or None to end. Its answers are `IntermediateScore`, to which the
reply says whether to end there, and at last the trial's `TrialResult`, or what ends the sweep:
ClusterError, ShortageError.
"""

from __future__ import annotations

import multiprocessing
import time
import traceback
from contextlib import ExitStack, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Final, NamedTuple, cast

from evolve.cluster import HERE, Placement
from evolve.config.sweep import SweepSettings
from evolve.errors import ClusterError, EvolveError, ShortageError
from evolve.programs.forks import start
from evolve.programs.process import signal_name
from evolve.sweeps.plan import plan_of
from evolve.sweeps.trials import Objective, Task, TrialResult

_MODULES: Final = ("evolve.sweeps.worker", "evolve.engine.games.game", "pyarrow.parquet")


class IntermediateScore(NamedTuple):
    """An intermediate score of a trial, and its standard error."""

    step: int
    score: float
    error: float


Message = IntermediateScore | TrialResult | ClusterError | ShortageError


class Worker:
    """A worker process, seen from the process that started it."""

    def __init__(self, folder: Path, settings: SweepSettings, placement: Placement = HERE) -> None:
        self.connection, other_end = multiprocessing.Pipe()
        self._process = start(work, (other_end, folder, settings, placement), _MODULES, daemon=True)
        other_end.close()
        self.number: int | None = None
        """The trial that it runs."""

    @property
    def name(self) -> str:
        return str(self._process.pid)

    @property
    def idle(self) -> bool:
        return self.number is None

    def start(self, task: Task) -> None:
        """Give it a trial; where it is dead, `ready` and `receive` say so."""
        self.number = task.number
        with suppress(OSError):
            self.connection.send(task)

    def receive(self) -> Message:
        """Read a waiting message; EOFError or OSError when the worker has died."""
        return cast("Message", self.connection.recv())

    def answer(self, stop: bool) -> None:
        """Answer a report, in the same way."""
        with suppress(OSError):
            self.connection.send(stop)

    def death(self) -> str:
        """Describe how it died, for people."""
        self._process.join(5.0)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"the worker was killed by {signal_name(-code)}"
        return f"the worker ended with {code}"

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def ready(workers: list[Worker], seconds: float) -> list[Worker]:
    """Return the workers that send a message or die within `seconds`."""
    ready_ones = wait([worker.connection for worker in workers], seconds)
    return [worker for worker in workers if worker.connection in ready_ones]


def work(
    connection: Connection, folder: Path, settings: SweepSettings, placement: Placement
) -> None:
    """Run trials until there are no more: the main function of a worker process.

    placement: where the games of its trials are played.
    """
    plan = plan_of(settings)
    objective: Objective | None = None
    with ExitStack() as stack:
        while (task := connection.recv()) is not None:
            begin = time.perf_counter()
            try:
                if objective is None:
                    begun = Objective(settings, folder, stack.enter_context(placement.open(1)))
                    plan.prepare(begun)
                    objective = begun
                objective.begin()
                outcome = plan.run(objective, task, lambda *given: _report(connection, *given))
                facts = {"seconds": time.perf_counter() - begin, **objective.facts}
                outcome = replace(outcome, attributes={**outcome.attributes, **facts})
            except (ClusterError, ShortageError) as error:  # no fault of its values
                connection.send(error)
                return
            except Exception as error:  # the table says why; the other trials continue
                outcome = TrialResult.failed(_reason(error, folder))
            connection.send(outcome)


def _report(connection: Connection, step: int, score: float, error: float) -> bool:
    connection.send(IntermediateScore(step, score, error))
    return bool(connection.recv())


def _reason(error: Exception, folder: Path) -> str:
    """Return why a trial failed; print where, if evolve has no words for it."""
    match error:
        case EvolveError():
            return str(error)
        case MemoryError():
            return "not enough memory"
        case OSError():
            return f"{error.filename or folder}: {error.strerror or error}"
    traceback.print_exc()
    return f"{type(error).__name__}: {error}"
