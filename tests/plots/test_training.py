"""Pictures of trainings: scores against the panel, and the loss."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from evolve.errors import RunError
from evolve.plots.training import _draw_elo, _draw_loss, _draw_scores, plot_training
from evolve.runs.run import Run
from evolve.tables.metrics import METRICS_SCORES, commit_metrics
from tests.plots import written_in

CONFIG = 'command = "train mcts"\npreset = "default"\nrules = "reversed"\nseed = 3\n'


def training(folder: Path, checks: int, ladder: bool = False) -> Run:
    """The run of a training that got better by a tenth from check to check, or by 100 Elo."""
    (folder / "metrics").mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG, encoding="utf-8")
    for check in range(checks):
        row = {"check": check, "games": 100 * check, "steps": 10, "loss": 1.0 / (check + 1)}
        for place, name in enumerate(() if ladder else METRICS_SCORES):
            score = 0.1 * (check + 4 - place)
            row |= {name: score, f"{name}_low": score - 0.1, f"{name}_high": score + 0.1}
        if ladder:
            elo = 100.0 * check
            row |= {"elo": elo, "elo_low": elo - 50, "elo_high": elo + 50, "visited": 0.2 * check}
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


def test_on_the_ladder_elo_takes_the_place_of_the_panel(tmp_path: Path) -> None:
    run = training(tmp_path / "run", 4, ladder=True)
    axes, losses = Figure().subplots(1, 2)
    _draw_elo(axes, run)
    (line,) = axes.lines
    x, y = line.get_data()
    assert np.asarray(x).tolist() == np.asarray(y).tolist() == [0, 100, 200, 300]
    (band,) = axes.collections
    assert band.get_datalim(axes.transData).intervaly.tolist() == [-50, 350]
    _draw_loss(losses, run)
    (shares,) = [other for other in losses.figure.axes if other not in (axes, losses)]
    assert np.asarray(shares.lines[0].get_ydata()).tolist() == pytest.approx([0, 0.2, 0.4, 0.6])
    plot_training(run, tmp_path / "picture.svg")
    texts = {*written_in(tmp_path / "picture.svg")}
    assert {"Elo on the ladder, 95 %", "mean loss since the last check", "visited"} <= texts
    assert not texts & {*METRICS_SCORES}
    plot_training(training(tmp_path / "other", 2), tmp_path / "other.svg")
    assert not {*written_in(tmp_path / "other.svg")} & {"visited", "Elo"}


def test_a_training_without_a_check_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no check to draw yet"):
        plot_training(training(tmp_path / "run", 0), tmp_path / "picture.svg")
    assert not (tmp_path / "picture.svg").exists()
