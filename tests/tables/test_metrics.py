"""The metrics of a training: a file a check."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.tables.metrics import (
    METRICS_COLUMNS,
    commit_metrics,
    committed_checks,
    forget_checks,
    read_metrics,
)


def test_checks_are_counted_and_none_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    assert read_metrics(tmp_path).num_rows == committed_checks(tmp_path) == 0
    for check in range(3):
        row = dict.fromkeys(METRICS_COLUMNS.names, check)
        commit_metrics(tmp_path, check, row)
    assert read_metrics(tmp_path)["check"].to_pylist() == [0, 1, 2]
    forget_checks(tmp_path, 2)
    assert committed_checks(tmp_path) == 2
    (tmp_path / "metrics/check-0000.parquet").unlink()
    with pytest.raises(RunError, match=r"check-0000\.parquet"):
        read_metrics(tmp_path)
