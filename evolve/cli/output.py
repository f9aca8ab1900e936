"""Tables, agents and boards: printed for people, or written for programs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click
from rich.table import Table
from rich.text import Text

from evolve.cli.display import tell
from evolve.cli.terminal import (
    NOTHING,
    cell,
    elo_text,
    json_text,
    out,
    print_rows,
    say,
    with_error,
)
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import pandas as pd

    from evolve.agents.agent import StoredAgent
    from evolve.engine.board.board import Board
    from evolve.runs.run import Run

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(("table", "csv", "json", "parquet")),
    help="table is for people, the others have every column; by default what the name after -o "
    "ends in, or table.",
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


def as_frame(*parts: Any) -> pd.DataFrame:
    """A table of the rows of all parts: tables, or rows as dictionaries."""
    import pandas as pd

    return pd.concat(map(pd.DataFrame, parts), ignore_index=True)


def print_frame(frame: pd.DataFrame) -> None:
    """Print a table for people: on a terminal the first columns that have room."""
    columns = list(frame.columns)
    values = frame.astype(object).to_numpy().tolist()
    rows = [
        [rounded(name, narrow(value)) for name, value in zip(columns, row, strict=True)]
        for row in values
    ]
    left_out = print_rows(columns, rows, spare=columns[:1:-1])
    if left_out:
        say(f"no room for {', '.join(reversed(left_out))}; --format csv has all")


def rounded(name: str, value: Any) -> Any:
    """A figure of a column as people read it; Elo whole, others as `cell` shows them."""
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    words = name.split("_")
    if any(word in ("elo", "rating", "rise") for word in words):
        return f"{value:.0f}"
    if "discs" in words or name == "disc_difference":
        return f"{value:.1f}"
    if "seconds" in words:
        return f"{value:.2f}" if value < 10.0 else f"{value:.0f}"
    return value


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

    from evolve.tables import parquet

    if style == "parquet":
        assert output is not None
        parquet.write_table(output, pa.Table.from_pandas(frame, preserve_index=False))
        return
    if style == "json":
        text = json_text(frame.astype(object).to_dict("records")) + "\n"
    elif style == "csv":
        text = parquet.csv_text(frame)
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


_ACROSS: Final = 3
"""Most boards side by side: those of an agent's phases."""


def print_agent(agent: StoredAgent, ancestors: Sequence[tuple[int, str, str]]) -> None:
    """Print the agent's description, its boards side by side, its provenance and ancestors."""
    description = agent.describe()
    say(" · ".join([agent.name, agent.rules or "any rules", *description.facts]))
    for line in description.lines:
        say(line)
    if description.rows:
        print_rows(description.columns, description.rows)
    titles = list(description.boards)
    beside = _beside(description.boards)
    for first in range(0, len(titles), beside):
        say("")
        shown = titles[first : first + beside]
        _print_boards({title: description.boards[title] for title in shown}, description.boards)
    if agent.provenance:
        say("")
        for key, value in agent.provenance.items():
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            say(f"{key}: {cell(rounded(key, text)) if isinstance(text, float) else text}")
    if ancestors:
        say("")
        say("ancestry")
        for steps, name, origin in ancestors:
            say("  " * (steps + 1) + f"{name} ({origin})")


def _cell_width(boards: Mapping[str, Sequence[Any]]) -> int:
    """Characters of the widest number of all boards, and a blank."""
    return max(len(str(number)) for board in boards.values() for number in board) + 1


