"""Records as the games table, and files of games whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from evolve.engine.board import Board
from evolve.engine.results import (
    DISCS_BLACK,
    DISCS_WHITE,
    PLIES,
    RESULT_COLUMNS,
)
from evolve.engine.rules import DEFAULT_RULES, Rules, check_rules
from evolve.engine.squares import format_moves, parse_moves
from evolve.errors import RecordError, RunError
from evolve.files.atomic import write_text
from evolve.records.ggf import read_ggf, write_ggf
from evolve.records.lines import read_lines, write_lines
from evolve.records.record import Ending, GameRecord
from evolve.records.wthor import read_wthor
from evolve.tables.games import FAILED, GAMES_COLUMNS, GameRows
from evolve.tables.parquet import read_table, write_table

if TYPE_CHECKING:  # 0.2 s, which files of records do without
    import pandas as pd

KIND: Final = "record"
_RESULTS: Final = {"black": 64.0, "white": -64.0, "draw": 0.0}
_NEEDED: Final = ("black", "white", "moves", "winner", "reason")


def games_frame(records: Sequence[GameRecord]) -> pd.DataFrame:
    """Records in the shape of the games table; winner is None where it is not known.

    RecordError where a game begins elsewhere than at the start position.
    """
    for number, record in enumerate(records, 1):
        if record.start != Board.start():
            raise RecordError(f"game {number} does not begin at the start position")
    results = np.zeros((len(records), RESULT_COLUMNS), np.int64)
    for row, record in zip(results, records, strict=True):
        row[DISCS_BLACK] = record.final.discs("black")
        row[DISCS_WHITE] = record.final.discs("white")
        row[PLIES] = len(record.moves)
    rows = GameRows(
        generation=0,
        kind=KIND,
        numbers=range(len(records)),
        black=[record.black for record in records],
        white=[record.white for record in records],
        openings=[""] * len(records),
        moves=[format_moves(record.moves) for record in records],
        results=results,
        winner=[record.winner for record in records],
        reasons=[record.ending for record in records],
    )
    frame: pd.DataFrame = GAMES_COLUMNS.table(rows).to_pandas()
    return frame


def records_of_frame(frame: pd.DataFrame, rules: Rules) -> list[GameRecord]:
    """The games of a games table; RecordError names an invalid row."""
    missing = [column for column in _NEEDED if column not in frame]
    if missing:
        raise RecordError(f"this is not a games table: it has no column {missing[0]}")
    records = []
    for number, row in enumerate(frame[list(_NEEDED)].itertuples(index=False), 1):
        try:
            records.append(_record(row, rules))
        except RecordError as error:
            raise RecordError(f"row {number}: {error}") from error
    return records


def _record(row: Any, rules: Rules) -> GameRecord:
    moves = "" if row.moves is None else row.moves
    if not isinstance(moves, str) or not isinstance(row.reason, str) or not row.reason:
        raise RecordError("moves and reason must be text; is it cut off?")
    known = isinstance(row.winner, str)
    if row.winner not in _RESULTS and (known or not _is_missing(row.winner)):
        raise RecordError(f"winner {row.winner!r} is none of {', '.join(_RESULTS)}")
    record = GameRecord(tuple(parse_moves(moves)), str(row.black), str(row.white), rules)
    if record.ending == "end":
        return record
    return GameRecord(
        record.moves,
        record.black,
        record.white,
        rules,
        result=_RESULTS[row.winner] if known else None,
        stopped=_stopped(row.reason),
    )


def _is_missing(value: Any) -> bool:
    import pandas as pd  # not above: it is loaded where there is a frame

    return bool(pd.isna(value))


def _stopped(reason: str) -> Ending:
    if reason in ("resigned", "time", "agreed"):
        return reason  # type: ignore[return-value]
    if " in time" in reason:  # before what was said last
        return "time"
    return "resigned" if reason.startswith(FAILED) else "unfinished"


def _read_csv(path: Path) -> pd.DataFrame:
    from evolve.tables.sheet import read_csv  # not above: it loads pandas

    try:
        return read_csv(path, keep_default_na=False, na_values={"winner": [""]})
    except (OSError, ValueError) as error:
        raise RecordError(f"{path}: {_first_line(error)}") from error


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        frame: pd.DataFrame = read_table(path).to_pandas(ignore_metadata=True)
    except RunError as error:
        raise RecordError(str(error)) from error
    except (ValueError, pa.ArrowException) as error:
        raise RecordError(f"{path}: {_first_line(error)}") from error
    return frame


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error) or type(error).__name__).splitlines()[0]


_READERS: Final[dict[str, Callable[[Path], list[GameRecord]]]] = {
    ".ggf": read_ggf,
    ".txt": read_lines,
    ".wtb": read_wthor,
}
_TABLES: Final = {".csv": _read_csv, ".parquet": _read_parquet}


def read_frame(path: Path) -> pd.DataFrame:
    """The table in a `.csv` or `.parquet` file; RecordError when it cannot be read."""
    return _TABLES[path.suffix.lower()](path)


def read_games(path: str | Path, rules: Rules = DEFAULT_RULES) -> list[GameRecord]:
    """The games of a file, by its extension.

    `.ggf`; `.wtb` (WTHOR); `.csv` and `.parquet`, games tables played by `rules`; else move
    strings, one a line. RecordError names the place of any damage; PositionError for unknown rules.
    """
    check_rules(rules)
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        frame = read_frame(path)
        try:
            return records_of_frame(frame, rules)
        except RecordError as error:
            raise RecordError(f"{path}, {error}") from error
    return _READERS.get(suffix, read_lines)(path)


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as `.csv` or `.parquet`, in one step."""
    if path.suffix.lower() == ".csv":
        from evolve.tables.sheet import csv_text  # not above: it loads pandas

        write_text(path, csv_text(frame))
    else:
        write_table(path, pa.Table.from_pandas(frame, preserve_index=False))


def write_games(path: Path, records: Sequence[GameRecord]) -> None:
    """Write games by the extension: `.ggf`, `.txt`, `.csv` or `.parquet`."""
    suffix = path.suffix.lower()
    if suffix == ".ggf":
        write_ggf(path, records)
    elif suffix in _TABLES:
        write_frame(path, games_frame(records))
    elif suffix == ".txt":
        write_lines(path, records)
    else:
        raise RecordError(f"{path}: games are written as .ggf, .txt, .csv or .parquet")
