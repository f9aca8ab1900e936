"""Processes of jobs: started apart from the server, and recognised only by proof.

Process ids are used again, and a file may claim anything about one. A process counts as a job's
only where three things hold: it was started at the recorded time; the system has not restarted
since then; and its environment has the mark of the job, which only this user's service can make.
Without this proof it counts as gone: no signal is sent to it.
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
from evolve.programs.children import inherited

MARK: Final = "EVOLVE_JOB"
"""The environment variable that holds a job's mark."""
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_NICE: Final = 10
"""Niceness of jobs, which leaves time to the server and its searches."""
_CLOSE: Final = 1.0
"""Seconds by which the start of one process may seem to differ: clocks are adjusted."""


@dataclass(frozen=True)
class Process:
    """A process.

    number: its process id. started: in seconds since 1970. boot: the system start that it belongs
    to, see `boot`.
    """

    number: Annotated[int, Field(gt=0)]
    started: Annotated[float, Field(allow_inf_nan=False)]
    boot: str = ""

    def is_of(self, mark: str) -> bool:
        """Whether it runs, and is proven to be the process of the job with that mark.

        A process that has ended and was not waited for does not count.
        """
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
        """Ask it to end after its current step, as Ctrl-C does."""
        if self.is_of(mark):
            with suppress(ProcessLookupError):
                os.kill(self.number, signal.SIGINT)

    def kill(self, mark: str) -> None:
        """End it and all processes that it started, at once."""
        if self.is_of(mark):
            with suppress(ProcessLookupError):
                os.killpg(self.number, signal.SIGKILL)


def boot() -> str:
    """An id of this start of the system."""
    with suppress(OSError):
        return _BOOT.read_text(encoding="ascii").strip()
    # In minutes: systems without such an id compute the time from their clock.
    return f"{psutil.boot_time() / 60:.0f}"


def start(words: Sequence[str], folder: Path, log: FolderPath, mark: str) -> Process:
    """Start a process in its own session, so that it outlives this one.

    Its output goes to the end of `log`. Raises OSError where it cannot be started.
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
    """The process with a job's mark that started at the time `since` or later.

    For a job with an unsaved start. Its children have the mark as well, so this takes the first
    process that leads a session.
    """
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
    """Whether a process has a mark; psutil.Error where its environment cannot be read."""
    environment: Mapping[str, str] = process.environ()
    return bool(mark) and environment.get(MARK) == mark


_children: Final[list[subprocess.Popen[bytes]]] = []
