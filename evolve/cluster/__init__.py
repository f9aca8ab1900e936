"""Run games on the machines of a cluster, with Dask; or here, by the same words."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from evolve.fitness.executor import Executor, Threads

if TYPE_CHECKING:
    from evolve.cluster.client import Cluster


class Pool(Protocol):
    """What does tasks under numbers; see `ProcessPool`."""

    def submit(self, number: int, function: Callable[[Any], Any], task: Any) -> None: ...

    def ready(self, seconds: float) -> list[tuple[int, Any]]: ...


def open_executor(
    scheduler: str | None, threads: int, report: Callable[[str], None] = lambda text: None
) -> AbstractContextManager[Executor]:
    """Open an executor on the workers of the Dask cluster at that address; None: on this machine.

    threads: number of threads of this machine. See `Cluster` for `report` and for errors; raises
    ImportError if Dask is not installed.
    """
    return _cluster(scheduler, threads, report) if scheduler else nullcontext(Threads(threads))


def _cluster(scheduler: str, threads: int, report: Callable[[str], None]) -> Cluster:
    from evolve.cluster.client import Cluster

    # evolve reports a lost connection in one line; Dask's log would be forty. Dask sets the
    # levels of both loggers when it is loaded, and logs unreadable data as critical.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # A pair of games with an agent of patterns is a graph of more than a megabyte.
    warnings.filterwarnings("ignore", "Sending large graph")
    return Cluster(scheduler, threads=threads, report=report)


@contextmanager
def open_pool(
    scheduler: str | None, modules: Sequence[str], report: Callable[[str], None]
) -> Iterator[Pool]:
    """Open what does tasks there; here its processes import `modules`. Errors as above."""
    if scheduler is None:
        from evolve.programs.forks import ProcessPool

        with closing(ProcessPool(modules)) as pool:
            yield pool
        return
    with _cluster(scheduler, 1, report) as cluster, cluster.pool() as pool_of_cluster:
        yield pool_of_cluster
