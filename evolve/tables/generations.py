"""The generations table: a row a generation, kept as metadata of its individuals' file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from evolve.tables.columns import Column, Columns
from evolve.tables.individuals import ISLAND

if TYPE_CHECKING:
    import pandas as pd

DISTINCT: Final = "distinct"
"""Column: how many of a generation's individuals play differently; 1 in a population of clones."""
_OF_LADDER: Final = (
    "rating",
    "rating_low",
    "rating_high",
    "rise",
    "rise_low",
    "rise_high",
    "rise_since",
)
"""Columns that only runs with the ladder have, not those with the fixed panel."""

GENERATIONS_COLUMNS: Final = Columns(
    (
        Column("generation", pa.int64()),
        Column(ISLAND, pa.int64(), before=None),
        Column("best", pa.string()),
        Column("best_score", pa.float64()),
        Column("mean_score", pa.float64()),
        Column(DISTINCT, pa.int64()),
        Column("games", pa.int64()),
        Column("over_budget", pa.float64()),
        Column("panel_score", pa.float64(), before=None),
        Column("panel_elo", pa.float64(), before=None),
        Column("panel_elo_low", pa.float64(), before=None),
        Column("panel_elo_high", pa.float64(), before=None),
        *(Column(name, pa.float64(), before=None) for name in _OF_LADDER),
        Column("past_score", pa.float64(), before=None),
        Column("seconds", pa.float64()),
    )
)
"""Those that may be left out of a row are null there: a generation without a panel. The island is
that of the best one, in runs with several."""


def generations_frame(rows: Sequence[Mapping[str, Any]], ladder: bool) -> pd.DataFrame:
    """The table of these rows; TypeError or ValueError where one is damaged."""
    import pandas as pd  # not above: see Run

    islands = any(ISLAND in row for row in rows)
    columns = [
        column
        for column in GENERATIONS_COLUMNS
        if (ladder or column.name not in _OF_LADDER) and (islands or column.name != ISLAND)
    ]
    frame = pd.DataFrame(rows, columns=[column.name for column in columns])
    types = {
        column.name: column.type.to_pandas_dtype()
        for column in columns
        if column.name != "generation" and not pa.types.is_string(column.type)
    }
    return frame.astype(types)
