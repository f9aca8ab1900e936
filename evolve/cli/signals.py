"""What Ctrl-C, SIGTERM and SIGHUP do.

Ctrl-C raises KeyboardInterrupt, as is Python's default; commands that can end cleanly take the
first one as a request to stop. SIGTERM and SIGHUP end a command like Ctrl-C pressed twice. A signal
that was ignored when the process started (SIGHUP by `nohup`, SIGINT in the background of a shell
script) stays ignored.
"""

from __future__ import annotations

import _thread
import atexit
import math
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any, Final, TextIO

SIGNALLED: Final = 128
"""Exit codes from here on say which signal ended a command."""
INTERRUPTED: Final = SIGNALLED + signal.SIGINT
"""Exit code after Ctrl-C."""
_AT_ONCE: Final = 1.0
"""Seconds within which two signals count as one."""

_AGAIN: Final = 0.02
"""Seconds until a lost signal is sent again."""

_IMPORTING: Final = "<frozen importlib._bootstrap>"
_IMPORT_SECONDS: Final = 5.0
"""Most seconds that a signal waits for an import, which may never end."""

_came = -math.inf
"""When the last signal came, by `time.monotonic`."""
_waits_since = math.inf
"""When the first of the signals that wait for an import came, by `time.monotonic`."""
_others: Callable[[Any], object] = sys.__unraisablehook__
"""The hook for all other errors that cannot be raised."""
_replaced = ExitStack()
"""Restores what `obey` replaced."""


class Ended(KeyboardInterrupt):
    """SIGTERM or SIGHUP came; code that handles Ctrl-C handles this too."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def exit_code(interruption: BaseException) -> int:
    """The exit code after Ctrl-C, or after the signal that was the cause."""
    return SIGNALLED + interruption.number if isinstance(interruption, Ended) else INTERRUPTED


def obey() -> None:
    """Raise Ended at SIGTERM and SIGHUP from now on, where they are not ignored."""
    global _came, _others
    if threading.current_thread() is not threading.main_thread():
        return
    disobey()
    _came = -math.inf
    _others, sys.unraisablehook = sys.unraisablehook, _try_again
    _replaced.callback(setattr, sys, "unraisablehook", _others)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _handle(signal.SIGINT, _interrupt)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and not ignored(number):
            _handle(number, _end)
    # Python's last steps end programs, which takes a moment; a Ctrl-C then would show tracebacks.
    # The programs' guards work without those steps.
    atexit.register(_end_at_ctrl_c)
    _replaced.callback(atexit.unregister, _end_at_ctrl_c)


def disobey() -> None:
    """Restore what `obey` replaced, in a process that goes on after a command."""
    _replaced.close()


def _handle(number: int, handler: Callable[[int, FrameType | None], None]) -> None:
    before = signal.signal(number, handler)
    if before is not None:  # set by C, and only C can restore it
        _replaced.callback(signal.signal, number, before)


def ignored(number: int) -> bool:
    """Whether a signal is ignored."""
    return signal.getsignal(number) == signal.SIG_IGN


@contextmanager
def at_ctrl_c(handler: Callable[[], None]) -> Iterator[None]:
    """Call `handler` at Ctrl-C while the block runs, unless it is ignored."""
    if ignored(signal.SIGINT):
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if not _put_off(number, frame):
            handler()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _put_off(number, frame):
        raise KeyboardInterrupt


def _end(number: int, frame: FrameType | None) -> None:
    global _came
    if _put_off(number, frame):
        return
    # A shell that ends and the terminal both send SIGHUP: the second one must not disturb what the
    # first one has begun.
    before, _came = _came, time.monotonic()
    if _came - before < _AT_ONCE:
        return
    _leave_lost_terminal()
    raise Ended(number)


def _try_again(unraisable: Any) -> None:
    """Send a signal again if Python dropped its exception.

    Python drops an exception where it cannot raise one: in finalizers, and in functions that C
    calls, as LLVM does while it compiles. Without this a match went on after one stop in a hundred.
    """
    global _came
    lost = unraisable.exc_value
    if not isinstance(lost, KeyboardInterrupt):
        _others(unraisable)
        return
    _came = -math.inf
    _send_again(lost.number if isinstance(lost, Ended) else signal.SIGINT)


def _put_off(number: int, frame: FrameType | None) -> bool:
    """Send a signal again later if its exception would be dropped and no hook called.

    That happens within `_try_again`, and while a module is imported: modules that Cython compiled
    drop any exception that is raised as they start (numpy.random and pandas have many of them).
    Without this a match went on after 3 of 240 Ctrl-C within its first seconds.

    The interrupted frames show this without a gap, from the hook's first instruction to its last,
    and only for the main thread, the only one that handles signals. A flag would be set too late
    and cleared too early, and hooks in other threads would set it. Blocking signals in the hook
    (`pthread_sigmask`) is not enough: signals that have already come wait in Python, and others
    come through other threads.
    """
    global _waits_since
    importing = False
    while frame is not None:
        if frame.f_code is _try_again.__code__:
            _send_again(number)
            return True
        importing |= frame.f_code.co_filename == _IMPORTING
        frame = frame.f_back
    now = time.monotonic()
    _waits_since = min(_waits_since, now) if importing else math.inf
    if now - _waits_since < _IMPORT_SECONDS and importing:
        _send_again(number)
        return True
    return False


def _send_again(number: int) -> None:
    """Send a signal to this process in a moment."""

    def send() -> None:
        time.sleep(_AGAIN)
        if sys.platform == "win32":  # where `os.kill` ends the process
            _thread.interrupt_main(number)
        else:
            os.kill(os.getpid(), number)

    # The hook must not wait. `Thread.start` waits until the thread runs; on a busy machine the
    # signal came while the hook still waited, 10 of 2000 times.
    _thread.start_new_thread(send, ())


def forget_reader(stream: TextIO | None = None) -> None:
    """Discard further output to a stream, standard output by default, that nobody reads any more.

    Python would write what is left once more at its end, and exit with code 120.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def _leave_lost_terminal() -> None:
    """Discard further output to a closed terminal, which would raise errors."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # None, closed, or of no file
            descriptor = stream.fileno()
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                forget_reader(stream)


def _end_at_ctrl_c() -> None:
    if not ignored(signal.SIGINT):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
