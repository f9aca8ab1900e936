"""Tiny runs, driven as the command line drives them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.config.toml import config_text, read_toml, resolve
from evolve.evolution.loop import Evolution, EvolutionEnding
from evolve.fitness.executor import Threads
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.runs.run import Run

TINY: dict[str, Any] = {
    "generations": 4, "population": 6, "panel_openings": 2, "playoff_openings": 3,
    "hall_of_fame": 2, "move_budget": 400, "seed": 5,
}  # fmt: skip


class After(Observer):
    """Does something when so many rows are written: a wish to stop, or an error."""

    def __init__(self, rows: int, error: type[BaseException] | None = None) -> None:
        self.left, self.error = rows, error

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.left -= 1
        if self.left <= 0 and self.error is not None:
            raise self.error

    def stop(self) -> bool:
        return self.left <= 0


class StopAfter(Observer):
    """Wishes to stop after some generations."""

    def __init__(self, generations: int) -> None:
        self.left = generations

    def stop(self) -> bool:
        self.left -= 1
        return self.left <= 0


def start(
    folder: Path, jobs: int = 1, observer: Observer | None = None, **options: Any
) -> EvolutionEnding:
    """Make a run and evolve it."""
    settings = resolve({**TINY, **options})
    evolution = Evolution(folder, settings, Threads(jobs))
    run_folder.create(folder, config_text(settings, {}))
    with run_folder.locked(folder):
        return evolution.run(observer or Observer())


def go_on(
    folder: Path, jobs: int = 1, observer: Observer | None = None, **changes: Any
) -> EvolutionEnding:
    """Go on with a run, as `evolve resume` does."""
    settings = resolve(changes, read_toml(folder / "config.toml"))
    with run_folder.locked(folder):
        run_folder.sweep_orphans(folder)
        evolution = Evolution(folder, settings, Threads(jobs))
        evolution.restore()
        return evolution.run(observer or Observer())


@pytest.fixture(scope="package")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "run"
    start(folder, generations=5, population=8)
    return evolve.load_run(folder)
