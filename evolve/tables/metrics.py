"""The metrics of a training: one row for each check, each in an immutable file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from evolve.errors import RunError
from evolve.files.changes import remove
from evolve.files.folder import FolderPath
from evolve.tables.columns import Chart, Column, Columns
from evolve.tables.parquet import read_table, write_table
from evolve.tables.paths import METRICS

_COUNTS: Final = ("check", "games", "steps")
METRICS_SCORES: Final = ("random", "depth_1", "depth_2")
"""Columns of the scores against the first three of the rules' panel, where checks play them."""
_PANEL: Final = tuple(f"{name}{end}" for name in METRICS_SCORES for end in ("", "_low", "_high"))
_LADDER: Final = ("elo", "elo_low", "elo_high")
_SCORES: Final = Chart("Scores against the panel", (0, 1))
_ELO: Final = Chart("Elo on the ladder", first=True)


def _panel_column(name: str) -> Column:
    if name not in METRICS_SCORES:
        return Column(name, pa.float64(), format="percent")
    label = name.replace("_", " ")
    return Column(name, pa.float64(), format="percent", chart=_SCORES, label=label)


METRICS_COLUMNS: Final = Columns(
    (
        *(Column(name, pa.int64()) for name in _COUNTS),
        Column("loss", pa.float64(), chart=Chart("Loss")),
        Column("score", pa.float64(), format="percent", chart=Chart("Score", (0, 1))),
        *(_panel_column(name) for name in _PANEL),
        Column("elo", pa.float64(), before=None, chart=_ELO, label="Elo"),
        *(Column(name, pa.float64(), before=None) for name in _LADDER[1:]),
        Column(
            "visited",
            pa.float64(),
            before=None,
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

Null where they do not apply: the scores against the panel; the Elo on the ladder with its 95 %
interval; the share of weights that games have visited. accept_seconds: CPU seconds of games that
choose between models, a part of cpu_seconds.
"""
METRICS_UNUSED: Final[Mapping[str, tuple[str, ...]]] = {
    "panel": (*_LADDER, "visited"),
    "ladder": _PANEL,
}
"""Columns that trainings leave empty, by their judge."""


def metrics_file(folder: FolderPath, check: int) -> FolderPath:
    """Path of the row of a check."""
    return folder / METRICS / f"check-{check:04d}.parquet"


def committed_checks(folder: FolderPath) -> int:
    """Number of checks, from check-0000 on; RunError when one is missing before another."""
    count = len(list((folder / METRICS).glob("check-*.parquet")))
    for check in range(count):
        if not metrics_file(folder, check).exists():
            raise RunError(f"{metrics_file(folder, check)} is missing, though later ones are there")
    return count


def commit_metrics(folder: FolderPath, check: int, row: Mapping[str, Any]) -> None:
    """Write the row of a check."""
    write_table(metrics_file(folder, check), METRICS_COLUMNS.of_rows([row]))


def read_metrics(folder: FolderPath) -> pa.Table:
    """All rows; RunError when a file is damaged."""
    tables = [METRICS_COLUMNS.schema.empty_table()]
    for check in range(committed_checks(folder)):
        table = read_table(metrics_file(folder, check), METRICS_COLUMNS)
        tables.append(table.select(METRICS_COLUMNS.names))
    return pa.concat_tables(tables)


def forget_checks(folder: FolderPath, first: int) -> None:
    """Remove the rows from check `first` on: a killed writer left them uncommitted."""
    for check in range(first, committed_checks(folder)):
        remove(metrics_file(folder, check), missing_ok=True)
