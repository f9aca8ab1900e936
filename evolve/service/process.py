"""Processes of jobs: started apart from the server, found again by number and start."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from evolve.files.folder import FolderPath

_NICE: Final = 10
"""Jobs leave the server and its searches their time."""
_CLOSE: Final = 1.0
"""Seconds by which the start of one process may seem to differ: clocks are set."""


@dataclass(frozen=True)
class Process:
    """A process. started: in seconds since 1970, so that a number used again is another one."""

    number: int
    started: float

    @property
    def alive(self) -> bool:
        """Whether it works; one that has ended and was not waited for does not."""
        try:
            found = psutil.Process(self.number)
            same = abs(found.create_time() - self.started) <= _CLOSE
            return same and bool(found.status() != psutil.STATUS_ZOMBIE)
        except psutil.Error:
            return False

    def stop(self) -> None:
        """Ask it to end after what is in hand, as Ctrl-C does."""
        if self.alive:
            with suppress(ProcessLookupError):
                os.kill(self.number, signal.SIGINT)

    def kill(self) -> None:
        """End it and all that it has started, at once."""
        if self.alive:
            with suppress(ProcessLookupError):
                os.killpg(self.number, signal.SIGKILL)


def start(words: Sequence[str], folder: Path, log: FolderPath) -> Process:
    """Start a process in a session of its own, which outlives this one; OSError where that fails.

    What it prints goes to the end of `log`.
    """
    with log.open("ab") as sink:
        child = subprocess.Popen(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, _NICE)
    _children.append(child)
    with suppress(psutil.Error):
        return Process(child.pid, psutil.Process(child.pid).create_time())
    return Process(child.pid, 0.0)


def find(mark: str) -> Process | None:
    """The process that has `mark` among its words: of a job whose start was not written down."""
    for found in psutil.process_iter():
        with suppress(psutil.Error):
            if mark in found.cmdline():
                return Process(found.pid, found.create_time())
    return None


def reap() -> None:
    """Forget children that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]


_children: Final[list[subprocess.Popen[bytes]]] = []
