"""Trainings as a kind of run: their table, and their summaries in lists of runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa

from evolve.runs.run import Run
from evolve.runs.run_type import RunProgress, RunReading, TableReading
from evolve.tables.columns import Chart, Column, Columns
from evolve.tables.parquet import RowFiles
from evolve.tables.paths import CHAMPION_FILE, CHECKPOINT_FILE, LEARNED_FILE, METRICS

if TYPE_CHECKING:
    import pandas as pd

METRICS_SCORES: Final = ("random", "depth_1", "depth_2")
"""Columns of the scores against the first three of the rules' panel, where checks play them."""
_PANEL: Final = tuple(f"{name}{end}" for name in METRICS_SCORES for end in ("", "_low", "_high"))
_LADDER: Final = ("elo", "elo_low", "elo_high")
_SCORES: Final = Chart("Scores against the panel", (0, 1))

_COLUMNS: Final = Columns(
    (
        *(Column(name, pa.int64()) for name in ("check", "games", "steps")),
        Column("loss", pa.float64(), chart=Chart("Loss")),
        Column("score", pa.float64(), format="percent", chart=Chart("Score", (0, 1))),
        *(Column(f"score{end}", pa.float64()) for end in ("_low", "_high")),
        *(
            Column(
                name,
                pa.float64(),
                format="percent",
                chart=_SCORES if name in METRICS_SCORES else None,
                label=name.replace("_", " "),
            )
            for name in _PANEL
        ),
        Column("elo", pa.float64(), chart=Chart("Elo on the ladder", first=True), label="Elo"),
        *(Column(name, pa.float64()) for name in _LADDER[1:]),
        Column(
            "visited",
            pa.float64(),
            format="percent",
            chart=Chart("Weights that games have visited", (0,)),
            label="share",
        ),
        Column("cpu_seconds", pa.float64()),
        Column("accept_seconds", pa.float64()),
        Column("seconds", pa.float64()),
    )
)
"""The columns of the table.

The score against the judge has the 95 % interval of its games. Null where they do not apply: the
scores against the panel; the Elo on the ladder with its 95 % interval; the share of weights that
games have visited. accept_seconds: CPU seconds of games that choose between models, a part of
cpu_seconds.
"""
METRICS_UNUSED: Final[Mapping[str, tuple[str, ...]]] = {
    "panel": (*_LADDER, "visited"),
    "ladder": _PANEL,
}
"""Columns that trainings leave empty, by their judge."""

CHECKS: Final = RowFiles(METRICS, "check", _COLUMNS)
"""The table in a training's folder."""


def written_files(folder: Path) -> list[Path]:
    """The files of a training, some of which may not exist, in the order in which it writes them.

    It goes on from all of them.
    """
    champions = [folder / CHAMPION_FILE, folder / LEARNED_FILE]
    return [
        *champions,
        *(CHECKS.file(folder, number) for number in range(CHECKS.count(folder))),
        folder / CHECKPOINT_FILE,
    ]


def _kept(folder: Path) -> int:
    """Number of checks that a folder holds; a checkpoint before the first check counts as one."""
    return max(CHECKS.count(folder), int((folder / CHECKPOINT_FILE).exists()))


def _progress(run: Run) -> RunProgress:
    """Its progress and strength, as of its last check."""
    rows, config = CHECKS.read(run.path).to_pylist(), run.config
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
            lambda run: CHECKS.read(run.path),
            CHECKS.columns,
            unused=lambda run: METRICS_UNUSED[_judge(run)],
        )
    },
)
