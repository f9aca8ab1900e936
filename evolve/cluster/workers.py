"""The workers of a scheduler, and which of them can be used."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from distributed import Client

from evolve.cluster.worker_tasks import in_words, mismatch, versions, worker_facts
from evolve.errors import ClusterError
from evolve.terminal_text import count_of

_INTERVAL: Final = 1.0
"""Seconds between two checks of which workers are connected."""
HANGS: Final = "it does not answer"
_PATIENCE: Final = 10.0
"""Seconds that a worker has to report its facts."""


class Workers:
    """The workers of a client's scheduler.

    report: called with a line about each worker that joins, leaves or is refused.
    """

    def __init__(self, client: Client, address: str, report: Callable[[str], None]) -> None:
        self._client: Any = client
        self._address, self._report = address, report
        self.refused: set[str] = set()
        """Workers with another evolve."""
        self._slots: dict[str, int] = {}
        self._asked = -math.inf
        """When the scheduler was last asked which workers are connected."""
        self._looking = Lock()

    def usable(self) -> dict[str, int]:
        """Return usable workers and their threads, at most a second old.

        Raises ClusterError if the scheduler is gone.
        """
        with self._looking:
            if time.monotonic() - self._asked > _INTERVAL:
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

    def lost_error(self) -> ClusterError:
        """Return the error to raise if the scheduler is gone."""
        return ClusterError(f"the scheduler at {self._address} is gone")

    def facts(self) -> list[dict[str, Any]]:
        """Return the facts of all workers, by address; exclude those that cannot be used.

        `left_out`: why a worker is excluded, None if it can be used; `memory`: in bytes, 0 for no
        limit; others are of its machine, as it reports them.
        """
        listed = []
        for address, worker in sorted(self._client.scheduler_info(n_workers=-1)["workers"].items()):
            facts: dict[str, Any] = {}
            try:
                answer = self._client.sync(
                    self._client._run, worker_facts, workers=[address], callback_timeout=_PATIENCE
                )
                facts = answer[address]
                why = mismatch(facts.pop("versions"), versions())
            except OSError:  # also where it takes too long
                why = HANGS
            except Exception as error:
                why = f"it has no evolve of this kind: {in_words(error)}"
            if why is not None:
                self.refused.add(address)
            slots, memory = worker["nthreads"], worker["memory_limit"]
            listed.append(
                {"address": address, "threads": slots, "memory": memory, "left_out": why, **facts}
            )
        return listed

    def _update(self, slots: dict[str, int]) -> None:
        """Store the current workers; report which joined and which left."""
        before, self._slots = self._slots, slots
        if self._asked > -math.inf:
            for worker in sorted(slots.keys() - before):
                self._report(f"worker {worker} joined, {count_of(slots[worker], 'slot')}")
            for worker in sorted(before.keys() - slots):
                self._report(f"worker {worker} left; others play its games")
