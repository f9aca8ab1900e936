"""Columns of tables: one list for each table gives its schema, its writers and its readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import pyarrow as pa

from evolve.tables.arrow import repeated, table_of, table_of_rows

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

    make: function from the table's source to its values; None where rows have them by its name.
    before: its value in files older than the column, such as None; NEEDED where every file has it.
    chart: the chart that draws it, with a band from NAME_low to NAME_high where the table has
    these columns; None for no chart. label: its name in that chart.
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

    def table(self, source: Any) -> pa.Table:
        """A table whose values the columns make from a source."""
        made = {column.name: column.make(source) for column in self.columns if column.make}
        return table_of(made, self.schema)

    def of_rows(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """A table of rows, with values by column name; a missing value is null."""
        return table_of_rows(rows, self.schema)

    def completed(self, table: pa.Table) -> pa.Table:
        """The table with the columns it is too old to have, in this order."""
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
