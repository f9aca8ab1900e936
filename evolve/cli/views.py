"""Runs as people see them: generations, checks and trials, at work and in `evolve show`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from rich.progress import Progress, TaskID, TaskProgressColumn
from rich.table import Table

from evolve.cli.display import ProgressView, tell
from evolve.cli.output import narrow, print_frame
from evolve.cli.terminal import (
    NOTHING,
    bar,
    cell,
    duration,
    elo_text,
    out,
    print_rows,
    say,
)
from evolve.files.folder import FolderPath

if TYPE_CHECKING:
    import pandas as pd

    from evolve.config.evolution import EvolutionSettings
    from evolve.config.learning import TrainingSettings
    from evolve.config.sweep import SweepSettings
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


_WIDTHS: Final = {
    name: max(8 if name in ("best", "seconds") else 6, *map(len, _stacked(name))) for name in SHOWN
}


def head_lines(columns: Sequence[str]) -> list[str]:
    """The heads as plain lines; every name ends on the last line."""
    names = list(map(_stacked, columns))
    height = max(map(len, names))
    filled = [[""] * (height - len(name)) + name for name in names]
    return [
        " ".join(words.rjust(_WIDTHS[name]) for words, name in zip(line, columns, strict=True))
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
    widths = _WIDTHS
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


class ChecksView(ProgressView):
    """How a training looks: a line a check."""

    unit = "these games"
    widths: ClassVar[Mapping[str, int]] = {
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
    """Columns of the metrics table that are shown."""

    def __init__(self, settings: TrainingSettings) -> None:
        """Choose the columns: trainings differ in what their checks play."""
        from evolve.tables.metrics import METRICS_UNUSED  # not above: it loads pyarrow

        unused = METRICS_UNUSED[settings.judge]
        self.columns = tuple(name for name in self.widths if name not in unused)

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

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return one bar, for the share that is done, with time elapsed and left."""
        bars = bar(TaskProgressColumn())
        return bars, bars.add_task("compiling", total=None), None


_PARAMETERS: Final = 6
"""Parameters of a sweep shown in a table for people: those that matter most."""


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
    from evolve.tables.trials import read_final

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
    widths: ClassVar[Mapping[str, int]] = {
        "number": 6,
        "state": 9,
        "score": 7,
        "score_error": 11,
        "best": 7,
        "seconds": 8,
        "left": 8,
    }
    columns = tuple(widths)

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

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """Return why a trial failed, or None."""
        return f"trial {row['number']}: {row['reason']}" if row["reason"] else None

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return one bar, for the trials."""
        bars = bar()
        return bars, bars.add_task("trials", total=self._target, completed=round(self._first)), None
