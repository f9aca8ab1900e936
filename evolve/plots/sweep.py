"""A sweep as a picture: the trials' scores, what matters, and slices through the space."""

from __future__ import annotations

import textwrap
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from evolve.errors import RunError
from evolve.fitness.statistics import Z95
from evolve.plots.figure import (
    BLUE,
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
from evolve.plots.landscape import SIZE, draw_landscape
from evolve.runs.run import Run
from evolve.sweeps.landscape import Trials
from evolve.tables.trials import Importances

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
        raise RunError(f"{run.path} has no complete trial to draw yet")
    landscapes = Trials.of(run.path)
    names = landscapes.names
    slices = names[: _SLICES if run.importances.shares else _MORE_SLICES]
    rows = -(-len(slices) // 4)
    text = run_title(run, run.command, config.get("rules"), config.get("sampler"))
    land = landscapes.over(landscapes.pair, SIZE)
    top = 1 if land is None else 2

    def draw(figure: Picture) -> None:
        grid = figure.add_gridspec(top + rows, 4, height_ratios=[1.5] * top + [1.0] * rows)
        if land is not None:
            places = (grid[1, :2], grid[1, 2:])
            draw_landscape(figure, land, *map(figure.add_subplot, places))
        judges = "the panel" if config.get("objective", "panel") == "panel" else "the defaults"
        draw_history(figure.add_subplot(grid[0, :2]), trials, judges)
        _draw_importances(figure.add_subplot(grid[0, 2:]), run.importances)
        for index, name in enumerate(slices):
            axes = figure.add_subplot(grid[top + index // 4, index % 4])
            draw_slice(axes, trials, name)
            if index % 4 == 0:
                axes.set_ylabel("score")

    return picture(look, text, (12.0, 4.2 * top + 2.6 * rows), draw)


def draw_history(axes: Axes, trials: pd.DataFrame, judges: str = "the panel") -> None:
    """Draw the trials' scores against the judges in order, and the best so far."""
    for state, colour, label in (("PRUNED", GREY, "pruned"), ("COMPLETE", BLUE, "complete")):
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


def draw_slice(axes: Axes, trials: pd.DataFrame, name: str) -> None:
    """Draw the trials' scores by the values of one parameter."""
    scored = trials[trials["score"].notna() & trials[name].notna()]
    values = scored[name]
    if values.dtype == bool or not pd.api.types.is_numeric_dtype(values):
        labels = sorted(map(str, values.unique()))
        values = values.map(lambda value: labels.index(str(value)))
        shown = [short(label, _LABEL) for label in labels]
        many = len(labels) > 3
        axes.set_xticks(
            range(len(labels)), shown, fontsize="small", parse_math=False,
            rotation=30 if many else 0, ha="right" if many else "center",
        )  # fmt: skip
        axes.set_xlim(-0.5, len(labels) - 0.5)
    elif len(values) and float(values.min()) > 0 and float(values.max() / values.min()) > 20:
        _logarithmic(axes, float(values.max() / values.min()))
    else:
        whole = pd.api.types.is_integer_dtype(values)
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=_STEPS, integer=whole))
    for state, colour in (("PRUNED", GREY), ("COMPLETE", BLUE)):
        part = scored["state"] == state
        axes.plot(values[part], scored["score"][part], "o", ms=3, color=colour)
    axes.set_title(short(name, _NAME), fontsize="medium", parse_math=False)


def _logarithmic(axes: Axes, ratio: float) -> None:
    """Set a scale with few labels, as plain numbers: matplotlib's overlap within two decades."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if ratio < 50 else (1.0,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", labelsize="small")
