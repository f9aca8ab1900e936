"""An agent as a picture: its weights as boards, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.plots.figure import check_format, title, write_figure

_IN_A_ROW: Final = 3


def plot_agent(agent: AlphaBetaAgent, output: Path) -> None:
    """Draw every phase of `agent` into a PNG, SVG or PDF file."""
    check_format(output)
    columns = min(agent.phases, _IN_A_ROW)
    rows = -(-agent.phases // columns)
    figure = Figure(figsize=(1.2 + 3.4 * columns, 0.6 + 3.8 * rows), layout="constrained")
    title(
        figure,
        f"{agent.name}: {agent.rules or 'any rules'}, exact from {agent.endgame} empties",
    )
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[agent.phases :]:
        unused.set_axis_off()
    image = draw_boards(axes[: agent.phases], agent)
    for phase, one in enumerate(axes[: agent.phases]):
        terms = [f"{name} {agent.terms[name][phase]}" for name in agent.told_terms]
        lines = [", ".join(terms[i : i + 2]) for i in range(0, len(terms), 2)]
        one.set_xlabel("\n".join(lines), fontsize=7)
    figure.colorbar(image, ax=axes, shrink=0.8 / rows, label="weight of a square")
    write_figure(figure, output)


def draw_boards(axes: Sequence[Axes], agent: AlphaBetaAgent) -> Any:
    """Draw the weights of an agent's first phases as boards, on one scale of colours."""
    largest = max(1, max(abs(weight) for table in agent.weights for weight in table))
    spans = pairwise([4, *agent.boundaries, 65])
    image = None
    for phase, (one, (first, after)) in enumerate(zip(axes, spans, strict=False)):
        board = np.array(agent.weights[phase])[CLASS_OF_SQUARE].reshape(8, 8)
        image = one.imshow(board, cmap="RdBu", vmin=-largest, vmax=largest)
        for y in range(8):
            for x in range(8):
                colour = "white" if abs(board[y, x]) > 0.6 * largest else "black"
                one.text(x, y, board[y, x], ha="center", va="center", fontsize=6, color=colour)
        one.set_xticks(range(8), list("abcdefgh"))
        one.set_yticks(range(8), list("12345678"))
        one.tick_params(length=0, labelsize=7)
        one.set_title(f"{first}–{after - 1} discs, depth {agent.depths[phase]}", fontsize=9)
    return image
