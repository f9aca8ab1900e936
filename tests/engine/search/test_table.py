"""The transposition table against a slow one: of two places a bucket the first is the deeper."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.engine.compiled.compile import kernel
from evolve.engine.search import context as layout
from evolve.engine.search import table
from evolve.engine.search.context_factory import new_context
from tests import reference
from tests.engine import U
from tests.reference import Board

Entry = tuple[int, int, int, int]
"""Low, high, draft and move."""


@kernel
def bucket_of(own: np.uint64, opp: np.uint64, address: int) -> int:
    return table.bucket_of(own, opp, address)


@kernel
def keep(
    own: np.uint64, opp: np.uint64, low: int, high: int, draft: int, move: int, address: int
) -> None:
    table.remember(own, opp, table.bucket_of(own, opp, address), low, high, draft, move, address)


@kernel
def look_up(own: np.uint64, opp: np.uint64, address: int, found: np.ndarray) -> bool:
    entry = table.probe(own, opp, table.bucket_of(own, opp, address), address)
    if entry == table.NOTHING:
        return False
    found[0], found[1] = table.low_of(entry, address), table.high_of(entry, address)
    found[2], found[3] = table.draft_of(entry, address), table.move_of(entry, address)
    return True


class Table:
    """The table of a context, and beside it what it should hold."""

    def __init__(self, bits: int) -> None:
        self.cells = new_context(0, 0, bits)
        self.buckets: dict[int, list[tuple[Board, Entry] | None]] = {}

    @property
    def address(self) -> int:
        return int(self.cells.ctypes.data)

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
        table.forget(self.address)
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
    rng = random.Random(bits)
    boards = reference.random_boards(rng, 30, 10, 50)
    held, seen = Table(bits), 0
    for _ in range(600):
        bounds = sorted(rng.randint(-(2**31), 2**31 - 1) for _ in range(2))
        held.keep(
            rng.choice(boards), (bounds[0], bounds[1], rng.randint(0, 60), rng.randint(0, 64))
        )
        seen += held.check(rng.choice(boards))
        if rng.random() < 0.02:
            held.forget()
            assert not any(map(held.check, boards))
    assert seen > 20


def test_the_two_sides_of_a_position_are_two_positions() -> None:
    held = Table(1)
    own, opp = reference.START
    held.keep((own, opp), (-3, 5, 2, 19))
    assert held.check((own, opp))
    assert not held.check((opp, own))
