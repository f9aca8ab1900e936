"""Where games are to be played, as it can be told to another process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from evolve.fitness.cluster import Tls
from evolve.fitness.executor import Executor, Threads


@dataclass(frozen=True)
class Site:
    """This machine, or where `scheduler` is its address, the workers of a Dask cluster."""

    scheduler: str | None = None
    tls: Tls | None = None

    @contextmanager
    def open(
        self, threads: int, told: Callable[[str], None] = lambda text: None
    ) -> Iterator[Executor]:
        """An executor there, with so many threads of this machine. See `Cluster` for `told`, and
        for what is raised; ImportError where Dask is not installed."""
        if self.scheduler is None:
            yield Threads(threads)
            return
        from evolve.fitness.cluster import Cluster

        # What matters of a lost connection is said in a line of ours; Dask's log would be forty. It
        # sets the levels of both when it is loaded.
        for name in ("distributed", "distributed.client"):
            # What a worker has sent that cannot be unpacked is critical to Dask, with a traceback.
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with Cluster(self.scheduler, tls=self.tls, threads=threads, told=told) as cluster:
            yield cluster


HERE: Final = Site()
"""This machine."""
