"""What runs and studies show of themselves in Python: tables by name, the champion, a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

from evolve.extras import imported

if TYPE_CHECKING:
    from evolve.agents.agent import StoredAgent

_PLOT: Final = "evolve.plots.call:plot"
_LOAD: Final = "evolve.runs.loading:load_agent"


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


class FolderView:
    """What is in a folder, as Python and notebooks see it."""

    path: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @property
    def champion(self) -> StoredAgent:
        """The best agent so far.

        Raises AgentError where there is none: in a study, and in the sweep of another program,
        whose best settings are in `best.json`.
        """
        return cast("StoredAgent", imported(_LOAD)(self.path))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw it, as `evolve.plot` does with the same options.

        ax: axes of your own figure, which are returned; without them, a picture that
        notebooks show is returned.
        """
        return imported(_PLOT)(self, ax=ax, **options)
