"""Pictures of agents: a board for every phase, on one scale; of patterns, curves as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.engine.patterns.patterns import DISC, Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import parse_shapes
from evolve.plots import agent_boards
from evolve.plots.figure import Look
from tests import reference
from tests.plots import written_in


def agent_of(phases: int) -> evolve.AlphaBetaAgent:
    weights = [[100 * (phase + 1) + place for place in range(10)] for phase in range(phases)]
    depths, boundaries = [1 + phase % 4 for phase in range(phases)], range(10, 7 + 3 * phases, 3)
    return evolve.AlphaBetaAgent(weights, range(phases), depths, boundaries, 6, name="drawn")


@pytest.mark.parametrize("phases", [1, 3])
def test_each_square_has_its_weight_and_each_board_its_span(phases: int) -> None:
    agent = agent_of(phases)
    axes = Figure().subplots(1, phases, squeeze=False)[0].tolist()
    agent_boards.draw_weights(axes, agent)
    for phase, one in enumerate(axes):
        shown = {(text.get_position(), text.get_text()) for text in one.texts}
        assert shown == {
            ((square % 8, square // 8), str(agent.weights[phase][reference.CLASS_OF[square]]))
            for square in range(64)
        }
        first = 4 if phase == 0 else agent.boundaries[phase - 1]
        last = 64 if phase == phases - 1 else agent.boundaries[phase] - 1
        assert one.get_title() == f"{first}–{last} discs, depth {agent.depths[phase]}"
        largest = 100 * phases + 9
        assert one.images[0].get_clim() == pytest.approx((-1.1 * largest, 1.1 * largest))
        # The largest weight has the last colour, and 0 the middle one, as on the page.
        colours = one.images[0].cmap(one.images[0].norm([-largest, -0.09 * largest, 0, largest]))
        assert [to_hex(c) for c in colours] == ["#8e3a00", "#eef1ef", "#eef1ef", "#0b579c"]


def test_the_file_names_terms_and_all_phases(tmp_path: Path) -> None:
    agent_boards.plot_agent(agent_of(2), Look()).save(tmp_path / "agent.svg")
    texts = written_in(tmp_path / "agent.svg")
    assert "drawn: any rules, exact from 6 empties" in texts
    assert sum(" discs, depth " in text for text in texts) == 2
    assert {"mobility 0, stability 0", "mobility 1, stability 0"} <= {*texts}


def patterns_of(own: int, boundaries: tuple[int, ...]) -> Patterns:
    """A disc in a corner is worth `own` discs, every other one nothing."""
    shapes = ShapeSet(parse_shapes(("a1",)))
    table = np.array([-own * DISC, 0, own * DISC], np.int16)
    return Patterns(shapes, boundaries, np.tile(table, (len(boundaries) + 1, 1)))


def test_a_disc_is_worth_what_its_change_of_sides_is() -> None:
    values = agent_boards.values_of_discs(patterns_of(7, (34,))).reshape(-1, 8, 8)
    expected = np.zeros((8, 8))
    expected[np.ix_([0, 7], [0, 7])] = 14.0
    assert (values == expected).all()


def test_curves_are_means_over_squares_of_a_kind() -> None:
    values = np.zeros((3, 64))
    values[:, [0, 7, 56, 63]] = 12.0  # a1 and its like
    values[:, 2], values[:, 3] = 4.0, 8.0  # c1, d1: two of the edges' sixteen
    values[1] = np.nan
    values[2, 1] = np.nan  # b1: others of its like have a value
    axes = Figure().subplots()
    agent_boards._draw_curves(axes, values, [4, 24, 44, 65])
    curves = {step.get_label(): step.get_data().values for step in axes.patches}
    assert curves["corner (a1)"].tolist()[::2] == [12.0, 12.0]
    assert curves["edge (c1, d1)"].tolist()[::2] == [0.75, 0.75]
    assert curves["C square (b1)"][2] == 0.0
    assert all(np.isnan(curve[1]) for curve in curves.values())


@pytest.mark.parametrize("boundaries", [(), tuple(range(10, 65, 10))])
@pytest.mark.slow
def test_a_picture_of_few_and_of_many_phases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boundaries: tuple[int, ...]
) -> None:
    monkeypatch.setattr(agent_boards, "_POSITIONS", 5)  # enough for a picture
    agent = PatternAgent(patterns_of(1, boundaries))
    agent_boards.plot_patterns(agent, Look()).save(tmp_path / "discs.svg")
    svg = (tmp_path / "discs.svg").read_text(encoding="utf-8")
    assert svg.count("<image") >= len(boundaries) + 1
    texts = set(written_in(tmp_path / "discs.svg"))
    assert {"corner (a1)", "X square (b2)", "C square (b1)", "centre (d4)"} <= texts
    assert {"edge (c1, d1)", "discs on the board"} <= texts
