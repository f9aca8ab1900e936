"""Contexts that are ready for use, and how a search keeps to a time.

A context holds the addresses of the compiled search, solver and look at the clock, and kernels
above them call them by address. If they called them by name, numba would compile the search and the
solver again with every such kernel.

A search reads the clock each time its budget is used up. A context with a DEADLINE has a budget of
LOOK_EVERY nodes, and gets as many again while there is time. So nodes cost no more than without a
clock, and no other thread must run at the right moment. A Python timer would have to be woken, on a
core that the search itself may use, and would then need the interpreter's lock.
"""

from __future__ import annotations

import ctypes
import time
from functools import cache
from typing import Final

from evolve.engine.compiled.compile import address_of, kernel
from evolve.engine.compiled.intrinsics import (
    LOOK_TYPES,
    SEARCH_TYPES,
    SOLVER_TYPES,
    call_clock,
    load,
    store,
)
from evolve.engine.search.context import (
    BUDGET,
    CLOCK,
    DEADLINE,
    GAME_TABLE_BITS,
    LOOK,
    MOST_NODES,
    NOW,
    SEARCH,
    SOLVER,
    STOPPED,
    UNLIMITED,
    Cells,
    blank_context,
)
from evolve.engine.search.search import search_deep
from evolve.engine.search.solver import solve_deep

LOOK_EVERY: Final = 1024
"""Nodes between two looks at the clock: 0.1 ms, and 1 ms where a node takes ten times as long."""
_SECOND: Final = 1_000_000_000
_CLOCK_ID: Final = getattr(time, "CLOCK_MONOTONIC", 0)


@kernel
def look(nodes: int, context: int) -> int:
    """Whether a search that has used up its budget may go on: 1, or 0 with STOPPED set."""
    deadline = load(context, DEADLINE)
    most = load(context, MOST_NODES)
    if deadline != 0 and (most == 0 or nodes < most):
        call_clock(load(context, CLOCK), _CLOCK_ID, context + 8 * NOW)
        if load(context, NOW) * _SECOND + load(context, NOW + 1) < deadline:
            more = nodes + LOOK_EVERY
            store(context, BUDGET, more if most == 0 else min(more, most))
            return 1
    store(context, STOPPED, 1)
    return 0


@cache
def clock_address() -> int:
    """Address of C's `clock_gettime`; 0 on systems without it, such as Windows."""
    if not hasattr(time, "CLOCK_MONOTONIC") or ctypes.sizeof(ctypes.c_long) != 8:
        return 0
    function = ctypes.CDLL(None).clock_gettime
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def set_deadline(context: Cells, seconds: float, nodes: int = 0) -> bool:
    """Make searches in `context` end after `seconds`, or after `nodes` (0 for no limit).

    Returns False and changes nothing where a kernel has no clock.
    """
    if context[CLOCK] == 0:
        return False
    context[DEADLINE] = time.clock_gettime_ns(_CLOCK_ID) + int(max(seconds, 0.0) * _SECOND)
    context[BUDGET], context[MOST_NODES] = 0, nodes
    return True


def clear_deadline(context: Cells) -> None:
    """Remove the limits of time and nodes from searches in `context`."""
    context[DEADLINE], context[MOST_NODES], context[BUDGET] = 0, 0, UNLIMITED


def new_context(rules: int, budget: int = 0, table_bits: int = GAME_TABLE_BITS) -> Cells:
    """A context for one thread.

    `budget` is in nodes per search, 0 for no limit; `table_bits`, 1 or more, sizes the table. Keep
    the array as long as its address is in use.
    """
    context = blank_context(rules, budget, table_bits)
    context[SEARCH] = address_of(search_deep, SEARCH_TYPES)
    context[SOLVER] = address_of(solve_deep, SOLVER_TYPES)
    context[LOOK] = address_of(look, LOOK_TYPES)
    context[CLOCK] = clock_address()
    return context
