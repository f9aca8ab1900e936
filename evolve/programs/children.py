"""Child processes that end with this one, and the end of what programs leave behind.

A pipe reports the end of a parent, not the parent-death signal of Linux: that signal comes when the
*thread* that started the child ends. An outside program has a guard (`programs.guard`), which ends
all that the program has started, and reports so. A program that runs as the same user can kill its
guard. Then this process ends what provably belongs to the program:

- processes of the session in which the guard started it;
- processes with the program's mark in their environment, also in sessions of their own;
- on Linux, where the whole process is evolve's (a command, or a worker of one), orphans that this
  process adopts (it is a child subreaper) and did not start;
- and the children of all these.

This does not find children that a program starts through another one, such as a system daemon, and
does not work where a program kills evolve first.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Final, NamedTuple

if sys.platform == "linux":
    import fcntl

_GUARD: Final = Path(__file__).with_name("guard.py")
LOG: Final = "EVOLVE_PROGRAM_LOG"
"""The variable that names the log file of the exchange with programs: `--log`.
Workers of a sweep and the runs of a study inherit it, programs do not."""
BACKEND: Final = "MPLBACKEND"
_OF_A_NOTEBOOK: Final = "module://"
"""Prefix of a matplotlib backend that works in a notebook's process alone."""
LINUX: Final = sys.platform == "linux"
MARK: Final = "EVOLVE_PROGRAM"
"""The environment variable that we give a program and its children."""
_PR_SET_CHILD_SUBREAPER: Final = 36
_SECONDS: Final = 5.0
"""Most seconds to end what is left: a program may start processes as fast as we end them."""
_PAUSE: Final = 0.002
_ENDED: Final = re.compile(r"all ended, (\d+) KB")


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

        report: a pipe that the guard inherits too, see `Report`.
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
    variables = {name: value for name, value in os.environ.items() if name != LOG}
    if variables.get(BACKEND, "").startswith(_OF_A_NOTEBOOK):
        del variables[BACKEND]
    return variables


class Report:
    """The pipe of a guard's report: the program's session, then that all processes ended."""

    def __init__(self) -> None:
        self._ours, self.pipe = os.pipe()
        self.session: int | None = None
        self.all_ended = False
        self.megabytes = 0.0
        """The most MB that any one process held, as the guard reports it; 0 where it does not."""

    def leave(self) -> None:
        """Close the guard's end here."""
        os.close(self.pipe)

    def close(self) -> None:
        """Close our end, where no guard was started."""
        os.close(self._ours)

    def read(self) -> None:
        """Read the guard's report, until the guard ends."""
        with os.fdopen(self._ours, errors="replace") as lines:
            for line in lines:
                if self.session is None and line.strip().isdecimal():
                    self.session = int(line)
                elif match := _ENDED.match(line):
                    self.all_ended, self.megabytes = True, int(match[1]) / 1024


class Process(NamedTuple):
    """A process as /proc describes it; started: in ticks since the system booted."""

    number: int
    parent: int
    session: int
    zombie: bool
    started: int


class Programs:
    """The programs with guards that this process has started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._guards: dict[int, int] = {}
        """Process ids of guards, and when they started."""
        self._ours = self._adopts = False

    def claim(self) -> None:
        """Declare that evolve owns this whole process, so that it may adopt orphans.

        Where a user's process runs evolve as a library, orphans may be the user's own.
        """
        self._ours = True

    def begin(self, guard: int) -> None:
        """Register a guard that has started."""
        with self._lock:
            if self._ours and LINUX and not self._adopts:
                self._adopts = _adopt()
            process = read_process(guard) if LINUX else None
            self._guards[guard] = 0 if process is None else process.started

    def end(self, guard: int, report: Report, mark: str) -> None:
        """Remove a guard that has ended, and end what it left running."""
        if not report.all_ended:
            self._end_orphans(guard, report.session, mark)
        with self._lock:
            self._guards.pop(guard, None)

    def _end_orphans(self, guard: int, session: int | None, mark: str) -> None:
        if not LINUX:
            if session is not None:
                with contextlib.suppress(OSError):
                    os.killpg(session, signal.SIGKILL)
            return
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            orphans = self._orphans(guard, session, mark)
            for process in orphans:
                with contextlib.suppress(OSError):
                    os.kill(process.number, signal.SIGKILL)
                if process.parent == os.getpid():
                    with contextlib.suppress(ChildProcessError):
                        os.waitpid(process.number, os.WNOHANG)
            if not orphans:
                return
            time.sleep(_PAUSE)

    def _orphans(self, guard: int, session: int | None, mark: str) -> list[Process]:
        """The processes of the program of a guard that has ended."""
        here, ours = os.getpid(), os.getsid(0)
        with self._lock:
            known = {*self._guards, *_of_multiprocessing()}
            since = self._guards[guard]
        there = list(processes())
        variable = f"{MARK}={mark}".encode()

        def proven(one: Process) -> bool:
            if one.session in (session, guard) or variable in _environment(one.number):
                return True
            adopted = self._adopts and one.parent == here and one.session != ours
            return adopted and one.started >= since and one.number not in known

        numbers = {one.number for one in there if one.number not in (here, guard) and proven(one)}
        while more := {
            one.number for one in there if one.parent in numbers and one.number not in numbers
        }:
            numbers |= more
        # Leave zombies to their parents, unless that is this process.
        return [
            one
            for one in there
            if one.number in numbers and not (one.zombie and one.parent != here)
        ]


def new_mark() -> str:
    """A random text that tells a program's processes from all others."""
    return os.urandom(16).hex()


def processes() -> Iterator[Process]:
    """All running processes; Linux only."""
    for name in os.listdir("/proc"):
        if name.isdecimal() and (process := read_process(int(name))) is not None:
            yield process


def read_process(number: int) -> Process | None:
    """The process of this id; None where there is none. Linux only."""
    fields = stat_of(number)
    if fields is None:
        return None
    return Process(
        number, int(fields[1]), int(fields[3]), fields[0] in (b"Z", b"X"), int(fields[19])
    )


def stat_of(number: int) -> list[bytes] | None:
    """The fields of /proc/NUMBER/stat from the state on; None where there is no such process."""
    try:
        stat = Path(f"/proc/{number}/stat").read_bytes()
    except OSError:
        return None
    # `number (name) state parent …`; the name may hold any character.
    return stat.rpartition(b")")[2].split()


def _environment(number: int) -> Set[bytes]:
    try:
        return {*Path(f"/proc/{number}/environ").read_bytes().split(b"\0")}
    except OSError:  # another user's, or gone
        return set()


def _adopt() -> bool:
    """Make this process adopt orphans; whether that worked."""
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def _of_multiprocessing() -> Set[int | None]:
    """Processes that multiprocessing started, in sessions of their own."""
    from multiprocessing import active_children, forkserver  # not above: every command has us

    server: Any = forkserver._forkserver
    children = {child.pid for child in active_children()}
    return {*children, server._forkserver_pid}


PROGRAMS: Final = Programs()
