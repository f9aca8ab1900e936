"""What `evolve run` shows while it works: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.console import Group
from rich.live import Live
from rich.table import Table

from evolve.cli import terminal
from evolve.cli.signals import at_ctrl_c
from evolve.cli.terminal import NOTHING, bar, cell, duration, forget_reader, out
from evolve.tables.layout import CHAMPION_FILE

if TYPE_CHECKING:
    from evolve.config.evolution import EvolutionSettings
    from evolve.evolution.loop import Evolution

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
    "mean_score": "of the population, in files alone",
    "games": "of the round robin, in files alone",
    "rating_low": "where the 95 % interval of the rating begins",
    "rating_high": "and where it ends",
    "rise": "Elo that the rating rises by in 40 generations, from rise_since on",
    "rise_low": "where its 95 % interval begins",
    "rise_high": "and where it ends; below 20 evolution has come to rest",
    "rise_since": "the first generation of those that the rise is taken from",
}
"""The same of those that only files have."""
LEGEND: Final = "past_score: against the run's past champions; over_budget: games lost on nodes"


def columns_shown(ladder: bool) -> tuple[str, ...]:
    """Those of a run with the ladder, whose panel score says less than its rating, or without."""
    left_out = "panel_score" if ladder else "rating"
    return tuple(name for name in SHOWN if name != left_out)


_LIVE_ROWS: Final = 12


def stacked(name: str) -> list[str]:
    """A column's name as the words of a narrow head, one above the other."""
    return name.split("_")


def _width(name: str) -> int:
    return max(8 if name in ("best", "seconds") else 6, *map(len, stacked(name)))


def head_lines(columns: Sequence[str]) -> list[str]:
    """The heads of plain lines, every name ending on the last one."""
    names = list(map(stacked, columns))
    height = max(map(len, names))
    filled = [[""] * (height - len(name)) + name for name in names]
    return [
        " ".join(words.rjust(_width(name)) for words, name in zip(line, columns, strict=True))
        for line in zip(*filled, strict=True)
    ]


def generations_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Generations on a terminal of 80 columns."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column("\n".join(stacked(name)), justify="right", vertical="bottom")
    for texts in rows:
        table.add_row(*texts)
    return table


