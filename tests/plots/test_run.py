"""Pictures of evolutions: which curves there are, with the ladder and without."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.errors import RunError
from evolve.evolution.trend import POOLED
from evolve.plots.run import plot_run
from evolve.runs.run import Run
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
