"""What `evolve run` shows while it works: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.console import Group
from rich.live import Live
from rich.table import Table

from evolve.agents.files import read_alphabeta
from evolve.cli.signals import at_ctrl_c
from evolve.cli.terminal import NOTHING, bar, cell, duration, forget_reader, out
from evolve.runner.evolution import Evolution
from evolve.tables.layout import CHAMPION_FILE

SHOWN: Final = {
    "generation": "gen",
    "best": "best",
    "best_score": "score",
    "panel_score": "panel",
    "panel_elo": "Elo",
    "panel_elo_low": "low",
    "panel_elo_high": "high",
    "past_score": "past",
    "over_budget": "over",
    "seconds": "seconds",
}
"""Columns of the generations table that are shown, and their short heads."""

_LIVE_ROWS: Final = 12
_WIDTHS: Final = (4, 8, 6, 6, 6, 6, 6, 6, 6, 8)


def say(text: str) -> None:
    """A line on standard output; once nobody reads it any more, none: a run goes on without."""
    try:
        out().print(text, soft_wrap=True, markup=False)
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

    def __init__(self) -> None:
        super().__init__()
        self._durations: list[float] = []

    def begin(self) -> None:
        """The first line."""
        heads = (head.rjust(width) for head, width in zip(SHOWN.values(), _WIDTHS, strict=True))
        say(" ".join(heads) + "     left")

    def games(self, stage: str, done: int, total: int) -> None:
        """Only a stage that has no line of its own is told, at its begin."""
        if done == total and stage == "play-off":
            say(f"play-off: {total} games")

    def generation(self, row: Mapping[str, Any], target: int) -> None:
        """A line for the generation."""
        self._durations.append(row["seconds"])
        texts = self.texts(row)
        line = " ".join(text.rjust(width) for text, width in zip(texts, _WIDTHS, strict=True))
        left = duration(self.seconds_left(row["generation"], target))
        say(f"{line} {left:>8}")

    def seconds_left(self, generation: int, target: int) -> float:
        """By the mean of the last generations' times."""
        recent = self._durations[-10:]
        return (target - generation - 1) * sum(recent) / len(recent)

    def champion(self, folder: Path) -> str:
        """A line on the champion and its play-off score."""
        agent = read_alphabeta(folder / CHAMPION_FILE)
        found = agent.provenance
        return (
            f"champion {agent.name}: depths {list(agent.depths)}, endgame {agent.endgame}, score "
            f"{found['score']:.3f} [{found['score_low']:.3f}, {found['score_high']:.3f}] in a "
            f"{found['against']}, {found['games']} games → {folder / CHAMPION_FILE}"
        )

    @staticmethod
    def texts(row: Mapping[str, Any]) -> list[str]:
        """The shown columns of a row as text; Elo without decimals."""
        return [
            f"{row[key]:.0f}" if "elo" in key and cell(row[key]) != NOTHING else cell(row[key])
            for key in SHOWN
        ]


class LiveDisplay(RunDisplay):
    """The same as a table that stands still, with bars for the generation and the run."""

    def __init__(self, first: int, target: int) -> None:
        super().__init__()
        self._rows: list[list[str]] = []
        self._bar = bar()
        self._run = self._bar.add_task("run", total=target, completed=first)
        self._stage = self._bar.add_task("generation", total=None)
        self._note = ""
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
        self._rows.append(self.texts(row))
        self._bar.update(self._run, completed=row["generation"] + 1, total=target)

    def wish_stop(self) -> None:
        """Say so under the table."""
        self.stop_wished = True
        self._note = self.ending

    def _picture(self) -> Group:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for head in SHOWN.values():
            table.add_column(head, justify="right")
        for texts in self._rows[-_LIVE_ROWS:]:
            table.add_row(*texts)
        return Group(table, self._bar, *([self._note] if self._note else []))


@contextmanager
def watching(evolution: Evolution) -> Iterator[RunDisplay]:
    """The display that fits where the output goes."""
    if not out().is_terminal:
        display = RunDisplay()
        display.begin()
        yield display
        return
    live = LiveDisplay(evolution.generation + 1, evolution.settings.generations)
    with live.live:
        yield live


@contextmanager
def interrupt_between_generations(display: Stoppable) -> Iterator[None]:
    """The first Ctrl-C asks the run to stop, the second one raises KeyboardInterrupt."""

    def handle() -> None:
        if display.stop_wished:
            raise KeyboardInterrupt
        display.wish_stop()

    with at_ctrl_c(handle):
        yield
