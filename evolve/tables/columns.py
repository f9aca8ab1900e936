"""Columns of tables: one list for each table gives its schema, its writers and its readers."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import pandas as pd

NEEDED: Final = object()
"""Stands for no value in older files: a file without the column is another table."""


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
    before: its value in files older than the column, such as None; NEEDED where every file has it.
    chart: the chart that draws it, with a band from NAME_low to NAME_high where the table has
    these columns; None for no chart. label: its name in that chart. text: what it means, for help.
    in_view: whether a table for people has it, where that has not all columns.
    """

    name: str
    type: pa.DataType
    make: Callable[[Any], Any] | None = None
    before: Any = NEEDED
    format: Format = "number"
    chart: Chart | None = None
    label: str | None = None
    text: str = ""
    in_view: bool = True


@dataclass(frozen=True)
class Columns:
    """The columns of a table, in order."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    @cached_property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def table(self, source: Mapping[str, Any]) -> pa.Table:
        """A table of values by column name, and of what some columns make of them."""
        made = {
            column.name: column.make(source) if column.make else source[column.name]
            for column in self.columns
        }
        return table_of(made, self.schema)

    def of_rows(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """A table of rows, with values by column name; a missing value is null."""
        return self.table({name: [row.get(name) for row in rows] for name in self.names})

    def completed(self, table: pa.Table) -> pa.Table:
        """The table with the columns it is too old to have, in this order."""
        position = 0
        for column in self.columns:
            at = table.schema.get_field_index(column.name)
            if at >= 0:
                position = at + 1
            elif column.before is not NEEDED:
                values = repeated(column.before, len(table), column.type)
                table = table.add_column(position, pa.field(column.name, column.type), values)
                position += 1
        return table


_CODES: Final = {pa.int32(): "i", pa.int64(): "q", pa.float64(): "d"}
"""Type codes of numbers, for the module `array` and for numpy."""
_TEXT: Final = pa.string()


def array_of(values: Any, kind: pa.DataType) -> pa.Array:
    """An array of values, null for None; pa.ArrowException where a value is of another type.

    numpy values of that type are shared, not copied.
    """
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values.cast(kind)
    code = _CODES.get(kind)
    if isinstance(values, np.ndarray):
        if code is not None and values.dtype == code:
            return _built(kind, len(values), None, np.ascontiguousarray(values))
        values = values.tolist()
    try:
        if code is not None:
            return _numbers(values, kind, code)
        if pa.types.is_boolean(kind):
            return _booleans(values)
        if pa.types.is_string(kind):
            return _texts(values)
        if pa.types.is_fixed_size_list(kind):
            return _lists_of_one_size(values, kind)
        if pa.types.is_list(kind):
            return _lists(values, kind)
    except (TypeError, OverflowError) as error:
        raise pa.ArrowInvalid(f"a value is not of type {kind}: {error}") from error
    return pa.array(values, kind)


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
    kind = table.schema.field(column).type
    return table.filter(pc.equal(table[column], scalar_of(value, kind)))


def table_of(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """A table with a schema's columns, taken from `columns` by name."""
    arrays = [array_of(columns[field.name], field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def table_of_rows(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """A table of rows, with values by column name; a missing value is null."""
    return table_of({name: [row.get(name) for row in rows] for name in schema.names}, schema)


def _numbers(values: Sequence[Any], kind: pa.DataType, code: str) -> pa.Array:
    types = set(map(type, values))  # faster than checking each: 512 individuals have 33 000 genes
    if pa.types.is_integer(kind) and types & {bool, np.bool_}:
        raise TypeError("it is true or false")
    known = None
    if type(None) in types:
        known, values = _known(values), [0 if value is None else value for value in values]
    return _built(kind, len(values), known, array(code, values))


def _booleans(values: Sequence[Any]) -> pa.Array:
    if any(value is not None and not isinstance(value, (bool, np.bool_)) for value in values):
        raise TypeError("it is neither true nor false")
    bits = np.packbits(np.array(values, np.bool_), bitorder="little")
    return _built(pa.bool_(), len(values), _known(values), bits)


def _texts(values: Sequence[Any]) -> pa.Array:
    if any(value is not None and not isinstance(value, str) for value in values):
        raise TypeError("it is not a text")
    parts = [b"" if value is None else value.encode() for value in values]
    return _built(pa.string(), len(values), _known(values), _ends(parts), b"".join(parts))


def _lists(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    parts = [() if value is None else value for value in values]
    inner = array_of([*chain.from_iterable(parts)], kind.value_type)
    buffers = _buffers(_known(values), _ends(parts))
    return pa.Array.from_buffers(kind, len(values), buffers, children=[inner])


def _lists_of_one_size(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if any(len(value) != kind.list_size for value in values):
        raise TypeError("it is of another length")
    inner = array_of([*chain.from_iterable(values)], kind.value_type)
    return pa.Array.from_buffers(kind, len(values), [None], children=[inner])


def _ends(parts: Sequence[Any]) -> Any:
    """Offsets of the parts when concatenated: the start of each, and the end of the last."""
    return array("i", accumulate(map(len, parts), initial=0))


def _known(values: Sequence[Any]) -> npt.NDArray[np.uint8] | None:
    """A bit for each value, 0 for null; None where no value is null."""
    known = [value is not None for value in values]
    return None if all(known) else np.packbits(known, bitorder="little")


def _built(kind: pa.DataType, length: int, *buffers: Any) -> pa.Array:
    return pa.Array.from_buffers(kind, length, _buffers(*buffers))


def _buffers(*buffers: Any) -> list[pa.Buffer | None]:
    return [None if buffer is None else pa.py_buffer(buffer) for buffer in buffers]
