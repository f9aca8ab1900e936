"""Pictures of trainings: scores against the panel, and the loss."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from evolve.errors import RunError
from evolve.plots.training import _draw_scores, plot_training
from evolve.tables.metrics import METRICS_SCORES, commit_metrics
from evolve.tables.run import Run
from tests.plots import written_in

CONFIG = 'command = "train mcts"\npreset = "default"\nrules = "reversed"\nseed = 3\n'


def training(folder: Path, checks: int) -> Run:
    """The run of a training that got better by a tenth from check to check."""
    (folder / "metrics").mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG, encoding="utf-8")
    for check in range(checks):
        row = {"check": check, "games": 100 * check, "steps": 10, "loss": 1.0 / (check + 1)}
        for place, name in enumerate(METRICS_SCORES):
            score = 0.1 * (check + 4 - place)
            row |= {name: score, f"{name}_low": score - 0.1, f"{name}_high": score + 0.1}
        seconds = dict.fromkeys(("cpu_seconds", "accept_seconds", "seconds"), 1.0)
        commit_metrics(folder, check, {**row, "score": 0.5, **seconds})
    return Run(folder)


def test_each_of_the_panel_has_a_curve_in_its_band(tmp_path: Path) -> None:
    axes = Figure().subplots()
    _draw_scores(axes, training(tmp_path / "run", 4))
    curves = {line.get_label(): line for line in axes.lines}
    assert {*METRICS_SCORES} < set(curves)
    for place, name in enumerate(METRICS_SCORES):
        x, y = curves[name].get_data()
        assert x.tolist() == [0, 100, 200, 300]
        assert y.tolist() == pytest.approx([0.1 * (check + 4 - place) for check in range(4)])
    assert len(axes.collections) == len(METRICS_SCORES)


def test_the_picture_says_whose_it_is(tmp_path: Path) -> None:
    plot_training(training(tmp_path / "mine", 2), tmp_path / "picture.svg")
    texts = written_in(tmp_path / "picture.svg")
    assert "mine: train mcts, reversed, default, seed 3" in texts
    assert {"mean loss since the last check", "loss", *METRICS_SCORES} <= set(texts)


def test_a_training_without_a_check_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no check to draw yet"):
        plot_training(training(tmp_path / "run", 0), tmp_path / "picture.svg")
    assert not (tmp_path / "picture.svg").exists()
