"""Results that are tables: DataFrames that also have their parts, a champion and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

import pandas as pd
from pandas.plotting import PlotAccessor

from evolve.agents.agent import Agent
from evolve.errors import AgentError
from evolve.extras import imported
from evolve.runs.folder_view import Tables

_OURS: Final = frozenset({"ax", "output", "size", "style", "title"})
"""Options of our pictures; with others, pandas draws."""


class ResultTable(pd.DataFrame):
    """A table of results. Rows and columns taken from it are ordinary DataFrames.

    tables: its parts by name, such as `tables["settings"]`. champion: the best agent; AgentError
    where results are not of agents. plot(ax=…): a picture of it; with pandas' own options, or as
    `plot.bar()` and the like, pandas draws the columns.
    """

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        tables: Mapping[str, pd.DataFrame],
        drawn: str,
        champion: Agent | None = None,
    ) -> Self:
        """Make one of a table; drawn: the function that draws it, for `imported`."""
        made = cls(frame)
        parts = {"_parts": dict(tables), "_best": champion, "_drawn": drawn}
        for name, value in parts.items():
            object.__setattr__(made, name, value)  # pandas would take them for columns
        return made

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    @property
    def tables(self) -> Tables:
        """Its parts by name."""
        parts: Mapping[str, pd.DataFrame] = vars(self)["_parts"]
        return Tables(parts, parts.__getitem__)

    @property
    def champion(self) -> Agent:
        """The strongest agent; raises AgentError where the rows are not agents."""
        best: Agent | None = vars(self)["_best"]
        if best is None:
            raise AgentError(
                "a comparison of settings has no champion: each run has its own, "
                "evolve.load_run(FOLDER).champion"
            )
        return best

    @property
    def plot(self) -> PlotAccessor:
        """Draws it: `plot(ax=…)` makes our own picture, pandas' options draw the columns."""
        return _Plot(self, vars(self)["_drawn"])


class _Plot(PlotAccessor):
    """pandas' plots, and our own picture where none of pandas' options is named."""

    def __init__(self, table: ResultTable, drawn: str) -> None:
        super().__init__(table)
        self._table, self._drawn = table, drawn

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if arguments or not options.keys() <= _OURS:
            return super().__call__(*arguments, **options)
        return imported(self._drawn)(self._table, **options)
