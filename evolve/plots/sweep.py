"""A sweep as a picture: the trials' scores, what matters, and slices through the space."""

from __future__ import annotations

import textwrap
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from evolve.config.ranges import value_at
from evolve.errors import RunError
from evolve.fitness.statistics import Z95
from evolve.plots.figure import (
    BLUE,
    DIVERGING,
    GREEN,
    GREY,
    INK,
    ORANGE,
    Look,
    Picture,
    legend_below,
    picture,
    run_title,
    short,
)
from evolve.runs.run import Run
from evolve.sweeps.landscape import Axis, Landscape, Trials
from evolve.tables.trials import Importances

_SIZE: Final = (60, 40)
"""Places of a landscape: across and up."""
_TICKS: Final = 5
_SLICES: Final = 8
"""Number of parameters drawn one by one: those that matter most."""
_MORE_SLICES: Final = 24
"""Number of parameters drawn one by one where it is not known which matter."""
_SHOWN: Final = 16
_STEPS: Final = (1, 2, 5, 10)
"""Steps between ticks, times a power of ten."""
_LABEL: Final = 14
_NAME: Final = 28
"""Characters of a choice's label, and of a parameter's name."""


def plot_sweep(run: Run, look: Look) -> Picture:
    """Draw a sweep; raises RunError when no trial is complete."""
    trials, config = run.trials, run.config
    complete = trials[trials["state"] == "COMPLETE"]
    if complete.empty:
        raise RunError(f"{run.path} has no finished trial to draw yet")
    landscapes = Trials.of(run.path)
    names = landscapes.names
    names = names[: _SLICES if run.importances.shares else _MORE_SLICES]
    slices = [land for name in names if (land := landscapes.over([name], _SIZE)) is not None]
    rows = -(-len(slices) // 4)
    text = run_title(run, run.command, config.get("rules"), config.get("sampler"))
    land = landscapes.over(landscapes.pair, _SIZE)
    top = 1 if land is None else 2
    with picture(look, text, (12.0, 4.2 * top + 2.6 * rows)) as figure:
        grid = figure.add_gridspec(top + rows, 4, height_ratios=[1.5] * top + [1.0] * rows)
        if land is not None:
            places = (grid[1, :2], grid[1, 2:])
            _draw_landscape(figure, land, *map(figure.add_subplot, places))
        judges = "the panel" if config.get("objective", "panel") == "panel" else "the defaults"
        _draw_history(figure.add_subplot(grid[0, :2]), trials, judges)
        _draw_importances(figure.add_subplot(grid[0, 2:]), run.importances)
        for index, piece in enumerate(slices):
            axes = figure.add_subplot(grid[top + index // 4, index % 4])
            _draw_slice(axes, piece)
            if index % 4 == 0:
                axes.set_ylabel("score")
    return figure


def _draw_history(axes: Axes, trials: pd.DataFrame, judges: str = "the panel") -> None:
    """Draw the trials' scores against the judges in order, and the best so far."""
    for state, colour, label in (("PRUNED", GREY, "pruned"), ("COMPLETE", BLUE, "finished")):
        part = trials[trials["state"] == state]
        if part.empty:
            continue
        axes.errorbar(
            part["number"],
            part["score"],
            yerr=Z95 * part["score_error"] if state == "COMPLETE" else None,
            fmt="o",
            ms=3,
            lw=0.8,
            color=colour,
            label=label,
        )
    complete = trials[trials["state"] == "COMPLETE"]
    axes.step(
        complete["number"], complete["score"].cummax(), where="post", color=GREEN, label="best"
    )
    defaults = complete[complete["origin"] == "defaults"]
    if len(defaults):
        axes.axhline(float(defaults["score"].iloc[0]), color=ORANGE, lw=1, label="defaults")
    title = f"score against {judges}, 95 % of its games"
    axes.set(title=title, xlabel="number", ylabel="score")
    axes.xaxis.set_major_locator(MaxNLocator(steps=_STEPS, integer=True))
    legend_below(axes, 4)


def _draw_importances(axes: Axes, importances: Importances) -> None:
    if not importances.shares:
        axes.set_axis_off()
        axes.text(0.5, 0.5, textwrap.fill(importances.reason, 60), ha="center", color=GREY)
        return
    names = list(importances.shares)[:_SHOWN][::-1]
    places = range(len(names))
    bars = axes.barh(places, [importances.shares[name] for name in names], color=BLUE)
    axes.bar_label(bars, [f"p {importances.p[name]:.3f}" for name in names], fontsize="x-small")
    axes.set_yticks(places, [short(name, _NAME) for name in names], parse_math=False)
    axes.set(title="importance for a good score, p by permutation (PED-ANOVA)", xlabel="share")
    axes.tick_params(axis="y", labelsize="small")
    axes.margins(x=0.1)


def _draw_landscape(figure: Figure, land: Landscape, left: Axes, right: Axes) -> None:
    """Draw the expected score with the trials, and its standard error, coloured as on the page."""
    if land.y is None:
        _draw_slice(left, land)
        left.set_title("expected score, twice its standard error", fontsize="medium")
        left.legend(loc="best", fontsize="small", framealpha=0.7)
        right.set_axis_off()
        return
    middle = float(np.mean(land.scores))
    most = float(np.abs(land.mean - middle).max())
    about: dict[str, Any] = {"cmap": DIVERGING, "vmin": middle - most, "vmax": middle + most}
    grey = {"cmap": "Greys"}
    for axes, values, title, colours in (
        (left, land.mean, "expected score; blue: above the mean of the trials", about),
        (right, land.error, "its standard error: dark where nothing near was tried", grey),
    ):
        image = axes.pcolormesh(land.across, land.up, values, shading="nearest", **colours)
        bar = figure.colorbar(image, ax=axes, pad=0.01)
        if np.ptp(values):  # not the colours that are symmetrical about the mean: a score ends at 1
            bar.ax.set_ylim(values.min(), values.max())
        axes.set_title(title, fontsize="medium")
        axes.plot(*land.points.T, ".", ms=3, color=INK, alpha=0.6)
        _mark(axes, land)
        axes.legend(loc="best", fontsize="small", framealpha=0.7)
        _label_axis(axes, land.x, "x")
        _label_axis(axes, land.y, "y")
    if min(land.mean.shape) > 2:
        left.contour(land.across, land.up, land.mean, 6, colors=GREY, linewidths=0.5, alpha=0.6)


def _draw_slice(axes: Axes, land: Landscape) -> None:
    """Draw the expected score over one parameter, twice its standard error, and the trials."""
    mean, error = land.mean[0], land.error[0]
    axes.fill_between(land.across, mean - 2 * error, mean + 2 * error, alpha=0.15, lw=0)
    axes.plot(land.across, mean)
    axes.plot(land.points[:, 0], land.scores, ".", ms=4, color=GREY)
    _mark(axes, land)
    _label_axis(axes, land.x, "x")


def _mark(axes: Axes, land: Landscape) -> None:
    """Mark the best trial and the defaults; on a curve, at its height."""
    edge: dict[str, Any] = {"mec": "black", "mew": 0.8, "ls": "none"}
    for point, marker, size, colour, label in (
        (land.defaults, "D", 7, ORANGE, "defaults"),
        (land.best, "*", 13, "#ffd21f", "best"),
    ):
        if point is not None:
            y = np.interp(point[0], land.across, land.mean[0]) if land.y is None else point[1]
            axes.plot(point[0], y, marker, ms=size, color=colour, label=label, **edge)


def _label_axis(axes: Axes, axis: Axis, which: str) -> None:
    """Label an axis with the values at its places."""
    if axis.choices:
        places, texts = axis.places(1), [short(choice, _LABEL) for choice in axis.choices]
    else:
        values = [value_at(unit, axis) for unit in np.linspace(0.0, 1.0, _TICKS)]
        if not axis.log:
            ticks = MaxNLocator(_TICKS - 1, steps=_STEPS).tick_values(axis.low, axis.high)
            values = [round(tick, 9) for tick in ticks if axis.low <= tick <= axis.high]
        places = np.array([axis.unit(value) for value in values])
        texts = [f"{value:.{2 if axis.log else 4}g}" for value in values]
    lean: dict[str, Any] = {"rotation": 30, "ha": "right"} if len(axis.choices) > 3 else {}
    lean = lean if which == "x" else {}
    getattr(axes, f"set_{which}ticks")(places, texts, fontsize="small", parse_math=False, **lean)
    getattr(axes, f"set_{which}label")(short(axis.name, _NAME), parse_math=False)
