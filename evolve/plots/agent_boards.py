"""Agents as pictures: boards of weights, phase by phase; of patterns, what a disc is worth.

Patterns have curves as well: how the worth of a disc changes in the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.patterns.patterns import DISC, Patterns
from evolve.engine.search.evaluation import CLASS_NAMES, CLASS_OF_SQUARE
from evolve.plots.figure import (
    BLUE,
    DIVERGING,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    Look,
    Picture,
    picture,
)

_POSITIONS: Final = 200  # number of positions of random games that give a phase's values
_VALUE: Final = "own disc against the other side's,\ndiscs at the end"
_CURVES: Final = {
    "corner (a1)": (("a1",), BLUE, "-"),
    "edge (c1, d1)": (("c1", "d1"), GREEN, "-"),
    "centre (d4)": (("d4",), GREY, ":"),
    "C square (b1)": (("b1",), PURPLE, "-"),
    "X square (b2)": (("b2",), ORANGE, "-"),
}
"""Kinds of squares that have a curve: their classes, its colour and style."""


def plot_agent(agent: AlphaBetaAgent, look: Look) -> Picture:
    """Draw every phase of `agent`: its weights as boards, its terms below them."""
    rows, columns = _grid(agent.phases)
    text = f"{agent.name}: {agent.rules or 'any rules'}, exact from {agent.endgame} empties"
    with picture(look, text, (1.2 + 3.4 * columns, 0.6 + 3.8 * rows)) as figure:
        axes = _axes(figure, agent.phases)
        image = draw_weights(axes, agent)
        for phase, board_axes in enumerate(axes):
            terms = [f"{name} {agent.terms[name][phase]}" for name in agent.named_terms]
            lines = [", ".join(terms[i : i + 2]) for i in range(0, len(terms), 2)]
            board_axes.set_xlabel("\n".join(lines), fontsize="x-small")
        figure.colorbar(image, ax=figure.axes, shrink=0.8 / rows, label="weight of a square")
    return figure


def draw_weights(axes: Sequence[Axes], agent: AlphaBetaAgent) -> Any:
    """Draw the weights of an agent's first phases as boards, on one scale of colours."""
    starts = [4, *agent.boundaries, 65]
    image = _draw_boards(axes, np.array(agent.weights)[:, CLASS_OF_SQUARE], starts)
    for board_axes, depth in zip(axes, agent.depths, strict=False):
        board_axes.set_title(f"{board_axes.get_title()}, depth {depth}", fontsize="medium")
    return image


def plot_patterns(agent: PatternAgent, look: Look) -> Picture:
    """Draw the values of discs: as boards, and as curves below them."""
    rows, columns = _grid(len(agent.patterns.tables))
    heights = (3.6 * rows, 3.4)
    text = f"{agent.name}: {agent.rules or 'any rules'}, depth {agent.depth}"
    # The curves and their legend need 6.5 inches of width.
    size = max(6.5, 1.4 + 3.4 * columns), 0.6 + sum(heights)
    with picture(look, text, size) as figure:
        values = values_of_discs(agent.patterns)
        starts = [4, *agent.patterns.boundaries, 65]
        # Two subfigures: in one figure, the legend of the curves would take room from the boards.
        grid = figure.add_gridspec(2, 1, height_ratios=heights)
        above, below = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
        image = _draw_boards(_axes(above, len(values)), values, starts, "z.1f")
        above.colorbar(image, ax=above.axes, shrink=0.8 / rows, label=_VALUE)
        _draw_curves(below.subplots(), values, starts)
    return figure


