"""What Ctrl-C, SIGTERM and SIGHUP do.

Ctrl-C raises KeyboardInterrupt, as Python has it; commands that can end cleanly take the first one
as a wish. SIGTERM and SIGHUP end like Ctrl-C pressed twice. What was ignored when we were started
(SIGHUP by `nohup`, SIGINT in the background of a shell script) stays ignored.
"""

from __future__ import annotations

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
from typing import Any, Final

INTERRUPTED = 130
"""Exit code after Ctrl-C."""
_AT_ONCE: Final = 1.0
"""Seconds within which two signals are one."""

_AGAIN: Final = 0.02
"""Seconds until one that was lost is sent again."""

_came = -math.inf
"""When the last one came."""
_others: Callable[[Any], object] = sys.__unraisablehook__
"""What is done with other errors that cannot be raised."""


class Ended(KeyboardInterrupt):
    """SIGTERM or SIGHUP came; whoever handles Ctrl-C handles this."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def exit_code(interruption: BaseException) -> int:
    """The exit code after Ctrl-C, or after the signal that was the cause."""
    return 128 + interruption.number if isinstance(interruption, Ended) else INTERRUPTED


def obey() -> None:
    """Raise Ended at SIGTERM and SIGHUP from now on, where they are not ignored."""
    global _came, _others
    if threading.current_thread() is not threading.main_thread():
        return
    _came = -math.inf
    if sys.unraisablehook is not _try_again:
        _others, sys.unraisablehook = sys.unraisablehook, _try_again
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and not ignored(number):
            signal.signal(number, _end)
    # Python's last steps end programs, which takes a moment; a Ctrl-C then would show tracebacks.
    # The programs' guards do without those steps.
    atexit.unregister(_end_at_ctrl_c)
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
    before = signal.signal(signal.SIGINT, lambda *_: handler())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(number: int, frame: Any) -> None:
    global _came
    # A shell that ends and the terminal both send SIGHUP: the second one must not disturb what the
    # first one has begun.
    before, _came = _came, time.monotonic()
    if _came - before < _AT_ONCE:
        return
    _leave_lost_terminal()
    raise Ended(number)


def _try_again(unraisable: Any) -> None:
    """Send a signal again whose exception was dropped.

    Python does so where it cannot raise one: in finalizers, and in what C calls, as LLVM does while
    it compiles. A match went on after one stop in a hundred.
    """
    global _came
    lost = unraisable.exc_value
    if not isinstance(lost, KeyboardInterrupt):
        _others(unraisable)
        return
    _came = -math.inf
    number = lost.number if isinstance(lost, Ended) else signal.SIGINT
    again = threading.Timer(_AGAIN, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _leave_lost_terminal() -> None:
    """Let what is still to be said to a terminal that is gone go nowhere, in place of errors."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # None, closed, or of no file
            descriptor = stream.fileno()
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _end_at_ctrl_c() -> None:
    if not ignored(signal.SIGINT):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
