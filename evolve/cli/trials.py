"""Trials as people see them: while a sweep works, and in `evolve show`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.progress import Progress, TaskID

from evolve.cli.display import ProgressView, tell
from evolve.cli.frames import narrow
from evolve.cli.terminal import bar, cell, duration, elo_text, print_rows, say
from evolve.files.folder import FolderPath

if TYPE_CHECKING:
    import pandas as pd

    from evolve.config.sweep import SweepSettings
    from evolve.runs.run import Run

_PARAMETERS: Final = 6
"""Parameters of a sweep shown in a table for people: those that matter most."""
_WIDTHS: Final = {
    "number": 6,
    "state": 9,
    "score": 7,
    "score_error": 11,
    "best": 7,
    "seconds": 8,
    "left": 8,
}
"""Columns that are shown while a sweep works, and how wide."""


def print_trials(run: Run, frame: pd.DataFrame) -> None:
    """Print the trials with their most important parameters, and the importances."""
    importances = run.importances
    shares = importances.shares
    _print_lives(run, frame, ["number"])
    if shares:
        parts = [
            f"{name} {share:.2f} (p {importances.p[name]:.3f})" for name, share in shares.items()
        ]
        say(f"importance for a good score: {', '.join(parts[:_PARAMETERS])}")
        say("p: how often the largest of all is as large by chance")
    else:
        say(importances.reason)


def print_rungs(run: Run, frame: pd.DataFrame) -> None:
    """Print the trials of the rungs, with the same parameters."""
    _print_lives(run, frame, ["rung", "candidate"])


def print_final(run: Run, frame: pd.DataFrame) -> None:
    """Print the rows of the final's table; see `print_finalists`."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    print_finalists(run.path, rows)


def print_finalists(folder: FolderPath, rows: Sequence[Mapping[Any, Any]]) -> None:
    """Print how the final in a folder ended, and whether the sweep beats the defaults."""
    from evolve.tables.final import read_final

    if any(row["lives"] for row in rows):
        tell("the last rung, scores against the panel:")
        columns = ["trial", "lives", "score", "low", "high"]
        print_rows(columns, [[row[name] for name in columns] for row in rows])
    elif len(rows) > 1:
        tell(f"final, {rows[0]['games'] // (len(rows) - 1)} games a pair:")
        elo = ("elo", "elo_low", "elo_high")
        values = [
            [row["trial"], *(elo_text(row[key]) for key in elo), row["score"], row["failures"]]
            for row in rows
        ]
        heads = ["trial", "Elo", "low", "high", "score", "failed"]
        shown = len(heads) - (not any(row["failures"] for row in rows))
        print_rows(heads[:shown], [line[:shown] for line in values])
    found = read_final(folder)
    if found is not None:
        tell(found.verdict)


def _print_lives(run: Run, frame: pd.DataFrame, first: Sequence[str]) -> None:
    from evolve.tables.trials import TRIALS_COLUMNS

    shares = run.importances.shares
    parameters = [name for name in frame.columns if name not in (*TRIALS_COLUMNS.names, *first)]
    shown = sorted(parameters, key=lambda name: -shares.get(name, 0.0))[:_PARAMETERS]
    columns = [*first, "state", "score", "score_error", "seconds", *shown]
    values = frame[columns].astype(object).to_numpy().tolist()
    print_rows(columns, [[narrow(_short(value)) for value in row] for row in values])
    if len(parameters) > len(shown):
        say(f"{len(shown)} of {len(parameters)} parameters; --format csv has all")


def _short(value: Any) -> Any:
    """A number as text with its significant digits; other values as they are."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.3g}" if abs(value) < 0.1 else f"{value:.3f}"
    return value


class TrialsView(ProgressView):
    """How a sweep looks: a line a trial, with the best score so far, or so far in a rung.

    progress: how much was done before, and of how much; 0 of all trials if not given. final:
    returns the seconds that the final will take, by what is known when it is called.
    """

    unit = "the trials in hand"
    units: ClassVar[Mapping[str, str]] = {"final": "the games in hand"}
    told = ("final",)
    columns = tuple(_WIDTHS)

    def __init__(
        self,
        settings: SweepSettings,
        progress: tuple[float, float] | None = None,
        final: Callable[[], float] | None = None,
    ) -> None:
        first, target = progress or (0.0, settings.work)
        self._first, self._target = float(first), float(target)
        self._final = final or (lambda: 0.0)
        self._begin = time.monotonic()

    def heads(self) -> list[str]:
        return [self.line(self.columns, math.nan)]

    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """Estimate from the time of the trials so far, plus the final's, from their games."""
        new = done - self._first
        if not new:
            return math.nan
        return (time.monotonic() - self._begin) / new * (total - done) + self._final()

    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        seconds = row["seconds"]
        return [
            str(row["number"]),
            row["state"].lower(),
            *map(cell, (row["score"], row["score_error"], row["best"])),
            cell(None) if seconds is None else f"{seconds:.1f}",
            cell(None) if math.isnan(left) else duration(left),
        ]

    def line(self, cells: Sequence[str], left: float) -> str:
        return " ".join(
            text.rjust(width) for text, width in zip(cells, _WIDTHS.values(), strict=True)
        )

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """Return why a trial failed, or None."""
        return f"trial {row['number']}: {row['reason']}" if row["reason"] else None

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return one bar, for the trials."""
        bars = bar()
        return bars, bars.add_task("trials", total=self._target, completed=round(self._first)), None
