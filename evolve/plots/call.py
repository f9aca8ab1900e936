"""Pictures of runs, studies and agents: one function for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack, cast, overload

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.squares import square_name
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
from evolve.errors import AgentError, OptionsError, RunError
from evolve.plots.agents import plot_agent, plot_patterns, values_of_discs
from evolve.plots.chart import caption_of, draw_chart
from evolve.plots.figure import (
    Look,
    Picture,
    check_format,
    drawn_on,
    finished,
    look_of,
    picture,
)
from evolve.plots.results import draw_settings
from evolve.plots.run import plot_run, plot_training
from evolve.plots.sweep import plot_sweep
from evolve.runs.loading import load_agent
from evolve.runs.run import Run, Study, load_run
from evolve.studies.comparison import Group, groups_of
from evolve.studies.course import Course, course_of, course_of_group, frame_of

Source = str | Path | Run | Study | Agent
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
_SETTINGS: Final = (11.0, 4.8)
"""Inches of a picture of settings with each seed's figure."""


class _Options(TypedDict, total=False):
    """What a picture may differ in; see `plot`."""

    metric: str | None
    x: str | None
    size: str | Sequence[float] | None
    style: str
    title: str | None


@overload
def plot(*sources: Source, output: str | Path, **options: Unpack[_Options]) -> Path: ...
@overload
def plot(*sources: Source, ax: Axes, **options: Unpack[_Options]) -> Axes: ...
@overload
def plot(*sources: Source, **options: Unpack[_Options]) -> Picture: ...
def plot(
    *sources: Source,
    output: str | Path | None = None,
    ax: Axes | None = None,
    metric: str | None = None,
    x: str | None = None,
    size: str | Sequence[float] | None = None,
    style: str = "screen",
    title: str | None = None,
) -> Picture | Axes | Path:
    """Draw what `evolve plot` draws.

    Args:
        sources: one run, or one agent with weights (a run is drawn, not its champion); or studies
            and runs: their settings are drawn over one another, as mean curves with bands.
        output: a PNG, SVG or PDF file; its ending says the format.
        ax: axes of your own figure, for one chart in the figure's own style.
        metric: what is drawn: the figure of the kind of run, or any number of its first table, such
            as `past_score`.
        x: what it is drawn over: `generations` (checks of a training, trials of a sweep), `games`
            or `seconds`; by default generations, trials, and games of a training.
        size: width and height in inches, or as text: `"9x6cm"`.
        style: `screen`, or `paper`: for print, without a title.
        title: instead of the usual one; `""` leaves it out.

    With a metric or an x, on axes, and for paper, runs and studies are one chart; else a run has
    several. Returns the file, the axes, or the picture, which notebooks show. Raises RunError where
    there is nothing to draw yet, AgentError for an agent that has no weights to draw, OptionsError
    for unknown options, and for those that what is drawn does not have.
    """
    if output is not None:
        check_format(output)
    look = look_of(style, size, title)
    opened: list[Any] = [opened_source(source) for source in sources]
    agent = _lone_agent(opened, metric=metric, x=x, ax=ax)
    one_chart = metric is not None or x is not None or style == "paper"
    if agent is not None:
        made = _picture_of_agent(agent, look)
    elif ax is not None:
        courses_on = _courses(_groups(opened), metric, x)
        return drawn_on(
            ax, lambda axes: draw_chart(axes, courses_on, caption=False), title, output, size
        )
    elif len(opened) == 1 and opened[0].form == "run" and not one_chart:
        draw = _OF_RUNS.get(opened[0].kind.name)
        made = _chart(opened, None, None, look) if draw is None else draw(opened[0], look)
    elif one_chart:
        made = _chart(opened, metric, x, look)
    else:
        groups = _groups(opened)
        courses = _courses(groups, None, None)
        made = picture(
            look, _title(opened), _SETTINGS, lambda figure: draw_settings(figure, groups, courses)
        )
    return finished(made, output)


def caption_of_plot(*sources: Source, metric: str | None = None, x: str | None = None) -> str:
    """Return what the curves and bands of a chart are, for the text below it; empty for agents."""
    opened = [opened_source(source) for source in sources]
    if _lone_agent(opened, metric=metric, x=x) is not None:
        return ""
    return caption_of(_courses(_groups(opened), metric, x))


def data_of(*sources: Source, metric: str | None = None, x: str | None = None) -> pd.DataFrame:
    """Return the data behind a picture: the points of its curves, or the numbers on its boards."""
    opened = [opened_source(source) for source in sources]
    agent = _lone_agent(opened, metric=metric, x=x)
    if agent is not None:
        return _numbers_of(agent)
    return frame_of(_courses(_groups(opened), metric, x))


def _lone_agent(opened: Sequence[Any], **options: Any) -> Agent | None:
    """Return the agent that is drawn alone; None where runs or studies are drawn.

    Raises OptionsError for options that only those have.
    """
    if len(opened) != 1 or hasattr(opened[0], "form"):
        return None
    wrong = [name for name, value in options.items() if value is not None]
    if wrong:
        raise OptionsError(f"{' and '.join(wrong)}: of runs and studies; this is an agent")
    return cast("Agent", opened[0])


def _chart(opened: Sequence[Any], metric: str | None, x: str | None, look: Look) -> Picture:
    courses = _courses(_groups(opened), metric, x)

    def draw(figure: Picture) -> None:
        draw_chart(figure.subplots(), courses, look.style.titled)

    return picture(look, _title(opened), look.style.size, draw)


def _title(opened: Sequence[Run | Study | Agent]) -> str:
    return " · ".join(source.name for source in opened)


def _groups(opened: Sequence[Any]) -> list[Group]:
    if not opened:
        raise OptionsError("name what is to be drawn: a run, a study or an agent")
    runs = [source for source in opened if hasattr(source, "form")]
    if len(runs) < len(opened):
        raise RunError("draw an agent alone; only runs and studies are drawn together")
    return groups_of(runs)


def _courses(groups: Sequence[Group], metric: str | None, x: str | None) -> list[Course]:
    """The course of each setting; those of which nothing is known yet are left out."""
    if len(groups) == 1 and len(groups[0].runs) == 1:
        (run,) = groups[0].runs.values()
        return [course_of(run, metric, x, groups[0].name)]  # its own error says what is missing
    found = [course_of_group(group, metric, x) for group in groups]
    return [course for course in found if course is not None]


def _picture_of_agent(agent: Agent, look: Look) -> Picture:
    draw = _OF_KIND.get(agent.kind)
    if draw is None:
        raise AgentError(
            f"{agent.name} has no weights to draw; agents of kind {', '.join(_OF_KIND)} have"
        )
    return draw(agent, look)


def _numbers_of(agent: Agent) -> pd.DataFrame:
    """The number on each square in each phase of an agent's picture."""
    if agent.kind == AlphaBetaAgent.kind:
        boards = np.array(cast("AlphaBetaAgent", agent).weights)[:, CLASS_OF_SQUARE]
    elif agent.kind in _OF_KIND:
        boards = values_of_discs(cast("Any", agent).patterns, np.random.default_rng(0))
    else:
        raise AgentError(f"{agent.name} has no weights to write")
    rows = [
        (phase, square_name(square), number)
        for phase, board in enumerate(boards.tolist())
        for square, number in enumerate(board)
    ]
    return pd.DataFrame(rows, columns=["phase", "square", "weight"])


def opened_source(source: Source) -> Run | Study | Agent:
    """Return the run, the study or the agent that a source names; objects as they are."""
    if not isinstance(source, str | Path):
        return source
    return load_run(source) if Path(source).is_dir() else load_agent(str(source))
