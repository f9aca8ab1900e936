"""Pictures of agents: every phase is a board of its weights, on one scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

import evolve
from evolve.errors import RunError
from evolve.plots.agent import draw_boards, plot_agent
from tests import reference
from tests.plots import written_in


def agent_of(phases: int) -> evolve.AlphaBetaAgent:
    return evolve.AlphaBetaAgent(
        weights=[[100 * (phase + 1) + place for place in range(10)] for phase in range(phases)],
        mobility=list(range(phases)),
        depths=[1 + phase % 4 for phase in range(phases)],
        boundaries=[10 + 3 * phase for phase in range(phases - 1)],
        endgame=6,
        name="drawn",
    )


@pytest.mark.parametrize("phases", [1, 3])
def test_each_square_has_its_weight_and_each_board_its_span(phases: int) -> None:
    agent = agent_of(phases)
    axes = Figure().subplots(1, phases, squeeze=False)[0].tolist()
    draw_boards(axes, agent)
    for phase, one in enumerate(axes):
        shown = {(text.get_position(), text.get_text()) for text in one.texts}
        assert shown == {
            ((square % 8, square // 8), str(agent.weights[phase][reference.CLASS_OF[square]]))
            for square in range(64)
        }
        first = 4 if phase == 0 else agent.boundaries[phase - 1]
        last = 64 if phase == phases - 1 else agent.boundaries[phase] - 1
        assert one.get_title() == f"{first}–{last} discs, depth {agent.depths[phase]}"
        assert one.images[0].get_clim() == (-(100 * phases + 9), 100 * phases + 9)


@pytest.mark.parametrize("phases", [1, 2])
def test_the_file_names_terms_and_all_phases(phases: int, tmp_path: Path) -> None:
    plot_agent(agent_of(phases), tmp_path / "agent.svg")
    texts = written_in(tmp_path / "agent.svg")
    assert "drawn: any rules, exact from 6 empties" in texts
    assert sum(" discs, depth " in text for text in texts) == phases
    assert sum(text.startswith("mobility ") for text in texts) == phases


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"\.png \.svg \.pdf"):
        plot_agent(agent_of(1), tmp_path / "agent.gif")
    assert list(tmp_path.iterdir()) == []
