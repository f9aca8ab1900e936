"""The first use on a machine: what the cache lacks is compiled before the work begins."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from evolve.engine.board.bits import flips, legal_moves
from evolve.engine.compiled.compile import CACHE_DIR, is_ready
from evolve.engine.compiled.intrinsics import (
    CHOICE_TYPES,
    LISTING_TYPES,
    LOOK_TYPES,
    SEARCH_TYPES,
    SOLVER_TYPES,
)
from evolve.engine.games.game import choose, move_values, play_games, set_phase
from evolve.engine.games.opening import draw_openings, mark_balanced
from evolve.engine.patterns.pattern_search import (
    list_to_solve,
    pattern_move,
    pattern_near,
    pattern_values,
)
from evolve.engine.search.context import look
from evolve.engine.search.search import best_move, search, search_deep
from evolve.engine.search.solver import solve_deep, solve_move, solve_outcome_move

Kernels = Sequence[tuple[Any, Any]]
"""Functions, and the types of their arguments."""
GAMES: Final[Kernels] = (
    (look, LOOK_TYPES),
    (solve_deep, SOLVER_TYPES),
    (play_games, "(i8, i8[:,::1], i4[:,::1], i1[:,::1], i8[::1], i1[:,::1], i8[:,::1])"),
    (draw_openings, "(f8[:,::1], i1[:,::1], u8[:,::1], i1[::1])"),
    (mark_balanced, "(u8[:,::1], i8[::1], i8, i8, i8[::1], b1[::1])"),
    (choose, CHOICE_TYPES),
    (search_deep, SEARCH_TYPES),
)
"""What games of alpha-beta agents need, and with them whatever judges an agent.

Two processes that begin at both ends meet after half of the time, and compile little twice.
"""
MOVES: Final[Kernels] = (
    *GAMES,
    (move_values, "(u8, u8, i8, i8[::1], i8)"),
    *((best_move, "(u8, u8, i8, i8)"), (search, "(u8, u8, i8, i8, i8, i8)")),
    *((solve_outcome_move, "(u8, u8, i8, i8)"), (solve_move, "(u8, u8, i8)")),
    *((set_phase, "(u8, u8, i8, i8)"), (legal_moves, "(u8, u8)"), (flips, "(i8, u8, u8)")),
    *((list_to_solve, LISTING_TYPES), (pattern_move, "(u8, u8, i8, i8)")),
    (pattern_values, "(u8, u8, i8, i8[::1], i8)"),
    (pattern_near, "(u8, u8, i8, i8, i8, i8, i8, i8, i8)"),
)
"""The same, and what single moves and their values need, by patterns too."""
_PR_SET_PDEATHSIG: Final = 1


def compile_first(progress: Callable[[float, float], None], kernels: Kernels = GAMES) -> None:
    """Compile those kernels that the cache lacks, on Linux in two processes.

    progress: called with how many functions are ready, and of how many.
    """
    missing = [(kernel, types) for kernel, types in kernels if not is_ready(kernel)]
    if not missing:
        return
    progress(0, len(missing))
    collected, child = gc.isenabled(), None
    gc.disable()  # a twelfth of the time
    try:
        for number, (kernel, types) in enumerate(missing, 1):
            kernel.compile(types)
            progress(number, len(missing))
            if child is None and len(missing) > 1:  # after what numba loads at its first use
                child = _compile_beside(missing[:0:-1])
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if collected:
            gc.enable()


def _compile_beside(missing: Kernels) -> int:
    """Compile in a fork of this process; return its number, 0 where there is none.

    What one process compiles the other one waits for, and loads. The fork ends with this process.
    """
    child = None
    if sys.platform != "linux" or CACHE_DIR is None or (os.cpu_count() or 1) < 2:
        return 0
    try:
        if child := os.fork():
            return child
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the parent
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for kernel, types in missing:
            kernel.compile(types)
    finally:
        if child == 0:
            os._exit(0)  # what it could not compile, the parent compiles