def _beside(boards: Mapping[str, Sequence[Any]]) -> int:
    """How many boards have room side by side."""
    each = 2 + 8 * _cell_width(boards) + len(_BETWEEN)
    return max(1, min(_ACROSS, (out().width + len(_BETWEEN)) // each)) if boards else 1


def _print_boards(shown: Mapping[str, Sequence[Any]], every: Mapping[str, Sequence[Any]]) -> None:
    """Print boards side by side, all as wide as the widest number of `every` needs.

    Where there are colours, positive numbers are blue and negative ones red, large ones darker.
    """
    width = _cell_width(every)
    numbers = [abs(number) for board in every.values() for number in board if _is_real(number)]
    largest = max(numbers, default=0) or 1
    say(_BETWEEN.join(title.ljust(2 + 8 * width) for title in shown).rstrip(), whole=True)
    heads = "".join(letter.rjust(width) for letter in "abcdefgh")
    say(_BETWEEN.join("  " + heads for _ in shown), whole=True)
    for row in range(8):
        line = Text()
        for place, board in enumerate(shown.values()):
            line.append(f"{_BETWEEN if place else ''}{row + 1} ")
            for number in board[8 * row : 8 * row + 8]:
                line.append(str(number).rjust(width), _shade(number, largest))
        out().print(line, soft_wrap=True)


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float)


def _shade(number: Any, largest: float) -> str:
    """The style of a number on a board of weights: from white to blue, or to red."""
    if not _is_real(number):
        return ""
    share = abs(number) / largest
    pale, end = (247, 247, 247), (33, 102, 172) if number > 0 else (178, 24, 43)
    mixed = [round(a + (b - a) * share) for a, b in zip(pale, end, strict=True)]
    ink = "bright_white" if share > _DARK else "black"
    return f"{ink} on rgb({mixed[0]},{mixed[1]},{mixed[2]})"


_DARK: Final = 0.55
"""Share of the largest number from which its square is dark, so that it is written in white."""
_BETWEEN: Final = "   "
_GREEN: Final = "on #1f7a4d"
_COLOURS: Final = {"X": f"black {_GREEN}", "O": f"bright_white {_GREEN}", "-": f"#6fb892 {_GREEN}"}
"""Styles of the cells of a board, where there are colours."""
_LAST_GREEN: Final = "on #c9a227"
"""The square of the last move."""
_LAST: Final = "bold reverse"
_LEGAL: Final = "#d8f5e4"


def board_lines(board: Board, last: int | None = None, legal: Collection[int] = ()) -> list[Text]:
    """The board as lines, legal moves as stars and the last move marked.

    Where there are colours it is green, and discs are black and white; else signs tell them apart.
    """
    colours = out().color_system is not None and not out().no_color
    utf = out().encoding.lower().startswith("utf")
    glyphs = {"X": "●", "O": "●" if colours else "○", "-": "·"} if utf else {}
    styles = _COLOURS if colours else {}

    def disc(cell: str, text: str = "") -> Text:
        return Text((text or glyphs.get(cell, cell)), styles.get(cell, ""))

    cells = board.cells()
    lines = [Text("  a b c d e f g h")]
    for row in range(8):
        line = Text(f"{row + 1}")
        for square in range(8 * row, 8 * row + 8):
            shown = disc(cells[square], "*" if square in legal else "")
            if square in legal and colours:
                shown.stylize(f"bold {_LEGAL}")
            if square == last:
                shown.stylize(_LAST_GREEN if colours else _LAST)
            line.append(" ", _GREEN if colours else "").append_text(shown)
        lines.append(line.append(" ", _GREEN) if colours else line)
    black, white = board.discs("black"), board.discs("white")
    lines.append(
        Text.assemble(
            disc("X"), f" black {black}, ", disc("O"), f" white {white}; {board.side} to move"
        )
    )
    return lines


def show_board(board: Board, last: int | None = None, legal: Collection[int] = ()) -> None:
    """Print the board; see `board_lines`."""
    for line in board_lines(board, last, legal):
        out().print(line)


SHOWN: Final = {
    "generation": "its number; 0 is random",
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
    "rise_high": "and where it ends; below 20 the run has stopped improving",
    "rise_since": "the first generation of those that the rise is taken from",
}
"""Columns that only files have, and what they mean."""
LEGEND: Final = "past_score: against the run's past champions; over_budget: games lost on nodes"


def columns_shown(ladder: bool) -> tuple[str, ...]:
    """The columns of a run; with the ladder, the rating says more than the panel score."""
    left_out = "panel_score" if ladder else "rating"
    return tuple(name for name in SHOWN if name != left_out)


def generation_texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """The shown columns of a row as text; Elo without decimals."""
    cells = {key: cell(row.get(key)) for key in columns}
    return [
        f"{row[key]:.0f}" if ("elo" in key or key == "rating") and text != NOTHING else text
        for key, text in cells.items()
    ]


_INTERVAL: Final = ("panel_elo_low", "panel_elo_high")
_SPARE: Final = ("over_budget", "past_score", "seconds")
"""Columns that a narrow terminal has no room for, the first of them first."""


def generations_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of generations for a terminal: the Elo with its ±, and what there is room for."""
    shown = [name for name in columns if name not in _INTERVAL]
    texts = [_terminal_texts(row, shown) for row in rows]
    widths = {
        name: max(map(len, (*_head(name).split("\n"), *(line[number] for line in texts))))
        for number, name in enumerate(shown)
    }
    for name in _SPARE:
        if sum(widths.values()) + len(widths) - 1 > out().width:
            widths.pop(name, None)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name in widths:
        table.add_column(_head(name), justify="right", vertical="bottom", no_wrap=True)
    for line in texts:
        table.add_row(*(line[shown.index(name)] for name in widths))
    return table


def _head(name: str) -> str:
    return "Elo ±" if name == "panel_elo" else name.replace("_", "\n")


def _terminal_texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """The cells of a row on a terminal."""
    values = {name: row.get(name) for name in columns}
    texts = [cell(rounded(name, value)) for name, value in values.items()]
    elo = values.get("panel_elo")
    if elo is not None and not math.isnan(elo):
        texts[columns.index("panel_elo")] = with_error(elo, *map(row.get, _INTERVAL))
    return texts


def print_generations(run: Run, frame: pd.DataFrame) -> None:
    """Print a run's generations, with notes on columns if their names do not explain them."""
    if out().is_terminal:
        # On a terminal a generation is one line; elsewhere there is room.
        records = cast("list[dict[str, Any]]", frame.to_dict("records"))
        out().print(generations_table(columns_shown("rating" in frame), records))
    else:
        print_frame(frame)
    say(LEGEND)


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
    final = read_final(folder)
    if final is not None:
        tell(final.verdict)


def _print_lives(run: Run, frame: pd.DataFrame, first: Sequence[str]) -> None:
    columns_of_trials = run.kind.reading.tables["trials"].columns
    assert columns_of_trials is not None
    others = (*columns_of_trials.names, *first)
    shares = run.importances.shares
    parameters = [name for name in frame.columns if name not in others]
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
