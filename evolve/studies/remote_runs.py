"""Runs of a study on the slots of a cluster: which gets the next time slice, and for how long."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Final

from evolve.agents.names import parse_name
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_toml, resolve
from evolve.errors import ClusterError, EvolveError, OptionsError, RunError
from evolve.evolution.generation import given_agent, keep_given
from evolve.evolution.time_slice import TimeSlice, check_time_slice, go, keep
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Openings
from evolve.runs import run_folder as store
from evolve.runs.run_types import EVOLUTIONS
from evolve.studies.running import Working
from evolve.tables.paths import CONFIG_FILE, committed_generations

_LONGEST: Final = 60.0
"""Longest turn in seconds; this and one generation are the most that a worker's death loses."""
_SHORTEST: Final = 2.0
"""Shortest turn in seconds, near the study's end: starting a turn costs 0.1 s."""
_SHARE: Final = 4
"""A turn takes at most one fourth of a slot's part of the remaining work."""
_LOOK: Final = 1.0
"""Seconds between two checks of the number of slots."""
_AHEAD: Final = 2
"""Runs started for each slot: waiting runs even out the load at the end."""


class Turn:
    """What the order of turns depends on, for one run: `done` of its `generations` are done."""

    def __init__(self, generations: int) -> None:
        self.generations, self.done = generations, 0
        self._began = 0.0
        """Start of its turn; 0 while it has none."""
        self._seconds, self._played = 0.0, 0

    def begin(self) -> None:
        """Start its turn."""
        self._began = time.monotonic()

    def end(self, done: int) -> None:
        """End its turn; `done` generations are done now."""
        self._seconds += time.monotonic() - self._began
        self._played += done - self.done
        self._began, self.done = 0.0, done

    @property
    def pace(self) -> float | None:
        """Seconds per generation; None where unknown."""
        return self._seconds / self._played if self._played else None

    def left(self, pace: float) -> float:
        """Return the seconds that the run still needs, with `pace` where its own is unknown.

        Counts at least one generation, because a play-off takes as long as one.
        """
        pace = self.pace or pace
        spent = time.monotonic() - self._began if self._began else 0.0
        return max(1, self.generations - self.done) * pace - spent


class Turns:
    """Gives turns to as many runs at a time as there are slots.

    Earlier runs go first, so that they finish early. Once all runs have come, those with most work
    left go first, and turns get shorter as the remaining work shrinks: eight runs of 18 to 24 s,
    one after another, left one of two workers without work for the last 8 s.
    """

    def __init__(self, slots: Callable[[], int], longest: float = _LONGEST) -> None:
        self._slots, self._longest = slots, longest
        self._to_come = 0
        self._runs: list[Turn] = []
        """The unfinished runs, in the order of their arrival."""
        self._going: set[Turn] = set()
        self._gone: list[Turn] = []
        self._changed = threading.Condition()

    def come(self, turn: Turn, to_come: int) -> None:
        """Add a run; `to_come` others will follow."""
        with self._changed:
            self._to_come = to_come
            self._runs.append(turn)

    def go(self, turn: Turn) -> None:
        """Remove a run that is done or goes no further."""
        with self._changed:
            self._runs.remove(turn)
            self._going.discard(turn)
            self._gone.append(turn)
            self._changed.notify_all()

    def take(self, turn: Turn, stopping: Callable[[], bool]) -> float | None:
        """Wait for a run's turn and return its seconds; None where the run must stop before."""
        while not stopping():
            slots = self._slots()  # asks the scheduler, outside the lock: nobody waits
            with self._changed:
                if turn in self._next(slots - len(self._going)):
                    seconds = self._length(slots)
                    self._going.add(turn)
                    turn.begin()
                    return seconds
                self._changed.wait(_LOOK)
        return None

    def give_back(self, turn: Turn, done: int) -> None:
        """End a run's turn; `done` generations are done now."""
        with self._changed:
            turn.end(done)
            self._going.remove(turn)
            self._changed.notify_all()

    def wake(self) -> None:
        """Let waiting runs check whether they must stop."""
        with self._changed:
            self._changed.notify_all()

    def _next(self, free: int) -> list[Turn]:
        waiting = [turn for turn in self._runs if turn not in self._going]
        pace = self._pace()
        if self._to_come == 0 and pace is not None:
            waiting.sort(key=lambda turn: turn.left(pace), reverse=True)
        return waiting[: max(0, free)]

    def _pace(self) -> float | None:
        """Mean seconds per generation of all runs; None where no pace is known."""
        paces = [turn.pace for turn in (*self._runs, *self._gone) if turn.pace is not None]
        return fmean(paces) if paces else None

    def _length(self, slots: int) -> float:
        """Return the seconds of a turn that begins now."""
        pace = self._pace()
        unfinished = len(self._runs) + self._to_come
        if pace is None or slots == 1 or unfinished <= slots:
            return self._longest
        to_come = self._to_come * pace * fmean(turn.generations for turn in self._runs)
        left = sum(turn.left(pace) for turn in self._runs) + to_come
        return min(self._longest, max(_SHORTEST, left / slots / _SHARE))


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
        longest: float = _LONGEST,
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
        return _AHEAD * self.executor.slots

    def begin(self, folder: Path, settings: EvolutionSettings, to_come: int) -> RemoteRun:
        """Start or resume a run; `to_come` others will follow."""
        turn = Turn(settings.generations)
        self.turns.come(turn, to_come)
        return RemoteRun(folder, settings, self, turn)


class RemoteRun(Working):
    """A thread that lets cluster workers continue a run."""

    def __init__(
        self, folder: Path, settings: EvolutionSettings, runs: RemoteRuns, turn: Turn
    ) -> None:
        super().__init__()
        self._folder, self._settings, self._runs, self._turn = folder, settings, runs, turn
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
        """End after the current time slice."""
        self._stopping = True
        self._runs.turns.wake()

    def kill(self) -> None:
        """Leave it: leaving the cluster cancels a worker's current slice."""
        self.stop()

    def ended(self) -> int:
        """Wait for its end; the thread prints unexpected errors."""
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
