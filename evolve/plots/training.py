"""A training as a picture: scores against the panel or Elo on the ladder, and the loss."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from evolve.errors import RunError
from evolve.plots.figure import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    draw_band,
    legend_below,
    picture,
    run_title,
)
from evolve.runs.run import Run

_SCORES = {"random": GREY, "depth_1": ORANGE, "depth_2": BLUE}


def plot_training(run: Run, output: Path) -> None:
    """Draw a training into a PNG, SVG or PDF file; raises RunError when there is nothing yet."""
    if run.metrics.empty:
        raise RunError(f"{run.path} has no check to draw yet")
    text = run_title(run, run.command, run.config.get("rules"), run.config.get("preset"))
    with picture(output, text, 11, 4.2) as figure:
        left, right = figure.subplots(1, 2)
        if run.metrics["elo"].notna().any():
            _draw_elo(left, run)
        else:
            _draw_scores(left, run)
        _draw_loss(right, run)


def _draw_scores(axes: Axes, run: Run) -> None:
    frame = run.metrics
    for key, colour in _SCORES.items():
        axes.plot(frame["games"], frame[key], color=colour, lw=1.5, marker=".", label=key)
        draw_band(axes, frame["games"], frame[f"{key}_low"], frame[f"{key}_high"], colour)
    axes.axhline(0.5, color=GREY, lw=0.5)
    axes.set(title="score against the panel, 95 %", xlabel="games", ylabel="score")
    axes.set_ylim(0, 1.02)
    legend_below(axes, 3)


def _draw_elo(axes: Axes, run: Run) -> None:
    frame = run.metrics
    axes.plot(frame["games"], frame["elo"], color=BLUE, lw=1.5, marker=".")
    draw_band(axes, frame["games"], frame["elo_low"], frame["elo_high"], BLUE)
    axes.set(title="Elo on the ladder, 95 %", xlabel="games", ylabel="Elo")


def _draw_loss(axes: Axes, run: Run) -> None:
    frame = run.metrics
    axes.plot(frame["games"], frame["loss"], color=GREEN, lw=1.5, marker=".", label="loss")
    axes.set(title="mean loss since the last check", xlabel="games", ylabel="loss")
    axes.set_ylim(bottom=0)
    if frame["visited"].notna().any():
        shares = axes.twinx()
        shares.plot(frame["games"], frame["visited"], color=GREY, lw=1, marker=".", label="visited")
        shares.set_ylabel("share of weights visited")
        shares.set_ylim(0, 1.02)
        axes.plot([], [], color=GREY, lw=1, marker=".", label="visited")  # for the legend
        legend_below(axes)
