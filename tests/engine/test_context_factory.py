"""Contexts ready for use, in any thread."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from evolve.engine import context as layout
from evolve.engine.clock import clock_address
from evolve.engine.context_factory import new_context
from tests import reference
from tests.engine import Engine

ADDRESSES = (layout.SEARCH, layout.SOLVER, layout.LOOK, layout.CLOCK)


def test_threads_have_contexts_of_their_own_and_the_same_kernels() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: new_context(0), range(8)))
    assert len({cells.ctypes.data for cells in made}) == 8
    assert len({tuple(cells[[*ADDRESSES]].tolist()) for cells in made}) == 1
    assert all(made[0][[*ADDRESSES[:3]]] != 0)
    assert made[0][layout.CLOCK] == clock_address()


def test_searches_side_by_side_do_not_meet() -> None:
    boards = reference.random_boards(random.Random(0), 12, 20, 50)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda board: Engine(0).search(board, 4), boards))
    engine = Engine(0)
    assert found == [engine.search(board, 4) for board in boards]
