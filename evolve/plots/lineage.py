"""The ancestors of an individual, its main line, and how each operator's offspring fared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import PercentFormatter

from evolve.evolution.lineage import Lineage
from evolve.evolution.tables import elos_at_birth, main_line
from evolve.number_text import elo_text
from evolve.plots.figure import (
    DASHES,
    GREY,
    LINE,
    SERIES,
    Look,
    Picture,
    legend_below,
    picture,
    whole_numbers,
)
from evolve.runs.summary import summary_of

_SPAN: Final = 5  # number of generations that a share of survivors is the mean over
_FEWEST: Final = 10
"""Fewest offspring in these generations of which a share is drawn: of fewer it is chance."""


def plot_lineage(lineage: Lineage, individual: str) -> Picture:
    """Draw the ancestors of an individual, and how many of each operator's offspring survive.

    Ancestors stand above, by their generation and, where the run has the ladder, their Elo; the
    main line goes from each to the parent that gave it the most numbers. Below is the share of each
    operator's offspring that survived. RunError if there is no such individual.
    """
    steps = lineage.steps(individual)
    origins = sorted({str(row["origin"]) for row in lineage.births.values()})
    looks = {
        origin: (SERIES[i % 6], "osD^vP*X"[i % 8], DASHES[i % 6])
        for i, origin in enumerate(origins)
    }
    shares = _survival_of(lineage)
    text = f"{lineage.run.name}: {lineage.words(individual)} and its {len(steps) - 1} ancestors"
    with picture(Look(), text, (10.0, 8.0)) as figure:
        rows = [5, 3] if shares else [1]
        grid = figure.subplots(len(rows), 1, height_ratios=rows, sharex=True, squeeze=False)
        top, last = grid[0, 0], grid[-1, 0]
        _draw_tree(top, lineage, individual, list(steps), looks)
        if shares:
            _draw_survival(last, shares, looks)
        last.set(xlabel="generation", xlim=(-0.5, lineage.run.generation_count - 0.5))
        whole_numbers(last.xaxis)
    return figure


def _draw_tree(
    axes: Axes,
    lineage: Lineage,
    individual: str,
    names: Sequence[str],
    looks: Mapping[str, tuple[str, str, object]],
) -> None:
    births = {name: lineage.births[name] for name in names}
    line = main_line(births, individual)
    rated = elos_at_birth(lineage.run, births)
    heights = rated or _lanes(lineage, names, line)
    places = {name: (int(lineage.births[name]["born"]), heights[name]) for name in heights}
    edges = [
        (places[name], places[parent])
        for name in places
        for parent in lineage.parents(name)
        if parent in places
    ]
    faint = min(0.8, max(0.08, 60 / max(1, len(edges))))
    axes.add_collection(LineCollection(edges, colors=GREY, linewidths=0.6, alpha=faint, zorder=1))
    main = [places[name] for name in line if name in places]
    axes.plot(*zip(*main, strict=True), color=SERIES[0], lw=2.2, label="main line", zorder=2)
    main_names = set(line)
    for origin, (colour, marker, _) in looks.items():
        chosen = [name for name in places if lineage.births[name]["origin"] == origin]
        if not chosen:
            continue
        xs, ys = zip(*(places[name] for name in chosen), strict=True)
        sizes = [30.0 if name in main_names else 12.0 for name in chosen]
        axes.scatter(xs, ys, s=sizes, color=colour, marker=marker, label=origin, zorder=3, lw=0)
    if individual in places:
        summary = summary_of(lineage.run)
        rating = elo_text(summary.elo, summary.elo_low, summary.elo_high)
        axes.plot(
            *places[individual], "o", ms=13, mfc="none", mew=1.8, color=SERIES[0], zorder=4,
            label=f"champion {rating}" if rated and summary.champion == individual else None,
        )  # fmt: skip
    shown = [name for name in line if name in places]
    every = max(1, math.ceil(len(shown) / 15))  # more names would have no room
    for name in shown[::every]:
        axes.annotate(
            name, places[name], (6, -9), textcoords="offset points", fontsize="x-small",
            color=SERIES[0], parse_math=False,
            fontweight="bold" if name == individual else "normal",
        )  # fmt: skip
    axes.margins(y=0.1)
    if rated:
        axes.set_ylabel("Elo at birth, by its score and\nthe best's games; champion: its own")
        axes.grid(axis="y", color=LINE, lw=0.6)
    else:
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    axes.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small",
        title="born by", alignment="left",
    )  # fmt: skip


def _lanes(lineage: Lineage, names: Sequence[str], line: Sequence[str]) -> dict[str, float]:
    """Heights without a meaning: the main line on one height, others around it by generation."""
    main = set(line)
    lanes = dict.fromkeys(line, 0.0)
    counts: dict[int, int] = {}
    for name in names:
        if name not in main:
            born = int(lineage.births[name]["born"])
            counts[born] = number = counts.get(born, 0) + 1
            lanes[name] = float((number + 1) // 2 * (1 if number % 2 else -1))
    return lanes


def _draw_survival(
    axes: Axes, shares: Mapping[str, pd.Series[float]], looks: Mapping[str, tuple[str, str, object]]
) -> None:
    for origin, share in shares.items():
        colour, _, dash = looks[origin]
        axes.plot(share.index, share, color=colour, ls=dash, lw=1.6, label=origin)
    label = f"offspring that survived,\nmean of {_SPAN} generations"
    axes.set(ylabel=label, ylim=(-0.02, 1.02))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(axis="y", color=LINE, lw=0.6)
    legend_below(axes, 5)


def _survival_of(lineage: Lineage) -> dict[str, pd.Series[float]]:
    """Return the share of each operator's offspring that survived, by generation.

    It is the mean over some generations; NaN where it had none or these had too few of its
    offspring. Operators of fewer than two generations are left out.
    """
    frame = lineage.operators()
    frame = frame[frame["survived"].notna()]
    shares = {}
    for origin, rows in frame.groupby("origin"):
        counts = rows.set_index("generation")[["born", "survived"]].astype(float)
        counts = counts.reindex(range(lineage.run.generation_count - 1), fill_value=0.0)
        sums = counts.rolling(_SPAN, min_periods=1).sum()
        enough = (sums["born"] >= _FEWEST) & (counts["born"] > 0)
        share = (sums["survived"] / sums["born"]).where(enough)
        if share.notna().sum() > 1:
            shares[str(origin)] = share
    return shares
