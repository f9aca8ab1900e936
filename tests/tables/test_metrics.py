"""The metrics of a training: a file a check."""

from __future__ import annotations

from pathlib import Path

from evolve.tables.metrics import METRICS_COLUMNS, commit_metrics, read_metrics
from evolve.tables.parquet import write_table


def test_metrics_of_before_0_2_do_not_tell_of_accepting(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    row = dict.fromkeys(METRICS_COLUMNS.names, 1)
    commit_metrics(tmp_path, 0, row)
    old = METRICS_COLUMNS.of_rows([row]).drop_columns(["accept_seconds"])
    write_table(tmp_path / "metrics" / "check-0001.parquet", old)
    found = read_metrics(tmp_path)
    assert found.schema == METRICS_COLUMNS.schema
    assert found["accept_seconds"].to_pylist() == [1.0, None]
