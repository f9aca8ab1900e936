"""Runs as pictures: evolutions, trainings, the ancestors of an individual, settings over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import read_agent
from evolve.engine.board.rules import RULE_SETS
from evolve.errors import RunError
from evolve.evolution.trend import POOLED, REST
from evolve.fitness.statistics import mean_of
from evolve.plots.agents import draw_weights
from evolve.plots.figure import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    draw_band,
    legend_below,
    picture,
    run_title,
    short,
    whole_numbers,
)
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.studies.comparison import Group, figure_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.evolution.lineage import Lineage

_MOST_BOARDS: Final = 6
_SCORES: Final = {"random": GREY, "depth_1": ORANGE, "depth_2": BLUE}
"""The colours of a training's opponents."""


def plot_run(run: Run, output: Path) -> None:
    """Draw `run` into a PNG, SVG or PDF file; raises RunError when there is nothing to draw."""
    if run.generations.empty:
        raise RunError(f"{run.path} has no whole generation to draw yet")
    file = champion_of(run.path)
    if file is None:
        raise RunError(f"{run.path} has no champion to draw")
    champion = read_agent(file)
    text = run_title(run, run.config.get("rules"), run.config.get("preset"))
    with picture(output, text, 11, 7.2) as figure:
        grid = figure.add_gridspec(2, 6, height_ratios=(1.15, 1.0))
        draw_curve = _draw_rating if "rating" in run.generations else _draw_scores
        draw_curve(figure.add_subplot(grid[0, :3]), run)
        _draw_depths(figure.add_subplot(grid[0, 3:]), run)
        if isinstance(champion, AlphaBetaAgent):
            boards = min(champion.phases, _MOST_BOARDS)
            lower = grid[1, :].subgridspec(1, boards)
            axes = [figure.add_subplot(lower[0, i]) for i in range(boards)]
            image = draw_weights(axes, champion)
            figure.colorbar(image, ax=axes, shrink=0.8, label="weight of a square")
        else:  # the evaluation is given, and the same for all
            _draw_cuts(figure.add_subplot(grid[1, :3]), run)
            _draw_over_budget(figure.add_subplot(grid[1, 3:]), run)


def plot_curve(run: Run, output: Path) -> None:
    """Draw the course of a run's figure; for kinds of runs without a picture of their own."""
    curve = run.kind.reading.curve(run).dropna()
    if curve.empty:
        raise RunError(f"{run.path} has nothing to draw yet")
    with picture(output, f"{run.name}: {run.command}", 8, 4.2) as figure:
        axes = figure.subplots()
        axes.plot(curve.index, curve.to_numpy(), color=BLUE)
        axes.set(xlabel=str(curve.index.name or ""), ylabel=str(curve.name or ""))


def _draw_scores(axes: Axes, run: Run) -> None:
    frame = run.generations
    x = frame["generation"]
    axes.plot(x, frame["best_score"], color=GREY, lw=1, label="best_score")
    panel = frame.dropna(subset=["panel_score"])
    axes.plot(panel["generation"], panel["panel_score"], color=BLUE, lw=2, label="panel_score")
    past = frame.dropna(subset=["past_score"])
    axes.plot(past["generation"], past["past_score"], color=ORANGE, lw=1, label="past_score")
    axes.axhline(0.5, color=GREY, lw=0.5)
    axes.set(title="each generation's best", ylabel="score", ylim=(0, 1.02))
    _finish(axes, 3)


def _draw_rating(axes: Axes, run: Run) -> None:
    """Draw the ratings on the ladder, their mean with its band, and where that stops rising."""
    frame = run.generations.dropna(subset=["panel_elo"])
    x = frame["generation"]
    axes.plot(x, frame["panel_elo"], ".", color=GREY, ms=3, label="each generation's best")
    # A mean is drawn in the middle of its generations: at their end it would lag behind them.
    middle = x.rolling(POOLED, min_periods=1).mean()
    draw_band(axes, middle, frame["rating_low"], frame["rating_high"], BLUE)
    axes.plot(middle, frame["rating"], color=BLUE, lw=2, label=f"mean of {POOLED} of them")
    resting = frame.loc[frame["rise_high"] < REST, "generation"]
    if len(resting):
        axes.axvline(resting.iloc[0], color=ORANGE, lw=1, ls="--", label="no longer rises")
    rules = run.config.get("rules")
    if rules not in tuple(RULE_SETS):  # a list or a table in its place has no hash
        raise RunError(
            f"{run.path}: rules = {rules!r} are unknown; there are {', '.join(RULE_SETS)}"
        )
    reference = RULE_SETS[rules].reference
    axes.set(title="rating", ylabel=f"Elo over {reference}, depth 1")
    _finish(axes, 3)


def _finish(axes: Axes, columns: int = 2) -> None:
    """Label the generations, and add the legend."""
    axes.set_xlabel("generation")
    whole_numbers(axes.xaxis)
    legend_below(axes, columns)


