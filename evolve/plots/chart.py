"""One chart of courses: curves with bands, a legend below, and the rungs of the ladder."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from matplotlib.axes import Axes

from evolve.agents.calibration.ratings import words_of
from evolve.engine.board.rules import RULE_SETS, RuleSet
from evolve.errors import RunError
from evolve.fitness.statistics import mean_of
from evolve.fitness.trend import resting_since
from evolve.number_text import elo_text
from evolve.plots.figure import (
    DASHES,
    GREY,
    LINE,
    ORANGE,
    SERIES,
    legend_below,
    short,
    whole_numbers,
)
from evolve.runs.study_spec import short_names
from evolve.studies.course import ENOUGH, Course
from evolve.terminal_text import count_of

_LONGEST: Final = 40  # most characters of a setting's name


def draw_chart(
    axes: Axes, courses: Sequence[Course], caption: bool = True, whole: bool = False
) -> None:
    """Draw courses of one metric into axes, and label these; caption: with one above.

    whole: the legend is that of the whole picture. Raises RunError where there is nothing to draw,
    or they are of different metrics.
    """
    if not courses:
        raise RunError("there is no whole generation, check or trial of all runs to draw yet")
    metrics = dict.fromkeys(course.metric for course in courses)
    if len(metrics) > 1:
        raise RunError(f"these have different curves: {', '.join(metrics)}; name one metric")
    courses = _in_unit(courses)
    first, alone = courses[0], len(courses) == 1
    _, names = short_names([course.name for course in courses])
    names = [short(name, _LONGEST) for name in names]
    if alone and first.dots is not None and first.low is not None and first.high is not None:
        names = [f"strength {elo_text(*(part[-1] for part in (first.y, first.low, first.high)))}"]
    for index, (course, name) in enumerate(zip(courses, names, strict=True)):
        colour = SERIES[index % len(SERIES)]
        dash = DASHES[(index // len(SERIES) + index) % len(DASHES)]
        if course.low is not None and course.high is not None:
            shade = 0.14 if len(courses) < 3 else 0.08
            axes.fill_between(
                course.x, course.low, course.high, color=colour, alpha=shade, lw=0, zorder=1
            )
            for edge in (course.low, course.high):
                axes.plot(course.x, edge, color=colour, alpha=0.5, lw=0.5, zorder=1.5)
        mark = "o" if len(course.x) == 1 else None
        axes.plot(
            course.x, course.y, color=colour, ls=dash, lw=1.8 * _scale(axes), label=name, zorder=4,
            marker=mark, ms=3,
        )  # fmt: skip
        _draw_champion(axes, course, colour, alone)
    if alone and first.dots is not None:
        _draw_bests(axes, first)
    rules = _ladder_of(courses)
    _label_axes(axes, courses, rules)
    if caption:
        text = textwrap.fill(caption_of(courses), 90)
        axes.set_title(text, fontsize="small", color=GREY, loc="left")
    if not alone or first.dots is not None:
        (_legend_of_picture if whole else legend_below)(axes)
    if rules is not None:  # now that all else has its place
        _draw_rungs(axes, rules)


def _legend_of_picture(axes: Axes) -> None:
    figure = axes.get_figure(root=True)
    assert figure is not None
    handles, labels = axes.get_legend_handles_labels()
    for most in range(min(len(handles), 6), 0, -1):
        columns = -(-len(handles) // -(-len(handles) // most))
        legend = figure.legend(
            handles, labels, loc="outside lower center", ncols=columns, frameon=False,
            fontsize="small", handlelength=2.8, columnspacing=1.4,
        )  # fmt: skip
        figure.draw_without_rendering()
        if legend.get_window_extent().width <= figure.bbox.width or columns == 1:
            return
        legend.remove()


def _scale(axes: Axes) -> float:
    """How large lines are: as the texts."""
    return float(axes.yaxis.label.get_fontsize()) / 10


def caption_of(courses: Sequence[Course]) -> str:
    """What the curves and bands are, in a line; empty where there is nothing to say."""
    key, _ = short_names([course.name for course in courses])
    first, parts = courses[0], [short(key, _LONGEST)] if key else []
    if len(courses) == 1 and first.dots is not None:
        return (
            "dots: best of each generation, 95 % · line: strength, smoothed over all of them, 95 %"
        )
    seeds = sorted({course.seeds for course in courses})
    if seeds[-1] > 1:
        counts = f"{seeds[0]} to {count_of(seeds[-1], 'seed')}"
        parts.append(f"mean of {counts if len(seeds) > 1 else count_of(seeds[0], 'seed')}")
    bands = list(dict.fromkeys(course.band for course in courses if course.band))
    if bands:
        parts.append(f"band: {' or '.join(bands)}")
    if first.metric == "rating":
        parts = ["strength (smoothed bests)", *parts, "ring: champions, by a play-off"]
    return " · ".join(parts)


def _draw_champion(axes: Axes, course: Course, colour: str, alone: bool) -> None:
    """Draw the champion's own Elo beside the strength, or the mean of the seeds' champions."""
    if course.metric != "rating":
        return
    crowned = (run.elo for run in course.runs if run.kind.reading.progress(run).crowned)
    champions = [*filter(None, crowned)]
    if len(champions) < len(course.runs):
        return
    elo, low, high, _ = champions[0]
    if len(champions) > 1:
        elo, low, high, _ = mean_of([champion.value for champion in champions])
    axes.errorbar(
        course.x[-1:], [elo], None if 1 < len(champions) < ENOUGH else [[elo - low], [high - elo]],
        fmt="o", ms=8 * _scale(axes), mfc="none", mew=1.6 * _scale(axes), lw=1.2, color=colour,
        zorder=5, clip_on=False,
        label=f"champion, by a play-off {elo_text(elo, low, high)}" if alone else None,
    )  # fmt: skip


def _draw_bests(axes: Axes, course: Course) -> None:
    """Draw each generation's best, and where the run says that it no longer rises."""
    assert course.dots is not None
    x, y, low, high = course.dots.T
    colour = SERIES[0]
    whiskers = np.abs(np.array([low, high]) - y)
    axes.errorbar(
        x, y, yerr=whiskers, fmt="o", ms=3, lw=0.7, color=colour, alpha=0.75, zorder=3,
        label="each generation's best",
    )  # fmt: skip
    (run,) = course.runs
    since = resting_since(run.generations.to_dict("records"))
    if since is not None and course.steps == "generation":
        axes.axvline(since, color=ORANGE, lw=1, ls="--", zorder=0.5)
        axes.text(
            since, 0.02, " no longer rises", color=ORANGE, fontsize="small",
            transform=axes.get_xaxis_transform(),
        )  # fmt: skip


