"""The picture of an agent with patterns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.agents.patterns import PatternAgent
from evolve.engine.patterns import DISC, Patterns
from evolve.engine.shapes import ShapeSet, parse_shapes
from evolve.plots.patterns import plot_patterns, values_of_discs


def patterns_of(own: int, boundaries: tuple[int, ...]) -> Patterns:
    """A disc in a corner is worth `own` discs, every other one nothing."""
    shapes = ShapeSet(parse_shapes(("a1",)))
    table = np.array([-own * DISC, 0, own * DISC], np.int16)
    return Patterns(shapes, boundaries, np.tile(table, (len(boundaries) + 1, 1)))


def test_a_disc_is_worth_what_its_change_of_sides_is() -> None:
    values = values_of_discs(patterns_of(7, (34,)), np.random.default_rng(0)).reshape(-1, 8, 8)
    for board in values:
        assert {board[0, 0], board[0, 7], board[7, 0], board[7, 7]} == {14.0}
        board[0, 0] = board[0, 7] = board[7, 0] = board[7, 7] = 0
        assert not board.any()


def test_a_picture_of_few_and_of_many_phases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.plots.patterns._POSITIONS", 3)
    for boundaries in ((), tuple(range(10, 65, 10))):
        agent = PatternAgent(patterns_of(1, boundaries))
        plot_patterns(agent, tmp_path / "discs.svg")
        svg = (tmp_path / "discs.svg").read_text(encoding="utf-8")
        assert svg.count("<image") >= len(boundaries) + 1
