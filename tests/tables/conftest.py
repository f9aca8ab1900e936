"""A run with every kind of table that evolve writes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import evolve
from evolve.learning.tables import CHECKS
from evolve.tables.parquet import write_table
from evolve.tables.trials import write_trials
from tests.evolution.conftest import start


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "run"
    start(folder, generations=2, openings="start")
    (folder / "metrics").mkdir()
    CHECKS.commit(folder, 0, dict.fromkeys(CHECKS.columns.names, 1))
    rows = [{"number": n, "state": "COMPLETE", "score": n / 7, "x": n / 3} for n in range(9)]
    write_trials(folder, rows, {"x": float})
    games = pa.Table.from_pandas(evolve.load_run(folder).games, preserve_index=False)
    write_table(folder / "match.parquet", games)
    return folder
