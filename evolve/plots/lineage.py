"""The ancestors of an individual as a picture, and how the operators fared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from evolve.plots.figure import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    legend_below,
    picture,
    whole_numbers,
)

if TYPE_CHECKING:
    from evolve.evolution.lineage import Lineage

_COLOURS: Final = (BLUE, ORANGE, GREEN, PURPLE, GREY)
_NAMED: Final = 60
"""Most ancestors that have their names beside them."""
_SPAN: Final = 5
"""Number of generations that a share of survivors is the mean over."""


def plot_lineage(lineage: Lineage, individual: str, output: Path) -> None:
    """Draw the ancestors of an individual, and how many of each operator's offspring survive.

    Ancestors stand above, over the generations; below them is the share of each operator's
    offspring that survived. RunError if there is no such individual.
    """
    steps = lineage.steps(individual)
    origins = sorted({str(row["origin"]) for row in lineage.births.values()})
    colours = {origin: _COLOURS[place % len(_COLOURS)] for place, origin in enumerate(origins)}
    text = f"{lineage.run.name}: {individual} and its {len(steps) - 1} ancestors"
    with picture(output, text, 11, 9) as figure:
        top, bottom = figure.subplots(2, 1, height_ratios=[2, 1])
        _draw_tree(top, lineage, steps, colours)
        _draw_survival(bottom, lineage, colours)
        for axes in (top, bottom):
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            whole_numbers(axes.xaxis)


def _draw_tree(
    axes: Axes, lineage: Lineage, steps: Mapping[str, int], colours: Mapping[str, str]
) -> None:
    """Draw every ancestor at its birth, better ones higher, with lines to its parents."""
    places = {
        name: (int(lineage.births[name]["born"]), float(lineage.births[name]["score"]))
        for name in steps
    }
    for name, (x, y) in places.items():
        for parent in filter(places.__contains__, lineage.parents(name)):
            there = places[parent]
            axes.plot([x, there[0]], [y, there[1]], color=GREY, linewidth=0.6, zorder=1)
    for origin, colour in colours.items():  # those without ancestors too: the legend serves both
        chosen = [places[name] for name in steps if lineage.births[name]["origin"] == origin]
        xs, ys = [x for x, _ in chosen], [y for _, y in chosen]
        axes.scatter(xs, ys, s=28, color=colour, label=origin, zorder=2)
    if len(steps) <= _NAMED:
        for name, place in places.items():
            axes.annotate(
                name, place, xytext=(4, 4), textcoords="offset points", fontsize=7, parse_math=False
            )
    axes.set_xlabel("generation of birth")
    axes.set_ylabel("score in that generation")
    legend_below(axes, 5)


def _draw_survival(axes: Axes, lineage: Lineage, colours: Mapping[str, str]) -> None:
    frame = lineage.operators()
    frame = frame[frame["survived"].notna()]
    for origin, rows in frame.groupby("origin"):
        counts = rows.set_index("generation")[["born", "survived"]].astype(float)
        counts = counts.reindex(range(lineage.run.generation_count - 1), fill_value=0.0)
        sums = counts.rolling(_SPAN, min_periods=1).sum()
        share = sums["survived"] / sums["born"].where(sums["born"] > 0)
        axes.plot(share.index, share, color=colours[str(origin)], marker=".", label=str(origin))
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("generation")
    axes.set_ylabel(f"offspring that lived on,\nmean of {_SPAN} generations")
