"""Contexts: their parts lie apart; searches by the clock; their table against a slow one."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from evolve.engine.compiled.compile import kernel
from evolve.engine.games.game import new_context
from evolve.engine.search import context as layout
from tests import reference
from tests.engine import U, for_python
from tests.reference import Board


@pytest.mark.parametrize("bits", [1, 2, layout.GAME_TABLE_BITS])
def test_buckets_lie_in_one_cache_line(bits: int) -> None:
    cells = layout.blank_context(0, 0, bits)
    assert len(cells) - layout.TABLE == layout.BUCKET * layout.ENTRY << bits
    assert layout.BUCKET * layout.ENTRY == layout.LINE_CELLS
    assert cells[layout.TABLE :].ctypes.data % (8 * layout.LINE_CELLS) == 0


def test_rules_and_budgets() -> None:
    cells = layout.blank_context(1, 7, 1)
    named = (layout.RULES, layout.DISC_SIGN, layout.BUDGET)
    assert [int(cells[cell]) for cell in named] == [1, -1, 7]
    assert layout.blank_context(0, 0, 1)[layout.BUDGET] == layout.UNLIMITED  # 0 is no limit
    with pytest.raises(KeyError):
        layout.set_rules(cells, 77)


def test_tables_grow_with_the_work_up_to_a_bound() -> None:
    by_empties = [layout.table_bits_for(empties) for empties in range(61)]
    by_depth = [layout.table_bits_for(0, depth) for depth in range(layout.MAX_DEPTH + 1)]
    assert [by_empties, by_depth] == [sorted(by_empties), sorted(by_depth)]
    for sizes in (by_empties, by_depth):
        assert (sizes[0], sizes[-1]) == (layout.GAME_TABLE_BITS, layout.MOST_TABLE_BITS)
    assert layout.table_bits_for(14, 9) == max(by_empties[14], by_depth[9])


ADDRESSES = (layout.SEARCH, layout.SOLVER, layout.LOOK, layout.CLOCK)


def test_threads_have_contexts_of_their_own_and_the_same_kernels() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: new_context(0), range(8)))
    assert len({cells.ctypes.data for cells in made}) == 8
    assert len({tuple(cells[[*ADDRESSES]].tolist()) for cells in made}) == 1
    assert all(made[0][[*ADDRESSES[:3]]] != 0)
    assert made[0][layout.CLOCK] == layout.clock_address()


by_the_clock = pytest.mark.skipif(layout.clock_address() == 0, reason="kernels have no clock here")


@pytest.fixture
def cells() -> layout.Cells:
    return new_context(0, 100)


def goes_on(cells: layout.Cells, nodes: int) -> bool:
    """Whether a search goes on that has entered so many nodes."""
    found = bool(layout.look(nodes, cells.ctypes.data))
    assert bool(cells[layout.STOPPED]) != found
    return found


@pytest.mark.parametrize("seconds", [None, 0.0, -1.0])
@by_the_clock
def test_there_are_no_nodes_without_time(cells: layout.Cells, seconds: float | None) -> None:
    """Without a deadline a budget is all there is."""
    assert seconds is None or layout.set_deadline(cells, seconds)
    assert not goes_on(cells, 100)


@pytest.mark.parametrize("most", [0, layout.LOOK_EVERY + 10])
@by_the_clock
def test_of_time_and_nodes_the_first_to_be_used_up_counts(cells: layout.Cells, most: int) -> None:
    assert layout.set_deadline(cells, 60.0, most)
    assert cells[layout.BUDGET] == 0  # so that the first node looks at the clock
    budgets = []
    for nodes in (5, layout.LOOK_EVERY):
        assert goes_on(cells, nodes)
        budgets.append(int(cells[layout.BUDGET]))
    assert budgets == [5 + layout.LOOK_EVERY, most or 2 * layout.LOOK_EVERY]
    assert goes_on(cells, layout.LOOK_EVERY + 10) == (most == 0)


@by_the_clock
def test_without_a_clock_nothing_is_set(cells: layout.Cells) -> None:
    cells[layout.CLOCK] = 0
    before = cells.copy()
    assert not layout.set_deadline(cells, 60.0)
    assert (cells == before).all()


@by_the_clock
def test_a_deadline_is_cleared(cells: layout.Cells) -> None:
    layout.set_deadline(cells, 60.0, 7)
    layout.clear_deadline(cells)
    named = (layout.DEADLINE, layout.MOST_NODES, layout.BUDGET)
    assert [int(cells[cell]) for cell in named] == [0, 0, layout.UNLIMITED]


Entry = tuple[int, int, int, int]
"""Low, high, draft and move."""

bucket_of = for_python(layout.bucket_of)


@kernel
def keep(
    own: np.uint64, opp: np.uint64, low: int, high: int, draft: int, move: int, address: int
) -> None:
    layout.remember(own, opp, layout.bucket_of(own, opp, address), low, high, draft, move, address)


@kernel
def look_up(own: np.uint64, opp: np.uint64, address: int, found: np.ndarray) -> bool:
    entry = layout.probe(own, opp, layout.bucket_of(own, opp, address), address)
    if entry == layout.NOTHING:
        return False
    found[0], found[1] = layout.low_of(entry, address), layout.high_of(entry, address)
    found[2], found[3] = layout.draft_of(entry, address), layout.move_of(entry, address)
    return True


class Table:
    """The table of a context, and beside it what it should hold."""

    def __init__(self, bits: int) -> None:
        self.cells = new_context(0, 0, bits)
        self.address = int(self.cells.ctypes.data)
        self.buckets: dict[int, list[tuple[Board, Entry] | None]] = {}

    def bucket(self, board: Board) -> list[tuple[Board, Entry] | None]:
        first = int(bucket_of(U(board[0]), U(board[1]), self.address))
        assert layout.TABLE <= first <= len(self.cells) - layout.BUCKET * layout.ENTRY
        return self.buckets.setdefault(first, [None, None])

    def keep(self, board: Board, entry: Entry) -> None:
        keep(U(board[0]), U(board[1]), *entry, self.address)
        bucket = self.bucket(board)
        deeper = bucket[0] is not None and bucket[0][1][2] > entry[2]
        bucket[1 if deeper else 0] = (board, entry)

    def forget(self) -> None:
        layout.forget(self.address)
        self.buckets.clear()

    def check(self, board: Board) -> bool:
        """What is found is what should be; whether anything is."""
        found = np.zeros(4, np.int64)
        known = [held[1] for held in self.bucket(board) if held is not None and held[0] == board]
        seen = bool(look_up(U(board[0]), U(board[1]), self.address, found))
        assert seen == bool(known)
        assert not known or tuple(found.tolist()) == known[0]
        return seen


@pytest.mark.parametrize("bits", [1, 4, layout.GAME_TABLE_BITS])
def test_as_a_slow_table(bits: int) -> None:
    """Both sides of a position are two positions."""
    rng = random.Random(bits)
    boards = reference.random_boards(rng, 15, 10, 50)
    boards += [(opp, own) for own, opp in boards]
    held, seen, kept = Table(bits), 0, 0
    for _ in range(600):
        low, high = sorted(rng.randint(-(2**31), 2**31 - 1) for _ in range(2))
        held.keep(rng.choice(boards), (low, high, rng.randint(0, 60), rng.randint(0, 64)))
        seen += held.check(rng.choice(boards))
        if rng.random() < 0.02:
            held.forget()
            kept += sum(map(held.check, boards))
    assert seen > 20
    assert kept == 0
