"""Results that are tables: DataFrames that also have their parts, a champion and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Self

import pandas as pd

import evolve
from evolve.agents.agent import Agent
from evolve.errors import AgentError
from evolve.runs.folder_view import Tables


class ResultTable(pd.DataFrame):
    """A table of results. Rows and columns taken from it are ordinary DataFrames.

    tables: its parts by name, such as `tables["settings"]`. champion: the best agent; AgentError
    where results are not of agents. words: what it says, in sentences. plot(ax=…): a picture of it.
    """

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        tables: Mapping[str, pd.DataFrame],
        champion: Agent | None = None,
        words: str = "",
    ) -> Self:
        """Make one of a table."""
        table = cls(frame)
        # As attributes pandas would take them for columns.
        vars(table).update(_parts=dict(tables), _best=champion, _words=words)
        return table

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __repr__(self) -> str:
        # In full: pandas cuts columns in the middle, where the results are.
        return "\n".join(filter(None, (self.to_string(), self.words)))

    def _repr_html_(self) -> str | None:
        text, words = super()._repr_html_(), escape(self.words)  # type: ignore[misc]
        return f"{text}<p>{words}</p>" if text and words else text

    @property
    def words(self) -> str:
        """What it says, in sentences; empty where that is its numbers alone."""
        return str(vars(self).get("_words", ""))

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

    def plot(self, **options: Any) -> Any:  # type: ignore[override]
        """A picture of it; options: `ax`, `output`, `size`, `style` and `title`.

        `pandas.DataFrame(table).plot` draws the columns.
        """
        return evolve.plot(self, **options)
