"""Measures from outside the CPU time and memory of a program and all that it starts.

A program that measures itself can report anything: it may replace the clock, or let a child do
the work. On Linux the figures come from /proc; elsewhere from psutil, where it is installed.
"""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from evolve.programs.children import LINUX, processes, stat_of

_PAUSE: Final = 0.02
"""Seconds between two samples. Filling 100 MB takes 30 ms, so a sample sees a child that does."""
_SHARE: Final = 0.1
"""Most of a core that sampling may take."""
_UNGUARDED: Final = "evolve measures a program by its guard, and Windows has no guards"
_MISSING: Final = "this system tells of other processes through psutil alone: pip install psutil"

_HAS_LISTS: Final = Path(f"/proc/self/task/{os.getpid()}/children").exists()
"""Whether the kernel lists the children of each thread."""


class Use(NamedTuple):
    """What processes take so far.

    seconds: of CPU, those of ended processes included as far as the system counts them. megabytes:
    held by all now, or the most by a single one so far. processes: how many run.
    """

    seconds: float
    megabytes: float
    processes: int


_System = Callable[[int], Use]
"""Measures a program by the process id of its guard, which does not count."""


class Meter:
    """Samples a program from a separate thread.

    why_not: why it cannot; None where it can. megabytes: the most that all processes held at once
    in any sample; memory that they share counts once. processes: the most at once.
    """

    def __init__(self, guard: int | None) -> None:
        self.megabytes = 0.0
        self.processes = 0
        self._guard = guard
        self._system = None if guard is None else _system()
        why = _UNGUARDED if guard is None else _MISSING
        self.why_not = why if self._system is None else None
        self._last = self._lost = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        if self._system is not None:
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
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        pause = _PAUSE
        while not self._stop.wait(pause):
            begin = time.thread_time()
            with self._lock:
                self._look()
            pause = max(_PAUSE, (time.thread_time() - begin) / _SHARE)

    def _look(self) -> None:
        if self._system is None or self._guard is None:
            return
        use = self._system(self._guard)
        if use.seconds < self._last:
            # A process ended after we read its parent and before we read it, or nobody waited for
            # it: then the system drops its time.
            use = self._system(self._guard)
            self._lost += max(0.0, self._last - use.seconds)
        self._last = use.seconds
        self.megabytes = max(self.megabytes, use.megabytes)
        self.processes = max(self.processes, use.processes)


def _system() -> _System | None:
    """How to measure on this system; None where that is not possible."""
    if LINUX and Path("/proc/self/stat").exists():
        return _of_proc
    return _of_psutil if importlib.util.find_spec("psutil") is not None else None


def _of_proc(guard: int) -> Use:
    """Measures by /proc, on Linux."""
    tick = os.sysconf("SC_CLK_TCK")
    seconds, numbers = 0.0, []
    for number in _tree(guard):
        fields = stat_of(number)
        if fields is None:
            continue
        own, ended = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
        seconds += (ended if number == guard else own + ended) / tick
        if number != guard:
            numbers.append(number)
    most = max(map(_most_memory, numbers), default=0.0)
    if len(numbers) > 1:
        most = max(most, sum(map(_memory, numbers)))
    return Use(seconds, most, len(numbers))


def _tree(root: int) -> Iterator[int]:
    """A process and all below it, each after its parent."""
    there = [root]
    for number in there:
        yield number
        there += _children(number)


def _children(number: int) -> list[int]:
    try:
        threads = [*Path(f"/proc/{number}/task").iterdir()]
        texts = [(thread / "children").read_text() for thread in threads]
    except OSError:  # it has ended, or the kernel is built without these lists
        return [] if _HAS_LISTS else _children_of_all(number)
    return [int(word) for text in texts for word in text.split()]


def _children_of_all(number: int) -> list[int]:
    """The children where there are no lists: reading all processes takes some milliseconds."""
    return [one.number for one in processes() if one.parent == number]


def _most_memory(number: int) -> float:
    """The most MB that a process has held so far."""
    return _figure(f"/proc/{number}/status", "VmHWM:")


def _memory(number: int) -> float:
    """MB that a process holds; of shared memory, its share."""
    return _figure(f"/proc/{number}/smaps_rollup", "Pss:") or _figure(
        f"/proc/{number}/status", "VmRSS:"
    )


def _figure(file: str, name: str) -> float:
    """MB from a line such as `VmHWM:  100 kB` of a file; 0 where there is no such line."""
    try:
        lines = Path(file).read_text(errors="replace").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def _of_psutil(guard: int) -> Use:
    """Measures by psutil."""
    import psutil

    seconds, megabytes, count = 0.0, 0.0, 0
    try:
        processes: list[Any] = psutil.Process(guard).children(recursive=True)
    except psutil.Error:
        processes = []
    for one in processes:
        try:
            times, size = one.cpu_times(), one.memory_info().rss
        except psutil.Error:  # it has ended
            continue
        seconds += times.user + times.system
        seconds += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
        megabytes, count = megabytes + size / (1 << 20), count + 1
    return Use(seconds, megabytes, count)
