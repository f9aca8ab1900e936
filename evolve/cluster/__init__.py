"""Run games on the machines of a cluster, with Dask; or here, by the same words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from evolve.fitness.executor import Executor, Threads


@dataclass(frozen=True)
class Placement:
    """This machine, or the workers of the Dask cluster at the address `scheduler`."""

    scheduler: str | None = None

    @contextmanager
    def open(
        self, threads: int, report: Callable[[str], None] = lambda text: None
    ) -> Iterator[Executor]:
        """Open an executor there, with a number of threads of this machine.

        See `Cluster` for `report` and for errors; raises ImportError if Dask is not installed.
        """
        if self.scheduler is None:
            yield Threads(threads)
            return
        from evolve.cluster.client import Cluster

        # evolve reports a lost connection in one line; Dask's log would be forty. Dask sets the
        # levels of both loggers when it is loaded, and logs unreadable data as critical.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with Cluster(self.scheduler, threads=threads, report=report) as cluster:
            yield cluster


HERE: Final = Placement()
"""This machine."""
