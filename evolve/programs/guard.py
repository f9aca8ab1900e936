"""Stands between evolve and an outside program; when either ends, it ends the rest.

It runs as a separate program with the standard library alone: `guard.py LIFE[,REPORT] COMMAND…`.
It starts the command in a session of its own, hands it the standard streams, and waits. When the
command ends, the other end of the pipe LIFE closes (evolve has ended, or no longer needs the
program), or a signal asks for it, it kills the command's process group. On Linux it also kills
processes in groups of their own: it adopts orphans (it is a child subreaper), and the command dies
with it. It exits with the command's code, or with 256 less the number of the signal that ended the
command. Into the pipe REPORT it writes the exit code, negative for a signal, and the most KB of
memory that one of the ended processes held; before them the number of the error, where the command
could not be started.

A pipe reports the end of evolve, not the parent-death signal: that signal comes when the *thread*
that started a program ends. One guard per program, not one for all, keeps streams those of a plain
child; it costs 4 MB, and 17 ms of CPU per start (a plain child 1 ms).
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time

# No `typing` and no `contextlib`: they would double the guard's start time.
_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127
"""Exit code of a command that could not be started, as in shells."""
_SECONDS = 5.0
"""Most seconds to end what is left: processes of other users cannot be killed."""
_PAUSE = 0.002


def _prctl(option: int, value: int) -> None:
    if _LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _start(command: list[str], reports: list[int]) -> int:
    """Start the command in a session of its own; return the number of both."""
    guard = os.getpid()
    try:
        child = os.fork()
    except OSError as error:
        _fail(error, reports)
    if child != 0:
        return child
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == guard:
            for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores these
                signal.signal(getattr(signal, name), signal.SIG_DFL)
            os.execvp(command[0], command)
    except OSError as error:
        _fail(error, reports)
    finally:
        os._exit(_CANNOT_START)


def _fail(error: OSError, reports: list[int]) -> None:
    """Say why the command cannot be started, and end this process."""
    os.write(2, f"cannot be started: {error.strerror}\n".encode())
    for report in reports:
        os.write(report, f"{error.errno} ".encode())
    os._exit(_CANNOT_START)


def _wait(life: int, woken: int, child: int) -> int | None:
    """Wait for the child, reaping others, for `life` or a signal; the child's exit code, if any."""
    events = select.poll()  # select.select takes no descriptor over 1023
    for pipe in (life, woken):
        events.register(pipe, select.POLLIN)
    while True:
        ready = dict(events.poll())
        if life in ready or {*os.read(woken, 4096)} != {signal.SIGCHLD}:
            return None
        number = -1
        while number:  # 0: none has ended, one may have stopped
            number, status = os.waitpid(-1, os.WNOHANG)
            if number == child:
                return os.waitstatus_to_exitcode(status)


def _end(child: int, code: int | None) -> int:
    """Kill all that is left, and return the child's exit code."""
    end = time.monotonic() + _SECONDS
    _kill(-child)
    while time.monotonic() < end:
        try:
            number, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:  # all have ended
            break
        if number == child:
            code = os.waitstatus_to_exitcode(status)
        elif number == 0:
            for other in _children():
                _kill(other)
            time.sleep(_PAUSE)
    return -int(signal.SIGKILL) if code is None else code


def _children() -> list[int]:
    """The children of this process, those of killed ones included."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as numbers:
            return [int(number) for number in numbers.read().split()]
    except OSError:  # not Linux
        return []


def _kill(number: int) -> None:
    try:
        os.kill(number, signal.SIGKILL)
    except OSError:  # it has ended, or is another user's
        return


def main(pipes: list[int], command: list[str]) -> None:
    """Start the command, wait for an end, end what is left, and report."""
    for pipe in pipes:
        os.set_inheritable(pipe, False)
    woken, wakes = os.pipe()
    for pipe in (woken, wakes):
        os.set_blocking(pipe, False)
    signal.set_wakeup_fd(wakes)
    # Handlers, for the command would inherit ignored signals.
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    child = _start(command, pipes[1:])
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the command's alone, so that others see it close them
        os.dup2(nothing, stream)
    code = _end(child, _wait(pipes[0], woken, child))
    size = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    for report in pipes[1:]:
        os.write(report, f"{code} {size >> 10 if sys.platform == 'darwin' else size}".encode())
    os._exit(code & 0xFF)


if __name__ == "__main__":
    main([int(pipe) for pipe in sys.argv[1].split(",")], sys.argv[2:])
