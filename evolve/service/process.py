"""Processes of jobs: started apart from the server, and known again by proof alone.

Numbers of processes are used again, and whatever a file says of one may be made up. A process is
taken for a job's only where three things hold: it was started at the time that was written down,
since this system was started, and it has the mark of the job in its environment, which only this
user's service can have made. What is not proven is not there: nothing is sent to it.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import psutil
from pydantic import Field

from evolve.files.folder import FolderPath
from evolve.programs.environment import inherited

MARK: Final = "EVOLVE_JOB"
"""The variable of a job's environment that has its mark."""
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_NICE: Final = 10
"""Jobs leave the server and its searches their time."""
_CLOSE: Final = 1.0
"""Seconds by which the start of one process may seem to differ: clocks are set."""


@dataclass(frozen=True)
class Process:
    """A process. started: in seconds since 1970; boot: of the system that it was started on."""

    number: Annotated[int, Field(gt=0)]
    started: Annotated[float, Field(allow_inf_nan=False)]
    boot: str = ""

    def is_of(self, mark: str) -> bool:
        """Whether it works, and is proven to be the process of the job with that mark; one that
        has ended and was not waited for does not."""
        if self.boot != boot():
            return False
        try:
            found = psutil.Process(self.number)
            if abs(found.create_time() - self.started) > _CLOSE:
                return False
            return bool(found.status() != psutil.STATUS_ZOMBIE) and _has(found, mark)
        except psutil.Error:
            return False

    def stop(self, mark: str) -> None:
        """Ask it to end after what it is at, as Ctrl-C does."""
        if self.is_of(mark):
            with suppress(ProcessLookupError):
                os.kill(self.number, signal.SIGINT)

    def kill(self, mark: str) -> None:
        """End it and all that it has started, at once."""
        if self.is_of(mark):
            with suppress(ProcessLookupError):
                os.killpg(self.number, signal.SIGKILL)


def boot() -> str:
    """What this start of the system is known by."""
    with suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    # To minutes: systems that keep no name of it work the time out from their clock.
    return f"{psutil.boot_time() / 60:.0f}"


def start(words: Sequence[str], folder: Path, log: FolderPath, mark: str) -> Process:
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
            env={**inherited(), MARK: mark},
        )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, _NICE)
    _children.append(child)
    with suppress(psutil.Error):
        return Process(child.pid, psutil.Process(child.pid).create_time(), boot())
    return Process(child.pid, 0.0, boot())


def find(mark: str, since: float) -> Process | None:
    """The process with a job's mark, started since a time: of a job whose start was not written
    down. Its children have the mark as well: it is the first that leads a session."""
    found = []
    for one in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            began = one.create_time()
            if began >= since - _CLOSE and os.getsid(one.pid) == one.pid and _has(one, mark):
                found.append(Process(one.pid, began, boot()))
    return min(found, key=lambda process: process.started, default=None)


def reap() -> None:
    """Forget children that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]


def _has(process: psutil.Process, mark: str) -> bool:
    """Whether a process has a mark; psutil.Error where its environment is not for us to see."""
    environment: Mapping[str, str] = process.environ()
    return bool(mark) and environment.get(MARK) == mark


_children: Final[list[subprocess.Popen[bytes]]] = []
