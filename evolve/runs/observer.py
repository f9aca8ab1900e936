"""What watches a run while it works, and why a run ends."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Protocol


class RunEnding(Enum):
    """Why a run returned; each kind of run has its own reasons, described by their values.

    All kinds have STOPPED: the observer asked for it.
    """

    @property
    def stopped(self) -> bool:
        """Whether the observer stopped it, so that the work did not reach an end of its own."""
        return self.name == "STOPPED"


class Observer(Protocol):
    """Watches a run; the working thread calls it, and `stop` between two rows."""

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Report a new row of the run's first table: `done` of `total` of the run are done.

        The unit depends on the kind of run: generations, trials, or the share of a training.
        """

    def stage(self, name: str, done: float, total: float) -> None:
        """Report that `done` of `total` of the current step are done, such as games."""

    def note(self, text: str) -> None:
        """Report something in one line."""

    def stop(self) -> bool:
        """Whether the run must end after the current step."""


class Silent:
    """An observer that shows nothing and never stops a run."""

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None: ...

    def stage(self, name: str, done: float, total: float) -> None: ...

    def note(self, text: str) -> None: ...

    def stop(self) -> bool:
        return False
