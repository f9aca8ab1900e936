"""Patterns as a picture: what a disc is worth on each square, phase by phase."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from evolve.agents.patterns import PatternAgent
from evolve.engine.board import Board
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.patterns import DISC, Patterns
from evolve.plots.figure import check_format, title, write_figure

_IN_A_ROW: Final = 3
_POSITIONS: Final = 200
"""Positions of random games that a phase's values are taken from."""


def values_of_discs(patterns: Patterns, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """By phase and square, [phases, 64]: by how many discs the forecast differs on average between
    an own disc there and one of the other side; NaN where no position had a disc."""
    starts = [4, *patterns.boundaries, 65]
    values = np.full((len(starts) - 1, 64), np.nan)
    for phase, (first, after) in enumerate(pairwise(starts)):
        sums, counts = np.zeros(64), np.zeros(64)
        for _ in range(_POSITIONS):
            board = _random_position(int(rng.integers(first, after)), rng)
            for square in range(64):
                bit = 1 << square
                if (board.own | board.opp) & bit:
                    mine = Board(board.own | bit, board.opp & ~bit)
                    theirs = Board(board.own & ~bit, board.opp | bit)
                    sums[square] += (patterns.value(mine) - patterns.value(theirs)) / DISC
                    counts[square] += 1
        # Squares that are alike under the board's symmetries have one value.
        total, number = (np.bincount(CLASS_OF_SQUARE, found) for found in (sums, counts))
        values[phase] = (total / np.where(number > 0, number, np.nan))[CLASS_OF_SQUARE]
    return values


def plot_patterns(agent: PatternAgent, output: Path) -> None:
    """Draw the values of discs into a PNG, SVG or PDF file."""
    check_format(output)
    values = values_of_discs(agent.patterns, np.random.default_rng(0))
    phases = len(values)
    columns = min(phases, _IN_A_ROW)
    rows = -(-phases // columns)
    figure = Figure(figsize=(1.2 + 3.4 * columns, 0.6 + 3.6 * rows), layout="constrained")
    title(figure, f"{agent.name}: {agent.rules or 'any rules'}, depth {agent.depth}")
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    largest = float(np.nanmax(np.abs(values)))
    image: Any = None
    spans = pairwise([4, *agent.patterns.boundaries, 65])
    for one, board, (first, after) in zip(axes, values.reshape(-1, 8, 8), spans, strict=False):
        image = one.imshow(board, cmap="RdBu", vmin=-largest, vmax=largest)
        for (y, x), value in np.ndenumerate(board):
            if not np.isnan(value):
                colour = "white" if abs(value) > 0.6 * largest else "black"
                text = f"{value:.1f}"
                one.text(x, y, text, ha="center", va="center", fontsize=6, color=colour)
        one.set_xticks(range(8), list("abcdefgh"))
        one.set_yticks(range(8), list("12345678"))
        one.tick_params(length=0, labelsize=7)
        one.set_title(f"{first}–{after - 1} discs", fontsize=9)
    for unused in axes[phases:]:
        unused.set_axis_off()
    label = "own disc against the other side's, discs of the score"
    figure.colorbar(image, ax=axes, shrink=0.8 / rows, label=label)
    write_figure(figure, output)


def _random_position(discs: int, rng: np.random.Generator) -> Board:
    """A position of a random game with so many discs, or where the game ended before that."""
    board = Board.start()
    while not board.is_over() and 64 - board.empties < discs:
        moves = board.legal_moves()
        board = board.play(int(rng.choice(moves))) if moves else board.pass_move()
    return board
