"""Runs of a study on the slots of a cluster, a time slice at a time."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from contextlib import closing

from evolve.agents.names import parse_name
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_toml, resolve
from evolve.errors import ClusterError, EvolveError, OptionsError, RunError
from evolve.evolution.generation import given_agent, keep_given
from evolve.evolution.time_slice import TimeSlice, check_time_slice, go, keep
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.files.folder import FolderPath
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Openings
from evolve.runs import run_folder as store
from evolve.runs.run_types import EVOLUTIONS
from evolve.studies.scheduler import AHEAD, LEG, Turn, Turns
from evolve.tables.paths import CONFIG_FILE, committed_generations


def check_remote(settings: EvolutionSettings) -> None:
    """Raise OptionsError where workers need a file that only this machine has."""
    source = settings.start_from
    if source is not None and parse_name(source).path.exists():
        raise OptionsError(f"start_from: workers of a cluster do not have {source}")


class RemoteRuns:
    """Runs of a study that the workers of a cluster execute.

    config(settings) returns the text of a run's config.toml. longest: seconds of a time slice.
    """

    def __init__(
        self,
        executor: Executor,
        config: Callable[[EvolutionSettings], str],
        longest: float = LEG,
    ) -> None:
        self.executor, self.config = executor, config
        self.turns = Turns(lambda: executor.slots, longest)

    @property
    def slots(self) -> int:
        """Runs that execute at a time."""
        return self.executor.slots

    @property
    def begun(self) -> int:
        """Runs to be started at a time: some wait for their turn."""
        return AHEAD * self.executor.slots

    def begin(self, folder: FolderPath, settings: EvolutionSettings, to_come: int) -> RemoteRun:
        """Start or resume a run; `to_come` others will follow."""
        turn = Turn(settings.generations)
        self.turns.come(turn, to_come)
        return RemoteRun(folder, settings, self, turn)


class RemoteRun:
    """A thread that lets cluster workers continue a run; used like `RunProcess`."""

    def __init__(
        self, folder: FolderPath, settings: EvolutionSettings, runs: RemoteRuns, turn: Turn
    ) -> None:
        self._folder, self._settings, self._runs, self._turn = folder, settings, runs, turn
        self.share = 0.0
        """See RunProcess, here and below."""
        self.error: str | None = None
        self.stopped = False
        self.lost: EvolveError | None = None
        """Why no worker is left for any run."""
        self._openings: Openings | None = None
        self._stopping = self._whole = False
        """Whether it must stop, and whether it finished by itself."""
        self.sentinel, self._working = multiprocessing.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def look(self) -> None:
        """Do nothing: the thread updates the state."""

    def stop(self) -> None:
        """See RunProcess: it ends after the current time slice."""
        self._stopping = True
        self._runs.turns.wake()

    def kill(self) -> None:
        """Leave it: leaving the cluster cancels a worker's current slice."""
        self.stop()

    def ended(self) -> int:
        """See RunProcess; the thread prints unexpected errors."""
        self._thread.join()
        return 0 if self._whole else 1

    def _work(self) -> None:
        try:
            self._go_on()
            self._whole = True
        except ClusterError as error:
            self.lost = error
            self.stopped = True
        except (EvolveError, OSError) as error:
            self.error = str(error)
        finally:
            self._runs.turns.go(self._turn)
            self._working.close()

    def _go_on(self) -> None:
        folder, turns, turn = self._folder, self._runs.turns, self._turn
        make_folder(folder, exist_ok=True)
        with store.locked(folder):
            self._prepare()
            turn.done = committed_generations(folder)
            while (seconds := turns.take(turn, lambda: self._stopping)) is not None:
                try:
                    finished = self._time_slice(seconds)
                finally:
                    turns.give_back(turn, committed_generations(folder))
                self.share = min(1.0, turn.done / turn.generations)
                if finished:
                    return
            self.stopped = True

    def _prepare(self) -> None:
        """Make the run's folder, or prepare it for resuming; its settings may have a later end."""
        file, text = self._folder / CONFIG_FILE, self._runs.config(self._settings)
        if not file.exists():
            store.create(self._folder, text, EVOLUTIONS.parts)
        store.sweep_orphans(self._folder)
        there, wanted = committed_generations(self._folder), self._settings.generations
        if there > wanted:
            raise RunError(f"it has {there} generations already, more than {wanted}")
        if resolve({}, read_toml(file)) != self._settings:
            write_text(file, text)
        given = given_agent(self._folder, self._settings)
        if given is not None:
            keep_given(self._folder, given)

    def _time_slice(self, seconds: float) -> bool:
        """Run for `seconds`; return whether the run is finished."""
        time_slice = TimeSlice.of(self._folder, seconds, self._openings)
        with closing(self._runs.executor.run(go, [time_slice], check_time_slice)) as answers:
            _, done = next(answers)
        keep(self._folder, done)
        self._openings = done.openings
        return done.finished
