"""Columns of tables: one list a table, and what older files lack is filled in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import evolve
from evolve.errors import RunError
from evolve.fitness import games as played_games
from evolve.runs import run
from evolve.tables import games, individuals
from evolve.tables.columns import Column, Columns
from evolve.tables.parquet import read_table, write_table
from tests.cli.test_kept_run import KEPT
from tests.tables.test_games import played

TABLE = Columns(
    (
        Column("a", pa.int32()),
        Column("b", pa.string(), lambda made: [str(a) for a in made["a"]], before="none"),
        Column("c", pa.float64(), lambda made: [a / 2 for a in made["a"]]),
        Column("d", pa.list_(pa.int32()), before=None),
    )
)
VALUES = {"a": [1, 2], "d": [[1], [2]]}


def test_a_table_is_made_of_its_columns() -> None:
    table = TABLE.table(VALUES)
    assert table.schema == TABLE.schema
    assert tuple(table.column_names) == TABLE.names == ("a", "b", "c", "d")
    assert table.to_pylist()[1] == {"a": 2, "b": "2", "c": 1.0, "d": [2]}
    rows = TABLE.of_rows([{"a": 1, "d": [1]}, {"a": 2}]).to_pylist()
    assert rows == [table.to_pylist()[0], {**table.to_pylist()[1], "d": None}]


def test_what_older_files_lack_stands_where_it_belongs(tmp_path: Path) -> None:
    path = tmp_path / "old.parquet"
    write_table(path, TABLE.table(VALUES).drop_columns(["b", "d"]).append_column("x", [[7, 8]]))
    found = read_table(path, TABLE)
    assert found.column_names == ["a", "b", "c", "d", "x"]
    assert found.schema.field("d").type == TABLE.schema.field("d").type
    assert found.select(["b", "d"]).to_pylist() == [{"b": "none", "d": None}] * 2


def test_what_every_file_has_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    write_table(path, TABLE.table(VALUES).drop_columns(["c"]))
    with pytest.raises(RunError, match="no column c"):
        read_table(path, TABLE)


# --- a column that a later version adds ---


def with_column(columns: Columns, column: Column) -> Columns:
    return Columns((*columns.columns[:3], column, *columns.columns[3:]))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version whose games tell how many plies their opening has, and whose individuals an age."""
    plies = Column(
        "opening_plies",
        pa.int32(),
        lambda rows: [len(opening.split()) for opening in rows["opening"].to_pylist()],
        before=-1,
    )
    age = Column("age", pa.int32(), lambda rows: [0 for _ in rows["born"]], before=None)
    for module, name, column in (
        (games, "GAMES_COLUMNS", plies),
        (played_games, "GAMES_COLUMNS", plies),
        (run, "GAMES_COLUMNS", plies),
        (individuals, "INDIVIDUALS_COLUMNS", age),
        (run, "INDIVIDUALS_COLUMNS", age),
    ):
        monkeypatch.setattr(module, name, with_column(getattr(module, name), column))


@pytest.mark.usefixtures("later")
def test_a_run_of_before_has_its_value_and_goes_on_with_new_ones(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(KEPT, tmp_path / "old"))
    found = evolve.load_run(folder)
    assert set(found.games["opening_plies"]) == {-1}
    assert found.individuals["age"].isna().all()
    assert [*found.individuals][3:5] == ["age", "origin"]
    fresh = played()
    assert fresh["opening_plies"].to_pylist() == [1, 0]
    both = pa.concat_tables([found.games_table(0).replace_schema_metadata(None), fresh])
    assert both.num_rows == found.games_table(0).num_rows + 2
