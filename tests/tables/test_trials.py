"""The trials table of a sweep, and the importances beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.errors import RunError
from evolve.tables.parquet import read_table, write_table
from evolve.tables.trials import (
    TRIALS_COLUMNS,
    Importances,
    importances_of,
    read_trials,
    write_trials,
)


def test_parameters_of_trials_stand_amid_the_columns(tmp_path: Path) -> None:
    rows = [{"number": 0, "state": "COMPLETE", "score": 0.5, "x": 3}]
    write_trials(tmp_path, rows, {"x": int}, Importances())
    found = read_trials(tmp_path)
    assert found is not None
    assert tuple(name for name in found.column_names if name != "x") == TRIALS_COLUMNS.names
    assert found.column_names[5:7] == ["x", "reports"]


def test_importances_that_cannot_be_read_are_told(made: Path, tmp_path: Path) -> None:
    table = read_table(made / "trials.parquet")
    for text in ("[1]", "no JSON", json.dumps({"x": []})):
        write_table(
            tmp_path / "trials.parquet", table.replace_schema_metadata({"importances": text})
        )
        (tmp_path / "config.toml").write_text('command = "sweep dqn"\n')
        with pytest.raises(RunError, match="importances"):
            _ = evolve.load_run(tmp_path).importances


def test_the_largest_importance_comes_first(tmp_path: Path) -> None:
    weighed = Importances({"x": 0.2, "y": 0.8}, {"x": 0.5, "y": 0.01}, "")
    write_trials(tmp_path, [], {"x": int, "y": float}, weighed)
    table = read_trials(tmp_path)
    assert table is not None
    found = importances_of(table)
    assert [*found.shares] == [*found.p] == ["y", "x"]
    assert found == weighed


def test_trials_that_fit_no_table_are_told(tmp_path: Path) -> None:
    assert read_trials(tmp_path) is None
    with pytest.raises(RunError, match="what fits no table"):
        write_trials(tmp_path, [{"x": "text"}], {"x": int}, Importances())
    assert read_trials(tmp_path) is None
