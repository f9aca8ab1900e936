"""The metrics of a training: one row for each check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from evolve.tables.columns import Chart, Column, Columns
from evolve.tables.parquet import RowFiles
from evolve.tables.paths import METRICS

METRICS_SCORES: Final = ("random", "depth_1", "depth_2")
"""Columns of the scores against the first three of the rules' panel, where checks play them."""
_PANEL: Final = tuple(f"{name}{end}" for name in METRICS_SCORES for end in ("", "_low", "_high"))
_LADDER: Final = ("elo", "elo_low", "elo_high")
_SCORES: Final = Chart("Scores against the panel", (0, 1))

METRICS_COLUMNS: Final = Columns(
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

_ROWS: Final = RowFiles(METRICS, "check", METRICS_COLUMNS)
committed_checks = _ROWS.count
commit_metrics = _ROWS.commit
read_metrics = _ROWS.read
forget_checks = _ROWS.forget
