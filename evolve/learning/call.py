"""Trainings by a Python call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evolve.config.learning import TrainingSettings
from evolve.config.toml import resolve_as
from evolve.learning.training import Training
from evolve.runs import life_cycle
from evolve.runs.observer import Observer
from evolve.runs.progress import shown
from evolve.runs.run import Run
from evolve.runs.run_types import TRAININGS
from evolve.tables.metrics import forget_checks


def train(
    kind: str,
    folder: str | Path,
    *,
    jobs: int = 1,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Any,
) -> Run:
    """Train an agent in a folder, as `evolve train` does; the same call resumes a stopped run.

    Args:
        kind: `patterns`, which needs nothing else, or `dqn` or `mcts`, which need PyTorch.
        folder: folder of the run; a new one, or one that a call with the same settings started.
        jobs: number of threads; results do not depend on it.
        progress: whether to show a line of progress.
        observer: receives checks; see `evolve.runs.observer`.
        settings: what `evolve train KIND --help` lists, such as `preset="quick"` or `budget=60`.
            Later calls may name more `games` or another `budget` or `patience`.

    Returns the run: `.tables["metrics"]`, `.champion`, `.plot()`. Raises SettingsError for invalid
    settings, RunError for a folder that belongs to another run, ExtraError without PyTorch.
    """
    variant, command = life_cycle.variant_of(TRAININGS, kind), TRAININGS.command(kind)
    folder = Path(folder)
    below = life_cycle.settings_below(folder)
    requested: TrainingSettings = resolve_as(
        variant.model(), variant.all_presets(), settings, below
    )
    with life_cycle.opened(TRAININGS, command, folder, requested) as store_settings:
        training = Training(folder, requested, jobs)
        if store_settings is not None:
            training.restore()
            store_settings()
            forget_checks(folder, training.check)
        if training.finished is None or training.check_is_due:
            with shown(progress, observer) as watching:
                training.run(watching)
    return Run(folder)
