"""Pictures of sweeps: what is written in them can be read."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evolve.plots.figure import DIVERGING
from evolve.plots.run_charts import _draw_history, _draw_setting
from evolve.sweeps.scatter import Scatter, Setting
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


def scatter_with(values: Any) -> tuple[Scatter, Setting]:
    setting = Setting.of("x", list(values))
    scores = np.linspace(0.2, 0.9, COUNT).tolist()
    colours = np.linspace(-1, 1, COUNT).tolist()
    return Scatter(list(range(COUNT)), scores, colours, [setting], COUNT - 1, 0, ""), setting


def axes_at(row: int, column: int | slice) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(12, 9.4), layout="constrained")
    return figure, figure.add_subplot(figure.add_gridspec(3, 4)[row, column])


@pytest.mark.parametrize("kind", VALUES)
def test_tick_labels_do_not_overlap(kind: str) -> None:
    figure, axes = axes_at(1, 0)
    _draw_setting(axes, *scatter_with(VALUES[kind]))
    renderer = drawn(figure)
    low, high = axes.get_xlim()
    labels = [
        label
        for label in axes.get_xticklabels(which="both")
        if label.get_text() and low <= label.get_position()[0] <= high
    ]
    boxes = sorted((label.get_window_extent(renderer) for label in labels), key=lambda b: b.x0)
    assert boxes
    lean = any(label.get_rotation() for label in labels)  # side by side
    assert lean or all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_the_legend_is_not_over_the_curve() -> None:
    figure, axes = axes_at(0, slice(2))
    trials = pd.DataFrame({"number": range(COUNT), "score": np.linspace(0.2, 0.9, COUNT)})
    trials["state"] = ["PRUNED" if n % 3 else "COMPLETE" for n in range(COUNT)]
    trials["score_error"], trials["origin"] = 0.03, ["defaults", *["sampler"] * (COUNT - 1)]
    _draw_history(axes, trials, trials["score"].cummax())
    renderer = drawn(figure)
    legend = axes.get_legend()
    assert legend.get_window_extent(renderer).y1 < axes.get_window_extent(renderer).y0


def test_trials_have_the_colours_of_their_scores_and_two_are_marked() -> None:
    axes = Figure().subplots()
    scatter, setting = scatter_with(VALUES["share"])
    _draw_setting(axes, scatter, setting)
    (trials,) = axes.collections
    assert (trials.get_cmap(), trials.get_clim()) == (DIVERGING, (-1, 1))
    assert list(trials.get_array()) == scatter.colours
    marked = [tuple(np.ravel(line.get_data())) for line in axes.lines]
    places = setting.places
    assert marked == [(places[0], 0.2), (places[-1], 0.9)]
