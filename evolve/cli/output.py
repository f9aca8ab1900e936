"""Tables, agents and boards: printed for people, or written for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from evolve.cli.terminal import cell, json_text, out, print_rows, say
from evolve.files.atomic import write_text
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import pandas as pd

    from evolve.agents.agent import StoredAgent
    from evolve.engine.board.board import Board

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(("table", "csv", "json", "parquet")),
    help="table is for people, the others have every column; by the extension of -o, and "
    "table otherwise.",
)
_NARROW: Final = 28
"""Most characters of a cell in a table for people; CSV and JSON have all."""
_BY_SUFFIX: Final = {
    ".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "table", "": "table",
}  # fmt: skip


def style_of(style: str | None, output: Path | None) -> str:
    """Return the format that was asked for, or that of the file's ending.

    Raises UsageError if both are given and differ (a .csv file of another format would be a trap),
    if neither says the format, and for Parquet without a file.
    """
    if output is None:
        if style == "parquet":
            raise click.UsageError("--format parquet needs a file: -o NAME.parquet")
        return style or "table"
    suffix = output.suffix.lower()
    meant = _BY_SUFFIX.get(suffix)
    if style is None and meant is None:
        raise click.UsageError(
            f"-o {output}: the name must end in .csv, .json, .parquet or .txt, or --format say "
            "what it is"
        )
    if style is not None and suffix in (".csv", ".json", ".parquet") and meant != style:
        raise click.UsageError(
            f"-o {output} and --format {style} contradict each other; leave --format out, or "
            "name the file otherwise"
        )
    return style or meant or "table"


def print_frame(frame: pd.DataFrame) -> None:
    """Print every column of a table for people."""
    values = frame.astype(object).to_numpy().tolist()
    print_rows(list(frame.columns), [[narrow(value) for value in row] for row in values])


def write_in_style(
    frame: pd.DataFrame,
    style: str,
    output: Path | None,
    show: Callable[[pd.DataFrame], None] = print_frame,
) -> None:
    """Write every column of a table to a file, or to standard output.

    show: prints a table for people on standard output.
    """
    if style == "table" and output is None:
        show(frame)
        return
    import pyarrow as pa

    from evolve.tables.parquet import csv_text, write_table

    if style == "parquet":
        assert output is not None
        write_table(output, pa.Table.from_pandas(frame, preserve_index=False))
        return
    if style == "json":
        text = json_text(frame.astype(object).to_dict("records")) + "\n"
    elif style == "csv":
        text = csv_text(frame)
        if output is None and out().is_terminal:
            text = plain(text, keep="\n")
    else:
        # A file for people, who look at it in a terminal.
        text = frame.rename(columns=cell).map(_shown).to_string(index=False) + "\n"
    if output is None:
        sys.stdout.write(text)  # click.echo would take escape sequences out of the names in a CSV
    else:
        write_text(output, text)


def narrow(value: Any) -> Any:
    """Shorten a long cell for people; a list becomes its items with spaces between."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str) and len(value) > _NARROW:
        return value[: _NARROW - 1] + "…"
    return value


def _shown(value: object) -> object:
    return plain(value) if isinstance(value, str) else value


_BESIDE: Final = 3
"""Number of boards of eight columns that fit side by side in 120 characters."""


def print_agent(agent: StoredAgent, ancestors: Sequence[tuple[int, str, str]]) -> None:
    """Print the agent's description, its boards side by side, its provenance and ancestors."""
    description = agent.describe()
    say(" · ".join([agent.name, agent.rules or "any rules", *description.facts]))
    for line in description.lines:
        say(line)
    if description.rows:
        print_rows(description.columns, description.rows)
    titles = list(description.boards)
    for first in range(0, len(titles), _BESIDE):
        say("")
        shown = titles[first : first + _BESIDE]
        _print_boards({title: description.boards[title] for title in shown}, description.boards)
    if agent.provenance:
        say("")
        for key, value in agent.provenance.items():
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            say(f"{key}: {f'{text:.4f}' if isinstance(text, float) else text}")
    if ancestors:
        say("")
        say("ancestry")
        for steps, name, origin in ancestors:
            say("  " * (steps + 1) + f"{name} ({origin})")


def _print_boards(shown: Mapping[str, Sequence[Any]], every: Mapping[str, Sequence[Any]]) -> None:
    """Print boards side by side, all as wide as the widest number of `every` needs."""
    width = max(len(str(number)) for board in every.values() for number in board) + 1
    say("   ".join(title.ljust(2 + 8 * width) for title in shown).rstrip())
    heads = "".join(letter.rjust(width) for letter in "abcdefgh")
    say("   ".join("  " + heads for _ in shown))
    for row in range(8):
        say(
            "   ".join(
                f"{row + 1} " + "".join(str(n).rjust(width) for n in board[8 * row : 8 * row + 8])
                for board in shown.values()
            )
        )


_LAST = "bold reverse"
_LEGAL = "green"


def board_lines(board: Board, last: int | None = None, legal: Collection[int] = ()) -> list[Text]:
    """The board as lines: legal moves as stars, the last move highlighted if there are colours."""
    glyphs = {"X": "●", "O": "○", "-": "·"} if out().encoding.lower().startswith("utf") else {}
    cells = board.cells()
    lines = [Text("  a b c d e f g h")]
    for row in range(8):
        line = Text(f"{row + 1}")
        for square in range(8 * row, 8 * row + 8):
            shown = "*" if square in legal else glyphs.get(cells[square], cells[square])
            style = _LAST if square == last else _LEGAL if square in legal else ""
            line.append(" ").append(shown, style)
        lines.append(line)
    marks = glyphs.get("X", "X"), glyphs.get("O", "O")
    black, white = board.discs("black"), board.discs("white")
    lines.append(Text(f"{marks[0]} black {black}, {marks[1]} white {white}; {board.side} to move"))
    return lines


def show_board(board: Board, last: int | None = None, legal: Collection[int] = ()) -> None:
    """Print the board; see `board_lines`."""
    for line in board_lines(board, last, legal):
        out().print(line)
