"""Trainings by a Python call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from evolve.config.toml import resolve_as
from evolve.learning.kind import KIND as TRAININGS
from evolve.learning.training import Training
from evolve.parsing import taking_settings
from evolve.runs import life_cycle
from evolve.runs.progress import Observer, shown
from evolve.runs.run import Run

if TYPE_CHECKING:
    from evolve.keywords import TrainingKeywords


@taking_settings
def train(
    kind: str,
    folder: str | Path,
    *,
    jobs: int = 1,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[TrainingKeywords],
) -> Run:
    """Train an agent in a folder, as `evolve train` does; the same call resumes a stopped run.

    Args:
        kind: `patterns`, which needs nothing else, or `dqn` or `mcts`, which need PyTorch.
        folder: folder of the run; a new one, or one that a call with the same settings started.
        jobs: number of threads; results do not depend on it.
        progress: whether to show a line of progress.
        observer: receives checks.
        settings: those of `evolve train KIND --help`, such as `preset="quick"` or `budget=60`.
            Later calls may name more `games` or another `budget` or `patience`.

    Returns the run: `.tables["metrics"]`, `.champion`, `.elo`, `.plot()`. Raises SettingsError for
    invalid settings, RunError for a folder that belongs to another run, ExtraError without PyTorch.

    >>> evolve.train("patterns", "runs/taught", games=200, depth=1, panel_openings=2)
    Run('runs/taught', games=200)
    """
    variant, command = life_cycle.variant_of(TRAININGS, kind), TRAININGS.command(kind)
    requested = resolve_as(variant.model(), variant.all_presets(), settings)
    with (
        life_cycle.opened(TRAININGS, command, Path(folder), requested) as begun,
        shown(progress, observer) as watching,
    ):
        training = Training(begun.folder, requested, jobs)
        if begun.restore(training):
            training.run(watching)
    return Run(folder)
