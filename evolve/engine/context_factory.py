"""Contexts that are ready for use: they hold the addresses of compiled search, solver and look.

Kernels above search and solver call them by address. If they called them by name, numba would
compile the search and the solver again with every such kernel.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

from evolve.engine.clock import clock_address, look
from evolve.engine.context import (
    CLOCK,
    GAME_TABLE_BITS,
    LOOK,
    SEARCH,
    SOLVER,
    Cells,
    blank_context,
)
from evolve.engine.memory import LOOK_TYPES, SEARCH_TYPES, SOLVER_TYPES
from evolve.engine.search import search_any
from evolve.engine.solver import solve_deep

_lock = threading.Lock()


@cache
def _addresses() -> dict[int, int]:
    """The addresses, by their cell in the context."""
    return {
        SEARCH: _address(search_any, SEARCH_TYPES),
        SOLVER: _address(solve_deep, SOLVER_TYPES),
        LOOK: _address(look, LOOK_TYPES),
        CLOCK: clock_address(),
    }


def _address(kernel: Any, signature: Any) -> int:
    """Address of the C form of a kernel; compiles it if it is not compiled yet."""
    kernel.compile(signature)
    result = kernel.overloads[signature]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name))


def new_context(rules: int, budget: int = 0, table_bits: int = GAME_TABLE_BITS) -> Cells:
    """A context for one thread.

    `budget` is in nodes per search, 0 for no limit; `table_bits`, 1 or more, sizes the table. Keep
    the array as long as its address is in use.
    """
    context = blank_context(rules, budget, table_bits)
    with _lock:  # otherwise two threads could compile at once
        for cell, address in _addresses().items():
            context[cell] = address
    return context
