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
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final, TextIO

from evolve.cli.leaving import SIGNALLED, leave

INTERRUPTED: Final = SIGNALLED + signal.SIGINT
"""Exit code after Ctrl-C."""


_last_signal = -math.inf  # when the last signal came, by `time.monotonic`


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP came; code that handles Ctrl-C handles this too."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def exit_code(interruption: BaseException) -> int:
    """The exit code after Ctrl-C, or after the signal that was the cause."""
    return SIGNALLED + interruption.number if isinstance(interruption, Terminated) else INTERRUPTED


def causes_of(error: BaseException | None) -> list[BaseException]:
    """The error and those that it was raised from, or in place of; these may form a circle."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def interruption_in(error: BaseException) -> KeyboardInterrupt | None:
    """The interruption that an error replaced: some parts of Python raise others in its place."""
    return next((one for one in causes_of(error) if isinstance(one, KeyboardInterrupt)), None)


def install() -> None:
    """Raise Terminated at SIGTERM and SIGHUP from now on, where they are not ignored.

    Ctrl-C raises KeyboardInterrupt again, where it would end the process at once.
    """
    global _last_signal
    if threading.current_thread() is not threading.main_thread():
        return
    _last_signal = -math.inf
    sys.unraisablehook = _resend_lost
    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and not ignored(number):
            signal.signal(number, _end)
    # Python's last steps end programs, which takes a moment; a Ctrl-C then would show tracebacks.
    # The programs' guards work without those steps.
    atexit.register(_end_at_ctrl_c)


def ignored(number: int) -> bool:
    """Whether a signal is ignored."""
    return signal.getsignal(number) == signal.SIG_IGN


@contextmanager
def at_ctrl_c(handler: Callable[[], None]) -> Iterator[None]:
    """Call `handler` at Ctrl-C while the block runs, unless it is ignored."""
    if ignored(signal.SIGINT):
        yield
        return

    before = signal.signal(signal.SIGINT, lambda number, frame: handler())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(number: int, frame: FrameType | None) -> None:
    global _last_signal
    # A shell that ends and the terminal both send SIGHUP: the second one must not disturb what the
    # first one has begun.
    before, _last_signal = _last_signal, time.monotonic()
    if _last_signal - before < 1.0:  # seconds within which two signals count as one
        return
    _discard_to_lost_terminal()
    raise Terminated(number)


def _resend_lost(unraisable: Any) -> None:
    """Send a signal again if Python dropped its exception.

    Python drops an exception where it cannot raise one: in finalizers, and in functions that C
    calls, as LLVM does while it compiles. Without this a match went on after one stop in a hundred.
    A second signal within this hook, which takes microseconds, is lost with the first.
    """
    global _last_signal
    lost = unraisable.exc_value
    if not isinstance(lost, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    _last_signal = -math.inf
    _resend(lost.number if isinstance(lost, Terminated) else signal.SIGINT)


def _resend(number: int) -> None:
    def send() -> None:
        time.sleep(0.02)  # seconds until a lost signal is sent again
        if sys.platform == "win32":  # where `os.kill` ends the process
            _thread.interrupt_main(number)
        else:
            os.kill(os.getpid(), number)

    # The hook must not wait. `Thread.start` waits until the thread runs; on a busy machine the
    # signal came while the hook still waited, 10 of 2000 times.
    _thread.start_new_thread(send, ())


def discard_output(stream: TextIO | None = None) -> None:
    """Discard further output to a stream, standard output by default, that nobody reads any more.

    Python would write what is left once more at its end, and exit with code 120.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def _discard_to_lost_terminal() -> None:
    """Discard further output to a closed terminal, which would raise errors."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # None, closed, or of no file
            descriptor = stream.fileno()
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                discard_output(stream)


def _end_at_ctrl_c() -> None:
    if not ignored(signal.SIGINT):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
