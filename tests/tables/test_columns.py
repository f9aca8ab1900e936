"""Columns of tables: one list a table, made without pandas, and what older files lack."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from evolve.errors import RunError
from evolve.tables.columns import (
    Column,
    Columns,
    _table_of,
    array_of,
    repeated,
    rows_with,
    scalar_of,
    table_of_rows,
)
from evolve.tables.parquet import read_table, write_table

TABLE = Columns(
    (
        Column("a", pa.int32()),
        Column("b", pa.string(), lambda made: [str(a) for a in made["a"]]),
        Column("c", pa.float64(), lambda made: [a / 2 for a in made["a"]]),
        Column("d", pa.list_(pa.int32())),
    )
)
VALUES = {"a": [1, 2], "d": [[1], [2]]}


def test_a_table_is_made_of_its_columns() -> None:
    table = TABLE.table(VALUES)
    assert table.schema == TABLE.schema
    assert tuple(table.column_names) == TABLE.names == ("a", "b", "c", "d")
    assert table.to_pylist()[1] == {"a": 2, "b": "2", "c": 1.0, "d": [2]}
    rows = table_of_rows([table.to_pylist()[0], {"a": 2}], TABLE.schema).to_pylist()
    assert rows == [table.to_pylist()[0], {"a": 2, "b": None, "c": None, "d": None}]


def test_what_every_file_has_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    write_table(path, TABLE.table(VALUES).drop_columns(["c"]))
    with pytest.raises(RunError, match="column"):
        read_table(path, TABLE)


OF_THREE = pa.list_(pa.int32(), 3)
OF_KINDS: tuple[tuple[pa.DataType, list[Any]], ...] = (
    (pa.int32(), [0, 1, -1, 2**31 - 1, -(2**31), np.int8(3), np.int64(4)]),
    (pa.int64(), [0, 1, -1, 2**63 - 1, -(2**63), np.int32(5)]),
    (pa.float64(), [0.0, -0.0, 0.1, 1, -(2**53), math.inf, 5e-324, np.float32(0.1), np.float64(2)]),
    (pa.bool_(), [True, False, np.True_, np.False_]),
    (pa.string(), ["", "a", "é", "\0", "two words", "😀" * 3, np.str_("b")]),
    (pa.list_(pa.int32()), [[], [1], [1, None, 3], (4, 5), np.array([6, 7])]),
    (pa.list_(pa.string()), [[], ["a"], [None], ["", "é"], ("x",)]),
    (pa.list_(pa.float64()), [[], [0.5], [1, None]]),
    (OF_THREE, [[1, 2, 3], (4, 5, 6)]),
)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 40])
@pytest.mark.parametrize(("kind", "values"), OF_KINDS, ids=[str(kind) for kind, _ in OF_KINDS])
def test_lists_are_arrays_of_pyarrow(kind: pa.DataType, values: list[Any], count: int) -> None:
    """Also with nulls among the values, and of nulls alone."""
    choices = [values] if kind == OF_THREE else [values, [None, *values], [None]]
    drawn = [random.Random(1).choices(choice, k=count) for choice in choices]
    found = [array_of(one, kind) for one in drawn]
    assert [one.validate(full=True) for one in found] == [None] * len(found)
    assert found == [pa.array(one, kind) for one in drawn]


@pytest.mark.parametrize("bad", [[[1, 2, 3], [4, 5]], [[1, 2, 3], None]])
def test_lists_of_another_size_are_refused(bad: list[Any]) -> None:
    with pytest.raises(pa.ArrowException):
        array_of(bad, OF_THREE)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
@pytest.mark.parametrize("kind", [pa.int32(), pa.int64(), pa.float64()])
def test_arrays_of_numpy_too(dtype: type, kind: pa.DataType) -> None:
    values = np.arange(12, dtype=dtype)[1::3]
    if dtype is np.float64 and kind != pa.float64():
        with pytest.raises(pa.ArrowInvalid):
            array_of(values, kind)
    else:
        assert array_of(values, kind).equals(pa.array(values, kind))


def test_what_is_not_a_number_is_no_null() -> None:
    assert array_of([math.nan, None], pa.float64()).is_null().to_pylist() == [False, True]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.int32(), 2**31),
        (pa.int64(), 2**63),
        (pa.int64(), 1.5),
        (pa.int64(), "1"),
        (pa.float64(), "1"),
        (pa.float64(), [1.0]),
        (pa.string(), 1),
        (pa.string(), b"a"),
        (pa.list_(pa.int32()), 1),
        (pa.list_(pa.int32()), ["a"]),
    ],
)
def test_a_value_of_another_type_is_refused(kind: pa.DataType, value: object) -> None:
    with pytest.raises(pa.ArrowInvalid, match="value"):
        array_of([None, value], kind)


def test_what_is_written_is_the_same_file(tmp_path: Path) -> None:
    """Also in bytes: nothing under a null is written."""
    schema = pa.schema({"a": pa.int32(), "b": pa.string(), "c": pa.list_(pa.float64()),
                        "d": pa.list_(pa.int32(), 2), "e": pa.bool_()})  # fmt: skip
    columns: dict[str, list[Any]] = {
        "a": [1, None, 3],
        "b": ["x", None, "é"],
        "c": [[0.5], None, []],
        "d": [[1, 2], [3, 4], [5, 6]],
        "e": [None, True, False],
    }
    write_table(tmp_path / "ours", _table_of(columns, schema))
    write_table(tmp_path / "theirs", pa.table(columns, schema=schema))
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_a_value_again_and_again_and_the_rows_that_have_it() -> None:
    assert repeated("x", 3, pa.string()).to_pylist() == ["x"] * 3
    assert repeated(None, 2, pa.int32()).equals(pa.nulls(2, pa.int32()))
    assert scalar_of(2, pa.int64()).equals(pa.scalar(2, pa.int64()))
    table = pa.table({"a": pa.array([1, 2, None, 2], pa.int32()), "b": ["x", "y", "z", None]})
    assert rows_with(table, "a", 2)["b"].to_pylist() == ["y", None]
    assert rows_with(table, "b", "z")["a"].to_pylist() == [None]
    assert len(rows_with(table, "b", "w")) == 0
