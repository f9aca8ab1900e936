"""Pictures of evolutions and trainings: which curves there are, with the ladder and without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from evolve.errors import RunError
from evolve.learning.tables import CHECKS, METRICS_SCORES
from evolve.plots.figure import Look
from evolve.plots.run_charts import _draw_loss, _draw_scores, plot_run, plot_training
from evolve.runs.run import Run
from tests.cli.test_light import KEPT_RUN
from tests.plots import written_in


def test_a_run_with_the_ladder_shows_its_rating(run: Run, tmp_path: Path) -> None:
    plot_run(run, Look()).save(tmp_path / "run.svg")
    texts = written_in(tmp_path / "run.svg")
    assert "seen: standard, tuned, seed 8" in texts
    assert {"Elo over swh", "search of the better half"} <= {*texts}
    assert any(text.startswith("champion, by a play-off ") for text in texts)
    assert {"depth, phase 0", "depth, phase 1", "exact from (empties)"} <= set(texts)
    assert "past_score" not in texts
    assert sum(" discs, depth " in text for text in texts) == 2


@pytest.mark.slow
def test_a_run_with_the_fixed_panel_shows_its_scores(tmp_path: Path) -> None:
    plot_run(Run(KEPT_RUN), Look()).save(tmp_path / "run.svg")
    texts = written_in(tmp_path / "run.svg")
    assert {"best_score", "panel_score"} <= set(texts)
    assert not {"past_score", "rating"} & set(texts)


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
        CHECKS.commit(folder, check, {**row, "score": 0.5, **seconds})
    return Run(folder)


def test_each_of_the_panel_has_a_curve_in_its_band(tmp_path: Path) -> None:
    axes = Figure().subplots()
    _draw_scores(axes, training(tmp_path / "run", 4), METRICS_SCORES, "against the panel")
    curves = {line.get_label(): line for line in axes.lines}
    found = [np.array(curves[name].get_data()) for name in METRICS_SCORES]
    expected = [
        [[100 * check, 0.1 * (check + 4 - place)] for check in range(4)]
        for place in range(len(METRICS_SCORES))
    ]
    np.testing.assert_allclose(found, np.swapaxes(expected, 1, 2))
    assert len(axes.collections) == len(METRICS_SCORES)


def test_the_picture_says_whose_it_is(tmp_path: Path) -> None:
    plot_training(training(tmp_path / "mine", 2), Look()).save(tmp_path / "picture.svg")
    texts = written_in(tmp_path / "picture.svg")
    assert "mine: train mcts, reversed, default, seed 3" in texts
    assert {"mean loss since the last check", "loss", *METRICS_SCORES} <= set(texts)


@pytest.mark.slow
def test_on_the_ladder_elo_takes_the_place_of_the_panel(tmp_path: Path) -> None:
    run = training(tmp_path / "run", 4, ladder=True)
    losses = Figure().subplots()
    _draw_loss(losses, run)
    (shares,) = [other for other in losses.figure.axes if other is not losses]
    assert np.asarray(shares.lines[0].get_ydata()).tolist() == pytest.approx([0, 0.2, 0.4, 0.6])
    plot_training(run, Look()).save(tmp_path / "picture.svg")
    texts = {*written_in(tmp_path / "picture.svg")}
    assert {"Elo over anti-swh-mobility", "games", "visited", "weight table, 3 plies"} <= texts
    assert not texts & {*METRICS_SCORES}
    plot_training(training(tmp_path / "other", 2), Look()).save(tmp_path / "other.svg")
    assert "visited" not in written_in(tmp_path / "other.svg")


def test_without_a_generation_or_a_check_there_is_nothing_to_draw(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes((KEPT_RUN / "config.toml").read_bytes())
    with pytest.raises(RunError, match="generation"):
        plot_run(Run(tmp_path), Look())
    with pytest.raises(RunError, match="check"):
        plot_training(training(tmp_path / "run", 0), Look())
