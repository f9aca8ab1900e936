"""What a child process inherits, and a pipe that ends it with its parent, however that ends.

The child holds one end, the parent alone the other. A pipe reports the end, not the parent-death
signal of Linux: that signal comes when the *thread* that started the child ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_GUARD: Final = Path(__file__).with_name("guard.py")
LOG: Final = "EVOLVE_PROGRAM_LOG"
"""The variable that names the log file of the exchange with programs: `--log`.
Workers of a sweep and the runs of a study inherit it, programs do not."""
BACKEND: Final = "MPLBACKEND"
_OF_A_NOTEBOOK: Final = "module://"
"""Prefix of a matplotlib backend that works in a notebook's process alone."""


class Life:
    """The pipe that keeps a child of this process alive.

    The child ends with this process, or with `end`: by `end_with` in the child, or by its guard
    where the child is an outside program. Where there is no fork (Windows) there is no pipe.
    """

    def __init__(self) -> None:
        self.pipes: tuple[int, ...] = ()
        """File descriptors that the child inherits: its end of the pipe, or none."""
        self._ours: int | None = None
        if hasattr(os, "fork") and sys.executable:
            theirs, self._ours = os.pipe()
            self.pipes = (theirs,)

    @property
    def held(self) -> bool:
        """Whether `end` would end the child."""
        return self._ours is not None

    def guard(self, command: Sequence[str], report: int | None = None) -> Sequence[str]:
        """The command that runs `command` behind a guard, which waits for the end of the pipe.

        report: a pipe that the guard inherits too, see `programs.orphans`.
        """
        if not self.pipes:
            return command
        pipes = ",".join(str(pipe) for pipe in (self.pipes[0], report) if pipe is not None)
        return (sys.executable, "-I", "-S", str(_GUARD), pipes, *command)

    def leave(self) -> None:
        """Close the child's end here, once the child has started or failed to start."""
        for pipe in self.pipes:
            os.close(pipe)
        self.pipes = ()

    def end(self) -> None:
        """End the child."""
        if self._ours is not None:
            os.close(self._ours)
            self._ours = None


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
    import fcntl

    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if wait([pipe], 0):  # it was closed already
        os._exit(1)


def inherited() -> dict[str, str]:
    """The variables of this process, without those for this process alone.

    Those are the log, and a notebook's matplotlib backend, which breaks matplotlib where the
    notebook is not installed.
    """
    found = {name: value for name, value in os.environ.items() if name != LOG}
    if found.get(BACKEND, "").startswith(_OF_A_NOTEBOOK):
        del found[BACKEND]
    return found
