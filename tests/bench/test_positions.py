"""Positions that the measurements are taken on."""

from __future__ import annotations

from evolve.bench.positions import half_random, measured_agent


def test_positions() -> None:
    """The asked empties, a choice of moves, and the same again."""
    boards = half_random(5, (12, 14), "reversed")
    assert all(12 <= board.empties <= 14 for board in boards)
    assert all(len(board.legal_moves()) > 1 for board in boards)
    assert boards == half_random(5, (12, 14), "reversed")
    assert measured_agent(all_terms=True).stability == (5, 5, 5)
