"""A run's folder for readers: its tables, and what is told where they are damaged or not there."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evolve
from evolve.errors import RunError
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.individuals import INDIVIDUALS_COLUMNS
from evolve.tables.kinds import champion_of
from evolve.tables.parquet import read_table, write_table
from evolve.tables.run import load_run
from tests.cli.test_old_run import OLD


def test_tables_of_version_0_1_are_read_as_they_are() -> None:
    found = evolve.load_run(OLD)
    frames: Mapping[str, pd.DataFrame] = {"games": found.games, "individuals": found.individuals}
    heads: Mapping[str, Any] = {"games": GAMES_COLUMNS, "individuals": INDIVIDUALS_COLUMNS}
    for name, frame in frames.items():
        assert tuple(frame)[: len(heads[name].names)] == heads[name].names


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"evolve": "no JSON"},
        {"evolve": "[" * 3000},
        {"evolve": "[]"},
        {"evolve": '{"generation": 1, "checkpoint": {}}'},
        {"evolve": '{"generation": {"generation": %s}, "checkpoint": {}}' % ("1" * 5000)},
    ],
)
def test_metadata_that_is_no_generation_is_told(
    made: Path, tmp_path: Path, metadata: dict[str, str]
) -> None:
    shutil.copytree(made, tmp_path / "copy")
    path = tmp_path / "copy/generations/gen-0001.parquet"
    write_table(path, read_table(path).replace_schema_metadata(metadata))
    run = evolve.load_run(tmp_path / "copy")
    for look in (lambda: run.metadata(1), lambda: run.generations):
        with pytest.raises(RunError, match="gen-0001") as told:
            look()
        assert "\n" not in str(told.value)
        assert len(str(told.value)) < 300


def test_a_run_of_before_is_of_the_kind_that_it_was() -> None:
    run = load_run(OLD)
    assert run.kind.name == "run"
    assert run.tables == ("generations", "individuals", "games")
    for name in run.tables:
        assert run.table(name).equals(getattr(run, name))
    assert set(run.table("games", 1)["generation"]) == {1}
    assert champion_of(OLD) == OLD / "champion.json"
    with pytest.raises(RunError, match="has no trials; it has generations"):
        run.table("trials")
    with pytest.raises(RunError, match="no generation 7"):
        run.table("games", 7)
    assert evolve.load_agent(OLD).rules == "reversed"
