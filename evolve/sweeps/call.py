"""Sweeps by a Python call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from evolve.config.toml import resolve_as
from evolve.parsing import taking_settings
from evolve.runs import life_cycle
from evolve.runs.progress import Observer, shown
from evolve.runs.run import Run
from evolve.runs.run_types import SWEEPS
from evolve.sweeps.sweep import opened_sweep

if TYPE_CHECKING:
    from evolve.keywords import SweepKeywords


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
            work.run(watching)
    return Run(folder)
