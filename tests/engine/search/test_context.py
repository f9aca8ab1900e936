"""Contexts: their parts lie apart and where the processor wants them, whatever their size."""

from __future__ import annotations

from itertools import pairwise

import pytest

from evolve.engine.search import context as layout


@pytest.mark.parametrize("bits", [1, 2, layout.GAME_TABLE_BITS])
def test_buckets_lie_in_one_cache_line(bits: int) -> None:
    cells = layout.blank_context(0, 0, bits)
    assert len(cells) - layout.TABLE == layout.BUCKET * layout.ENTRY << bits
    assert layout.BUCKET * layout.ENTRY == layout.LINE_CELLS
    assert cells[layout.TABLE :].ctypes.data % (8 * layout.LINE_CELLS) == 0


def test_named_cells_are_cells_of_their_own() -> None:
    named = [
        layout.NODES, layout.BUDGET, layout.STOPPED, layout.RULES, layout.TABLE_BITS, layout.AGE,
        layout.OTHER_TERMS, layout.TABLE_DEPTH, layout.SEARCH, layout.SOLVER, layout.LOOK,
        layout.DEADLINE, layout.CLOCK, layout.NOW, layout.NOW + 1, layout.DISC_SIGN,
        layout.CORNERS_LAST, layout.MOST_NODES,
    ]  # fmt: skip
    assert len({*named}) == len(named)
    assert max(named) < layout.WEIGHTS
    assert layout.WEIGHTS + layout.TERMS <= layout.SQUARE_WEIGHTS


def test_a_frame_has_room_for_all_of_its_parts() -> None:
    parts = (0, layout.TURNED, layout.SQUARES, layout.REPLIES, layout.FRAME_CELLS)
    assert [after - part for part, after in pairwise(parts)] == [64] * 4


def test_no_budget_is_no_limit() -> None:
    assert layout.blank_context(0, 0, 1)[layout.BUDGET] == layout.UNLIMITED
    assert layout.blank_context(0, 7, 1)[layout.BUDGET] == 7


def test_rules_that_are_none() -> None:
    cells = layout.blank_context(1, 0, 1)
    assert [int(cells[cell]) for cell in (layout.RULES, layout.DISC_SIGN)] == [1, -1]
    with pytest.raises(KeyError):
        layout.set_rules(cells, 77)


def test_tables_grow_with_the_work_up_to_a_bound() -> None:
    by_empties = [layout.table_bits_for(empties) for empties in range(61)]
    by_depth = [layout.table_bits_for(0, depth) for depth in range(layout.MAX_DEPTH + 1)]
    for sizes in (by_empties, by_depth):
        assert sizes == sorted(sizes)
        assert (sizes[0], sizes[-1]) == (layout.GAME_TABLE_BITS, 20)
    assert layout.table_bits_for(14, 9) == max(by_empties[14], by_depth[9])
