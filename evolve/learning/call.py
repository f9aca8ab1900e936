"""Trainings by a Python call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evolve.agents.registry import programs_in
from evolve.config.learning import TrainingSettings
from evolve.config.toml import read_toml, resolve_as
from evolve.files.atomic import write_text
from evolve.learning.training import Training
from evolve.runs import run_folder as store
from evolve.runs import starts
from evolve.runs.progress import shown
from evolve.runs.run import Run
from evolve.runs.run_folder import Observer
from evolve.runs.run_types import TRAININGS
from evolve.tables.metrics import forget_checks
from evolve.tables.paths import CONFIG_FILE


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
        observer: receives checks; see `evolve.runs.run_folder`.
        settings: what `evolve train KIND --help` lists, such as `preset="quick"` or `budget=60`.
            Later calls may name more `games` or another `budget` or `patience`.

    Returns the run: `.tables["metrics"]`, `.champion`, `.plot()`. Raises SettingsError for invalid
    settings, RunError for a folder that belongs to another run, ExtraError without PyTorch.
    """
    variant, command = starts.variant_of(TRAININGS, kind), TRAININGS.command(kind)
    place, model, presets = Path(folder), variant.model(), variant.all_presets()
    asked: TrainingSettings = resolve_as(model, presets, settings, starts.settings_below(place))
    with starts.opened(place, TRAININGS.stem_of(command, asked.rules)) as (place, new):
        text = starts.config_of(TRAININGS, command, asked)
        if new:
            starts.agree_to(place, programs_in(asked))
            store.create(place, text, TRAININGS.parts)
        else:
            path = place / CONFIG_FILE
            starts.check_same(place, asked, resolve_as(model, {}, {}, read_toml(path), str(path)))
            store.sweep_orphans(place, TRAININGS.parts)
        training = Training(place, asked, jobs)
        if not new:
            training.restore()
            forget_checks(place, training.check)
            write_text(place / CONFIG_FILE, text)
        if training.finished is None or training.check_is_due:
            with shown(progress, observer) as watching:
                training.run(watching)
    return Run(place)
