"""How runs are read that make one row of a table after the other, see `RunType.of_rows`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from evolve.runs.run import Run
from evolve.runs.run_type import Facts, RunReading, TableReading
from evolve.tables.columns import Column, Columns
from evolve.tables.parquet import RowFiles

if TYPE_CHECKING:
    import pandas as pd


def row_reading(
    name: str, key: str, column: Column, make_row: Callable[[Any, int, int], Mapping[str, Any]]
) -> RunReading:
    """How runs of a `RunType.of_rows` are read; the mean of `column` compares them.

    name: of the table, its folder, and the setting that says how many rows there are in all; key:
    column with the number of a row. make_row: see `RunReading`.
    """
    rows = RowFiles(name, key, Columns((Column(key, pa.int64()), column)))

    def frame(run: Run) -> pd.DataFrame:
        read: pd.DataFrame = rows.read(run.path).to_pandas()
        return read

    def curve(run: Run) -> pd.Series[float]:
        values: pd.Series[float] = frame(run).set_index(key)[column.name]
        return values.expanding().mean()

    def figure(run: Run) -> tuple[str, float | None]:
        values = curve(run).tolist()
        return column.name, values[-1] if values else None

    def facts(run: Run) -> Facts:
        done, target, score = rows.count(run.path), run.config.get(name), figure(run)[1]
        return Facts(done, target, done == target, figures={"score": score}, so_far=score)

    tables = {name: TableReading(frame, rows.columns)}
    return RunReading(rows.count, facts, figure, curve, tables, rows=rows, make_row=make_row)