def say(text: str) -> None:
    """A line on standard output; once nobody reads it any more, none: a run goes on without."""
    try:
        terminal.say(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_reader()


class Stoppable:
    """A display that remembers a wish to stop after what is in hand, which it calls `unit`."""

    unit: ClassVar[str]

    def __init__(self) -> None:
        self.stop_wished = False

    @property
    def ending(self) -> str:
        """What it says of the wish."""
        return f"ending after {self.unit}; Ctrl-C again ends at once"

    def stop(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self.stop_wished

    def wish_stop(self) -> None:
        """Ctrl-C was pressed for the first time."""
        self.stop_wished = True
        say(self.ending)


class RunDisplay(Stoppable):
    """An observer that shows lines, and remembers a wish to stop."""

    unit = "this generation"

    def __init__(self, settings: EvolutionSettings) -> None:
        super().__init__()
        self._durations: list[float] = []
        self._columns = columns_shown(settings.panel == "ladder")
        self._offer = "" if settings.until_rest else "; Ctrl-C stops, --until-rest stops by itself"
        self._rest_said = False

    def begin(self) -> None:
        """The first lines: the columns, and what is not plain from their names."""
        say(LEGEND)
        *above, last = head_lines(self._columns)
        for line in above:
            say(line)
        say(f"{last}     left")

    def games(self, stage: str, done: int, total: int) -> None:
        """Only a stage that has no line of its own is told, at its begin."""
        if done == total and stage == "play-off":
            say(f"play-off: {total} games")

    def generation(self, row: Mapping[str, Any], target: int) -> None:
        """A line for the generation."""
        self._durations.append(row["seconds"])
        texts = zip(self.texts(row, self._columns), self._columns, strict=True)
        line = " ".join(text.rjust(_width(name)) for text, name in texts)
        left = duration(self.seconds_left(row["generation"], target))
        say(f"{line} {left:>8}")
        rest = self.rest(row)
        if rest is not None:
            say(rest)

    def rest(self, row: Mapping[str, Any]) -> str | None:
        """A line on rest, once, when evolution has come to it."""
        from evolve.evolution.trend import rest_told

        told = None if self._rest_said else rest_told(row)
        self._rest_said = self._rest_said or told is not None
        return told and told + self._offer

    def seconds_left(self, generation: int, target: int) -> float:
        """By the mean of the last generations' times."""
        recent = self._durations[-10:]
        return (target - generation - 1) * sum(recent) / len(recent)

    def champion(self, folder: Path) -> str:
        """A line on the champion and its play-off score."""
        from evolve.agents.loading import read_alphabeta

        agent = read_alphabeta(folder / CHAMPION_FILE)
        found = agent.provenance
        return (
            f"champion {agent.name}: depths {list(agent.depths)}, endgame {agent.endgame}, score "
            f"{found['score']:.3f} [{found['score_low']:.3f}, {found['score_high']:.3f}] in a "
            f"{found['against']}, {found['games']} games → {folder / CHAMPION_FILE}"
        )

    @staticmethod
    def texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
        """The shown columns of a row as text; Elo without decimals."""
        cells = {key: cell(row.get(key)) for key in columns}
        return [
            f"{row[key]:.0f}" if ("elo" in key or key == "rating") and text != NOTHING else text
            for key, text in cells.items()
        ]


class LiveDisplay(RunDisplay):
    """The same as a table that stands still, with bars for the generation and the run."""

    def __init__(self, settings: EvolutionSettings, first: int, seconds: float) -> None:
        super().__init__(settings)
        self._rows: list[list[str]] = []
        self._bar = bar()
        ends = time.monotonic() + seconds
        self._run = self._bar.add_task(
            "run", total=settings.generations, completed=first, ends=ends
        )
        self._stage = self._bar.add_task("generation", total=None)
        self._note = self._rest = ""
        self.live = Live(console=out(), refresh_per_second=4, get_renderable=self._picture)

    def begin(self) -> None:
        """Nothing: the table has a head."""

    def games(self, stage: str, done: int, total: int) -> None:
        """Move the stage's bar."""
        if done == 0 or stage == "play-off":
            self._bar.update(self._stage, description=stage, total=total)
        self._bar.update(self._stage, completed=done)

    def generation(self, row: Mapping[str, Any], target: int) -> None:
        """One more row, and the run's bar moves."""
        self._rows.append(self.texts(row, self._columns))
        self._rest = self.rest(row) or self._rest
        self._durations.append(row["seconds"])
        ends = time.monotonic() + self.seconds_left(row["generation"], target)
        self._bar.update(self._run, completed=row["generation"] + 1, total=target, ends=ends)

    def wish_stop(self) -> None:
        """Say so under the table."""
        self.stop_wished = True
        self._note = self.ending

    def _picture(self) -> Group:
        table = generations_table(self._columns, self._rows[-_LIVE_ROWS:])
        return Group(table, LEGEND, self._bar, *filter(None, (self._rest, self._note)))


@contextmanager
def watching(evolution: Evolution, seconds: float) -> Iterator[RunDisplay]:
    """The display that fits where the output goes; `seconds` the run is expected to take."""
    if not out().is_terminal:
        display = RunDisplay(evolution.settings)
        display.begin()
        yield display
        return
    live = LiveDisplay(evolution.settings, evolution.generation + 1, seconds)
    with live.live:
        yield live


@contextmanager
def telling_of_compilation() -> Iterator[None]:
    """Say so when kernels are compiled, which takes seconds of silence, once on a machine."""
    from numba.core import event

    class Listener(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                self.told = True
                say("compiling the kernels, once on this machine …")

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


@contextmanager
def interrupt_between_generations(display: Stoppable) -> Iterator[None]:
    """The first Ctrl-C asks the run to stop, the second one raises KeyboardInterrupt."""

    def handle() -> None:
        if display.stop_wished:
            raise KeyboardInterrupt
        display.wish_stop()

    with at_ctrl_c(handle):
        yield
