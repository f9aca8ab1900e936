"""Describe where to play games, in a form that can be passed to another process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evolve.fitness.executor import Executor, Threads

if TYPE_CHECKING:
    from distributed import Security


@dataclass(frozen=True)
class Tls:
    """Paths of the certificate authority, and of this client's certificate and key."""

    ca: Path
    cert: Path
    key: Path

    def security(self) -> Security:
        """Dask's settings: all traffic is encrypted."""
        import distributed

        made: Any = distributed.Security
        found: Security = made(
            require_encryption=True,
            tls_ca_file=str(self.ca),
            tls_client_cert=str(self.cert),
            tls_client_key=str(self.key),
        )
        return found


@dataclass(frozen=True)
class Placement:
    """This machine, or the workers of the Dask cluster at the address `scheduler`."""

    scheduler: str | None = None
    tls: Tls | None = None

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
        # levels of both loggers when it is loaded.
        for name in ("distributed", "distributed.client"):
            # Dask logs unreadable data from a worker as critical, with a traceback.
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        security = None if self.tls is None else self.tls.security()
        with Cluster(self.scheduler, security=security, threads=threads, report=report) as cluster:
            yield cluster


HERE: Final = Placement()
"""This machine."""
