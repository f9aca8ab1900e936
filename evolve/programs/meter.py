"""Measures from outside the CPU time and memory of a program and all that it starts."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Final, NamedTuple

import psutil

_PAUSE: Final = 0.02
"""Least seconds between two samples, each of some 4 ms of CPU. What lives for less counts by its
largest process alone, which the guard reports."""
_SHARE: Final = 0.1
"""Most of a core that sampling may take."""


class Use(NamedTuple):
    """What processes take so far.

    seconds: of CPU, those of ended processes included as far as the system counts them. megabytes:
    held by all now; memory that they share counts once where the system says so. processes: how
    many run.
    """

    seconds: float
    megabytes: float
    processes: int


class Meter:
    """Samples a program from a separate thread.

    number: the process id of its guard, which does not count; where there are no guards (Windows)
    of the program. megabytes: the most that all processes held at once in any sample. processes:
    the most at once.
    """

    def __init__(self, number: int) -> None:
        self.megabytes = 0.0
        self.processes = 0
        self._number = number
        self._last = self._lost = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def seconds(self) -> float:
        """CPU seconds of all processes so far, or until `close`; they never decrease."""
        with self._lock:
            if not self._stop.is_set():
                self._look()
            return self._last + self._lost

    def close(self) -> None:
        """Stop sampling."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        pause = _PAUSE
        while not self._stop.wait(pause):
            begin = time.thread_time()
            with self._lock:
                self._look()
            pause = max(_PAUSE, (time.thread_time() - begin) / _SHARE)

    def _look(self) -> None:
        use = measure(self._number)
        if use.seconds < self._last:
            # A process ended after we read its parent and before we read it, or nobody waited for
            # it: then the system drops its time.
            use = measure(self._number)
            self._lost += max(0.0, self._last - use.seconds)
        self._last = use.seconds
        self.megabytes = max(self.megabytes, use.megabytes)
        self.processes = max(self.processes, use.processes)


def measure(number: int) -> Use:
    """Measure a program by the process id of its guard, or on Windows its own."""
    seconds, megabytes, count = 0.0, 0.0, 0
    try:
        root = psutil.Process(number)
        processes = root.children(recursive=True)
        if os.name == "nt":
            processes.append(root)
        else:
            seconds += _of_ended(root.cpu_times())
    except psutil.Error:
        processes = []
    for process in processes:
        try:
            times = process.cpu_times()
            # Telling shared memory costs more, and one process shares none.
            memory = process.memory_info() if len(processes) == 1 else process.memory_full_info()
            seconds += times.user + times.system + _of_ended(times)
        except psutil.Error:  # it has ended
            continue
        megabytes += getattr(memory, "pss", memory.rss) / (1 << 20)
        count += 1
    return Use(seconds, megabytes, count)


def _of_ended(times: Any) -> float:
    """CPU seconds of the children that a process has waited for; 0 where the system has none."""
    return float(getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0))
