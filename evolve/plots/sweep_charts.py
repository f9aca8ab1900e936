"""A sweep as a picture: the trials' scores, and the trials over each setting."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from evolve.config.ranges import to_unit, value_at
from evolve.errors import RunError
from evolve.fitness.statistics import Z95
from evolve.number_text import whole
from evolve.plots.figure import (
    BLUE,
    DIVERGING,
    GREEN,
    GREY,
    ORANGE,
    Look,
    Picture,
    legend_below,
    picture,
    run_title,
    short,
)
from evolve.runs.run import Run
from evolve.sweeps.scatter import Scatter, Setting, scatter_of

_STEPS: Final = (1, 2, 5, 10)
"""Steps between ticks, times a power of ten."""


def plot_sweep(run: Run, look: Look) -> Picture:
    """Draw a sweep; raises RunError when no trial is complete."""
    trials, config = run.trials, run.config
    if not (trials["state"] == "COMPLETE").any():
        raise RunError(f"{run.path} has no finished trial to draw yet")
    scatter = scatter_of(run.path)
    settings = scatter.settings[:24]
    columns = max(1, min(4, len(settings)))
    rows = -(-len(settings) // columns)
    text = run_title(run, run.command, config.get("rules"), config.get("sampler"))
    with picture(look, text, (12.0, 4.2 + 2.4 * rows)) as figure:
        grid = figure.add_gridspec(1 + rows, columns, height_ratios=[1.6] + [1.0] * rows)
        judges = "the panel" if config.get("objective", "panel") == "panel" else "the defaults"
        top = figure.add_subplot(grid[0, :])
        _draw_history(top, trials, judges)
        if settings:
            top.set_title(_about(scatter, len(settings)), loc="right", fontsize="small", color=GREY)
        for index, setting in enumerate(settings):
            axes = figure.add_subplot(grid[1 + index // columns, index % columns])
            _draw_setting(axes, scatter, setting)
            if index % columns == 0:
                axes.set_ylabel("score")
    return figure


def _about(scatter: Scatter, shown: int) -> str:
    """What the trials over each setting are, in lines."""
    marks = "star: the best" + ", diamond: the defaults" * (scatter.defaults is not None)
    cut = f"{shown} of {len(scatter.settings)} settings; the table has all"
    more = [cut] * (shown < len(scatter.settings)) + [scatter.note] * bool(scatter.note)
    return "\n".join([f"below: the trials over each setting, blue above the mean; {marks}", *more])


def _draw_history(axes: Axes, trials: pd.DataFrame, judges: str = "the panel") -> None:
    """Draw the trials' scores against the judges in order, and the best so far."""
    for state, colour, label in (("PRUNED", GREY, "pruned"), ("COMPLETE", BLUE, "finished")):
        part = trials[trials["state"] == state]
        if part.empty:
            continue
        error = Z95 * part["score_error"] if state == "COMPLETE" else None
        axes.errorbar(
            part["number"], part["score"], error, fmt="o", ms=3, lw=0.8, color=colour, label=label
        )
    complete = trials[trials["state"] == "COMPLETE"]
    axes.step(
        complete["number"], complete["score"].cummax(), where="post", color=GREEN, label="best"
    )
    defaults = complete[complete["origin"] == "defaults"]
    if len(defaults):
        axes.axhline(float(defaults["score"].iloc[0]), color=ORANGE, lw=1, label="defaults")
    axes.set_title(f"score against {judges}, 95 %", loc="left", fontsize="medium")
    axes.set(xlabel="trial", ylabel="score")
    axes.xaxis.set_major_locator(MaxNLocator(steps=_STEPS, integer=True))
    legend_below(axes, 4)


def _draw_setting(axes: Axes, scatter: Scatter, setting: Setting) -> None:
    """Draw the trials over a setting, coloured as on the page, with the best and the defaults."""
    places, scores = np.array(setting.places), np.array(scatter.scores)
    axes.scatter(
        places, scores, c=scatter.colours, cmap=DIVERGING, vmin=-1, vmax=1, s=18, lw=0.4, ec=GREY
    )
    edge: dict[str, Any] = {"mec": "black", "mew": 0.8, "ls": "none", "zorder": 3}
    for at, marker, size, colour in (
        (scatter.defaults, "D", 7, ORANGE),
        (scatter.winner, "*", 13, "#ffd21f"),
    ):
        if at is not None:
            axes.plot(places[at], scores[at], marker, ms=size, color=colour, **edge)
    if setting.choices:
        ticks = np.linspace(0.0, 1.0, len(setting.choices))
        texts = [short(choice, 14) for choice in setting.choices]
    else:
        if setting.log:
            values = [float(f"{value_at(share, setting):.2g}") for share in (0.0, 0.5, 1.0)]
        else:
            found = MaxNLocator(4, steps=_STEPS).tick_values(setting.low, setting.high)
            values = [round(value, 9) for value in found if setting.low <= value <= setting.high]
        ticks = np.array([to_unit(value, setting) for value in values])
        texts = [whole(value) if abs(value) >= 1000 else f"{value:.3g}" for value in values]
        texts = [text.replace("-", "−") for text in texts]
    lean: dict[str, Any] = {"rotation": 30, "ha": "right"} if len(setting.choices) > 3 else {}
    axes.set_xticks(ticks, texts, fontsize="small", parse_math=False, **lean)
    axes.set_xlabel(short(setting.name, 28), parse_math=False)
    axes.margins(0.06)
