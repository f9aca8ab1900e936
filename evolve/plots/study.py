"""Settings over seeds as a picture: the mean curve of each setting, and each seed's result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from evolve.errors import RunError
from evolve.fitness.statistics import mean_of
from evolve.plots.figure import draw_band, legend_below, picture, short, whole_numbers
from evolve.studies.comparison import Group, figure_of
from evolve.terminal_text import count_of

_LONGEST: Final = 40
"""Most characters of a setting in the legend."""


def plot_groups(groups: Sequence[Group], output: Path) -> None:
    """Draw settings into a PNG, SVG or PDF file.

    On the left is the mean curve of each setting with its 95 % band, as far as all its runs go; on
    the right each seed's figure, and their mean. RunError if there is nothing to draw yet, or the
    settings have different curves.
    """
    found = [(group, curves) for group in groups if (curves := _curves(group)) is not None]
    if not found:
        raise RunError("there is no whole generation, check or trial of all runs to draw yet")
    names = {(curves.x, curves.y) for _, curves in found}
    if len(names) > 1:
        raise RunError(f"these have different curves: {', '.join(y for _, y in sorted(names))}")
    ((x, y),) = names
    labels = [short(group.name, _LONGEST) for group, _ in found]
    with picture(output, " · ".join(group.name for group, _ in found), 11, 4.8) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        figures = []
        for place, (group, curves) in enumerate(found):
            colour = f"C{place % 10}"
            _draw_curve(left, group, curves, colour)
            figures.append(_draw_seeds(right, group, place, colour))
        left.set(xlabel=x, ylabel=y, title="mean over seeds, 95 %")
        whole_numbers(left.xaxis)
        legend_below(left)
        named = next(filter(None, figures), "")
        right.set(title="each seed, and the mean, 95 %", ylabel=named)
        right.set_xlim(-0.6, len(found) - 0.4)
        right.set_xticks(range(len(found)), labels, rotation=15, ha="right")


class _Curves(NamedTuple):
    """The curves of a setting's runs, as far as all of them go.

    x, y: names of the axes; table: a row for each value of x, a column for each run.
    """

    x: str
    y: str
    table: pd.DataFrame


def _curves(group: Group) -> _Curves | None:
    """The curves of a setting's runs; None if a run has nothing yet."""
    found = [run.kind.reading.curve(run) for run in group.runs.values()]
    if not found:
        return None
    table = pd.concat(found, axis=1).dropna()
    x, y = str(found[0].index.name), str(found[0].name)
    return _Curves(x, y, table) if len(table) else None


def _draw_curve(axes: Axes, group: Group, curves: _Curves, colour: str) -> None:
    means = [mean_of(row) for row in curves.table.to_numpy(float).tolist()]
    x = curves.table.index.to_numpy()
    label = f"{short(group.name, _LONGEST)} ({count_of(len(group.runs), 'seed')})"
    axes.plot(x, [one.value for one in means], color=colour, lw=1.8, label=label)
    if len(group.runs) > 1:
        draw_band(axes, x, [one.low for one in means], [one.high for one in means], colour)


def _draw_seeds(axes: Axes, group: Group, place: int, colour: str) -> str | None:
    """Draw the figures of a setting's runs; return their name, None if there is none yet."""
    told = [figure_of(run, None) for run in group.runs.values()]
    values = [value for _, value in told if math.isfinite(value)]
    if not values:
        return None
    # Side by side, in their order: the picture is the same every time.
    aside = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
    axes.plot(place + aside, values, "o", color=colour, ms=4, alpha=0.5, lw=0)
    mean = mean_of(values)
    axes.plot(place, mean.value, "_", color="black", ms=22, mew=2)
    if len(values) > 1:
        axes.plot([place, place], [mean.low, mean.high], color="black", lw=1.5)
    return told[0][0]
