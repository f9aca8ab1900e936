"""Time limits of a move, and how searches keep to them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from evolve.agents.memory import thread_context
from evolve.engine import context as layout
from evolve.engine.clock import clear_deadline, set_deadline
from evolve.engine.rules import DEFAULT_RULES
from evolve.errors import AgentError

TABLE_BITS: Final = 18
"""Table size of searches by the clock: 2**18 buckets, 16 MiB.
All have one size, because the first use in a thread makes the system provide the memory: 64 MiB
took 20 to 100 ms on a virtual machine."""
SHORTEST: Final = 0.02
LONGEST: Final = 86400.0


def check_seconds(seconds: float) -> None:
    """Raise AgentError unless a move can have so many seconds."""
    if not SHORTEST <= seconds <= LONGEST:
        raise AgentError(f"time {seconds:g} must be {SHORTEST:g} to {LONGEST:g} seconds")


def thinking_seconds(seconds: float) -> float:
    """The part of a move's time that a search may use; the rest is for returning the move.

    A search ends within 0.2 ms, but then another Python thread may hold the interpreter's lock for
    5 ms, and the system may run another program.
    """
    return seconds - min(max(0.1 * seconds, 0.002), 0.01)


def touch_table() -> None:
    """Touch the memory of this thread's table, so that no move spends time on it."""
    thread_context(DEFAULT_RULES, TABLE_BITS)[layout.TABLE :].fill(0)


@contextmanager
def stopping_at(context: layout.Cells, end: float | None, nodes: int = 0) -> Iterator[None]:
    """Stop the searches in `context` at `end`, or after `nodes` nodes.

    end: in `time.perf_counter`'s time, None for never; nodes: 0 for no limit.
    """
    context[layout.NODES] = context[layout.STOPPED] = 0
    seconds = None if end is None else end - time.perf_counter()
    timer = None
    if seconds is None or not set_deadline(context, seconds, nodes):
        context[layout.BUDGET] = nodes or layout.UNLIMITED
        timer = None if seconds is None else _timer(context, seconds)
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()
        clear_deadline(context)


def _timer(context: layout.Cells, seconds: float) -> threading.Timer:
    """A started timer that stops a search after `seconds`, for kernels without a clock.

    Kernels run without the interpreter's lock, so another thread can set the cell that they check.
    """

    def stop() -> None:
        context[layout.STOPPED] = 1

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    return timer
