"""Runs of a study on the workers of a cluster, in time slices."""

from __future__ import annotations

import multiprocessing
import threading
from contextlib import closing
from pathlib import Path
from typing import Final

from evolve.agents.names import parse_name
from evolve.config.evolution import EvolutionSettings
from evolve.errors import ClusterError, EvolveError, OptionsError
from evolve.evolution.time_slice import TimeSlice, run_slice, write_result
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Openings
from evolve.runs import life_cycle
from evolve.runs.run_types import EVOLUTIONS
from evolve.studies.running import Working
from evolve.tables.paths import committed_generations

_SLICE: Final = 10.0
"""Seconds of a time slice; this and one generation are the most that a worker's death loses.
Starting a slice costs 0.1 s; with a minute Ctrl-C took 40 s."""


def check_remote(settings: EvolutionSettings) -> None:
    """Raise OptionsError where workers need a file that only this machine has."""
    source = settings.start_from
    if source is not None and parse_name(source).path.exists():
        raise OptionsError(f"start_from: workers of a cluster do not have {source}")


class RemoteRun(Working):
    """A thread that lets the workers of a cluster start or resume a run, and continue it."""

    def __init__(self, folder: Path, settings: EvolutionSettings, executor: Executor) -> None:
        self._folder, self._settings, self._executor = folder, settings, executor
        self._openings: Openings | None = None
        self._stopping = self._finished = False
        self.sentinel, self._working = multiprocessing.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End after the current time slice."""
        self._stopping = True

    def kill(self) -> None:
        """Leave it: leaving the cluster cancels a worker's current slice."""
        self.stop()

    def ended(self) -> int:
        """Wait for its end; the thread prints unexpected errors."""
        self._thread.join()
        return 0 if self._finished or self.stopped else 1

    def _work(self) -> None:
        try:
            with life_cycle.opened(
                EVOLUTIONS, EVOLUTIONS.name, self._folder, self._settings
            ) as run:
                run.store()
                while not (self._finished or self._stopping):
                    self._finished = self._time_slice()
            self.stopped = not self._finished
        except ClusterError as error:
            self.lost = error
            self.stopped = True
        except (EvolveError, OSError) as error:
            self.error = str(error)
        finally:
            self._working.close()

    def _time_slice(self) -> bool:
        """Let a worker continue the run for a time slice; return whether the run is finished."""
        time_slice = TimeSlice.of(self._folder, _SLICE, self._openings)
        with closing(self._executor.run(run_slice, [time_slice])) as answers:
            _, done = next(answers)
        write_result(self._folder, done)
        self._openings = done.openings
        self.share = min(1.0, committed_generations(self._folder) / self._settings.generations)
        return done.finished
