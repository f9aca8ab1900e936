"""Sweeps by a Python call, and a sweep's whole course: its trials, then the final."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from evolve.arena.match import StoppedError
from evolve.config.toml import resolve_as
from evolve.engine.games.first_use import compile_first
from evolve.errors import RunError
from evolve.parsing import taking_settings
from evolve.runs import life_cycle
from evolve.runs.progress import COMPILING, Observer, shown
from evolve.runs.run import Run
from evolve.runs.run_types import SWEEPS
from evolve.sweeps.rungs import Rungs, RungsEnded
from evolve.sweeps.sweep import Sweep, SweepEnding, opened_sweep
from evolve.tables.trials import FinalDocument

if TYPE_CHECKING:
    from evolve.keywords import SweepKeywords


def search_and_select(sweep: Sweep, observer: Observer) -> tuple[SweepEnding, FinalDocument | None]:
    """Run the trials that are left, then play the final or the rungs.

    Returns why it ended, and the result, which is None where it was stopped before. RunError where
    no trial was played to its end.
    """
    compile_first(partial(observer.stage, COMPILING))  # not in the workers' first trials
    observer.expect(sweep.time_left)
    observer.whole("trials", *sweep.study.progress)
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
    model, command = life_cycle.variant_of(SWEEPS, kind).model(), SWEEPS.command(kind)
    given = {"kind": kind, **settings, **({} if jobs is None else {"jobs": jobs})}
    requested = resolve_as(model, {}, given)
    with (
        life_cycle.opened(SWEEPS, command, Path(folder), requested) as begun,
        opened_sweep(begun.folder, begun.settings) as work,
        shown(progress, observer) as watching,
    ):
        if begun.restore(work):
            search_and_select(work, watching)
    return Run(folder)
