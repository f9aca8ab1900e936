"""How a training is shown while it works: a line a check."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from evolve.cli.display import ProgressView
from evolve.cli.terminal import BAR_WIDTH, Times, cell, duration, out

if TYPE_CHECKING:
    from evolve.config.learning import TrainingSettings

_WIDTHS: Final = {
    "check": 5,
    "games": 8,
    "steps": 9,
    "loss": 7,
    "visited": 7,
    "random": 7,
    "depth_1": 7,
    "depth_2": 7,
    "elo": 5,
    "score": 7,
    "cpu_seconds": 11,
}
"""Columns of the metrics table that are shown, and how wide."""


class ChecksView(ProgressView):
    """See above."""

    unit = "these games"

    def __init__(self, settings: TrainingSettings) -> None:
        """Choose the columns: trainings differ in what their checks play."""
        from evolve.tables.metrics import METRICS_UNUSED  # not above: it loads pyarrow

        unused = METRICS_UNUSED[settings.judge]
        self.columns = tuple(name for name in _WIDTHS if name not in unused)

    def heads(self) -> list[str]:
        return [self._line(self.columns) + "     left"]

    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """Estimate from the time that the share done so far has taken."""
        gone: float = row["seconds"]
        return gone * (total - done) / done if done > 0.0 else math.inf

    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        texts = [cell(row[key]) for key in self.columns]
        if "elo" in self.columns:
            texts[self.columns.index("elo")] = f"{row['elo']:.0f}"
        texts[-1] = f"{row['cpu_seconds']:.0f}"
        return texts

    def line(self, cells: Sequence[str], left: float) -> str:
        return f"{self._line(cells)} {duration(left):>8}"

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return one bar, for the share that is done, with time elapsed and left."""
        bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(BAR_WIDTH),
            TaskProgressColumn(),
            Times(),
            console=out(),
        )
        return bars, bars.add_task("compiling", total=None), None

    def _line(self, texts: Sequence[str]) -> str:
        widths = [_WIDTHS[name] for name in self.columns]
        return " ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))
