"""Converts records to and from games tables, in CSV, JSON and Parquet.

Tables of other programs are read too, if one column has `move` in its name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    PLIES,
    RESULT_COLUMNS,
    Rules,
)
from evolve.engine.board.squares import format_moves
from evolve.errors import RecordError, RunError
from evolve.files.atomic import write_bytes
from evolve.records.moves import read_moves
from evolve.records.packing import Source, ending_of, packed, read_bytes, text_of
from evolve.records.positions import start_board, start_text
from evolve.records.record import (
    NO_REQUEST,
    Ending,
    GameRecord,
    Reading,
    RequestedRules,
    check_winner,
    game_of,
)
from evolve.tables.games import FAILED, GAMES_COLUMNS, RULES, START, results_by_name
from evolve.tables.parquet import bytes_of, csv_text, read_csv, table_of

KIND: Final = "record"
_RESULTS: Final = {"black": 64.0, "white": -64.0, "draw": 0.0}
_NUMBERS: Final = {"1": "black", "-1": "white", "0": "draw"}
"""Winners as numbers, in a column that has -1; other numbers could mean anything."""
_COLUMNS: Final = ("black", "white", "winner", "reason", RULES, START)
"""Columns that count under their own names, in any case, beside that of the moves."""


def games_frame(records: Sequence[GameRecord]) -> pd.DataFrame:
    """Records as a games table; winner is None where it is not known."""
    results = np.zeros((len(records), RESULT_COLUMNS), np.int64)
    for row, record in zip(results, records, strict=True):
        row[DISCS_BLACK] = record.final.discs("black")
        row[DISCS_WHITE] = record.final.discs("white")
        row[PLIES] = len(record.moves)
    columns = {
        "generation": [0] * len(records),
        "kind": [KIND] * len(records),
        "game": range(len(records)),
        "black": [record.black for record in records],
        "white": [record.white for record in records],
        "opening": [""] * len(records),
        "moves": [format_moves(record.moves) for record in records],
        **results_by_name(results),
        "winner": [record.winner for record in records],
        "reason": [record.ending for record in records],
        RULES: [record.rules for record in records],
        START: [start_text(record.start) for record in records],
    }
    return cast("pd.DataFrame", GAMES_COLUMNS.table(columns).to_pandas())


def _scan_frame(
    frame: pd.DataFrame,
    requested: RequestedRules = NO_REQUEST,
    bad: Mapping[int, str] | None = None,
) -> Reading:
    """The games of a table, with the rows that could not be read.

    Each game has the rules that its row says, or else those asked for. `bad`: numbers of damaged
    rows, with the reasons. RecordError where not exactly one column has moves.
    """
    reading = Reading()
    for number, row in enumerate(_rows(frame), 1):
        try:
            if bad and number in bad:
                raise RecordError(bad[number])
            reading.add(_record(row, requested))
        except RecordError as error:
            reading.leave_out(f"row {number}", error)
    return reading


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows with the columns that count, None for missing values."""
    heads = [str(head).strip().lower() for head in frame.columns]
    found: dict[str, int] = {name: heads.index(name) for name in _COLUMNS if name in heads}
    moves = [head for head in heads if "move" in head]
    if "moves" not in moves and len(moves) != 1:
        number = " and ".join(moves) if moves else "no column"
        raise RecordError(
            f"{number} could be the moves, of {', '.join(heads)[:200] or 'none'}: name the one "
            "column of them moves"
        )
    found["moves"] = heads.index("moves" if "moves" in moves else moves[0])
    columns = frame.iloc[:, list(found.values())].set_axis(list(found), axis=1).astype(object)
    if "winner" in found:
        columns["winner"] = _winners(columns["winner"])
    rows = columns.where(columns.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _winners(column: pd.Series[Any]) -> list[Any]:
    """The cells in lower case; -1, 0 and 1 as sides, where the column has -1."""
    words = ["" if pd.isna(cell) else str(cell).strip().lower() for cell in column]
    words = [word.removesuffix(".0") for word in words]
    return [_NUMBERS.get(word, word) for word in words] if "-1" in words else words


def records_of_frame(frame: pd.DataFrame, rules: Rules | None = None) -> list[GameRecord]:
    """The games of a games table; RecordError names an invalid row."""
    return _scan_frame(frame, RequestedRules(rules)).whole()


def _record(row: Mapping[str, Any], requested: RequestedRules) -> GameRecord:
    """The game of a row. Only tables of evolve have a reason, and games without a move."""
    moves, reason = row["moves"] or "", _text(row, "reason")
    if not isinstance(moves, str) or ("reason" in row and reason is None):
        raise RecordError("moves and reason must be text; is it cut off?")
    if not moves.strip() and reason is None:
        raise RecordError("it has no moves")
    rules = requested.agree(_text(row, RULES))
    names = str(row.get("black") or ""), str(row.get("white") or "")
    record = _exact(moves, names, rules, start_board(_text(row, START)))
    winner = row.get("winner") or None
    if reason is not None and winner not in (None, *_RESULTS):
        raise RecordError(f"winner {winner!r} is none of {', '.join(_RESULTS)}")
    if record.ending == "end":
        if requested.winners and winner in _RESULTS and reason in (None, "end"):
            check_winner(record, winner)
        return record
    if winner in _RESULTS:
        record = replace(record, result=_RESULTS[winner])
    elif reason is not None:
        record = replace(record, result=None)
    return replace(record, stopped=_stopped(reason or ""))


def _text(row: Mapping[str, Any], column: str) -> str | None:
    """A row's text in an optional column; None where there is none. Raises RecordError."""
    value = row.get(column)
    if value is None or isinstance(value, str):
        return value or None
    raise RecordError(f"{column} {value!r} is not text")


def _exact(moves: str, names: tuple[str, str], rules: Rules, start: Board) -> GameRecord:
    """The game of moves with all passes, as in tables of evolve, or without them."""
    parsed = read_moves(moves)
    if parsed.result is None:
        record = GameRecord(parsed.squares, *names, rules, start)
        try:
            _ = record.final
        except RecordError:
            pass
        else:
            return record
    return game_of(parsed, start, rules, black=names[0], white=names[1])


def _stopped(reason: str) -> Ending:
    if reason in ("resigned", "time", "agreed"):
        return reason  # type: ignore[return-value]
    if " in time" in reason:  # the last lines exchanged follow it
        return "time"
    return "resigned" if reason.startswith(FAILED) else "unfinished"


def _csv_frame(data: bytes, path: Path) -> tuple[pd.DataFrame, Mapping[int, str]]:
    try:
        head, rows, bad = read_csv(text_of(data))
    except ValueError as error:
        raise RecordError(f"{path}: {_first_line(error)}") from error
    return pd.DataFrame(rows, columns=head, dtype=object), bad


def _json_frame(data: bytes, path: Path) -> tuple[pd.DataFrame, Mapping[int, str]]:
    try:
        rows = json.loads(text_of(data))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path} is not JSON: {_first_line(error)}") from error
    rows = list(map(_object_of, rows)) if isinstance(rows, list) else [None]
    if None in rows:
        raise RecordError(f"{path} is not a table: it must be a list of objects, a game each")
    return pd.DataFrame(rows, dtype=object), {}


