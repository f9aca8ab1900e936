"""Converts records to and from games tables, in CSV, JSON and Parquet.

Tables of other programs are read too, if one column has `move` in its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from evolve.engine.board.squares import format_moves
from evolve.errors import RecordError, RunError
from evolve.parsing import parse_json
from evolve.records.formats import ending_of, text_of
from evolve.records.moves import ParsedMoves, Result, read_moves
from evolve.records.positions import start_board, start_text
from evolve.records.record import Ending, GameRecord, Reading, Request, game_of
from evolve.tables.games import FAILED, GAMES_COLUMNS, RULES, START
from evolve.tables.parquet import bytes_of, csv_text, read_csv, table_of

_RESULTS: Final = {"black": Result(1, 0), "white": Result(0, 1), "draw": Result(0.5, 0.5)}


def games_frame(records: Sequence[GameRecord]) -> pd.DataFrame:
    """Records as a games table; winner is None where it is not known."""
    none = [0] * len(records)
    columns = {
        "generation": none,
        "kind": ["record"] * len(records),
        "game": range(len(records)),
        "black": [record.black for record in records],
        "white": [record.white for record in records],
        "opening": [""] * len(records),
        "moves": [format_moves(record.moves) for record in records],
        "discs_black": np.array([r.final.discs("black") for r in records], np.int32),
        "discs_white": np.array([r.final.discs("white") for r in records], np.int32),
        "plies": [len(record.moves) for record in records],
        "nodes_black": none,
        "nodes_white": none,
        "winner": [record.winner for record in records],
        "reason": [record.ending for record in records],
        RULES: [record.rules for record in records],
        START: [start_text(record.start) for record in records],
    }
    return cast("pd.DataFrame", GAMES_COLUMNS.table(columns).to_pandas())


def read_table(data: bytes, path: Path, request: Request) -> Reading:
    """The games of a table in a file, with the rows that could not be read.

    Each game has the rules that its row says, or else those asked for. RecordError where it is not
    a table, or not exactly one column has moves.
    """
    reading = Reading()
    frame, bad = _frame(data, path)
    for number, row in enumerate(_rows(frame), 1):
        if number in bad:
            reading.leave_out(f"row {number}", bad[number])
        else:
            reading.take(f"row {number}", _record, row, request)
    return reading


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    heads = [str(head).strip().lower() for head in frame.columns]
    known = ("black", "white", "winner", "reason", RULES, START)
    found: dict[str, int] = {name: heads.index(name) for name in known if name in heads}
    moves = [head for head in heads if "move" in head]
    if "moves" not in moves and len(moves) != 1:
        number = " and ".join(moves) if moves else "no column"
        raise RecordError(
            f"{number} could be the moves, of {', '.join(heads)[:200] or 'none'}: name the one "
            "column of them moves"
        )
    found["moves"] = heads.index("moves" if "moves" in moves else moves[0])
    columns = frame.iloc[:, list(found.values())].set_axis(list(found), axis=1).astype(object)
    rows = columns.where(columns.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def _record(row: Mapping[str, Any], request: Request) -> GameRecord:
    """The game of a row. Only tables of evolve have a reason, and games without a move."""
    moves, reason = _text(row, "moves") or "", _text(row, "reason")
    if ("reason" in row and reason is None) or (not moves.strip() and reason is None):
        raise RecordError("it has no moves" if "reason" not in row else "it is cut off")
    parsed = read_moves(moves)
    winner = str(row.get("winner") or "").strip().lower()
    return game_of(
        ParsedMoves(parsed.squares, parsed.result or _RESULTS.get(winner)),
        start_board(_text(row, START)),
        request.agree(_text(row, RULES)),
        black=str(row.get("black") or ""),
        white=str(row.get("white") or ""),
        stopped=_stopped(reason or ""),
    )


def _text(row: Mapping[str, Any], column: str) -> str | None:
    """A row's text in an optional column; None where there is none. Raises RecordError."""
    value = row.get(column)
    if value is None or isinstance(value, str):
        return value or None
    raise RecordError(f"{column} {value!r} is not text")


def _stopped(reason: str) -> Ending:
    if reason in ("resigned", "time", "agreed"):
        return reason  # type: ignore[return-value]
    if " in time" in reason:  # the last lines exchanged follow it
        return "time"
    return "resigned" if reason.startswith(("resigned", FAILED)) else "unfinished"


def _frame(data: bytes, path: Path) -> tuple[pd.DataFrame, Mapping[int, str]]:
    """The table in a file, and its damaged rows with the reasons; RecordError where it is none."""
    try:
        if ending_of(path) == ".parquet":
            return table_of(data, path).to_pandas(ignore_metadata=True), {}
        if ending_of(path) != ".json":
            head, rows, bad = read_csv(text_of(data))
            return pd.DataFrame(rows, columns=head, dtype=object), bad
        objects = parse_json(text_of(data))
        if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
            raise ValueError("it must be a list of objects, a game each")
        return pd.DataFrame(objects, dtype=object), {}
    except (RunError, ValueError, RecursionError, pa.ArrowException) as error:
        line = (str(error) or type(error).__name__).splitlines()[0]
        raise RecordError(f"{path} is not a table of games: {line}") from error


def table_bytes(records: Sequence[GameRecord], path: Path) -> bytes:
    """The games as a table for a file: Parquet, CSV, or a JSON list of objects."""
    frame = games_frame(records)
    if ending_of(path) == ".parquet":
        return bytes_of(pa.Table.from_pandas(frame, preserve_index=False))
    as_json = ending_of(path) == ".json"
    return (frame.to_json(orient="records") + "\n" if as_json else csv_text(frame)).encode()
