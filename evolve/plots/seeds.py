"""Settings over seeds: the mean curves, and each seed's value beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolve.fitness.statistics import mean_of
from evolve.plots.chart import draw_chart, names_of
from evolve.plots.figure import GREY, INK, SERIES
from evolve.studies.comparison import Group, metric_of
from evolve.studies.course import ENOUGH, Course


def draw_settings(figure: Figure, groups: Sequence[Group], courses: Sequence[Course]) -> None:
    """Draw the mean curve of each setting, and on the right its seeds' values at their end."""
    left, right = figure.subplots(1, 2, width_ratios=(5, 2))
    _draw_values(right, groups)
    draw_chart(left, courses)


def _draw_values(axes: Axes, groups: Sequence[Group]) -> None:
    _, names = names_of([group.name for group in groups])
    metric = ""
    for index, group in enumerate(groups):
        metrics = [metric_of(run, None) for run in group.runs.values()]
        values = [value for _, value in metrics if math.isfinite(value)]
        if not values:
            continue
        metric = metrics[0][0]
        # Side by side, in their order: the picture is the same every time.
        aside = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
        colour = SERIES[index % len(SERIES)]
        axes.plot(index + aside, values, "o", color=colour, ms=4, alpha=0.6, lw=0)
        mean = mean_of(values)
        axes.plot(index, mean.value, "_", color=INK, ms=20, mew=2)
        if len(values) >= ENOUGH:
            axes.plot([index, index], [mean.low, mean.high], color=INK, lw=1.2)
    axes.set_ylabel("champion's Elo" if metric == "elo" else metric.replace("_", " "))
    few = all(len(group.runs) < ENOUGH for group in groups)
    text = "each seed, and the mean" if few else "each seed, and the mean, 95 %"
    axes.set_title(text, fontsize="small", color=GREY, loc="left")
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.set_xticks(
        range(len(groups)), names, rotation=15 if max(map(len, names)) > 8 else 0,
        ha="right" if max(map(len, names)) > 8 else "center", parse_math=False,
    )  # fmt: skip
