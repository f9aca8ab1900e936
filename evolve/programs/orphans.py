"""What a program leaves behind that has killed its guard: found by proof, and ended.

As long as a guard works it ends all that its program has started, and says so. A program that runs
as the same user can kill it. Then this process does the same for what it can prove to be the
program's:

- processes of the session that the guard has started it in;
- those with the program's mark in their environment, also in sessions of their own;
- on Linux, where the whole process is evolve's (a command, or a worker of one), orphans that come
  to it (it is a child subreaper) and that it has not started;
- and the children of all these.

A program that makes another one start its children, such as a daemon of the system's, is beyond
this; so is one that kills evolve first.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Set
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

LINUX: Final = sys.platform == "linux"
MARK: Final = "EVOLVE_PROGRAM"
"""The variable that a program and its children have from us."""
_PR_SET_CHILD_SUBREAPER: Final = 36
_SECONDS: Final = 5.0
"""Most time to end what is left: a program may start processes as fast as they are ended."""
_PAUSE: Final = 0.002
_ENDED: Final = re.compile(r"all ended, (\d+) KB")


class Report:
    """The pipe that a guard reports to: the program's session, then that all have ended."""

    def __init__(self) -> None:
        self._ours, self.pipe = os.pipe()
        self.session: int | None = None
        self.all_ended = False
        self.megabytes = 0.0
        """The most that any one process has held, where the guard has said so."""

    def leave(self) -> None:
        """Close the guard's end here."""
        os.close(self.pipe)

    def close(self) -> None:
        """Close our end: no guard was started."""
        os.close(self._ours)

    def read(self) -> None:
        """Take in what the guard says, until it has ended."""
        with os.fdopen(self._ours, errors="replace") as lines:
            for line in lines:
                if self.session is None and line.strip().isdecimal():
                    self.session = int(line)
                elif found := _ENDED.match(line):
                    self.all_ended, self.megabytes = True, int(found[1]) / 1024


class Process(NamedTuple):
    """A process as /proc has it; started: in ticks since the system's start."""

    number: int
    parent: int
    session: int
    zombie: bool
    started: int


class Programs:
    """The programs with guards that this process has started."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._guards: dict[int, int] = {}
        """Numbers of guards, and when they were started."""
        self._ours = self._adopts = False

    def claim(self) -> None:
        """Say that all of this process is evolve's: orphans may come to it.

        In a process of somebody else's, which uses evolve as a library, they may be theirs.
        """
        self._ours = True

    def begin(self, guard: int) -> None:
        """Note a guard that has been started."""
        with self._lock:
            if self._ours and LINUX and not self._adopts:
                self._adopts = _adopt()
            found = read_process(guard) if LINUX else None
            self._guards[guard] = 0 if found is None else found.started

    def end(self, guard: int, report: Report, mark: str) -> None:
        """Forget a guard that has ended, and end what it has not."""
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
            found = self._orphans(guard, session, mark)
            for process in found:
                with contextlib.suppress(OSError):
                    os.kill(process.number, signal.SIGKILL)
                if process.parent == os.getpid():
                    with contextlib.suppress(ChildProcessError):
                        os.waitpid(process.number, os.WNOHANG)
            if not found:
                return
            time.sleep(_PAUSE)

    def _orphans(self, guard: int, session: int | None, mark: str) -> list[Process]:
        """What is a program's whose guard has ended."""
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

        found = {one.number for one in there if one.number not in (here, guard) and proven(one)}
        while more := {
            one.number for one in there if one.parent in found and one.number not in found
        }:
            found |= more
        # One that has ended is left to its parent, where that is another.
        return [
            one for one in there if one.number in found and not (one.zombie and one.parent != here)
        ]


def new_mark() -> str:
    """What tells a program's processes from all others."""
    return os.urandom(16).hex()


def processes() -> Iterator[Process]:
    """All that are there; Linux."""
    for name in os.listdir("/proc"):
        if name.isdecimal() and (found := read_process(int(name))) is not None:
            yield found


def read_process(number: int) -> Process | None:
    """A process; None where there is none. Linux."""
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
    # `number (name) state parent …`, where a name may hold anything.
    return stat.rpartition(b")")[2].split()


def _environment(number: int) -> Set[bytes]:
    try:
        return {*Path(f"/proc/{number}/environ").read_bytes().split(b"\0")}
    except OSError:  # another user's, or gone
        return set()


def _adopt() -> bool:
    """Let orphans come to this process; whether they do."""
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def _of_multiprocessing() -> Set[int | None]:
    """Processes that were started by other means than here, in sessions of their own."""
    import multiprocessing  # not above: each start of the command has this module
    from multiprocessing import forkserver

    server: Any = forkserver._forkserver
    children = {child.pid for child in multiprocessing.active_children()}
    return {*children, server._forkserver_pid}


PROGRAMS: Final = Programs()
