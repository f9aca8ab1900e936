"""Results as pictures: a point with its interval for each agent or setting, and each seed's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolve.fitness.statistics import mean_of
from evolve.plots.chart import draw_chart, names_of
from evolve.plots.figure import (
    GREY,
    INK,
    LINE,
    SERIES,
    Picture,
    check_format,
    drawn_on,
    finished,
    look_of,
    picture,
    short,
)
from evolve.studies.comparison import Group, metric_of
from evolve.studies.course import ENOUGH, Course

_LONGEST: Final = 40
_LINE: Final = 0.32
"""Inches of height for each point."""


def plot_rating(table: Any, **options: Any) -> Picture | Axes | Path:
    """Draw the Elo of each agent with its 95 % interval, the strongest on top."""
    rows = table.tables["agents"]

    def draw(axes: Axes) -> None:
        _draw_points(axes, rows["agent"], rows["elo"], rows["elo_low"], rows["elo_high"])
        axes.set_xlabel("Elo, with 95 % intervals")

    return _made([draw], [len(rows)], "rating", **options)


def plot_comparison(table: Any, **options: Any) -> Picture | Axes | Path:
    """Draw the mean of each setting with its interval, and the differences between them.

    Your own axes have the settings alone.
    """
    settings = table.tables["settings"]
    metric = str(settings["metric"].iloc[0]).replace("_", " ").replace("elo", "Elo")
    key, short_names = names_of(settings["setting"].tolist())
    named = dict(zip(settings["setting"], short_names, strict=True))

    def draw_means(axes: Axes) -> None:
        names = [f"{named[row.setting]} (n = {row.seeds})" for row in settings.itertuples()]
        _draw_points(axes, names, settings["mean"], *_interval(settings))
        axes.set_xlabel(f"{metric}: mean over seeds, 95 %")

    drawers, counts = [draw_means], [len(settings)]
    if "differences" in table.tables:
        pairs = table.tables["differences"]

        def draw_differences(axes: Axes) -> None:
            names = [f"{named[row.setting]} − {named[row.against]}" for row in pairs.itertuples()]
            _draw_points(axes, names, pairs["mean"], *_interval(pairs))
            axes.axvline(0.0, color=GREY, lw=0.8, zorder=1)
            axes.set_xlabel(f"{metric}: difference, seed by seed, 95 %")

        drawers.append(draw_differences)
        counts.append(len(pairs))
    return _made(drawers, counts, f"comparison of {key}" if key else "comparison", **options)


def _interval(frame: pd.DataFrame) -> list[pd.Series[float]]:
    """The ends of the intervals; a single seed has none."""
    none = pd.Series(np.nan, index=frame.index)
    return [frame.get(name, none) for name in ("low", "high")]


def _made(
    drawers: Sequence[Any],
    counts: Sequence[int],
    text: str,
    *,
    output: str | Path | None = None,
    ax: Axes | None = None,
    size: str | Sequence[float] | None = None,
    style: str = "screen",
    title: str | None = None,
) -> Picture | Axes | Path:
    """Draw into your own axes the first of these, else all of them above one another."""
    if output is not None:
        check_format(output)
    look = look_of(style, size, title)
    if ax is not None:
        return drawn_on(ax, drawers[0], title, output, size)

    def draw(figure: Picture) -> None:
        axes = figure.subplots(len(drawers), 1, height_ratios=counts, squeeze=False)
        for draw_one, part in zip(drawers, axes.ravel().tolist(), strict=True):
            draw_one(part)

    height = 0.4 + sum(0.8 + _LINE * count for count in counts)
    return finished(picture(look, text, (look.style.size[0] * 0.85, height), draw), output)


def _draw_points(axes: Axes, names: Any, values: Any, low: Any, high: Any) -> None:
    """Draw a line for each name, from the top: its value and the interval around it."""
    places = -np.arange(len(values))
    value, least, most = (np.asarray(part, np.float64) for part in (values, low, high))
    axes.hlines(places, least, most, color=SERIES[0], lw=1.6, zorder=2)
    axes.plot(value, places, "o", color=SERIES[0], ms=5, zorder=3)
    axes.set_yticks(places, [short(str(name), _LONGEST) for name in names], parse_math=False)
    axes.set_ylim(-len(value) + 0.4, 0.6)
    axes.grid(axis="x", color=LINE, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def draw_settings(figure: Figure, groups: Sequence[Group], courses: Sequence[Course]) -> None:
    """Draw the mean curve of each setting, and on the right its seeds' values at their end."""
    left, right = figure.subplots(1, 2, width_ratios=(5, 2))
    _draw_seeds(right, groups)
    draw_chart(left, courses)


def _draw_seeds(axes: Axes, groups: Sequence[Group]) -> None:
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
