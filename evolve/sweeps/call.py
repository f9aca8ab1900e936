"""Sweeps by a Python call, and a sweep's whole course: its trials, then the final."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from evolve.arena.match import StoppedError
from evolve.config.sweep import SweepSettings
from evolve.config.toml import read_toml, resolve_as
from evolve.errors import RunError
from evolve.parsing import taking_settings
from evolve.runs import life_cycle
from evolve.runs.progress import Observer, TimeLeft, shown
from evolve.runs.run import Run
from evolve.runs.run_types import SWEEPS
from evolve.sweeps.rungs import Rungs, RungsEnded
from evolve.sweeps.storage import stored_form
from evolve.sweeps.sweep import Sweep, SweepEnding, opened_sweep
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.trials import FinalDocument

if TYPE_CHECKING:
    from evolve.keywords import SweepKeywords


def search_and_select(sweep: Sweep, observer: Observer) -> tuple[SweepEnding, FinalDocument | None]:
    """Run the trials that are left, then play the final or the rungs.

    Returns why it ended, and the result, which is None where it was stopped before. RunError where
    no trial was played to its end.
    """
    folder, timeout = sweep.folder, sweep.settings.timeout
    end = None if timeout is None else time.monotonic() + timeout
    ending = sweep.complete if sweep.study.is_over else sweep.run(observer)
    if ending.stopped:
        return ending, None
    if sweep.failure is not None:
        raise RunError(f"{folder}: {sweep.failure}")
    try:
        rungs = Rungs(sweep, end) if sweep.settings.rungs else None
        result = sweep.play_final(observer) if rungs is None else rungs.climb(observer)
    except StoppedError:
        return SweepEnding.STOPPED, None
    except RungsEnded as ended:
        return ended.ending, None
    if result is None and ending in (SweepEnding.COMPLETE, SweepEnding.EXHAUSTED):
        raise RunError(f"{folder}: no trial was played to its end, and there is no champion")
    return ending, result


@taking_settings
def sweep(
    kind: str,
    folder: str | Path,
    *,
    jobs: int | None = None,
    progress: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[SweepKeywords],
) -> Run:
    """Search hyperparameters, as `evolve sweep` does; the same call resumes a stopped sweep.

    Args:
        kind: what is searched: `alphabeta`, `evolution`, `patterns`, `dqn`, `mcts` or `program`.
        folder: folder of the sweep; a new one, or one that a call with the same settings started.
        jobs: workers; a sweep keeps their number, 1 if it is not given, as its trials depend on it.
        progress: whether to show a line of progress.
        observer: receives trials.
        settings: those of `evolve sweep KIND --help`, such as `trials=60`, `fix={"depths": 1}`,
            `space={"mobility": {"low": 0, "high": 9}}`, or `program="gtp:…"`. Later calls may name
            more `trials`.

    Workers are processes of their own, but scripts need no `if __name__ == "__main__"`. Returns the
    run: `.tables["trials"]`, `.champion`, `.elo`, `.plot()`. Raises SettingsError for invalid
    settings, RunError for a folder that belongs to another run or where every trial failed,
    ExtraError without what the kind needs.

    >>> evolve.sweep("alphabeta", "runs/tuned", trials=2)
    Run('runs/tuned', trials=2)
    """
    variant, command = life_cycle.variant_of(SWEEPS, kind), SWEEPS.command(kind)
    folder = Path(folder)
    below: dict[str, Any] = {}
    if (folder / CONFIG_FILE).exists():
        stored = read_toml(folder / CONFIG_FILE)
        below = {key: stored[key] for key in ("study", "jobs") if key in stored}
    given = {"kind": kind, **settings, **({} if jobs is None else {"jobs": jobs})}
    requested: SweepSettings = resolve_as(variant.model(), {}, given, below)
    requested = requested.completed(folder, 1)
    with (
        life_cycle.opened(SWEEPS, command, folder, stored_form(requested)) as store_settings,
        opened_sweep(folder, requested) as work,
    ):
        if store_settings is not None:
            store_settings()
        if not (work.has_champion and work.study.is_over):
            time = TimeLeft(work.study.progress, at_once=work.settings.first_trials)
            with shown(progress, observer, time) as watching:
                search_and_select(work, watching)
    return Run(folder)
