"""The landscape of a sweep as two pictures: the expected score, and how uncertain it is."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolve.plots.figure import DIVERGING, GREY, INK, ORANGE, short
from evolve.sweeps.landscape import Axis, Landscape

SIZE: Final = (60, 40)
"""Places across and up."""
_TICKS: Final = 5
_NAME: Final = 28


def draw_landscape(figure: Figure, land: Landscape, left: Axes, right: Axes) -> None:
    """Draw the expected score with the trials, and its standard error.

    Blue is above the mean score of the trials, orange below it, as on the page.
    """
    if land.y is None:
        _draw_curve(land, left)
        right.set_axis_off()
        return
    middle = float(np.mean(land.scores))
    most = float(np.abs(land.mean - middle).max())
    about: dict[str, Any] = {"cmap": DIVERGING, "vmin": middle - most, "vmax": middle + most}
    for axes, values, title, colours in (
        (left, land.mean, "expected score; blue: above the mean of the trials", about),
        (
            right,
            land.error,
            "its standard error: dark where nothing near was tried",
            {"cmap": "Greys"},
        ),
    ):
        image = axes.pcolormesh(land.across, land.up, values, shading="nearest", **colours)
        figure.colorbar(image, ax=axes, pad=0.01)
        axes.set_title(title, fontsize="medium")
        axes.plot(*land.points.T, ".", ms=3, color=INK, alpha=0.6)
        _mark(axes, land, land.best[1], None if land.defaults is None else land.defaults[1])
        _label(axes, land.x, "x")
        _label(axes, land.y, "y")
    if min(land.mean.shape) > 2:
        left.contour(land.across, land.up, land.mean, 6, colors=GREY, linewidths=0.5, alpha=0.6)


def _draw_curve(land: Landscape, axes: Axes) -> None:
    mean, error = land.mean[0], land.error[0]
    axes.fill_between(land.across, mean - 2 * error, mean + 2 * error, alpha=0.15, lw=0)
    axes.plot(land.across, mean)
    axes.plot(land.points[:, 0], land.scores, ".", ms=4, color=GREY)
    axes.set(title="expected score, twice its standard error", ylim=(0, 1))
    default_score = (
        None if land.defaults is None else float(np.interp(land.defaults[0], land.across, mean))
    )
    _mark(axes, land, float(np.interp(land.best[0], land.across, mean)), default_score)
    _label(axes, land.x, "x")


def _mark(axes: Axes, land: Landscape, best: float, default_score: float | None) -> None:
    """Mark the best trial and the defaults, at these heights."""
    edge: dict[str, Any] = {"mec": "black", "mew": 0.8, "ls": "none"}
    if land.defaults is not None and default_score is not None:
        axes.plot(
            land.defaults[0], default_score, "D", ms=7, color=ORANGE, label="defaults", **edge
        )
    axes.plot(land.best[0], best, "*", ms=13, color="#ffd21f", label="best", **edge)
    axes.legend(loc="best", fontsize="small", framealpha=0.7)


def _label(axes: Axes, axis: Axis, which: str) -> None:
    """Label an axis with the values at its places."""
    if axis.choices:
        places = axis.places(1).tolist()
        texts = [short(choice, 14) for choice in axis.choices]
    else:
        places = np.linspace(0.0, 1.0, _TICKS).tolist()
        texts = [f"{axis.value(unit):.4g}" for unit in places]
    getattr(axes, f"set_{which}ticks")(places, texts, fontsize="small", parse_math=False)
    getattr(axes, f"set_{which}label")(short(axis.name, _NAME), parse_math=False)
