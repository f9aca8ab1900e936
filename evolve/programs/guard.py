"""Stands between evolve and an outside program; when either ends, it ends the rest.

It runs as a separate program, with the standard library alone: `python -I -S guard.py FD COMMAND…`.
It starts the command, hands it the standard streams, and waits. When the command ends, or the
other end of the pipe FD closes (evolve ends, for whatever reason, or no longer needs the program),
it kills all that the command has started and exits as the command did. With `FD,FD` it reports to
the second pipe what `programs.children` needs.

On Linux the guard adopts orphans (it is a child subreaper), so it finds all of them, also those in
sessions of their own, and the command dies with the guard. Elsewhere it kills the command's
process group. A pipe reports evolve's end, not the parent-death signal: that signal comes when
the *thread* that started a program ends. One guard per program, not one for all, keeps streams and
exit codes those of a plain child; it costs 4 MB, and 17 ms of CPU per start (a plain child 1 ms).

A program may stop its guard. So Linux sends SIGCONT, which does nothing else, when the thread that
started the guard ends: a stopped guard wakes when evolve has ended.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time

if sys.platform == "linux":
    import ctypes

_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127
"""Exit code of a command that could not be started, as in shells."""
_SECONDS = 5.0
"""Most seconds to end what is left: processes of other users cannot be killed."""
_PAUSE = 0.002

# No `typing` and no `contextlib`: they would double the guard's start time.


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _start(command: list[str], report: int | None) -> int:
    """Start the command in a session of its own; report and return the number of that session."""
    guard = os.getpid()
    child = os.fork()
    if child != 0:
        return child
    try:
        os.setsid()
        _say(report, str(os.getpid()))
        if _LINUX:
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != guard:
                os._exit(_CANNOT_START)
        for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores these
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"cannot be started: {error.strerror}\n".encode())
    finally:
        os._exit(_CANNOT_START)


def _say(report: int | None, line: str) -> None:
    if report is not None:
        try:
            os.write(report, line.encode() + b"\n")
        except OSError:  # nobody listens
            return


def _let_go_of_streams() -> None:
    """Leave the standard streams to the command alone, so that others see its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _wait(*pipes: int, milliseconds: int | None = None) -> bool:
    """Wait until a pipe has data or closes; False when neither happens in time."""
    events = select.poll()  # select.select takes no descriptor over 1023
    for pipe in pipes:
        events.register(pipe, select.POLLIN)
    return bool(events.poll(milliseconds))


def _closed(life: int) -> bool:
    """Whether evolve has closed its end of the pipe, to which it writes nothing."""
    return _wait(life, milliseconds=0)


def _drain(pipe: int) -> None:
    """Empty a non-blocking pipe, 4096 bytes at most."""
    try:
        os.read(pipe, 4096)
    except BlockingIOError:
        return


def _kill(number: int) -> None:
    """Kill a process, or a group by its negative number, if it exists and we may kill it."""
    try:
        os.kill(number, signal.SIGKILL)
    except OSError:
        return


class _Guard:
    """Waits for the end of the command or of evolve, or for a signal."""

    def __init__(self, life: int, child: int) -> None:
        self._life, self._child = life, child
        self._status: int | None = None
        self._alone = False
        self._asked = False
        self._woken, wakes = os.pipe()
        for end in (self._woken, wakes):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wakes)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for wish in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(wish, self._ask)

    def _ask(self, *_: object) -> None:
        self._asked = True

    def watch(self, report: int | None) -> int:
        """Wait, end what is left, report it, and return the status as `os.waitpid` gives it."""
        self._reap()
        while self._status is None and not self._asked:
            _wait(self._life, self._woken)
            if _closed(self._life):
                break
            _drain(self._woken)
            self._reap()
        self._end_all()
        if self._alone:
            _say(report, f"all ended, {_most_memory()} KB")
        return signal.SIGKILL if self._status is None else self._status

    def _reap(self) -> None:
        """Reap the children that have ended, and note the command's status."""
        while not self._alone:
            try:
                number, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._alone = True
                return
            if number == 0:
                return
            if number == self._child:
                self._status = status

    def _end_all(self) -> None:
        """Kill until nothing is left: the children of a killed process become ours."""
        _kill(-self._child)
        end = time.monotonic() + _SECONDS
        self._reap()
        while not self._alone and time.monotonic() < end:
            for number in _children(os.getpid()) if _LINUX else ():
                _kill(number)
            time.sleep(_PAUSE)
            self._reap()


def _most_memory() -> int:
    """The most KB that any one of the ended processes held."""
    size = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return size >> 10 if sys.platform == "darwin" else size


def _children(parent: int) -> list[int]:
    """Ids of a process's children; none can be reused, as we have not waited for them yet."""
    children = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                stat = file.read()
        except OSError:  # it has ended
            continue
        # `number (name) state parent …`; the name may hold any character.
        if int(stat.rpartition(b")")[2].split()[1]) == parent:
            children.append(int(name))
    return children


def _end_as(status: int) -> None:
    """End this process with the exit code of a status, or by its signal."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # one dump is enough
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


def main(life: int, report: int | None, command: list[str]) -> None:
    """Start the command, end what it leaves behind, and then end as it did."""
    for pipe in (life, report):
        if pipe is not None:
            os.set_inheritable(pipe, False)
    if _closed(life):
        return  # evolve has ended, or has shut this program down
    if _LINUX:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)
    child = _start(command, report)
    _let_go_of_streams()
    _end_as(_Guard(life, child).watch(report))


if __name__ == "__main__":
    _life, _, _report = sys.argv[1].partition(",")
    main(int(_life), int(_report) if _report else None, sys.argv[2:])
