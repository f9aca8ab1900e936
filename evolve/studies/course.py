"""The data behind charts of runs and studies: a metric over generations, games or seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from evolve.errors import OptionsError, RunError
from evolve.fitness.statistics import Floats, mean_of
from evolve.runs.run import Run
from evolve.studies.comparison import Group

_STEPS: Final = "generations"
_OVER: Final = (_STEPS, "games", "seconds")
"""What a metric may be drawn over. Trainings have checks and sweeps trials for generations."""
ENOUGH: Final = 5
"""Seeds from which a band is the 95 % interval of their mean; of fewer it is their range.

Student's interval of two seeds spans ± 1000 Elo.
"""


@dataclass(frozen=True)
class Course:
    """How a metric of one run, or the mean of a setting's runs, went.

    x, y: the points; low, high: the band around them, of all or none. seeds: the runs of the mean.
    steps: what x counts; metric: what y is; dots: of a rating, each generation's own value with
    its interval, as rows of x, y, low, high. runs: all that it is of.
    """

    name: str
    metric: str
    steps: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    seeds: int = 1
    dots: Floats | None = None
    runs: tuple[Run, ...] = ()

    @property
    def band(self) -> str:
        """What the band is, in words; nothing without one."""
        if self.low is None:
            return ""
        if self.seeds >= ENOUGH:
            return "95 % interval of the mean"
        if self.seeds > 1:
            return "from the lowest seed to the highest"
        smoothed = self.metric in ("rating", "centre_elo")
        return "95 % of the smoothed strength" if smoothed else "95 % interval of the games"


def course_of(
    run: Run, metric: str | None, over: str | None = None, name: str | None = None
) -> Course:
    """Return the course of a run; without a metric, of its kind's own metric.

    There are that one and the numbers of the first table. Without `over` it is drawn over what is
    usual for the kind: games of trainings and of SPSA, else its steps. Raises OptionsError where it
    has no such metric or x-axis, RunError where there is no value yet.
    """
    table = run.kind.tables[0]
    own = run.kind.reading.curve(run)
    chosen = str(own.name) if metric is None else metric
    if over is None and chosen == own.name:
        over = run.kind.reading.curve_over(run)
    if over is None:
        over = table.over[0] if table.over and table.over[0] in _OVER else _STEPS
    if over not in _OVER:
        raise OptionsError(f"x: {over!r} is unknown; there are {', '.join(_OVER)}")
    frame = run.table(table.name)
    if table.key is not None and table.key in frame:
        frame = frame.set_index(table.key)
    numbers = [str(name) for name in frame.select_dtypes("number").columns]
    ends = ("_low", "_high")
    known = dict.fromkeys([str(own.name), *(n for n in numbers if not n.endswith(ends))])
    if chosen not in known:
        raise OptionsError(f"{run.path} has no {chosen}; it has {', '.join(known)}")
    values = (own if chosen == own.name else frame[chosen]).dropna().astype(float)
    if values.empty:
        raise RunError(f"{run.path} has no {chosen} to draw yet")
    steps = str(own.index.name or table.key or "step")
    positions = _positions(run, frame, over, steps).reindex(values.index)
    x = np.asarray(positions, np.float64)

    def at_points(columns: list[str]) -> Floats | None:
        there = {*columns} <= {*frame}
        return frame[columns].reindex(values.index).to_numpy(np.float64) if there else None

    band = at_points([f"{chosen}{end}" for end in ends])
    low, high = (None, None) if band is None else band.T
    panel = at_points([f"panel_elo{end}" for end in ("", *ends)]) if chosen == "rating" else None
    return Course(
        run.name if name is None else name,
        chosen,
        steps if over == _STEPS else over,
        x,
        np.asarray(values, np.float64),
        low,
        high,
        dots=None if panel is None else np.column_stack([x, panel]),
        runs=(run,),
    )


def _positions(run: Run, frame: pd.DataFrame, over: str, steps: str) -> pd.Series[float]:
    """Where each row of a run's first table stands on the x-axis."""
    if over == _STEPS:
        return pd.Series(frame.index.to_numpy(float), index=frame.index)
    if over not in frame:
        raise OptionsError(f"x: the {steps}s of {run.path} have no {over}")
    column = frame[over].astype(float)
    return column.fillna(0.0).cumsum() if over in run.kind.reading.added else column


def course_of_group(
    group: Group, metric: str | None = None, over: str | None = None
) -> Course | None:
    """Return the mean course of a setting's runs, as far as all of them go.

    None where a run has nothing yet. Where runs stand at different places, such as seconds, each is
    interpolated between its own.
    """
    try:
        courses = [course_of(run, metric, over, group.name) for run in group.runs.values()]
    except RunError:
        return None
    if not courses:
        return None
    first = courses[0]
    if len(courses) == 1:
        return first
    x = _common(courses)
    if not len(x):
        return None
    values = np.array([np.interp(x, course.x, course.y) for course in courses])
    low, high = values.min(axis=0), values.max(axis=0)
    if len(courses) >= ENOUGH:
        means = [mean_of(column) for column in values.T.tolist()]
        low, high = np.array([mean.low for mean in means]), np.array([mean.high for mean in means])
    runs = tuple(group.runs.values())
    y = values.mean(axis=0)
    return Course(group.name, first.metric, first.steps, x, y, low, high, len(courses), runs=runs)


def _common(courses: Sequence[Course]) -> Floats:
    """Places at which all courses have a value: their own where those are the same."""
    low, high = max(course.x[0] for course in courses), min(course.x[-1] for course in courses)
    inside = [course.x[(course.x >= low) & (course.x <= high)] for course in courses]
    shared: Floats = inside[0]
    for other in inside[1:]:
        shared = np.intersect1d(shared, other)
    fewest = min(map(len, inside))
    if len(shared) >= max(1, fewest - 1) or low >= high:
        return shared
    return np.linspace(low, high, max(2, fewest))


def frame_of(courses: Sequence[Course]) -> pd.DataFrame:
    """Return the points of courses as a table: one row for each setting and position."""
    rows: list[dict[str, Any]] = []
    for course in courses:
        none = [None] * len(course.x)
        ends = (none if end is None else end.tolist() for end in (course.low, course.high))
        for x, y, low, high in zip(course.x.tolist(), course.y.tolist(), *ends, strict=True):
            point = {course.steps: int(x) if x.is_integer() else x, course.metric: y}
            own = {"setting": course.name, "seeds": course.seeds, **point}
            rows.append({**own, "low": low, "high": high})
    return pd.DataFrame(rows)
