"""Small evolutions to draw: one run, and a study of two settings over two seeds."""

from __future__ import annotations

from typing import Any

import pytest

import evolve
from evolve.runs.run import Run, Study

SMALL: dict[str, Any] = {
    "population": 6, "openings": "start", "phases": 2, "bounds": {"depths": [1, 2]},
    "panel_openings": 2, "playoff_openings": 2, "rules": "standard",
}  # fmt: skip


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("plots") / "seen"
    return evolve.evolve(folder, generations=3, seed=8, **SMALL)


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("plots") / "both"
    grid = {"crossover": ["blend", "uniform"]}
    return evolve.study(folder, seeds=range(2), grid=grid, generations=3, **SMALL)
