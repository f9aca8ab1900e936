"""Pictures of sweeps: what is written in them can be read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from evolve.plots.figure import DIVERGING
from evolve.plots.sweep import _SIZE, _draw_history, _draw_landscape, _draw_slice
from evolve.sweeps.landscape import Trials
from tests.plots import drawn

RNG = np.random.default_rng(0)
COUNT = 60
VALUES: dict[str, Any] = {
    "two decades": 10 ** RNG.uniform(-3.7, -2.3, COUNT),
    "many decades": 10 ** RNG.uniform(-7, -1, COUNT),
    "1 to 60": RNG.integers(1, 61, COUNT),
    "weights": RNG.integers(-200, 201, COUNT),
    "share": RNG.uniform(0, 1, COUNT),
    "large": RNG.integers(20_000, 500_000, COUNT),
    "flag": RNG.integers(0, 2, COUNT) == 1,
    "choice": RNG.choice(["dense 64 relu, dense 1 tanh", "gate, gate, dense 1", "conv 8"], COUNT),
    "many choices": RNG.choice(list("abcdef"), COUNT) + "-with-a-long-name",
}


def trials_with(values: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": range(COUNT),
            "state": ["PRUNED" if n % 3 else "COMPLETE" for n in range(COUNT)],
            "score": np.linspace(0.2, 0.9, COUNT),
            "score_error": 0.03,
            "origin": ["defaults"] + ["sampler"] * (COUNT - 1),
            "x": values,
        }
    )


@pytest.mark.parametrize("kind", VALUES)
def test_tick_labels_do_not_overlap(kind: str) -> None:
    figure = Figure(figsize=(12, 9.4), layout="constrained")
    axes = figure.add_subplot(figure.add_gridspec(3, 4)[1, 0])
    rows: list[Any] = trials_with(VALUES[kind]).to_dict("records")
    land = Trials(rows, [], [], None).over(["x"], _SIZE)
    assert land is not None
    _draw_slice(axes, land)
    renderer = drawn(figure)
    low, high = axes.get_xlim()
    labels = [
        label
        for minor in (False, True)
        for label, place in zip(
            axes.get_xticklabels(minor=minor), axes.get_xticks(minor=minor), strict=True
        )
        if label.get_text() and low <= place <= high
    ]
    assert labels
    if any(label.get_rotation() for label in labels):
        return  # they lean, side by side
    boxes = sorted((label.get_window_extent(renderer) for label in labels), key=lambda b: b.x0)
    assert not [
        [label.get_text() for label in labels]
        for left, right in pairwise(boxes)
        if not left.x1 < right.x0
    ]


def test_the_legend_is_not_over_the_curve() -> None:
    figure = Figure(figsize=(12, 9.4), layout="constrained")
    axes = figure.add_subplot(figure.add_gridspec(3, 4)[0, :2])
    _draw_history(axes, trials_with(VALUES["share"]))
    renderer = drawn(figure)
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_window_extent(renderer).y1 < axes.get_window_extent(renderer).y0


def test_a_landscape_has_the_colours_of_values() -> None:
    trials = trials_with(VALUES["share"])
    trials["y"] = VALUES["weights"]
    rows: list[Any] = trials.to_dict("records")
    land = Trials(rows, [], [], COUNT - 1).over(("x", "y"), _SIZE)
    assert land is not None
    figure = Figure()
    left, right = figure.subplots(1, 2)
    _draw_landscape(figure, land, left, right)
    colours = left.collections[0]
    assert colours.get_cmap() == DIVERGING
    middle = sum(colours.get_clim()) / 2
    assert middle == pytest.approx(np.mean(land.scores))
    bars = [axes for axes in figure.axes if axes not in (left, right)]
    assert not [
        (bar, values)
        for bar, values in zip(bars, (land.mean, land.error), strict=True)
        if bar.get_ylim() != pytest.approx((values.min(), values.max()))
    ]
