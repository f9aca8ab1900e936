"""Runs as pictures of several charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from evolve.agents.reference import read_agent
from evolve.config.ranges import to_unit, value_at
from evolve.errors import RunError
from evolve.fitness.statistics import Z95
from evolve.learning.tables import METRICS_SCORES
from evolve.number_text import whole
from evolve.plots.agent_boards import draw_weights
from evolve.plots.chart import draw_chart
from evolve.plots.figure import (
    BLUE,
    DASHES,
    DIVERGING,
    GREEN,
    GREY,
    ORANGE,
    SERIES,
    Look,
    Picture,
    legend_below,
    picture,
    run_title,
    short,
    whole_numbers,
)
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.studies.course import course_of
from evolve.sweeps.scatter import Scatter, Setting, scatter_of

_STEPS: Final = (1, 2, 5, 10)  # steps between ticks, times a power of ten


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
        top = figure.add_subplot(grid[0, :])
        if run.kind.reading.curve_over(run) is None:
            judges = "the panel" if config.get("objective", "panel") == "panel" else "the defaults"
            _draw_history(top, trials, run.kind.reading.curve(run), judges)
        else:
            draw_chart(top, [course_of(run, None)])
            top.axhline(0.0, color=ORANGE, lw=1)
            top.set(ylabel="Elo over the defaults")
        if settings:
            top.set_title(_about(scatter, len(settings)), loc="right", fontsize="small", color=GREY)
        for index, setting in enumerate(settings):
            axes = figure.add_subplot(grid[1 + index // columns, index % columns])
            _draw_setting(axes, scatter, setting)
            if index % columns == 0:
                axes.set_ylabel("score")
    return figure


def _about(scatter: Scatter, shown: int) -> str:
    marks = "star: the best" + ", diamond: the defaults" * (scatter.defaults is not None)
    cut = f"{shown} of {len(scatter.settings)} settings; the table has all"
    more = [cut] * (shown < len(scatter.settings)) + [scatter.note] * bool(scatter.note)
    return "\n".join([f"below: the trials over each setting, blue above the mean; {marks}", *more])


def _draw_history(
    axes: Axes, trials: pd.DataFrame, best: pd.Series[float], judges: str = "the panel"
) -> None:
    for state, colour, label in (("PRUNED", GREY, "pruned"), ("COMPLETE", BLUE, "finished")):
        part = trials[trials["state"] == state]
        if part.empty:
            continue
        error = Z95 * part["score_error"] if state == "COMPLETE" else None
        axes.errorbar(
            part["number"], part["score"], error, fmt="o", ms=3, lw=0.8, color=colour, label=label
        )
    complete = trials[trials["state"] == "COMPLETE"]
    axes.step(best.index, best, where="post", color=GREEN, label="best")
    defaults = complete[complete["origin"] == "defaults"]
    if len(defaults):
        axes.axhline(float(defaults["score"].iloc[0]), color=ORANGE, lw=1, label="defaults")
    axes.set_title(f"score against {judges}, 95 %", loc="left", fontsize="medium")
    axes.set(xlabel="trial", ylabel="score")
    axes.xaxis.set_major_locator(MaxNLocator(steps=_STEPS, integer=True))
    legend_below(axes, 4)


def _draw_setting(axes: Axes, scatter: Scatter, setting: Setting) -> None:
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
