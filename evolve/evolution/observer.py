"""What a run tells whoever watches it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Observer(Protocol):
    """Called from the thread that runs the evolution; `stop` is asked between generations."""

    def games(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` games of a stage (a generation, the play-off) are finished."""

    def generation(self, row: Mapping[str, Any], target: int) -> None:
        """A generation is committed; `row` is its row of the generations table."""

    def stop(self) -> bool:
        """Whether to end after the generation in hand."""


class Silent:
    """An observer that shows nothing and never stops a run."""

    def games(self, stage: str, done: int, total: int) -> None:
        """Show nothing."""

    def generation(self, row: Mapping[str, Any], target: int) -> None:
        """Show nothing."""

    def stop(self) -> bool:
        """Never."""
        return False