def _better_half(run: Run) -> Any:
    """The individuals of the better half of every generation, by generation."""
    frame = run.individuals
    better = frame[frame["score"] >= frame.groupby("generation")["score"].transform("median")]
    return better.groupby("generation")


def _means(groups: Any) -> npt.NDArray[np.float64]:
    """The means of a gene with a number for each phase, [generations, phases]."""
    return np.array([np.mean(np.stack(list(group)), axis=0) for _, group in groups])


def _draw_cuts(axes: Axes, run: Run) -> None:
    """Draw the mean margin of the forward cuts by phase, in every generation's better half."""
    margins = _means(_better_half(run)["probcut"]) / 10
    for phase in range(margins.shape[1]):
        axes.plot(margins[:, phase], label=f"phase {phase}")
    axes.set(
        title="forward cuts of the better half",
        ylabel="standard deviations",
        ylim=(0, 1.1 * margins.max()),
    )
    _finish(axes)


def _draw_over_budget(axes: Axes, run: Run) -> None:
    """Draw the share of each generation's games that were lost on nodes."""
    frame = run.generations
    axes.plot(frame["generation"], frame["over_budget"], color=BLUE)
    axes.set(title="games lost on nodes", xlabel="generation", ylabel="share", ylim=(0, 1.02))
    whole_numbers(axes.xaxis)


def _draw_depths(axes: Axes, run: Run) -> None:
    """Draw the mean depth by phase and endgame threshold, in every generation's better half."""
    groups = _better_half(run)
    depths = _means(groups["depths"])
    for phase in range(depths.shape[1]):
        axes.plot(
            depths[:, phase], label=f"depth, phase {phase}" if depths.shape[1] > 1 else "depth"
        )
    axes.plot(
        groups["endgame"].mean().to_numpy(), color=GREY, ls="--", label="exact from (empties)"
    )
    axes.set(title="search of the better half", ylabel="plies", ylim=(0, None))
    _finish(axes)


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
            _draw_panel(left, run)
        _draw_loss(right, run)


def _draw_panel(axes: Axes, run: Run) -> None:
    """Draw the scores against each member of the panel."""
    frame = run.metrics
    for key, colour in _SCORES.items():
        axes.plot(frame["games"], frame[key], color=colour, lw=1.5, marker=".", label=key)
        draw_band(axes, frame["games"], frame[f"{key}_low"], frame[f"{key}_high"], colour)
    axes.axhline(0.5, color=GREY, lw=0.5)
    axes.set(title="score against the panel, 95 %", xlabel="games", ylabel="score")
    axes.set_ylim(0, 1.02)
    legend_below(axes, 3)


def _draw_elo(axes: Axes, run: Run) -> None:
    """Draw the rating on the ladder."""
    frame = run.metrics
    axes.plot(frame["games"], frame["elo"], color=BLUE, lw=1.5, marker=".")
    draw_band(axes, frame["games"], frame["elo_low"], frame["elo_high"], BLUE)
    axes.set(title="Elo on the ladder, 95 %", xlabel="games", ylabel="Elo")


def _draw_loss(axes: Axes, run: Run) -> None:
    """Draw the loss, and the share of weights that games have reached where that is known."""
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


_COLOURS: Final = (BLUE, ORANGE, GREEN, PURPLE, GREY)
_NAMED: Final = 60
"""Most ancestors that have their names beside them."""
_SPAN: Final = 5
"""Number of generations that a share of survivors is the mean over."""


def plot_lineage(lineage: Lineage, individual: str, output: Path) -> None:
    """Draw the ancestors of an individual, and how many of each operator's offspring survive.

    Ancestors stand above, over the generations; below them is the share of each operator's
    offspring that survived. RunError if there is no such individual.
    """
    steps = lineage.steps(individual)
    origins = sorted({str(row["origin"]) for row in lineage.births.values()})
    colours = {origin: _COLOURS[place % len(_COLOURS)] for place, origin in enumerate(origins)}
    text = f"{lineage.run.name}: {individual} and its {len(steps) - 1} ancestors"
    with picture(output, text, 11, 9) as figure:
        top, bottom = figure.subplots(2, 1, height_ratios=[2, 1])
        _draw_tree(top, lineage, steps, colours)
        _draw_survival(bottom, lineage, colours)
        for axes in (top, bottom):
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            whole_numbers(axes.xaxis)


