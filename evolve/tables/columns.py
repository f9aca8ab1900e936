"""Columns of tables: one list a table, for its schema, its writers and its readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import pyarrow as pa

from evolve.tables.arrow import repeated, table_of, table_of_rows

NEEDED: Final = object()
"""In place of a value for older files: a file without the column is another table."""


Format = Literal["number", "percent"]
"""How a number is shown: `percent` is a share, 0 to 1."""


@dataclass(frozen=True)
class Chart:
    """A chart on the page, of all columns of a table that name it.

    least: values that its axis reaches in any case, such as 0 and 1 for shares. first: whether it
    comes before those that are not.
    """

    title: str
    least: tuple[float, ...] = ()
    first: bool = False


@dataclass(frozen=True)
class Column:
    """A column of a table.

    make: its values, from the table's source; None where rows have them under its name.
    before: its value in files older than it, such as None; NEEDED where all have it.
    chart: the chart that draws it, with a band from NAME_low to NAME_high where the table has
    these columns; None for a column without one. label: its name in that chart.
    """

    name: str
    type: pa.DataType
    make: Callable[[Any], Any] | None = None
    before: Any = NEEDED
    format: Format = "number"
    chart: Chart | None = None
    label: str | None = None


@dataclass(frozen=True)
class Columns:
    """The columns of a table, in their order."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    @cached_property
    def schema(self) -> pa.Schema:
        """Names and types."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(column.name for column in self.columns)

    def table(self, source: Any) -> pa.Table:
        """The table that the columns make from a source."""
        made = {column.name: column.make(source) for column in self.columns if column.make}
        return table_of(made, self.schema)

    def of_rows(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """The table of rows with values by the columns' names; one that is left out is null."""
        return table_of_rows(rows, self.schema)

    def completed(self, table: pa.Table) -> pa.Table:
        """The table with the columns that are newer than it, each in its place here."""
        place = 0
        for column in self.columns:
            at = table.schema.get_field_index(column.name)
            if at >= 0:
                place = at + 1
            elif column.before is not NEEDED:
                values = repeated(column.before, len(table), column.type)
                table = table.add_column(place, pa.field(column.name, column.type), values)
                place += 1
        return table