def _label_axes(axes: Axes, courses: Sequence[Course], rules: RuleSet | None) -> None:
    first = courses[0]
    axes.margins(x=0.02)
    axes.spines[["left", "top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if rules is None:
        axes.grid(axis="y", color=LINE, lw=0.6)
        axes.set_axisbelow(True)
        axes.set_ylabel(first.metric.replace("_", " "))
    else:
        axes.set_ylabel(f"Elo over {rules.reference}")
    axes.set_xlabel(" or ".join(dict.fromkeys(course.steps for course in courses)))
    if not first.steps.startswith("time"):
        whole_numbers(axes.xaxis)


def _in_unit(courses: Sequence[Course]) -> Sequence[Course]:
    """Courses over seconds as courses over a time in the unit that gives numbers to read."""
    if courses[0].steps != "seconds":
        return courses
    largest = max(float(course.x[-1]) for course in courses)
    units = (1.0, "s"), (60.0, "min"), (3600.0, "h")
    factor, unit = next((u for u in units if largest / u[0] <= 150.0), units[-1])
    scaled = [replace(course, x=course.x / factor, steps=f"time ({unit})") for course in courses]
    return [c if c.dots is None else replace(c, dots=c.dots / (factor, 1, 1, 1)) for c in scaled]


def _ladder_of(courses: Sequence[Course]) -> RuleSet | None:
    """The rules on whose ladder the courses stand; None where there is no one ladder."""
    runs = [run for course in courses for run in course.runs]
    names = {str(run.config.get("rules")) for run in runs}
    panel = courses[0].metric == "panel_elo" and any(
        r.config.get("panel") != "ladder" for r in runs
    )
    if courses[0].metric not in ("rating", "elo", "panel_elo") or panel or len(names) != 1:
        return None
    (name,) = names
    if name not in RULE_SETS:
        known = ", ".join(RULE_SETS)
        raise RunError(f"{runs[0].path}: rules = {name!r} are unknown; there are {known}")
    return RULE_SETS[name]


def _rung_text(name: str, elo: int, whole: bool = True) -> str:
    """A rung of a ladder in words, with its Elo if `whole`: `shipped champion, 4 plies 763`."""
    words = words_of(name)
    return f"{words} · {elo}".replace("-", "−") if whole else words.replace(" champion,", ",")


def _draw_rungs(axes: Axes, rules: RuleSet) -> None:
    """Draw the rungs that the curves reach, and the next one above, as named lines.

    A rung close above another one has no name.
    """
    low, high = axes.get_ylim()
    above = min((elo for elo in rules.ladder.values() if elo > high), default=high)
    if above - high < 0.15 * (high - low):
        high = above + 0.03 * (high - low)
    axes.set_ylim(low, high)
    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches()
    whole = width * axes.get_position().width >= 5.0
    size = 0.85 * float(axes.yaxis.label.get_fontsize())
    # Names are at least 1.4 times as far apart as their type is high.
    least = 1.4 * size / 72 / (height * axes.get_position().height) * (high - low)
    named = -np.inf
    for name, elo in rules.ladder.items():
        if not low <= elo <= high:
            continue
        axes.axhline(elo, color=GREY, lw=0.7, ls=(0, (1, 2.5)), zorder=0.8)
        if elo - named >= least and width >= 3.0:
            named = elo
            axes.annotate(
                _rung_text(name, elo, whole), (1.0, elo), (6, 0), color=GREY,
                xycoords=axes.get_yaxis_transform(), textcoords="offset points",
                fontsize=size, va="center", parse_math=False,
            )  # fmt: skip
