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

_came = -math.inf
"""When the last one came."""


class Ended(KeyboardInterrupt):
    """SIGTERM or SIGHUP came; whoever looks after Ctrl-C looks after this."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def exit_code(interruption: BaseException) -> int:
    """The exit code after Ctrl-C, or after the signal that was the cause."""
    return 128 + interruption.number if isinstance(interruption, Ended) else INTERRUPTED


def obey() -> None:
    """Raise Ended at SIGTERM and SIGHUP from now on, where they are not ignored."""
    global _came
    if threading.current_thread() is not threading.main_thread():
        return
    _came = -math.inf
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
    # first one has begun. Later ones count again: Python drops what is raised in a finalizer.
    before, _came = _came, time.monotonic()
    if _came - before < _AT_ONCE:
        return
    _leave_lost_terminal()
    raise Ended(number)


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
