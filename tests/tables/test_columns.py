"""Columns of tables: one list a table, and what older files lack is filled in."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import evolve
from evolve.engine.results import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_BLACK,
    PLIES,
    REASON,
    RESULT_COLUMNS,
)
from evolve.engine.rules import MAX_PLIES
from evolve.errors import RunError
from evolve.records.record import GameRecord
from evolve.records.table import games_frame, records_of_frame
from evolve.tables import games, individuals, run
from evolve.tables.columns import Column, Columns
from evolve.tables.games import GAMES_COLUMNS, games_table
from evolve.tables.generations import GENERATIONS_COLUMNS, generations_frame
from evolve.tables.individuals import INDIVIDUALS_COLUMNS, IndividualRow, individuals_table
from evolve.tables.metrics import METRICS_COLUMNS, commit_metrics, read_metrics
from evolve.tables.parquet import read_table, write_table
from evolve.tables.trials import TRIALS_COLUMNS, Importances, read_trials, write_trials

OLD = Path(__file__).parents[1] / "cli" / "run-0.1"

TABLE = Columns(
    (
        Column("a", pa.int32(), lambda source: source),
        Column("b", pa.string(), lambda source: [str(one) for one in source], before="none"),
        Column("c", pa.float64(), lambda source: [one / 2 for one in source]),
        Column("d", pa.list_(pa.int32()), lambda source: [[one] for one in source], before=None),
    )
)


def test_a_table_is_made_of_its_columns() -> None:
    table = TABLE.table([1, 2])
    assert table.schema == TABLE.schema
    assert tuple(table.column_names) == TABLE.names == ("a", "b", "c", "d")
    assert table.to_pylist()[1] == {"a": 2, "b": "2", "c": 1.0, "d": [2]}


def test_rows_have_values_by_the_names() -> None:
    assert TABLE.of_rows([{"a": 1, "c": 0.5}]).to_pylist() == [
        {"a": 1, "b": None, "c": 0.5, "d": None}
    ]


def test_what_older_files_lack_stands_where_it_belongs(tmp_path: Path) -> None:
    path = tmp_path / "old.parquet"
    write_table(path, TABLE.table([1, 2]).drop_columns(["b", "d"]).append_column("x", [[7, 8]]))
    found = read_table(path, TABLE)
    assert found.column_names == ["a", "b", "c", "d", "x"]
    assert found.schema.field("d").type == TABLE.schema.field("d").type
    assert found.select(["b", "d"]).to_pylist() == [{"b": "none", "d": None}] * 2


def test_what_every_file_has_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    write_table(path, TABLE.table([1]).drop_columns(["c"]))
    with pytest.raises(RunError, match="no column c"):
        read_table(path, TABLE)


# --- the tables there are ---


def played() -> pa.Table:
    """Two games: one to its end, and one that a program lost."""
    moves = np.full((2, MAX_PLIES), -1, np.int8)
    moves[0, :2] = [19, 64]
    results = np.zeros((2, RESULT_COLUMNS), np.int64)
    results[0, [DISCS_BLACK, DISCS_WHITE, PLIES]] = [40, 24, 2]
    results[1, REASON] = FAILED_BLACK
    pairings = np.array([[0, 1, 0], [1, 0, 0]], np.int32)
    winner = np.array([1, -1], np.int8)
    names, texts = ["a", "b"], ["d3", ""]
    return games_table(
        3, "match", names, pairings, texts, moves, results, winner, 7, {1: "black: it crashed"}
    )


def test_games() -> None:
    table = played()
    assert table.schema == GAMES_COLUMNS.schema
    first, second = table.to_pylist()
    expected = {
        "generation": 3, "kind": "match", "game": 7, "black": "a", "white": "b", "opening": "d3",
        "moves": "d3 pass", "discs_black": 40, "discs_white": 24, "winner": "black", "plies": 2,
        "nodes_black": 0, "nodes_white": 0, "reason": "end",
    }  # fmt: skip
    assert {**first, **expected} == first
    assert (second["game"], second["winner"]) == (8, "white")
    assert second["reason"] == "failed: black: it crashed"


def test_records_have_the_same_columns() -> None:
    record = GameRecord((19, 18), "a", "b", stopped="time", result=-3.0)
    frame = games_frame([record])
    assert tuple(frame) == GAMES_COLUMNS.names
    assert records_of_frame(frame, "standard")[0].winner == record.winner == "white"
    assert games_frame([]).shape == (0, len(GAMES_COLUMNS.names))


def test_individuals() -> None:
    genes = {"weights": [1, 2], "endgame": [4]}
    rows = [IndividualRow("0-0", 0, "random", ["a"], 0.5, -2.0, 6, genes)]
    table = individuals_table(2, rows, {"generation": 2}, {})
    assert tuple(table.column_names) == (*INDIVIDUALS_COLUMNS.names, *genes)
    assert table.to_pylist()[0] == {
        "generation": 2, "individual": "0-0", "born": 0, "origin": "random", "parents": ["a"],
        "score": 0.5, "disc_difference": -2.0, "games": 6, "weights": [1, 2], "endgame": 4,
    }  # fmt: skip
    assert table.schema.field("weights").type == pa.list_(pa.int32(), 2)


def test_generations_without_a_panel_have_none() -> None:
    row = {"generation": 0, "best": "0-1", "best_score": 0.5, "mean_score": 0.4, "games": 6}
    frame = generations_frame([row], ladder=True)
    assert tuple(frame) == GENERATIONS_COLUMNS.names
    assert frame["rating"].isna().all()
    assert frame["games"].dtype == np.int64
    assert "rating" not in generations_frame([row], ladder=False)
    with pytest.raises((TypeError, ValueError)):
        generations_frame([{**row, "games": "many"}], ladder=True)


def test_metrics_of_before_0_2_do_not_tell_of_accepting(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    row = dict.fromkeys(METRICS_COLUMNS.names, 1)
    commit_metrics(tmp_path, 0, row)
    old = METRICS_COLUMNS.of_rows([row]).drop_columns(["accept_seconds"])
    write_table(tmp_path / "metrics" / "check-0001.parquet", old)
    found = read_metrics(tmp_path)
    assert found.schema == METRICS_COLUMNS.schema
    assert found["accept_seconds"].to_pylist() == [1.0, None]


def test_parameters_of_trials_stand_amid_the_columns(tmp_path: Path) -> None:
    rows = [{"number": 0, "state": "COMPLETE", "score": 0.5, "x": 3}]
    write_trials(tmp_path, rows, {"x": int}, Importances())
    found = read_trials(tmp_path)
    assert found is not None
    assert tuple(name for name in found.column_names if name != "x") == TRIALS_COLUMNS.names
    assert found.column_names[5:7] == ["x", "reports"]


# --- a column that a later version adds ---


def with_column(columns: Columns, column: Column) -> Columns:
    return Columns((*columns.columns[:3], column, *columns.columns[3:]))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version whose games tell how many plies their opening has, and whose individuals an age."""
    plies = Column(
        "opening_plies",
        pa.int32(),
        lambda rows: [len(opening.split()) for opening in rows.openings],
        before=-1,
    )
    age = Column("age", pa.int32(), lambda rows: [0 for _ in rows.rows], before=None)
    for module, name, column in (
        (games, "GAMES_COLUMNS", plies),
        (run, "GAMES_COLUMNS", plies),
        (individuals, "INDIVIDUALS_COLUMNS", age),
        (run, "INDIVIDUALS_COLUMNS", age),
    ):
        monkeypatch.setattr(module, name, with_column(getattr(module, name), column))


@pytest.mark.usefixtures("later")
def test_a_run_of_before_has_its_value_and_goes_on_with_new_ones(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OLD, tmp_path / "old"))
    found = evolve.load_run(folder)
    assert set(found.games["opening_plies"]) == {-1}
    assert found.individuals["age"].isna().all()
    assert [*found.individuals][3:5] == ["age", "origin"]
    assert "age" not in found.genes(found.find("0-0"))
    fresh = played()
    assert fresh["opening_plies"].to_pylist() == [1, 0]
    both = pa.concat_tables([found.games_table(0).replace_schema_metadata(None), fresh])
    assert both.num_rows == found.games_table(0).num_rows + 2


def test_tables_of_version_0_1_are_read_as_they_are() -> None:
    found = evolve.load_run(OLD)
    frames: Mapping[str, pd.DataFrame] = {"games": found.games, "individuals": found.individuals}
    heads: Mapping[str, Any] = {"games": GAMES_COLUMNS, "individuals": INDIVIDUALS_COLUMNS}
    for name, frame in frames.items():
        assert tuple(frame)[: len(heads[name].names)] == heads[name].names
