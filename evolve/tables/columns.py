"""Columns of tables: one list for each table gives its schema, its writers and its readers."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["number", "percent"]
"""How a number is shown: `percent` is a share, 0 to 1."""


@dataclass(frozen=True)
class Chart:
    """A chart on the page, which draws all columns of a table that name it.

    least: values that its axis always includes, such as 0 and 1 for shares. first: whether it
    comes before charts without this mark.
    """

    title: str
    least: tuple[float, ...] = ()
    first: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a table.

    make: makes its values from those of the others by name; None where they are given.
    chart: the chart that draws it, with a band from NAME_low to NAME_high where the table has
    these columns; None for no chart. label: its name in that chart. head: its name at the head of a
    table, where `name` does not say it. text: what it means, for help.
    in_view: whether a table for people has it, where that has not all columns.
    """

    name: str
    type: pa.DataType
    make: Callable[[Any], Any] | None = None
    format: Format = "number"
    chart: Chart | None = None
    label: str | None = None
    head: str = ""
    text: str = ""
    in_view: bool = True


class Columns(tuple[Column, ...]):
    """The columns of a table, in order."""

    @cached_property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return pa.schema([(column.name, column.type) for column in self])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self)

    def table(self, source: Mapping[str, Any]) -> pa.Table:
        """A table of values by column name, and of what some columns make of them."""
        values = {
            column.name: column.make(source) if column.make else source[column.name]
            for column in self
        }
        return _table_of(values, self.schema)


_CODES: Final = {pa.int32(): "i", pa.int64(): "q", pa.float64(): "d"}
"""Type codes of numbers, for the module `array` and for numpy."""
_TEXT: Final = pa.string()


def array_of(values: Any, kind: pa.DataType) -> pa.Array:
    """An array of values, null for None; pa.ArrowException where a value is of another type.

    numpy values of that type are shared, not copied. It does not load pandas, as `pa.array` does.
    """
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values.cast(kind)
    if isinstance(values, np.ndarray):
        if values.dtype == _CODES.get(kind, "O"):
            data = pa.py_buffer(np.ascontiguousarray(values))
            return pa.Array.from_buffers(kind, len(values), [None, data])
        values = values.tolist()
    try:
        return _built(values, kind)
    except (AttributeError, TypeError, OverflowError) as error:
        raise pa.ArrowInvalid(f"a value is not of type {kind}: {error}") from error


def repeated(value: Any, count: int, kind: pa.DataType) -> pa.Array:
    """An array of one value, `count` times."""
    return pa.repeat(scalar_of(value, kind), count)


def scalar_of(value: Any, kind: pa.DataType = _TEXT) -> pa.Scalar:
    """A value to compare with columns of its type."""
    return array_of([value], kind)[0]


def without_nan(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with None for every value that is missing."""
    return frame.astype(object).where(frame.notna(), None)


def rows_with(table: pa.Table, column: str, value: Any) -> pa.Table:
    """The rows of a table that have `value` in a column.

    Uses a mask: for an expression, pyarrow loads pandas and its query engine.
    """
    return table.filter(pc.equal(table[column], scalar_of(value, table[column].type)))


def _table_of(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    arrays = [array_of(columns[field.name], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def table_of_rows(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of rows, with values by column name; a missing value is null."""
    return _table_of({name: [row.get(name) for row in rows] for name in schema.names}, schema)


def _built(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    known = [value is not None for value in values]
    buffers: list[Any] = [None if all(known) else np.packbits(known, bitorder="little")]
    inner: Sequence[Any] | None = None
    if kind in _CODES:
        buffers.append(array(_CODES[kind], [0 if value is None else value for value in values]))
    elif pa.types.is_boolean(kind):
        buffers.append(np.packbits(np.array(values, np.bool_), bitorder="little"))
    elif pa.types.is_string(kind):
        texts = [b"" if value is None else value.encode() for value in values]
        buffers += [_ends(texts), b"".join(texts)]
    elif pa.types.is_fixed_size_list(kind):
        if any(len(value) != kind.list_size for value in values):
            raise TypeError("it is of another length")
        inner = [*chain.from_iterable(values)]
    elif pa.types.is_list(kind):
        parts = [() if value is None else value for value in values]
        buffers.append(_ends(parts))
        inner = [*chain.from_iterable(parts)]
    else:
        return pa.array(values, kind)
    children = None if inner is None else [array_of(inner, kind.value_type)]
    packed = [None if buffer is None else pa.py_buffer(buffer) for buffer in buffers]
    return pa.Array.from_buffers(kind, len(values), packed, children=children)


def _ends(parts: Sequence[Any]) -> Any:
    """Offsets of the parts when concatenated: the start of each, and the end of the last."""
    return array("i", accumulate(map(len, parts), initial=0))
