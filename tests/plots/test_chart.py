"""One chart: a legend, rungs whose names do not overlap, units of time, bands below curves."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from evolve.engine.board.rules import RULE_SETS
from evolve.errors import RunError
from evolve.fitness.trend import Curve, rest_message
from evolve.plots.chart import _rung_text, caption_of, draw_chart
from evolve.runs.run import Run
from evolve.runs.summary import summary_of
from evolve.studies.course import Course, course_of
from tests.plots import drawn


def course(name: str, end: float, **more: Any) -> Course:
    x = np.array([0.0, 1.0, 2.0])
    return Course(name, "loss", "check", x, x * end / 2, x * end / 2 - 3, x * end / 2 + 3, **more)


def charted(courses: list[Course], size: tuple[float, float] = (9.0, 5.0)) -> Axes:
    axes = Figure(figsize=size, layout="constrained").subplots()
    draw_chart(axes, courses)
    return axes


def beside(axes: Axes) -> list[Annotation]:
    return [text for text in axes.texts if isinstance(text, Annotation)]


def legend_of(axes: Axes) -> list[str]:
    legend = axes.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("size", [(9.0, 5.0), (3.3, 2.4)])
def test_names_stand_in_a_legend_below(size: tuple[float, float]) -> None:
    axes = charted([course(f"lr={n}", 100.0 + 0.1 * n) for n in range(5)], size)
    renderer = drawn(axes.get_figure(root=True))  # type: ignore[arg-type]
    assert legend_of(axes) == list("01234")
    legend = axes.get_legend()
    assert legend.get_window_extent(renderer).y1 < axes.get_window_extent(renderer).y0
    assert legend_of(charted([course("alone", 9.0)])) == []


def test_bands_are_below_all_curves() -> None:
    axes = charted([course("a", 9.0), course("b", 9.0)])
    curves = [line.get_zorder() for line in axes.lines if line.get_label() in "ab"]
    assert len(curves) == len(axes.collections) == 2
    assert min(curves) > max(band.get_zorder() for band in axes.collections)


def test_values_of_one_setting_lose_its_name() -> None:
    caption = caption_of([course("depth=1", 1, seeds=2), course("depth=2", 1, seeds=3)])
    assert caption == ("depth · mean of 2 to 3 seeds · band: from the lowest seed to the highest")


def test_the_curve_ends_at_the_headline_and_the_ring_is_the_champion(run: Run) -> None:
    course = course_of(run, None, "generations")
    last, elo = run.metadata(run.generation_count - 1)[0], summary_of(run).elo
    assert course.y[-1] == pytest.approx(last["rating"])
    rings = [line for line in charted([course]).lines if line.get_mfc() == "none"]
    assert [line.get_ydata()[0] for line in rings] == [elo]  # type: ignore[index]


def test_a_rating_has_the_rungs_as_named_lines(run: Run) -> None:
    axes = charted([course_of(run, None, "generations")])
    low, high = axes.get_ylim()
    ladder = RULE_SETS["standard"].ladder.items()
    shown = {_rung_text(name, elo) for name, elo in ladder if low <= elo <= high}
    names = beside(axes)
    assert set() < {one.get_text() for one in names} <= shown
    renderer = drawn(axes.get_figure(root=True))  # type: ignore[arg-type]
    boxes = [Text.get_window_extent(one, renderer) for one in names]
    assert all(below.y1 <= above.y0 + 1.5 for below, above in pairwise(boxes))
    assert [name.split()[0] for name in legend_of(axes)] == ["strength", "champion,", "each"]
    assert axes.get_ylabel() == "Elo over swh"
    assert beside(charted([course_of(run, "best_score", "generations")])) == []


def test_rungs_in_words() -> None:
    rungs = [rung for rules in RULE_SETS.values() for rung in rules.ladder.items()]
    texts = [_rung_text(*rung) for rung in rungs]
    assert not [text for text in texts if "standard" in text or "reversed" in text]
    ends = [str(elo).replace("-", "−") for _, elo in rungs]
    assert [text[-len(end) :] for text, end in zip(texts, ends, strict=True)] == ends
    assert _rung_text("champion-reversed?depth=2&endgame=4", 409, whole=False) == "shipped, 2 plies"
    assert _rung_text("swh", 0) == "weight table, 1 ply · 0"


@pytest.mark.parametrize(("last", "unit"), [(90.0, "s"), (900.0, "min"), (90_000.0, "h")])
def test_time_is_in_a_unit_that_can_be_read(last: float, unit: str) -> None:
    axes = charted([Course("a", "loss", "seconds", np.array([1.0, last]), np.array([1.0, 2.0]))])
    assert axes.get_xlabel() == f"time ({unit})"
    drawn(axes.get_figure(root=True))  # type: ignore[arg-type]
    factor = {"s": 1, "min": 60, "h": 3600}[unit]
    assert np.asarray(axes.lines[0].get_xdata()).tolist() == [1.0 / factor, last / factor]


def test_no_longer_rises_stands_since_when_and_not_where_it_was_noticed(tmp_path: Path) -> None:
    """On a run of 150 generations of equal strength, with the columns that an evolution writes."""
    curve, rng, rows = Curve(), np.random.default_rng(3), []
    for generation in range(150):
        curve.add(generation, 500.0 + rng.normal(0, 50), 50.0)
        estimate = curve.smoothed[generation].columns("rating")
        rows.append({"generation": generation, **estimate, **curve.rise})
    noticed = next(n for n, row in enumerate(rows) if rest_message(row) is not None)
    (tmp_path / "config.toml").write_text('command = "run"\nrules = "standard"\nseed = 0\n')
    run = Run(tmp_path)
    frame = run.__dict__["generations"] = pd.DataFrame(rows)
    dots = frame[["generation", "rating", "rating_low", "rating_high"]].to_numpy(float)
    x, y, low, high = dots.T
    axes = charted([Course("a", "rating", "generation", x, y, low, high, dots=dots, runs=(run,))])
    (text,) = [text for text in axes.texts if "rises" in text.get_text()]
    assert text.get_position()[0] == rows[noticed]["rise_since"] < noticed


def test_different_metrics_are_not_one_chart() -> None:
    other = Course("b", "elo", "check", np.array([1.0]), np.array([1.0]))
    with pytest.raises(RunError, match="different"):
        charted([course("a", 1.0), other])
    with pytest.raises(RunError, match="generation"):
        charted([])


def test_any_number_of_curves_is_told_apart_and_a_short_one_has_its_name() -> None:
    axes = charted([course(f"lr={n}", 100.0 + n) for n in range(36)])
    drawn_as = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines}
    assert len(drawn_as) == 36
    assert len({dash for _, dash in drawn_as}) == 6
    x = np.array([0.0])
    begun = Course("b=1", "loss", "check", x, x + 5.0)
    assert legend_of(charted([course("b=0", 10.0), begun])) == ["0", "1"]
