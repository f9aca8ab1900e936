"""Ends a process at a signal, at once and without a word: before its work begins, and after it.

Imports are interrupted nowhere: an exception within them gives a traceback, or is lost. Nothing is
imported here that Python has not loaded at its start, so that little comes before it.
"""

import _signal  # type: ignore[import-not-found]  # of `signal`, which makes enumerations
import os

SIGNALLED = 128
"""Exit codes from here on say which signal ended a command."""


def leave(number: int, frame: object) -> None:
    """End this process; the exit code names the signal."""
    os._exit(SIGNALLED + number)


def leave_at_signals() -> None:
    """Let SIGINT, SIGTERM and SIGHUP end this process at once, where they are not ignored.

    A service starts its jobs with SIGINT blocked, so that it waits until here.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(_signal, name, None)  # Windows has no SIGHUP
        if number is not None and _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, leave)
    if hasattr(_signal, "pthread_sigmask"):  # not on Windows
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGINT])
