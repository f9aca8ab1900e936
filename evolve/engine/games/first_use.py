"""The first use on a machine: what the cache lacks is compiled before the work begins.

So it has a stage of its own, and no share in the pace of the work.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba.core import event

from evolve.engine.compiled import compile as compiled
from evolve.engine.compiled.compile import address_of, is_ready
from evolve.engine.compiled.intrinsics import LOOK_TYPES, SEARCH_TYPES, SOLVER_TYPES
from evolve.engine.games import game, opening
from evolve.engine.search.context import look
from evolve.engine.search.search import search_deep
from evolve.engine.search.solver import solve_deep

_PR_SET_PDEATHSIG: Final = 1


def _none(*shape: int, of: npt.DTypeLike = np.int64) -> npt.NDArray[Any]:
    return np.empty((0, *shape), of)


_POSITIONS: Final = _none(2, of=np.uint64)
_MOVES: Final = _none(8, of=np.int8)
_GAMES: Final = {
    look: partial(address_of, look, LOOK_TYPES),
    solve_deep: partial(address_of, solve_deep, SOLVER_TYPES),
    game.play_games: partial(
        game.play_games, 0, _none(1), _none(3, of=np.int32), _MOVES, _none(), _MOVES, _none(1)
    ),
    opening.slots_of_all: partial(opening.slots_of_all, _POSITIONS),
    opening.draw_openings: partial(
        opening.draw_openings, _none(8, of=np.float64), _MOVES, _POSITIONS
    ),
    opening.mark_balanced: partial(
        opening.mark_balanced, _POSITIONS, _none(), 0, 0, _none(), _none(of=np.bool_)
    ),
    game.choose: game.choice_address,
    search_deep: partial(address_of, search_deep, SEARCH_TYPES),
}
"""Whatever judges an agent plays such games: these kernels, and calls that compile each.

Two processes that begin at both ends meet after half of the time, and compile little twice.
"""


def compile_games(
    progress: Callable[[float, float], None],
    kernels: Sequence[Any] = (),
    work: Callable[[], object] = lambda: None,
) -> None:
    """Compile what games need and the cache lacks.

    progress: called with how many functions are ready, and of how many. kernels: further ones that
    the command needs, which `work` compiles.
    """
    missing = [kernel for kernel in (*_GAMES, *kernels) if not is_ready(kernel)]
    if not missing:
        return

    def report() -> None:
        progress(sum(map(is_ready, missing)), len(missing))

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            if event.data["dispatcher"] in missing:
                report()

    progress(0, len(missing))
    first, *others = _GAMES.values()
    first()  # and what numba loads at its first use
    with (
        _without_garbage_collection(),  # a twelfth of the time, for nothing
        _second_process(others[::-1]),
        event.install_listener("numba:compile", Listener()),
    ):
        for call in (*others, work):
            call()
            report()


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _second_process(calls: Sequence[Callable[[], object]]) -> Iterator[None]:
    """Let a fork of this process make the calls too, while the block runs.

    What one process compiles the other one waits for, and loads. A fork needs no time to begin. It
    only compiles and writes to the cache, and ends with the block or with this process. Other
    systems than Linux do without, and so does a machine of one core.
    """
    if sys.platform != "linux" or compiled.CACHE_DIR is None or (os.cpu_count() or 1) < 2:
        yield
        return
    child = os.fork()
    if not child:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the parent
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            for call in calls:
                call()
        finally:
            os._exit(0)  # what it could not compile, the parent compiles
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
