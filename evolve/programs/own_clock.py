"""Seconds on a clock that stands while this process does not run.

A process may be stopped (SIGSTOP, `docker pause`) or starved; the time of the programs that it
waits for must not run on meanwhile. A thread beats, and the clock never goes far beyond a beat.
"""

from __future__ import annotations

import threading
import time
from typing import Final

_PAUSE: Final = 0.05
_LONGEST: Final = 0.2
"""Seconds from one beat to the next that count; less than what programs have for the round trip."""

_beat = (0.0, 0.0)
"""When the last beat was, by `time.monotonic`, and how long this process has not run until then.
One tuple, so that it needs no lock, which a Ctrl-C could leave locked."""
_thread = threading.Thread()


def seconds() -> float:
    """The time by this clock, for differences and deadlines."""
    global _beat, _thread
    if not _thread.is_alive():  # at first, and in a fork of a process, which has no threads
        _beat = (time.monotonic(), _beat[1])
        _thread = threading.Thread(target=_run, daemon=True)
        _thread.start()
    last, lost = _beat
    return min(time.monotonic(), last + _LONGEST) - lost


def _run() -> None:
    global _beat
    while True:
        last, lost = _beat
        now = time.monotonic()
        _beat = (now, lost + max(0.0, now - last - _LONGEST))
        time.sleep(_PAUSE)
