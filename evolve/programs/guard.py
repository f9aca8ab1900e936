"""Stands between evolve and an outside program; when either ends, it ends what is left.

Run as a program of its own, with nothing but the standard library: `python -I -S guard.py FD
COMMAND…`. It starts the command, which has the guard's standard streams for itself, and waits.
When the other end of the pipe FD is closed (evolve has ended, however that happened, or wants the
program no more), or the command has ended, it kills whatever the command has started and ends as
the command did. To a second pipe, where FD is `FD,FD`, it reports what `programs.orphans` needs.

On Linux orphans come to the guard (a child subreaper), so that it finds all of them, also those in
sessions of their own, and the command dies with the guard. Elsewhere it kills the command's
process group. A pipe, not the parent-death signal, reports evolve's end: that signal comes when
the *thread* that started a program ends. One guard a program, not one for all, keeps streams and
exit codes those of a plain child; it costs 4 MB, and 17 ms of CPU a start (a plain child 1 ms).

A program may stop its guard. So SIGCONT, which does nothing else, is what Linux sends when a thread
ends that has started it: a guard that is stopped wakes when evolve has ended.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127
"""Exit code of a command that could not be started, as in shells."""
_SECONDS = 5.0
"""Most time to end what is left: processes of other users cannot be ended."""
_PAUSE = 0.002

# `typing` and `contextlib` would double the time that the guard takes to start.


def _prctl(option: int, value: int) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _start(command: list[str], report: int | None) -> int:
    """Start the command in a session of its own, whose number it reports; that number."""
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
        for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores
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
        except OSError:  # nobody listens any more
            return


def _let_go_of_streams() -> None:
    """Leave the standard streams to the command alone, whose end the others are to see."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _wait(*pipes: int, milliseconds: int | None = None) -> bool:
    """Wait for something in a pipe or its end; False when there is nothing in time."""
    events = select.poll()  # select.select knows no descriptor over 1023
    for pipe in pipes:
        events.register(pipe, select.POLLIN)
    return bool(events.poll(milliseconds))


def _closed(life: int) -> bool:
    """Whether evolve has closed its end: it writes nothing."""
    return _wait(life, milliseconds=0)


def _drain(pipe: int) -> None:
    """Read what a pipe that does not block holds."""
    try:
        os.read(pipe, 4096)
    except BlockingIOError:
        return


def _kill(number: int) -> None:
    """Kill a process, or a group by its negative number, if it is there and ours to kill."""
    try:
        os.kill(number, signal.SIGKILL)
    except OSError:
        return


class _Guard:
    """Waits for the end of the command, of evolve, or for a signal."""

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
        """Wait, end what is left, say so, and give the command's status as `os.waitpid` does."""
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
        """Take note of what has ended."""
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
        """Kill until nothing is left: the children of what was killed become ours."""
        _kill(-self._child)
        end = time.monotonic() + _SECONDS
        self._reap()
        while not self._alone and time.monotonic() < end:
            for number in _children(os.getpid()) if _LINUX else ():
                _kill(number)
            time.sleep(_PAUSE)
            self._reap()


def _most_memory() -> int:
    """The most KB that any process has held that has ended."""
    import resource

    size = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return size >> 10 if sys.platform == "darwin" else size


def _children(parent: int) -> list[int]:
    """Numbers of a process's children, of which none can be another's: we have not waited yet."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                stat = file.read()
        except OSError:  # it has ended
            continue
        # `number (name) state parent …`, where a name may hold anything.
        if int(stat.rpartition(b")")[2].split()[1]) == parent:
            found.append(int(name))
    return found


def _end_as(status: int) -> None:
    """End with the exit code or by the signal of a status."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # one dump is enough
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


def main(life: int, report: int | None, command: list[str]) -> None:
    """Start the command, and end as it does; what it leaves behind is ended before."""
    for pipe in (life, report):
        if pipe is not None:
            os.set_inheritable(pipe, False)
    if _closed(life):
        return  # it has been shut down
    if _LINUX:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)
    child = _start(command, report)
    _let_go_of_streams()
    _end_as(_Guard(life, child).watch(report))


if __name__ == "__main__":
    _life, _, _report = sys.argv[1].partition(",")
    main(int(_life), int(_report) if _report else None, sys.argv[2:])
