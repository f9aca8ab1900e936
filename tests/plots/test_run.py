"""Pictures of evolutions and trainings: which curves there are, with the ladder and without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import evolve
from evolve.errors import RunError
from evolve.evolution.trend import POOLED
from evolve.plots.run import _draw_elo, _draw_loss, _draw_panel, plot_run, plot_training
from evolve.runs.run import Run
from evolve.tables.metrics import METRICS_SCORES, commit_metrics
from tests.agents.conftest import CUTS, pattern_agent
from tests.cli.test_light import KEPT_RUN
from tests.plots import written_in


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("plots") / "seen"
    return evolve.evolve(
        folder, generations=2, population=6, openings="start", phases=2, bounds={"depths": [1, 2]},
        panel_openings=2, playoff_openings=2, rules="standard", seed=8,
    )  # fmt: skip


def test_a_run_with_the_ladder_shows_its_rating(run: Run, tmp_path: Path) -> None:
    plot_run(run, tmp_path / "run.svg")
    texts = written_in(tmp_path / "run.svg")
    assert "seen: standard, tuned, seed 8" in texts
    assert {"rating", "Elo over swh, depth 1", f"mean of {POOLED} of them"} <= set(texts)
    assert {"depth, phase 0", "depth, phase 1", "exact from (empties)"} <= set(texts)
    assert "past_score" not in texts
    assert sum(" discs, depth " in text for text in texts) == 2


def test_a_run_with_the_fixed_panel_shows_its_scores(tmp_path: Path) -> None:
    plot_run(Run(KEPT_RUN), tmp_path / "run.svg")
    texts = written_in(tmp_path / "run.svg")
    assert {"best_score", "panel_score", "past_score"} <= set(texts)
    assert "rating" not in texts


def test_a_run_without_a_generation_cannot_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes((KEPT_RUN / "config.toml").read_bytes())
    with pytest.raises(RunError, match="no whole generation to draw yet"):
        plot_run(Run(tmp_path), tmp_path / "run.svg")
    assert not (tmp_path / "run.svg").exists()


def test_a_run_over_a_given_evaluation_shows_its_cuts(tmp_path: Path) -> None:
    pattern_agent(cuts=CUTS).save(tmp_path / "net.npz")
    run = evolve.evolve(
        tmp_path / "given", evaluation=str(tmp_path / "net.npz"), generations=2, population=4,
        bounds={"depths": [1, 2], "endgame": [2, 4]}, openings="start", move_budget=100,
        panel_openings=2, playoff_openings=2, rules="standard",
    )  # fmt: skip
    plot_run(run, tmp_path / "run.svg")
    texts = set(written_in(tmp_path / "run.svg"))
    assert {"forward cuts of the better half", "standard deviations", "phase 2"} <= texts
    assert {"games lost on nodes", "search of the better half", "panel_score"} <= texts
    assert "weight of a square" not in texts


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
    _draw_panel(axes, training(tmp_path / "run", 4))
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
