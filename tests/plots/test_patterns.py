"""The picture of an agent with patterns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.agents.patterns import PatternAgent
from evolve.engine.patterns import DISC, Patterns
from evolve.engine.shapes import ShapeSet, parse_shapes
from evolve.plots.patterns import curves_of, plot_patterns, values_of_discs
from tests.plots import written_in


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


def test_curves_are_means_over_squares_of_a_kind() -> None:
    values = np.zeros((3, 64))
    values[:, [0, 7, 56, 63]] = 12.0  # a1 and its like
    values[:, 2], values[:, 3] = 4.0, 8.0  # c1, d1: two of the edges' sixteen
    values[1] = np.nan
    values[2, 1] = np.nan  # b1: others of its like have a value
    curves = curves_of(values)
    assert curves["corner (a1)"].tolist()[::2] == [12.0, 12.0]
    assert curves["edge (c1, d1)"].tolist()[::2] == [0.75, 0.75]
    assert curves["C square (b1)"][2] == 0.0
    assert all(np.isnan(curve[1]) for curve in curves.values())


def test_a_picture_of_few_and_of_many_phases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.plots.patterns._POSITIONS", 5)  # enough for a picture
    for boundaries in ((), tuple(range(10, 65, 10))):
        agent = PatternAgent(patterns_of(1, boundaries))
        plot_patterns(agent, tmp_path / "discs.svg")
        svg = (tmp_path / "discs.svg").read_text(encoding="utf-8")
        assert svg.count("<image") >= len(boundaries) + 1
        texts = set(written_in(tmp_path / "discs.svg"))
        assert {"corner (a1)", "X square (b2)", "C square (b1)", "centre (d4)"} <= texts
        assert {"edge (c1, d1)", "discs on the board"} <= texts
