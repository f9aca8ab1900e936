"""Trainings as a kind of run: their table, and their facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from evolve.tables.kinds import Facts
from evolve.tables.layout import CHECKPOINT_FILE
from evolve.tables.metrics import committed_checks
from evolve.tables.run import Run


def metrics(run: Run) -> pd.DataFrame:
    """A row for each check."""
    return run.metrics


def kept_checks(folder: Path) -> int:
    """Checks that are kept in a folder; a checkpoint before the first of them counts as one."""
    return max(committed_checks(folder), int((folder / CHECKPOINT_FILE).exists()))


def training_facts(run: Run) -> Facts:
    """How far it is, and how good, as of its last check."""
    frame, config = run.metrics, run.config
    last: dict[Any, Any] = frame.to_dict("records")[-1] if len(frame) else {}
    ends = (("games", "games"), ("budget", "cpu_seconds"))
    complete = any(
        isinstance(config.get(end), (int, float)) and last.get(column, 0) >= config[end]
        for end, column in ends
    )
    patience = config.get("patience")
    if isinstance(patience, int) and len(frame):
        # A check that is no better than the best before it counts towards the patience.
        complete = complete or len(frame) - 1 - int(frame["score"].argmax()) >= patience
    return Facts(
        done=last.get("games", 0),
        target=config.get("games"),
        complete=complete,
        figures={"panel_score": last.get("score")},
    )


def training_totals(run: Run) -> dict[str, Any]:
    """The games that it has played, and the best panel score of all."""
    frame = run.metrics
    if frame.empty:
        return {"games": 0}
    return {
        "games": int(frame["games"].iloc[-1]),
        "best_panel_score": float(frame["score"].max()),
    }
