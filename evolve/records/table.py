"""Records as the games table, and files of games whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from evolve.engine.results import (
    DISCS_BLACK,
    DISCS_WHITE,
    PLIES,
    RESULT_COLUMNS,
)
from evolve.engine.rules import Rules, check_rules
from evolve.engine.squares import format_moves, parse_moves
from evolve.errors import RecordError, RulesError, RunError
from evolve.files.atomic import write_text
from evolve.records.files import read_bytes
from evolve.records.ggf import read_ggf, write_ggf
from evolve.records.lines import read_lines, write_lines
from evolve.records.obf import read_obf
from evolve.records.record import Ending, GameRecord
from evolve.records.rules import (
    agreed_rules,
    check_winner,
    rules_beside,
    rules_in_row,
    rules_in_text,
    rules_line,
)
from evolve.records.starts import start_board, start_text, usual_or
from evolve.records.wthor import read_wthor
from evolve.tables.games import FAILED, GAMES_COLUMNS, RULES, START, GameRows
from evolve.tables.parquet import read_table, write_table

if TYPE_CHECKING:  # 0.2 s, which files of records do without
    import pandas as pd

KIND: Final = "record"
_RESULTS: Final = {"black": 64.0, "white": -64.0, "draw": 0.0}
_NEEDED: Final = ("black", "white", "moves", "winner", "reason")
_OPTIONAL: Final = (RULES, START, "match")
_SAY_RULES: Final = (".ggf", ".wtb")
"""Files whose games are of known rules: GGF says them, and WTHOR has those of the usual game."""


def games_frame(records: Sequence[GameRecord]) -> pd.DataFrame:
    """Records in the shape of the games table; winner is None where it is not known."""
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
        rules=[record.rules for record in records],
        starts=[start_text(record.start) for record in records],
    )
    frame: pd.DataFrame = GAMES_COLUMNS.table(rows).to_pandas()
    return frame


def records_of_frame(
    frame: pd.DataFrame, rules: Rules | None = None, *, judged: bool = True
) -> list[GameRecord]:
    """The games of a games table, by the rules that each says, or else by `rules`, or standard.

    RecordError names a row that is invalid; RulesError, unless `judged` is False, one that says
    other rules than `rules`, or has another winner than its rules give it.
    """
    missing = [column for column in _NEEDED if column not in frame]
    if missing:
        raise RecordError(f"this is not a games table: it has no column {missing[0]}")
    columns = [*_NEEDED, *(column for column in _OPTIONAL if column in frame)]
    records = []
    for number, row in enumerate(frame[columns].itertuples(index=False), 1):
        try:
            records.append(_record(row, rules, judged))
        except RecordError as error:
            raise type(error)(f"row {number}: {error}") from error
    return records


def _record(row: Any, asked: Rules | None, judged: bool) -> GameRecord:
    moves = "" if row.moves is None else row.moves
    if not isinstance(moves, str) or not isinstance(row.reason, str) or not row.reason:
        raise RecordError("moves and reason must be text; is it cut off?")
    known = isinstance(row.winner, str)
    if row.winner not in _RESULTS and (known or not _is_missing(row.winner)):
        raise RecordError(f"winner {row.winner!r} is none of {', '.join(_RESULTS)}")
    said = rules_in_row(_text_of(row, RULES), getattr(row, "match", None))
    rules = agreed_rules(said, asked, judged)
    start = start_board(_text_of(row, START))
    squares = tuple(parse_moves(moves))
    record = GameRecord(squares, str(row.black), str(row.white), rules, start)
    if record.ending == "end":
        if judged and known and row.reason == "end":
            check_winner(record, row.winner, said)
        return record
    return replace(
        record,
        result=_RESULTS[row.winner] if known else None,
        stopped=_stopped(row.reason),
    )


def _text_of(row: Any, column: str) -> str | None:
    """What a row has in a column that not all tables have; None where that is nothing."""
    value = getattr(row, column, None)
    if isinstance(value, str):
        return value or None
    if value is None or _is_missing(value):
        return None
    raise RecordError(f"{column} {value!r} is not text")


def _is_missing(value: Any) -> bool:
    import pandas as pd  # not above: it is loaded where there is a frame

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


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


def _read_positions(path: Path) -> list[GameRecord]:
    """Positions, as games that begin there and have no moves yet."""
    return [GameRecord(start=usual_or(board)) for board in read_obf(path)]


_READERS: Final[dict[str, Callable[[Path], list[GameRecord]]]] = {
    ".ggf": read_ggf,
    ".obf": _read_positions,
    ".txt": read_lines,
    ".wtb": read_wthor,
}
_TABLES: Final = {".csv": _read_csv, ".parquet": _read_parquet}


def read_frame(path: Path) -> pd.DataFrame:
    """The table in a `.csv` or `.parquet` file; RecordError when it cannot be read."""
    return _TABLES[path.suffix.lower()](path)


def read_games(
    path: str | Path, rules: Rules | None = None, *, judged: bool = True
) -> list[GameRecord]:
    """The games of a file, by its extension.

    `.ggf`; `.wtb` (WTHOR); `.obf` (positions, as games that begin there); `.csv` and `.parquet`,
    games tables; else move strings, one a line. rules: of games that do not say theirs, standard by
    default. RecordError names the place of any damage; RulesError, unless `judged` is False, a game
    that says other rules than these, or that others won by them. PositionError for unknown rules.
    """
    if rules is not None:
        check_rules(rules)
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        frame = read_frame(path)
        if RULES not in frame:
            frame = frame.assign(**{RULES: rules_beside(path)})
        try:
            return records_of_frame(frame, rules, judged=judged)
        except RecordError as error:
            raise type(error)(f"{path}, {error}") from error
    records = _READERS.get(suffix, read_lines)(path)
    text = None if suffix in _SAY_RULES else rules_in_text(read_bytes(path))
    for number, record in enumerate(records, 1):
        try:
            agreed = agreed_rules(record.rules if suffix in _SAY_RULES else text, rules, judged)
        except RulesError as error:
            raise RulesError(f"{path}, game {number}: {error}") from error
        if agreed != record.rules:
            records[number - 1] = replace(record, rules=agreed)
    return records


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
        write_lines(path, records, rules_line(records))
    else:
        raise RecordError(f"{path}: games are written as .ggf, .txt, .csv or .parquet")
