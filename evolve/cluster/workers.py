"""The workers of a scheduler, and which of them can be used."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from distributed import Client

from evolve.errors import ClusterError
from evolve.terminal_text import count_of


class Workers:
    """The workers of a client's scheduler.

    report: called with a line about each worker that joins, leaves or is refused.
    """

    def __init__(self, client: Client, address: str, report: Callable[[str], None]) -> None:
        self._client: Any = client
        self._address, self._report = address, report
        self.refused: set[str] = set()
        """Workers with another evolve, or without what a task needs."""
        self._told: set[tuple[str, str]] = set()
        self._slots: dict[str, int] = {}
        self._asked = -math.inf  # when the scheduler was last asked which workers are connected
        self._looking = Lock()

    def usable(self) -> dict[str, int]:
        """Return usable workers and their threads, at most a second old.

        Raises ClusterError if the scheduler is gone.
        """
        with self._looking:
            if time.monotonic() - self._asked > 1.0:
                if self._client.status != "running":
                    raise self.lost_error()
                try:
                    self._update(self._client.nthreads())
                # Dask raises the last two if another thread closes the client in the meantime.
                except (OSError, AttributeError, RuntimeError) as error:
                    raise self.lost_error() from error
                self._asked = time.monotonic()
        return {
            worker: slots for worker, slots in self._slots.items() if worker not in self.refused
        }

    def refuse(self, worker: str, why: str) -> None:
        """Exclude a worker from now on; raises ClusterError if no usable one is left."""
        if worker not in self.refused:
            self.refused.add(worker)
            self._report(f"worker {worker} is left out: {why}")
        if not self.usable():
            raise ClusterError(f"no worker can be used; {worker}: {why}")

    def tell(self, worker: str, notes: Sequence[str]) -> None:
        """Report what is new among the notes of a worker's task."""
        for note in notes:
            if (worker, note) not in self._told:
                self._told.add((worker, note))
                self._report(f"worker {worker}: {note}")

    def lost_error(self) -> ClusterError:
        """Return the error to raise if the scheduler is gone."""
        return ClusterError(f"the scheduler at {self._address} is gone")

    def _update(self, slots: dict[str, int]) -> None:
        before, self._slots = self._slots, slots
        if self._asked > -math.inf:
            for worker in sorted(slots.keys() - before):
                self._report(f"worker {worker} joined, {count_of(slots[worker], 'slot')}")
            for worker in sorted(before.keys() - slots):
                self._report(f"worker {worker} left; others play its games")
