"""Child processes that end with this one.

A pipe reports the end of a parent, not the parent-death signal of Linux: that signal comes when the
*thread* that started the child ends. An outside program has a guard (`programs.guard`), which ends
all that the program has started.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

if sys.platform == "linux":
    import fcntl

LOG: Final = "EVOLVE_PROGRAM_LOG"
"""The variable that names the log file of the exchange with programs: `--log`.
Workers of a sweep and the runs of a study inherit it, programs do not."""
BACKEND: Final = "MPLBACKEND"


class Life:
    """The pipe that keeps a child of this process alive.

    The child ends with this process, or with `end`: by `end_with` in the child, or by its guard
    where the child is an outside program. Where there is no fork (Windows) there is no pipe.

    reports: whether the guard reports the program's end, for `read_report`.
    """

    def __init__(self, *, reports: bool = False) -> None:
        self.pipes: tuple[int, ...] = ()
        """File descriptors that the child inherits: none on Windows."""
        self._end: int | None = None
        self._report: int | None = None
        if hasattr(os, "fork") and sys.executable:
            pipe, self._end = os.pipe()
            self.pipes = (pipe,)
            if reports:
                self._report, pipe = os.pipe()
                self.pipes = (*self.pipes, pipe)

    @property
    def can_end(self) -> bool:
        """Whether `end` would end the child."""
        return self._end is not None

    def guard(self, command: Sequence[str]) -> Sequence[str]:
        """The command that runs `command` behind a guard, which waits for the end of the pipe."""
        if not self.pipes:
            return command
        guard, pipes = Path(__file__).with_name("guard.py"), ",".join(map(str, self.pipes))
        return (sys.executable, "-I", "-S", str(guard), pipes, *command)

    def leave(self) -> None:
        """Close the child's ends here, once the child has started or failed to start."""
        for pipe in self.pipes:
            os.close(pipe)
        self.pipes = ()

    def end(self) -> None:
        if self._end is not None:
            os.close(self._end)
            self._end = None

    def read_report(self) -> tuple[int, float, int] | None:
        """Wait for the guard's report: the program's exit code, and the most MB of a process.

        Last the number of the error with which it could not be started, or 0. None without a guard,
        or where it was killed.
        """
        if self._report is None:
            return None
        with os.fdopen(self._report) as report:
            numbers = report.read().split()
        self._report = None
        if len(numbers) == 1:  # the guard could not even fork
            numbers += ["127", "0"]
        failed = int(numbers.pop(0)) if len(numbers) == 3 else 0
        return (int(numbers[0]), int(numbers[1]) / 1024, failed) if numbers else None


def end_with(pipe: int) -> None:
    """End this process when the other end of `pipe`, to which nobody writes, closes."""
    from multiprocessing.connection import wait  # not above: the parent does not need it

    if sys.platform != "linux":

        def watch() -> None:
            wait([pipe])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
        return
    # A thread would need the interpreter's lock, which a computation in C may hold for minutes. A
    # signal from the kernel does not.
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if wait([pipe], 0):  # it was closed already
        os._exit(1)


@contextmanager
def blocked(signals: Iterable[signal.Signals]) -> Iterator[None]:
    """Block signals, also in a process that starts here, until it unblocks them; not on Windows."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def inherited() -> dict[str, str]:
    """The variables of this process, without those for this process alone.

    Those are the log, and a notebook's matplotlib backend, which breaks matplotlib where the
    notebook is not installed.
    """
    variables = {name: value for name, value in os.environ.items() if name != LOG}
    if variables.get(BACKEND, "").startswith("module://"):
        del variables[BACKEND]
    return variables
