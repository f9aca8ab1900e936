"""Generations as people see them: while an evolution works, and in `evolve show`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from rich.progress import Progress, TaskID
from rich.table import Table

from evolve.cli.display import ProgressView
from evolve.cli.frames import print_frame
from evolve.cli.terminal import NOTHING, bar, cell, duration, out, say

if TYPE_CHECKING:
    import pandas as pd

    from evolve.config.evolution import EvolutionSettings
    from evolve.runs.run import Run

SHOWN: Final = {
    "generation": "its number; 0 is drawn at random",
    "best": "the individual with the best score",
    "best_score": "its score against its own population",
    "panel_score": "its score against the panel, which does not change",
    "panel_elo": "the same as Elo: the best's rating on the ladder, or over the panel",
    "panel_elo_low": "where the 95 % interval of that begins",
    "panel_elo_high": "and where it ends",
    "rating": "mean of panel_elo over the last generations: the curve of the rating",
    "past_score": "its score against champions of the run's own past",
    "over_budget": "share of games lost for more nodes than --move-budget",
    "seconds": "wall time of the generation",
}
"""Columns of the generations table that are shown, and what they mean."""
NOT_SHOWN: Final = {
    "island": "that of the best, where a run has several",
    "mean_score": "of the population, in files alone",
    "distinct": "individuals that play differently; 1 is a population of clones",
    "games": "of the round robin, in files alone",
    "rating_low": "where the 95 % interval of the rating begins",
    "rating_high": "and where it ends",
    "rise": "Elo that the rating rises by in 40 generations, from rise_since on",
    "rise_low": "where its 95 % interval begins",
    "rise_high": "and where it ends; below 20 evolution has come to rest",
    "rise_since": "the first generation of those that the rise is taken from",
}
"""Columns that only files have, and what they mean."""
LEGEND: Final = "past_score: against the run's past champions; over_budget: games lost on nodes"
_RECENT: Final = 10
"""Number of last generations; their mean time predicts that of the others."""


def columns_shown(ladder: bool) -> tuple[str, ...]:
    """The columns of a run; with the ladder, the rating says more than the panel score."""
    left_out = "panel_score" if ladder else "rating"
    return tuple(name for name in SHOWN if name != left_out)


def _stacked(name: str) -> list[str]:
    """Split a column's name into words, which a narrow head shows one above the other."""
    return name.split("_")


def _width(name: str) -> int:
    return max(8 if name in ("best", "seconds") else 6, *map(len, _stacked(name)))


def head_lines(columns: Sequence[str]) -> list[str]:
    """The heads as plain lines; every name ends on the last line."""
    names = list(map(_stacked, columns))
    height = max(map(len, names))
    filled = [[""] * (height - len(name)) + name for name in names]
    return [
        " ".join(words.rjust(_width(name)) for words, name in zip(line, columns, strict=True))
        for line in zip(*filled, strict=True)
    ]


def _texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """The shown columns of a row as text; Elo without decimals."""
    cells = {key: cell(row.get(key)) for key in columns}
    return [
        f"{row[key]:.0f}" if ("elo" in key or key == "rating") and text != NOTHING else text
        for key, text in cells.items()
    ]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table of generations for a terminal of 80 columns."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column("\n".join(_stacked(name)), justify="right", vertical="bottom")
    for texts in rows:
        table.add_row(*texts)
    return table


def print_generations(run: Run, frame: pd.DataFrame) -> None:
    """Print a run's generations, with notes on columns if their names do not explain them."""
    if out().is_terminal:
        # On a terminal a generation is one line of 80 columns; elsewhere there is room.
        records = cast("list[dict[str, Any]]", frame.to_dict("records"))
        columns = columns_shown("rating" in frame)
        out().print(_table(columns, [_texts(row, columns) for row in records]))
    else:
        print_frame(frame)
    say(LEGEND)


class GenerationsView(ProgressView):
    """How an evolution looks: a line a generation, and remarks.

    One remark says that the rating hardly rises any more, one that all individuals play alike.
    first: the generation that the evolution goes on with; seconds: how long it will probably take.
    """

    unit = "this generation"
    told = ("play-off", "ladder")
    legend = LEGEND

    def __init__(self, settings: EvolutionSettings, first: int = 0, seconds: float = 0.0) -> None:
        self.columns = columns_shown(settings.panel == "ladder")
        self._generations = settings.generations
        self._first, self._seconds = first, seconds
        self._durations: list[float] = []
        self._offer = "" if settings.until_rest else "; Ctrl-C stops, --until-rest stops by itself"
        self._stops = settings.stop_when_uniform is not None
        self._rest_told = self._uniform_told = False

    def heads(self) -> list[str]:
        *above, last = head_lines(self.columns)
        return [*above, f"{last}     left"]

    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """Estimate from the mean of the last generations' times."""
        self._durations.append(row["seconds"])
        recent = self._durations[-_RECENT:]
        return (total - done) * sum(recent) / len(recent)

    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        return _texts(row, self.columns)

    def line(self, cells: Sequence[str], left: float) -> str:
        texts = zip(cells, self.columns, strict=True)
        line = " ".join(text.rjust(_width(name)) for text, name in texts)
        return f"{line} {duration(left):>8}"

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """Return a line, once, when all individuals play alike, or the rating hardly rises."""
        from evolve.evolution.trend import rest_told

        if row.get("distinct") == 1 and not self._uniform_told:
            self._uniform_told = True
            offer = "" if self._stops else "; Ctrl-C stops, --stop-when-uniform N stops by itself"
            return (
                "warning: all individuals play alike: the population plays itself, and scores "
                "say nothing until mutation or newcomers change one" + offer
            )
        told = None if self._rest_told else rest_told(row)
        self._rest_told = self._rest_told or told is not None
        return told and told + self._offer

    def table(self, rows: Sequence[Sequence[str]]) -> Table:
        return _table(self.columns, rows)

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return a bar for the run, and one for the generation below it."""
        bars = bar()
        ends = time.monotonic() + self._seconds
        run = bars.add_task("run", total=self._generations, completed=self._first, ends=ends)
        return bars, bars.add_task("generation", total=None), run
