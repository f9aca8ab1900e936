"""The generations table: one row for each generation, stored as metadata of its individuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from evolve.tables.columns import Chart, Column, Columns
from evolve.tables.individuals import ISLAND

if TYPE_CHECKING:
    import pandas as pd

DISTINCT: Final = "distinct"
"""Column: how many of a generation's individuals play differently; 1 if all are clones."""
_OF_LADDER: Final = (
    "rating",
    "rating_low",
    "rating_high",
    "rise",
    "rise_low",
    "rise_high",
    "rise_since",
)
"""Columns that only runs with the ladder have; runs with the fixed panel do not."""

_RATING: Final = Chart("Rating on the ladder", first=True)
_PANEL: Final = Chart("Elo against the panel", first=True)
_OF_THE_BEST: Final = Chart("Scores of the best", (0, 1))
_OF_ALL: Final = Chart("Scores of the round robin", (0, 1))
_OVER_BUDGET: Final = Chart("Games lost over the budget", (0, 0.01))
_SECONDS: Final = Chart("Seconds a generation", (0,))


def _number(name: str, chart: Chart | None = None, label: str | None = None) -> Column:
    """A column that a row may lack."""
    return Column(name, pa.float64(), before=None, chart=chart, label=label)


def _share(name: str, chart: Chart, label: str, **options: Any) -> Column:
    return Column(name, pa.float64(), format="percent", chart=chart, label=label, **options)


GENERATIONS_COLUMNS: Final = Columns(
    (
        Column("generation", pa.int64()),
        Column(ISLAND, pa.int64(), before=None),
        Column("best", pa.string()),
        _share("best_score", _OF_ALL, "best"),
        _share("mean_score", _OF_ALL, "mean"),
        Column(DISTINCT, pa.int64(), before=None),
        Column("games", pa.int64()),
        _share("over_budget", _OVER_BUDGET, "share of games"),
        _share("panel_score", _OF_THE_BEST, "against the panel", before=None),
        _number("panel_elo", _PANEL, "Elo of the best"),
        _number("panel_elo_low"),
        _number("panel_elo_high"),
        _number("rating", _RATING, "Elo of the best"),
        *(_number(name) for name in _OF_LADDER[1:]),
        _share("past_score", _OF_THE_BEST, "against past champions", before=None),
        Column("seconds", pa.float64(), chart=_SECONDS, label="seconds"),
    )
)
"""Columns that a row may lack are null there, such as those of the panel without a panel.

In runs with several islands, the island is that of the best individual.
"""


def generations_frame(rows: Sequence[Mapping[str, Any]], ladder: bool) -> pd.DataFrame:
    """The table of these rows; TypeError or ValueError where a row is damaged."""
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
    if frame[DISTINCT].hasnans:  # older rows have no such count
        types[DISTINCT] = "float64"
    return frame.astype(types)
