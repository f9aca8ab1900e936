"""Runs as pictures of several charts: evolutions and trainings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from evolve.agents.reference import read_agent
from evolve.errors import RunError
from evolve.plots.agent_boards import draw_weights
from evolve.plots.chart import draw_chart
from evolve.plots.figure import (
    DASHES,
    GREEN,
    GREY,
    SERIES,
    Look,
    Picture,
    legend_below,
    picture,
    run_title,
    whole_numbers,
)
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.studies.course import course_of
from evolve.tables.metrics import METRICS_SCORES


def plot_run(run: Run, look: Look) -> Picture:
    """Draw an evolution: its rating or scores, the search, and its champion's weights.

    Raises RunError when there is nothing to draw.
    """
    file = champion_of(run.path)
    if run.generations.empty or file is None:
        raise RunError(f"{run.path} has no whole generation to draw yet")
    champion: Any = read_agent(file)
    text = run_title(run, run.config.get("rules"), run.config.get("preset"))
    with picture(look, text, (11.0, 7.2)) as figure:
        grid = figure.add_gridspec(2, 6, height_ratios=(1.15, 1.0))
        _draw_depths(figure.add_subplot(grid[0, 4:]), run)
        boards = min(champion.phases, 6)
        lower = grid[1, :].subgridspec(1, boards)
        axes = [figure.add_subplot(lower[0, i]) for i in range(boards)]
        image = draw_weights(axes, champion)
        figure.colorbar(image, ax=axes, shrink=0.8, label="weight of a square")
        # Last, when the others have their places: its names stand beside it.
        main = figure.add_subplot(grid[0, :4])
        if "rating" in run.generations:
            draw_chart(main, [course_of(run, None)])
        else:
            scores = ("best_score", "panel_score", "past_score")
            _draw_scores(main, run, scores, "each generation's best")
    return figure


def _draw_scores(axes: Axes, run: Run, names: Sequence[str], title: str) -> None:
    """Draw scores of a run, columns of its first table, as far as there are values."""
    known = [name for name in names if run.table(run.kind.tables[0].name)[name].notna().any()]
    courses = [replace(course_of(run, name), name=name, metric="score") for name in known]
    draw_chart(axes, courses, caption=False)
    axes.axhline(0.5, color=GREY, lw=0.5)
    axes.set(title=title, ylim=(0, 1.02))


def _draw_depths(axes: Axes, run: Run) -> None:
    """Draw the mean depth by phase and endgame threshold, in every generation's better half."""
    frame = run.individuals
    better = frame[frame["score"] >= frame.groupby("generation")["score"].transform("median")]
    groups = better.groupby("generation")
    # [generations, phases]
    depths = np.array([np.mean(np.stack(list(group)), axis=0) for _, group in groups["depths"]])
    phases = depths.shape[1]
    for phase in range(phases):
        label = f"depth, phase {phase}" if phases > 1 else "depth"
        if phases > len(SERIES):  # more names than the picture has room for
            label = "_" if phase else f"depth, phases 0 to {phases - 1}"
        colour, dash = SERIES[phase % len(SERIES)], DASHES[phase % len(DASHES)]
        axes.plot(depths[:, phase], label=label, color=colour, ls=dash)
    axes.plot(
        groups["endgame"].mean().to_numpy(), color=GREY, ls="--", label="exact from (empties)"
    )
    title = "search of the better half"
    axes.set(title=title, xlabel="generation", ylabel="plies", ylim=(0, None))
    whole_numbers(axes.xaxis)
    legend_below(axes)


def plot_training(run: Run, look: Look) -> Picture:
    """Draw a training: its strength by games, and the loss; raises RunError without a check."""
    if run.metrics.empty:
        raise RunError(f"{run.path} has no check to draw yet")
    text = run_title(run, run.command, run.config.get("rules"), run.config.get("preset"))
    with picture(look, text, (11.0, 4.4)) as figure:
        if run.metrics["loss"].notna().any():
            left, right = figure.subplots(1, 2, width_ratios=(4, 3))
            _draw_loss(right, run)
        else:  # duels have none
            left = figure.subplots()
        if run.metrics["elo"].notna().any():
            draw_chart(left, [course_of(run, "elo")])
        else:
            _draw_scores(left, run, METRICS_SCORES, "score against the panel, 95 %")
    return figure


def _draw_loss(axes: Axes, run: Run) -> None:
    """Draw the loss, and the share of weights that games have reached where that is known."""
    frame = run.metrics
    axes.plot(frame["games"], frame["loss"], color=GREEN, lw=1.5, marker=".", label="loss")
    title = "mean loss since the last check"
    axes.set(title=title, xlabel="games", ylabel="loss", ylim=(0, None))
    whole_numbers(axes.xaxis)
    if frame["visited"].notna().any():
        shares = axes.twinx()
        shares.plot(frame["games"], frame["visited"], color=GREY, lw=1, marker=".", label="visited")
        shares.set(ylabel="share of weights visited", ylim=(0, 1.02))
        axes.plot([], [], color=GREY, lw=1, marker=".", label="visited")  # for the legend
        legend_below(axes)
