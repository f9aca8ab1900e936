"""What long work tells whoever watches it, and why it returned."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Protocol


class RunEnding(Enum):
    """Why a run returned; each kind of run has its own reasons, described by their values.

    STOPPED is the one that all have: whoever watched asked for it.
    """

    @property
    def stopped(self) -> bool:
        """Whether it was stopped, so that the work is not at any end of its own."""
        return self.name == "STOPPED"


class Observer(Protocol):
    """Called from the thread that does the work; `stop` is asked between two rows."""

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """A row of the run's first table is kept, and `done` of `total` of the run are done.

        They are in the unit of its kind: generations, trials, or the share of a training.
        """

    def stage(self, name: str, done: float, total: float) -> None:
        """`done` of `total` of what is in hand are done, such as games of a generation."""

    def note(self, text: str) -> None:
        """Something to report in a line."""

    def stop(self) -> bool:
        """Whether to end after what is in hand."""


class Silent:
    """An observer that shows nothing and never stops a run."""

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Show nothing."""

    def stage(self, name: str, done: float, total: float) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""

    def stop(self) -> bool:
        """Never."""
        return False
