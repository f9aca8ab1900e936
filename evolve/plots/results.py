"""Ratings and comparisons as pictures: a point with its interval for each agent or setting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from evolve.plots.chart import names_of
from evolve.plots.figure import (
    GREY,
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

    def draw_settings(axes: Axes) -> None:
        names = [f"{named[row.setting]} (n = {row.seeds})" for row in settings.itertuples()]
        _draw_points(axes, names, settings["mean"], *_interval(settings))
        axes.set_xlabel(f"{metric}: mean over seeds, 95 %")

    drawers, counts = [draw_settings], [len(settings)]
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
