"""Sweeps as a kind of run: their table, and their facts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from evolve.tables.kinds import Facts
from evolve.tables.layout import FINAL_FILE
from evolve.tables.run import Run
from evolve.tables.trials import FINISHED, read_trials


def trials(run: Run) -> pd.DataFrame:
    """A row for each trial."""
    return run.trials


def kept_trials(folder: Path) -> int:
    """Trials that are kept in a folder."""
    table = read_trials(folder)
    return 0 if table is None else int(table.num_rows)


def sweep_facts(run: Run) -> Facts:
    """How many trials are finished, and the best score. The final makes it complete."""
    frame, target = run.trials, run.config.get("trials")
    finished = int(frame["state"].isin(FINISHED).sum())
    complete = frame[frame["state"] == "COMPLETE"]
    best = float(complete["score"].max()) if len(complete) else None
    return Facts(
        done=finished,
        target=target,
        complete=isinstance(target, int)
        and finished >= target
        and (run.path / FINAL_FILE).exists(),
        figures={"best_score": best},
    )