def _json_lines_frame(data: bytes, path: Path) -> tuple[pd.DataFrame, Mapping[int, str]]:
    """A table with one JSON object per line; other lines are bad rows."""
    rows: list[dict[str, Any]] = []
    bad: dict[int, str] = {}
    for line in filter(str.strip, text_of(data).split("\n")):
        try:
            row, why = _object_of(json.loads(line)), "it is not an object"
        except (ValueError, RecursionError) as error:
            row, why = None, f"it is not JSON: {_first_line(error)}"
        if row is None:
            bad[len(rows) + 1] = why
        rows.append(row or {})
    return pd.DataFrame(rows, dtype=object), bad


def _object_of(row: Any) -> dict[str, Any] | None:
    """A JSON row as an object with moves as text; None for anything else."""
    if isinstance(row, str | list):
        row = {"moves": row}
    if not isinstance(row, dict):
        return None
    return {
        name: " ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in row.items()
    }


def _parquet_frame(data: bytes, path: Path) -> tuple[pd.DataFrame, Mapping[int, str]]:
    try:
        frame: pd.DataFrame = table_of(data, path).to_pandas(ignore_metadata=True)
    except RunError as error:
        raise RecordError(str(error)) from error
    except (ValueError, pa.ArrowException) as error:
        raise RecordError(f"{path}: {_first_line(error)}") from error
    return frame, {}


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


_FRAMES: Final[dict[str, Callable[[bytes, Path], tuple[pd.DataFrame, Mapping[int, str]]]]] = {
    ".csv": _csv_frame,
    ".tsv": _csv_frame,
    ".json": _json_frame,
    ".jsonl": _json_lines_frame,
    ".parquet": _parquet_frame,
}


def read_table(source: Source) -> Reading:
    """The games of a table in a file; RecordError where it is not a table."""
    frame, bad = _FRAMES[ending_of(source.path)](source.data, source.path)
    return _scan_frame(frame, source.requested, bad)


def read_frame(path: Path) -> pd.DataFrame:
    """The table in a `.csv` or `.parquet` file; RecordError when it cannot be read."""
    frame, bad = _FRAMES[ending_of(path)](read_bytes(path), path)
    for number, reason in bad.items():
        raise RecordError(f"{path}, row {number}: {reason}")
    return frame


def _table_bytes(frame: pd.DataFrame, ending: str) -> bytes:
    """The bytes of a table in the format of the file's ending, before packing."""
    if ending == ".parquet":
        return bytes_of(pa.Table.from_pandas(frame, preserve_index=False))
    if ending == ".json":
        return frame.to_json(orient="records").encode() + b"\n"
    return csv_text(frame).encode()


def csv_of(records: Sequence[GameRecord]) -> bytes:
    """The games as CSV."""
    return _table_bytes(games_frame(records), ".csv")


def json_of(records: Sequence[GameRecord]) -> bytes:
    """The games as a JSON list of objects."""
    return _table_bytes(games_frame(records), ".json")


def parquet_of(records: Sequence[GameRecord]) -> bytes:
    """The games as Parquet."""
    return _table_bytes(games_frame(records), ".parquet")


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as `.csv`, `.json` or `.parquet`, in one step."""
    write_bytes(path, packed(_table_bytes(frame, ending_of(path)), path))
