"""What runs and studies show of themselves in Python: tables, the champion, a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import evolve
from evolve.extras import imported
from evolve.runs.run_type import RunType

if TYPE_CHECKING:
    import pandas as pd

    from evolve.agents.agent import StoredAgent


class Tables(tuple[str, ...]):
    """The names of tables, and each table by its name: `run.tables["games"]`.

    A table is read at its first use; it is a DataFrame.
    """

    _read: Callable[[str], Any]

    def __new__(cls, names: Iterable[str], read: Callable[[str], Any]) -> Self:
        made = super().__new__(cls, tuple(names))
        made._read = read
        return made

    def __getitem__(self, key: Any) -> Any:
        return self._read(key) if isinstance(key, str) else super().__getitem__(key)

    def keys(self) -> Iterable[str]:
        """The names, so that `dict(run.tables)` reads all tables."""
        return tuple(self)


def _table(name: str, about: str) -> cached_property[pd.DataFrame]:
    def read(view: FolderView) -> pd.DataFrame:
        import pandas as pd  # not above: it takes half a second

        return pd.DataFrame() if view.kind.table(name) is None else view.table(name)

    read.__doc__ = f"{about} Empty where such runs have none."
    return cached_property(read)


class FolderView(ABC):
    """What is in the folder of a run or study, as Python and notebooks see it."""

    INNER: ClassVar[tuple[str, ...]] = ("INNER", "form", "kind", "changes")
    """Members for evolve's own modules, which `dir` and the documentation leave out."""
    path: Path
    """The folder."""

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.INNER]

    @property
    @abstractmethod
    def kind(self) -> RunType:
        """Its kind of run."""

    @abstractmethod
    def table(self, name: str, generation: int | None = None) -> pd.DataFrame:
        """One of its tables by name, or its rows of one generation."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @property
    def champion(self) -> StoredAgent:
        """The best agent so far; AgentError in a study, and in the sweep of another program."""
        return cast("StoredAgent", imported("evolve.runs.loading:load_agent")(self.path))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw it, as `evolve.plot` does with the same options.

        ax: axes of your own figure, which are returned; else a picture that notebooks show.
        """
        return evolve.plot(cast("Any", self), ax=ax, **options)

    individuals = _table("individuals", "Every individual of every generation, genes as lists.")
    games = _table("games", "Every game, those of the play-off last.")
    generations = _table(
        "generations", "One row for each generation; panel columns are NaN where it has no panel."
    )
    trials = _table("trials", "The trials of a sweep, as of their last change.")
    metrics = _table("metrics", "A row for each check of a training.")
