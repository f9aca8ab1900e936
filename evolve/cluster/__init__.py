"""Run games on the machines of a cluster, with Dask; or here, by the same words."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from evolve.fitness.executor import Executor, Threads

if TYPE_CHECKING:
    from evolve.cluster.client import Cluster


class Pool(Protocol):
    """What does tasks under numbers; see `ProcessPool`."""

    def submit(self, number: int, function: Callable[[Any], Any], task: Any) -> None: ...

    def ready(self, seconds: float) -> list[tuple[int, Any]]: ...


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
        with self._cluster(threads, report) as cluster:
            yield cluster

    def _cluster(self, threads: int, report: Callable[[str], None]) -> Cluster:
        from evolve.cluster.client import Cluster

        # evolve reports a lost connection in one line; Dask's log would be forty. Dask sets the
        # levels of both loggers when it is loaded, and logs unreadable data as critical.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        # A pair of games with an agent of patterns is a graph of more than a megabyte.
        warnings.filterwarnings("ignore", "Sending large graph")
        return Cluster(str(self.scheduler), threads=threads, report=report)

    @contextmanager
    def pool(
        self, slots: int, modules: Sequence[str], report: Callable[[str], None]
    ) -> Iterator[Pool]:
        """Open what does tasks there, here with a number of processes, which import `modules`.

        Errors as in `open`.
        """
        if self.scheduler is None:
            from evolve.programs.forks import ProcessPool

            with closing(ProcessPool(slots, modules)) as pool:
                yield pool
            return
        with self._cluster(1, report) as cluster, cluster.pool() as pool_of_cluster:
            yield pool_of_cluster


HERE: Final = Placement()
"""This machine."""
