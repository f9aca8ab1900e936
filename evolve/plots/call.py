"""Pictures of runs, studies, agents and results, for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.result_table import ResultTable
from evolve.engine.board.squares import square_name
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
from evolve.errors import AgentError, OptionsError
from evolve.fitness.statistics import mean_of
from evolve.number_text import is_elo
from evolve.plots.agent_boards import plot_agent, plot_patterns, values_of_discs
from evolve.plots.chart import caption_of, draw_chart
from evolve.plots.figure import (
    GREY,
    INK,
    LINE,
    SERIES,
    Look,
    Picture,
    check_output,
    look_of,
    picture,
    short,
)
from evolve.plots.run_charts import plot_run, plot_sweep, plot_training
from evolve.runs.loading import load_agent
from evolve.runs.run import Run, Study, load_run
from evolve.runs.study_spec import short_names
from evolve.studies.comparison import Comparison, Group, groups_of, over_seeds
from evolve.studies.course import ENOUGH, Course, course_of, course_of_group, frame_of

Source = str | Path | Run | Study | Agent | ResultTable
_OF_RUNS: Final[Mapping[str, Callable[[Run, Look], Picture]]] = {
    "run": plot_run,
    "train": plot_training,
    "sweep": plot_sweep,
}
"""The function that draws the runs of a kind; others are drawn as their curve."""
_OF_KIND: Final[Mapping[str, Callable[[Any, Look], Picture]]] = {
    "alphabeta": plot_agent,
    "patterns": plot_patterns,
}
"""The function that draws the agents of a kind."""
_PARTS: Final = {
    "settings": "mean over seeds, 95 %",
    "differences": "difference, seed by seed, 95 % after Holm",
    "effects": "main effect, seed by seed, 95 % after Holm",
}
"""The tables of a comparison that are drawn, and what they show."""


def plot(
    *sources: Source,
    output: str | Path | None = None,
    ax: Axes | None = None,
    metric: str | None = None,
    x: str | None = None,
    size: str | Sequence[float] | None = None,
    style: str = "screen",
    title: str | None = None,
) -> Any:
    """Draw what `evolve plot` draws.

    Args:
        sources: a run, an agent with weights (a run is drawn, not its champion), or what `rate` or
            `compare` returned; or studies and runs, drawn over one another as means with bands.
        output: a PNG, SVG or PDF file; its ending says the format.
        ax: axes of your own figure, for one chart in the figure's own style.
        metric: what is drawn, if not the usual: any number of the first table, as `past_score`.
        x: what it is drawn over: `generations` (checks of a training, trials of a sweep), `games`
            or `seconds`; by default generations, trials, and games of a training.
        size: width and height in inches, or as text: `"9x6cm"`.
        style: `screen`, or `paper`: for print, without a title.
        title: instead of the usual one; `""` leaves it out.

    With a metric or an x, on axes, and for paper, runs and studies are one chart; else a run has
    several. Returns the file, the axes, or the picture, which notebooks show. Raises RunError where
    there is nothing to draw yet, AgentError for an agent that has no weights to draw, OptionsError
    for unknown options, and for those that what is drawn does not have.

    >>> evolve.plot("runs/first", output="first.png").name
    'first.png'
    """
    check_output(output)
    if ax is not None and (output is not None or size is not None):
        raise OptionsError("output and size are of pictures without ax: your figure has its own")
    look = look_of(style, size, title)
    opened: list[Any] = [open_source(source) for source in sources]
    lone = opened[0] if len(opened) == 1 else None
    one_chart = ax is not None or metric is not None or x is not None or style == "paper"
    if isinstance(lone, ResultTable):
        _refuse("a table", metric=metric, x=x)
        figure = _drawn_table(lone, look, ax)
    elif (agent := _lone_agent(opened, metric=metric, x=x, ax=ax)) is not None:
        figure = _OF_KIND[agent.kind](agent, look)
    elif isinstance(lone, Run) and not one_chart and lone.kind.name in _OF_RUNS:
        figure = _OF_RUNS[lone.kind.name](lone, look)
    else:
        groups = _groups(opened)
        courses, name = _courses(groups, metric, x), " · ".join(source.name for source in opened)
        if ax is not None:
            draw_chart(ax, courses, caption=False)
        elif one_chart or isinstance(lone, Run):
            with picture(look, name, look.chart) as figure:
                draw_chart(figure.subplots(), courses, look.titled, whole=True)
        else:
            figure = _side_by_side(look, name, groups, courses, over_seeds(opened))
    if ax is not None and title:
        ax.set_title(title, parse_math=False)
    return ax or (figure if output is None else figure.save(output))


def _side_by_side(
    look: Look, name: str, groups: list[Group], courses: list[Course], seeds: Comparison | str
) -> Picture:
    """The courses of several runs or studies, and beside them the results of their seeds."""
    with picture(look, name, (11.0, 4.8)) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(5, 2))
        drawn = {course.name for course in courses}
        groups.sort(key=lambda group: group.name not in drawn)  # one colour each
        _draw_seeds(right, seeds, groups)
        draw_chart(left, courses, whole=True)
    return figure


def caption_of_plot(*sources: Source, metric: str | None = None, x: str | None = None) -> str:
    """Return what the curves and bands of a chart are, for the text below it; empty for agents."""
    opened = [open_source(source) for source in sources]
    if _lone_agent(opened, metric=metric, x=x) is not None:
        return ""
    return caption_of(_courses(_groups(opened), metric, x))


def data_of(*sources: Source, metric: str | None = None, x: str | None = None) -> pd.DataFrame:
    """Return the data behind a picture: the points of its curves, or the numbers on its boards."""
    opened = [open_source(source) for source in sources]
    agent = _lone_agent(opened, metric=metric, x=x)
    return frame_of(_courses(_groups(opened), metric, x)) if agent is None else _numbers_of(agent)


def _lone_agent(opened: Sequence[Any], **options: Any) -> Agent | None:
    """Return the agent that is drawn alone; None where runs or studies are drawn.

    Raises OptionsError for options that only those have.
    """
    if len(opened) != 1 or hasattr(opened[0], "form"):
        return None
    _refuse("an agent", **options)
    agent: Agent = opened[0]
    if agent.kind not in _OF_KIND:
        kinds = ", ".join(_OF_KIND)
        raise AgentError(f"{agent.name} has no weights to draw; agents of kind {kinds} have")
    return agent


def _refuse(what: str, **options: Any) -> None:
    wrong = [name for name, value in options.items() if value is not None]
    if wrong:
        raise OptionsError(f"{' and '.join(wrong)}: of runs and studies; this is {what}")


def _groups(opened: Sequence[Any]) -> list[Group]:
    if not opened or not all(hasattr(source, "form") for source in opened):
        raise OptionsError("name runs and studies, which are drawn together, or one agent alone")
    return groups_of(opened)


def _courses(groups: Sequence[Group], metric: str | None, x: str | None) -> list[Course]:
    """The course of each setting; those of which nothing is known yet are left out.

    Of unlike kinds, without a metric, it is strength over games, of those that have it in Elo.
    """
    if len(groups) == 1 and len(groups[0].runs) == 1:
        (run,) = groups[0].runs.values()
        return [course_of(run, metric, x, groups[0].name)]  # its own error says what is missing
    found = [course_of_group(group, metric, x) for group in groups]
    courses = [course for course in found if course is not None]
    if metric is not None or len({course.metric for course in courses}) <= 1:
        return courses
    unlike = (course_of_group(group, None, x or "games") for group in groups)
    strengths = [course for course in unlike if course is not None and is_elo(course.metric)]
    return [replace(course, metric="elo", dots=None) for course in strengths] or courses


def _numbers_of(agent: Agent) -> pd.DataFrame:
    if agent.kind == AlphaBetaAgent.kind:
        boards = np.array(cast("AlphaBetaAgent", agent).weights)[:, CLASS_OF_SQUARE]
    else:
        boards = values_of_discs(cast("Any", agent).patterns)
    rows = [
        (phase, square_name(square), number)
        for phase, board in enumerate(boards.tolist())
        for square, number in enumerate(board)
    ]
    return pd.DataFrame(rows, columns=["phase", "square", "weight"])


def open_source(source: Source) -> Run | Study | Agent | ResultTable:
    """Return the run, the study or the agent that a source names; objects as they are."""
    if not isinstance(source, str | Path):
        return source
    return load_run(source) if Path(source).is_dir() else load_agent(str(source))


def _drawn_table(table: ResultTable, look: Look, ax: Axes | None) -> Any:
    """Draw a rating, or the mean of each setting and the differences between them.

    Your own axes have the first of these charts alone.
    """
    title, charts = _points_of(table)
    if ax is not None:
        _draw_points(ax, *charts[0])
        return ax
    counts = [len(names) for names, *_ in charts]
    height = 0.4 + sum(0.8 + 0.32 * count for count in counts)
    with picture(look, title, (look.chart[0] * 0.85, height)) as figure:
        axes = figure.subplots(len(charts), 1, height_ratios=counts, squeeze=False)
        for below, chart in zip(axes.ravel().tolist(), charts, strict=True):
            _draw_points(below, *chart)
    return figure


def _points_of(table: ResultTable) -> tuple[str, list[tuple[list[str], Any, str, bool]]]:
    """The usual title of a table's picture, and what `_draw_points` takes for each chart."""
    if "agents" in table.tables:
        rows = table.tables["agents"]
        points = rows[["elo", "elo_low", "elo_high"]]
        return "rating", [(rows["agent"].tolist(), points, "Elo, with 95 % intervals", False)]
    settings = table.tables["settings"]
    metric = str(settings["metric"].iloc[0]).replace("_", " ").replace("elo", "Elo")
    key, texts = short_names(settings["setting"].tolist())
    named = dict(zip(settings["setting"], texts, strict=True))
    charts = []
    for part in filter(table.tables.__contains__, _PARTS):
        rows, of_settings = table.tables[part], part == "settings"
        names = [
            f"{named[row.setting]} (n = {row.seeds})"
            if of_settings
            else "\n− ".join(named.get(name, name) for name in (row.setting, row.against))
            for row in rows.itertuples()
        ]
        points = rows.reindex(columns=["mean", "low", "high"])  # a single seed has no interval
        charts.append((names, points, f"{metric}: {_PARTS[part]}", not of_settings))
    return f"comparison of {key}" if key else "comparison", charts


