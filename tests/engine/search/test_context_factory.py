"""Contexts ready for use, in any thread; and searches by the clock.

These get more nodes as long as there is time, and no more than allowed.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from evolve.engine.search import context as layout
from evolve.engine.search.context_factory import (
    LOOK_EVERY,
    clear_deadline,
    clock_address,
    look,
    new_context,
    set_deadline,
)
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


by_the_clock = pytest.mark.skipif(clock_address() == 0, reason="kernels have no clock here")


@pytest.fixture
def cells() -> layout.Cells:
    return new_context(0, 100)


def goes_on(cells: layout.Cells, nodes: int) -> bool:
    """Whether a search goes on that has entered so many nodes."""
    found = bool(look(nodes, cells.ctypes.data))
    assert bool(cells[layout.STOPPED]) != found
    return found


@by_the_clock
def test_without_a_deadline_a_budget_is_all_there_is(cells: layout.Cells) -> None:
    assert not goes_on(cells, 100)


@by_the_clock
def test_there_are_nodes_as_long_as_there_is_time(cells: layout.Cells) -> None:
    assert set_deadline(cells, 60.0)
    assert cells[layout.BUDGET] == 0  # so that the first node looks at the clock
    assert goes_on(cells, 5)
    assert cells[layout.BUDGET] == 5 + LOOK_EVERY
    for seconds in (0.0, -1.0):
        assert set_deadline(cells, seconds)
        assert not goes_on(cells, 5)


@by_the_clock
def test_of_time_and_nodes_the_first_to_be_used_up_counts(cells: layout.Cells) -> None:
    most = LOOK_EVERY + 10
    assert set_deadline(cells, 60.0, most)
    budgets = []
    for nodes in (0, LOOK_EVERY):
        assert goes_on(cells, nodes)
        budgets.append(int(cells[layout.BUDGET]))
    assert budgets == [LOOK_EVERY, most]
    assert not goes_on(cells, most)


@by_the_clock
def test_without_a_clock_nothing_is_set(cells: layout.Cells) -> None:
    cells[layout.CLOCK] = 0
    before = cells.copy()
    assert not set_deadline(cells, 60.0)
    assert (cells == before).all()


@by_the_clock
def test_a_deadline_is_cleared(cells: layout.Cells) -> None:
    set_deadline(cells, 60.0, 7)
    clear_deadline(cells)
    named = (layout.DEADLINE, layout.MOST_NODES, layout.BUDGET)
    assert [int(cells[cell]) for cell in named] == [0, 0, layout.UNLIMITED]
