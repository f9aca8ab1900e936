"""Trainings as a kind of run: their table, and their summaries in lists of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from evolve.runs.run import Run
from evolve.runs.run_type import RunProgress, RunReading, TableReading
from evolve.tables.metrics import METRICS_COLUMNS, METRICS_UNUSED, committed_checks, read_metrics
from evolve.tables.paths import CHECKPOINT_FILE

if TYPE_CHECKING:
    import pandas as pd


def _kept(folder: Path) -> int:
    """Number of checks that a folder holds; a checkpoint before the first check counts as one."""
    return max(committed_checks(folder), int((folder / CHECKPOINT_FILE).exists()))


def _progress(run: Run) -> RunProgress:
    """Its progress and strength, as of its last check."""
    rows, config = read_metrics(run.path).to_pylist(), run.config
    last: dict[str, Any] = rows[-1] if rows else {}
    judge, budget, games = _judge(run), config.get("budget"), config.get("games")
    complete = isinstance(games, int) and last.get("games", 0) >= games
    if isinstance(budget, (int, float)):
        # The work after the games may take less than its reserve of the budget.
        model = run.kind.commands[run.command].model()
        reserve = model.model_construct(**config).reserve
        complete = complete or last.get("cpu_seconds", 0.0) >= budget - reserve
    patience = config.get("patience")
    if isinstance(patience, int) and rows:
        # A check no better than the best before it counts towards `patience`.
        scores = [row["score"] for row in rows]
        complete = complete or len(rows) - 1 - scores.index(max(scores)) >= patience
    return RunProgress(
        done=last.get("games", 0),
        target=games,
        complete=complete,
        metrics={f"{judge}_score": last.get("score")},
        share=last.get("cpu_seconds", 0.0) / budget if isinstance(budget, (int, float)) else None,
        so_far=last.get("score") if judge == "panel" else None,
    )


def _curve(run: Run) -> pd.Series[float]:
    """What each check measured: the Elo on the ladder where checks play it, else the score."""
    return run.metrics.set_index("check")["elo" if _judge(run) == "ladder" else "score"]


def _metrics(run: Run) -> dict[str, Any]:
    """The games played, and the best score of all checks."""
    frame = run.metrics
    if frame.empty:
        return {"games": 0}
    return {
        "games": int(frame["games"].iloc[-1]),
        f"best_{_judge(run)}_score": float(frame["score"].max()),
    }


def _judge(run: Run) -> str:
    """The judge of its checks: `panel` or `ladder`."""
    return cast("str", run.kind.commands[run.command].model().judge)


READING: Final = RunReading(
    kept=_kept,
    progress=_progress,
    compared_by=("best_panel_score", "best_ladder_score"),
    curve=_curve,
    metrics=_metrics,
    tables={
        "metrics": TableReading(
            lambda run: read_metrics(run.path),
            METRICS_COLUMNS,
            unused=lambda run: METRICS_UNUSED[_judge(run)],
        )
    },
)