def _draw_points(
    axes: Axes, names: Sequence[str], points: pd.DataFrame, label: str, zero: bool
) -> None:
    """Draw a line for each name, from the top: its value and the interval around it.

    zero: whether there is a line at 0.
    """
    places = -np.arange(len(points))
    value, least, most = points.to_numpy(np.float64).T
    axes.set_xlabel(label)
    axes.hlines(places, least, most, color=SERIES[0], lw=1.6, zorder=2)
    axes.plot(value, places, "o", color=SERIES[0], ms=5, zorder=3)
    lines = [[short(line, 40) for line in str(name).splitlines()] for name in names]
    joined = ["\n".join(parts) if max(map(len, parts)) > 18 else " ".join(parts) for parts in lines]
    axes.set_yticks(places, joined, parse_math=False)
    axes.set_ylim(-len(value) + 0.4, 0.6)
    axes.grid(axis="x", color=LINE, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if zero:
        axes.axvline(0.0, color=GREY, lw=0.8, zorder=1)


def _draw_seeds(axes: Axes, found: Comparison | str, groups: Sequence[Group]) -> None:
    _, names = short_names([group.name for group in groups])
    metric = "" if isinstance(found, str) else str(found.frame["metric"][0])
    for index, group in enumerate(groups):
        values = [] if isinstance(found, str) else list(found.values[group.name].values())
        if not values:
            continue
        # Side by side, in their order: the picture is the same every time.
        aside = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
        colour = SERIES[index % len(SERIES)]
        axes.plot(index + aside, values, "o", color=colour, ms=4, alpha=0.6, lw=0)
        mean = mean_of(values)
        axes.plot(index, mean.value, "_", color=INK, ms=20, mew=2)
        if len(values) >= ENOUGH:
            axes.plot([index, index], [mean.low, mean.high], color=INK, lw=1.2)
    axes.set_ylabel("champion's Elo" if metric == "elo" else metric.replace("_", " "))
    few = all(len(group.runs) < ENOUGH for group in groups)
    text = "each seed, and the mean" if few else "each seed, mean, 95 %"
    axes.set_title(text, fontsize="small", color=GREY, loc="left")
    axes.set_xlim(-0.6, len(groups) - 0.4)
    long = max(map(len, names)) * len(names) > 25  # the legend names their colours
    axes.set_xticks(range(len(groups)), [""] * len(names) if long else names, parse_math=False)
