"""One run of a study at work on a slot of a cluster, leg by leg."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_run_toml, resolve
from evolve.errors import ClusterError, EvolveError, OptionsError, RunError
from evolve.evolution.given import given_agent, keep_given
from evolve.evolution.leg import Leg, LegDone, go, keep
from evolve.fitness.executor import Executor
from evolve.tables import folder as store
from evolve.tables.atomic import write_text
from evolve.tables.kinds import EVOLUTIONS
from evolve.tables.layout import CONFIG_FILE, committed_generations

LEG: Final = 60.0
"""Seconds of a leg: what is lost at most when a worker dies. The files go to and fro in some tenths
of a second."""


def check_remote(settings: EvolutionSettings) -> None:
    """Raise OptionsError where workers would need a file that only this machine has."""
    source = settings.start_from
    if source is not None and Path(source.partition("?")[0]).exists():
        raise OptionsError(f"start_from: workers of a cluster do not have {source}")


class RemoteRun:
    """A thread that lets the workers of a cluster go on with a run; used as `RunProcess` is.

    config(settings) is the text of a run's config.toml.
    """

    def __init__(
        self,
        folder: Path,
        settings: EvolutionSettings,
        executor: Executor,
        config: Callable[[EvolutionSettings], str],
        seconds: float = LEG,
    ) -> None:
        self._folder, self._settings, self._executor = folder, settings, executor
        self._config, self._seconds = config, seconds
        self.share = 0.0
        """See RunProcess, here and below."""
        self.error: str | None = None
        self.stopped = False
        self.lost: EvolveError | None = None
        """Why there is nobody left to work for any run."""
        self._stopping = False
        self.sentinel, self._working = multiprocessing.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """See RunProcess."""
        return self._thread.is_alive()

    def look(self) -> None:
        """Nothing to take in: the thread tells."""

    def stop(self) -> None:
        """See RunProcess: it ends after the leg in hand."""
        self._stopping = True

    def kill(self) -> None:
        """Leave it: what a worker has in hand is cancelled when the cluster is left."""
        self._stopping = True

    def ended(self) -> int:
        """See RunProcess."""
        self._thread.join()
        return 0 if self.error is None else 1

    def _work(self) -> None:
        try:
            self._go_on()
        except ClusterError as error:
            self.lost = error
            self.stopped = True
        except (EvolveError, OSError) as error:
            self.error = str(error)
        finally:
            self._working.close()

    def _go_on(self) -> None:
        folder = self._folder
        folder.mkdir(exist_ok=True)
        with store.locked(folder):
            self._prepare()
            while True:
                done = self._leg()
                keep(folder, done)
                self.share = min(1.0, done.generations / self._settings.generations)
                if done.finished:
                    return
                if self._stopping:
                    self.stopped = True
                    return

    def _prepare(self) -> None:
        """Make the run's folder, or ready it to go on; its settings may have a later end."""
        file, text = self._folder / CONFIG_FILE, self._config(self._settings)
        if not file.exists():
            store.create(self._folder, text, EVOLUTIONS.parts)
        store.sweep_orphans(self._folder)
        there, wanted = committed_generations(self._folder), self._settings.generations
        if there > wanted:
            raise RunError(f"it has {there} generations already, more than {wanted}")
        if resolve({}, read_run_toml(file)) != self._settings:
            write_text(file, text)
        given = given_agent(self._folder, self._settings)
        if given is not None:
            keep_given(self._folder, given)

    def _leg(self) -> LegDone:
        leg = Leg.of(self._folder, self._seconds)
        with closing(self._executor.run(go, [leg])) as answers:
            _, done = next(answers)
        return done
