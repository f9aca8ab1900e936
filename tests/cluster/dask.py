"""A scheduler of Dask and its workers, for tests: processes as one starts them by hand."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from evolve.errors import ClusterError
from tests.cli import environment
from tests.waits import until


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Place:
    """A scheduler and workers as processes of their own, as one starts them by hand."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.folder, self.options = folder, options
        port = free_port()
        scheme = "tls" if options else "tcp"
        self.address = f"{scheme}://127.0.0.1:{port}"
        words = ("--host", f"{scheme}://127.0.0.1", "--port", port, "--no-dashboard")
        self.scheduler = self._started("scheduler", *words)
        self.workers: list[subprocess.Popen[bytes]] = []

    def _started(self, what: str, *words: object, **changes: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{what}-{time.monotonic_ns()}.log").open("wb")
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", what, *map(str, (*words, *self.options))],
                cwd=self.folder,
                env=environment(**changes),
                stdout=log,
                stderr=log,
            )

    def worker(self, **changes: str) -> subprocess.Popen[bytes]:
        words = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", self.folder)
        self.workers.append(self._started("worker", self.address, *words, **changes))
        return self.workers[-1]

    def kill_a_worker(self) -> None:
        killed = self.workers.pop(0)
        killed.kill()
        killed.wait()

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def place(folder: Path, workers: int, *options: object) -> Iterator[Place]:
    found = Place(folder, *options)
    try:
        for _ in range(workers):
            found.worker()
        yield found
    finally:
        found.end()


def cluster(place: Place, workers: int, **options: Any) -> Any:
    """A client, once so many workers are there."""
    from evolve.cluster.client import Cluster

    def reached(connect: Callable[[], Any]) -> bool:
        with suppress(OSError, ClusterError):
            found.append(connect())
        return bool(found)

    found = list[Any]()
    there = ("127.0.0.1", int(place.address.rpartition(":")[2]))
    # First without Dask, which closes a client that cannot start only as garbage.
    until(lambda: reached(lambda: socket.create_connection(there)), pause=0.05)
    found.pop().close()
    until(lambda: reached(lambda: Cluster(place.address, **options)))
    until(lambda: not workers or found[0].slots >= workers, pause=0.05)
    return found[0]


def certificates(folder: Path) -> tuple[object, ...]:
    """Options of a scheduler with its own authority."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl")

    def run(*words: str) -> None:
        subprocess.run([str(openssl), *words], cwd=folder, check=True, capture_output=True)

    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
        "-days", "1", "-subj", "/CN=authority")  # fmt: skip
    run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "asked.pem",
        "-subj", "/CN=evolve")  # fmt: skip
    run("x509", "-req", "-in", "asked.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-out", "cert.pem", "-days", "1")  # fmt: skip
    return (
        "--tls-ca-file", folder / "ca.pem", "--tls-cert", folder / "cert.pem",
        "--tls-key", folder / "key.pem",
    )  # fmt: skip