def _draw_tree(
    axes: Axes, lineage: Lineage, steps: Mapping[str, int], colours: Mapping[str, str]
) -> None:
    """Draw every ancestor at its birth, better ones higher, with lines to its parents."""
    places = {
        name: (int(lineage.births[name]["born"]), float(lineage.births[name]["score"]))
        for name in steps
    }
    for name, (x, y) in places.items():
        for parent in filter(places.__contains__, lineage.parents(name)):
            there = places[parent]
            axes.plot([x, there[0]], [y, there[1]], color=GREY, linewidth=0.6, zorder=1)
    for origin, colour in colours.items():  # those without ancestors too: the legend serves both
        chosen = [places[name] for name in steps if lineage.births[name]["origin"] == origin]
        xs, ys = [x for x, _ in chosen], [y for _, y in chosen]
        axes.scatter(xs, ys, s=28, color=colour, label=origin, zorder=2)
    if len(steps) <= _NAMED:
        for name, place in places.items():
            axes.annotate(
                name, place, xytext=(4, 4), textcoords="offset points", fontsize=7, parse_math=False
            )
    axes.set_xlabel("generation of birth")
    axes.set_ylabel("score in that generation")
    legend_below(axes, 5)


def _draw_survival(axes: Axes, lineage: Lineage, colours: Mapping[str, str]) -> None:
    frame = lineage.operators()
    frame = frame[frame["survived"].notna()]
    for origin, rows in frame.groupby("origin"):
        counts = rows.set_index("generation")[["born", "survived"]].astype(float)
        counts = counts.reindex(range(lineage.run.generation_count - 1), fill_value=0.0)
        sums = counts.rolling(_SPAN, min_periods=1).sum()
        share = sums["survived"] / sums["born"].where(sums["born"] > 0)
        axes.plot(share.index, share, color=colours[str(origin)], marker=".", label=str(origin))
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("generation")
    axes.set_ylabel(f"offspring that survived,\nmean of {_SPAN} generations")


_LONGEST: Final = 40
"""Most characters of a setting in the legend."""


def plot_groups(groups: Sequence[Group], output: Path) -> None:
    """Draw settings into a PNG, SVG or PDF file.

    On the left is the mean curve of each setting with its 95 % band, as far as all its runs go; on
    the right each seed's figure, and their mean. RunError if there is nothing to draw yet, or the
    settings have different curves.
    """
    drawn = [(group, curves) for group in groups if (curves := _curves(group)) is not None]
    if not drawn:
        raise RunError("there is no whole generation, check or trial of all runs to draw yet")
    names = {(curves.x, curves.y) for _, curves in drawn}
    if len(names) > 1:
        raise RunError(f"these have different curves: {', '.join(y for _, y in sorted(names))}")
    ((x, y),) = names
    labels = [short(group.name, _LONGEST) for group, _ in drawn]
    with picture(output, " · ".join(group.name for group, _ in drawn), 11, 4.8) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        figures = []
        for place, (group, curves) in enumerate(drawn):
            colour = f"C{place % 10}"
            _draw_curve(left, group, curves, colour)
            figures.append(_draw_seeds(right, group, place, colour))
        left.set(xlabel=x, ylabel=y, title="mean over seeds, 95 %")
        whole_numbers(left.xaxis)
        legend_below(left)
        named = next(filter(None, figures), "")
        right.set(title="each seed, and the mean, 95 %", ylabel=named)
        right.set_xlim(-0.6, len(drawn) - 0.4)
        right.set_xticks(range(len(drawn)), labels, rotation=15, ha="right")


class _Curves(NamedTuple):
    """The curves of a setting's runs, as far as all of them go.

    x, y: names of the axes; table: a row for each value of x, a column for each run.
    """

    x: str
    y: str
    table: pd.DataFrame


def _curves(group: Group) -> _Curves | None:
    """The curves of a setting's runs; None if a run has nothing yet."""
    curves = [run.kind.reading.curve(run) for run in group.runs.values()]
    if not curves:
        return None
    table = pd.concat(curves, axis=1).dropna()
    x, y = str(curves[0].index.name), str(curves[0].name)
    return _Curves(x, y, table) if len(table) else None


def _draw_curve(axes: Axes, group: Group, curves: _Curves, colour: str) -> None:
    means = [mean_of(row) for row in curves.table.to_numpy(float).tolist()]
    x = curves.table.index.to_numpy()
    label = f"{short(group.name, _LONGEST)} ({count_of(len(group.runs), 'seed')})"
    axes.plot(x, [one.value for one in means], color=colour, lw=1.8, label=label)
    if len(group.runs) > 1:
        draw_band(axes, x, [one.low for one in means], [one.high for one in means], colour)


def _draw_seeds(axes: Axes, group: Group, place: int, colour: str) -> str | None:
    """Draw the figures of a setting's runs; return their name, None if there is none yet."""
    figures = [figure_of(run, None) for run in group.runs.values()]
    values = [value for _, value in figures if math.isfinite(value)]
    if not values:
        return None
    # Side by side, in their order: the picture is the same every time.
    aside = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
    axes.plot(place + aside, values, "o", color=colour, ms=4, alpha=0.5, lw=0)
    mean = mean_of(values)
    axes.plot(place, mean.value, "_", color="black", ms=22, mew=2)
    if len(values) > 1:
        axes.plot([place, place], [mean.low, mean.high], color="black", lw=1.5)
    return figures[0][0]