def _grid(boards: int) -> tuple[int, int]:
    columns = min(boards, 3)
    return -(-boards // columns), columns


def _axes(figure: Figure | SubFigure, boards: int) -> list[Axes]:
    axes: list[Axes] = figure.subplots(*_grid(boards), squeeze=False).ravel().tolist()
    for unused in axes[boards:]:
        unused.set_axis_off()
    return axes[:boards]


def _draw_boards(
    axes: Sequence[Axes], boards: npt.NDArray[Any], starts: Sequence[int], form: str = "d"
) -> Any:
    """Draw the numbers of boards [phases, 64] on one scale of colours, as many as there are axes.

    starts: discs at which each phase begins, and those after the last; form: of the numbers. NaN is
    left out. Returns an image for a colour bar.
    """
    largest = float(np.nanmax(np.abs(boards))) or 1.0
    limit = 1.1 * largest  # half a step beyond the last colour's middle
    image: Any = None
    for board_axes, numbers, (first, after) in zip(axes, boards, pairwise(starts), strict=False):
        cells = numbers.reshape(8, 8)
        image = board_axes.imshow(cells, cmap=DIVERGING, vmin=-limit, vmax=limit)
        figure = board_axes.get_figure(root=True)
        assert figure is not None
        square = 9.0 * figure.get_size_inches()[0] * board_axes.get_position().width
        for (y, x), number in np.ndenumerate(cells):
            if not np.isnan(number):
                colour = "white" if abs(number) > 0.7 * largest else INK
                text = f"{number:{form}}".replace("-", "−")
                size = min(6.0, square / 3)
                board_axes.text(x, y, text, ha="center", va="center", fontsize=size, color=colour)
        board_axes.set_xticks(range(8), list("abcdefgh"))
        board_axes.set_yticks(range(8), list("12345678"))
        board_axes.tick_params(length=0, labelsize=min(7.0, square / 2.5))
        board_axes.spines[:].set_visible(False)
        board_axes.set_title(f"{first}–{after - 1} discs", fontsize="medium")
    return image


def values_of_discs(patterns: Patterns) -> npt.NDArray[np.float64]:
    """What a disc is worth by phase and square, [phases, 64], in discs at the end.

    It is the mean difference of the forecast between an own disc on the square and one of the other
    side; NaN where no position had a disc.
    """
    starts, rng = [4, *patterns.boundaries, 65], np.random.default_rng(0)
    values = np.full((len(starts) - 1, 64), np.nan)
    for phase, (first, after) in enumerate(pairwise(starts)):
        sums, counts = np.zeros(64), np.zeros(64)
        for _ in range(_POSITIONS):
            board = _random_position(int(rng.integers(first, after)), rng)
            for square in range(64):
                bit = 1 << square
                if (board.own | board.opp) & bit:
                    with_own = Board(board.own | bit, board.opp & ~bit)
                    with_opp = Board(board.own & ~bit, board.opp | bit)
                    sums[square] += (patterns.value(with_own) - patterns.value(with_opp)) / DISC
                    counts[square] += 1
        # Squares that are alike under the board's symmetries have one value.
        total, number = (np.bincount(CLASS_OF_SQUARE, each) for each in (sums, counts))
        values[phase] = (total / np.where(number > 0, number, np.nan))[CLASS_OF_SQUARE]
    return values


def _draw_curves(axes: Axes, values: npt.NDArray[np.float64], starts: Sequence[int]) -> None:
    """Draw the mean value of a disc on each kind of square over the game, a step for each phase."""
    edges = np.array(starts) - 0.5
    for label, (names, colour, style) in _CURVES.items():
        squares = np.isin(CLASS_OF_SQUARE, [CLASS_NAMES.index(name) for name in names])
        curve = np.ma.masked_invalid(values[:, squares]).mean(axis=1).filled(np.nan)
        axes.stairs(curve, edges, baseline=None, color=colour, ls=style, lw=1.8, label=label)
    axes.axhline(0.0, color=GREY, lw=0.5)
    axes.set(
        title="what a disc is worth, by kind of square", xlabel="discs on the board", ylabel=_VALUE
    )
    axes.set_xlim(edges[0], edges[-1])
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")


def _random_position(discs: int, rng: np.random.Generator) -> Board:
    """A position of a random game with `discs` discs, or its last one if it ends before that."""
    board = Board.start()
    while not board.is_over() and 64 - board.empties < discs:
        moves = board.legal_moves()
        board = board.play(moves[rng.integers(len(moves))]) if moves else board.pass_move()
    return board
