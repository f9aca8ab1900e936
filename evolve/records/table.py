"""Converts records to and from games tables, in CSV, JSON and Parquet.

Tables of other programs are read too: their columns of moves and names are found by the content.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

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
from evolve.errors import RecordError, RulesError, RunError
from evolve.files.atomic import write_bytes
from evolve.records.moves import read_moves
from evolve.records.packing import ending_of, packed, read_bytes, text_of
from evolve.records.positions import start_board, start_text
from evolve.records.record import (
    ASKED_NOTHING,
    Asked,
    Ending,
    GameRecord,
    Reading,
    check_winner,
    game_of,
    rules_beside,
    rules_in_row,
)
from evolve.tables.games import FAILED, GAMES_COLUMNS, RULES, START, results_by_name
from evolve.tables.parquet import bytes_of, csv_text, read_csv, table_of

KIND: Final = "record"
_RESULTS: Final = {"black": 64.0, "white": -64.0, "draw": 0.0}
_NEEDED: Final = ("black", "white", "moves", "winner", "reason")
_OPTIONAL: Final = (RULES, START, "match")
_SAMPLE: Final = 50
"""Number of cells of a column to check."""
_NAMES: Final = {
    name: side
    for side, words in {
        "black": ("black", "noir", "schwarz"),
        "white": ("white", "blanc", "weiss"),
    }.items()
    for word in words
    for name in (word, f"{word}player", f"player{word}", f"{word}name", f"name{word}")
}
_WINNERS: Final = {"1": "black", "-1": "white", "0": "draw"}
"""Winners as numbers, in a column that has -1; other numbers could mean anything."""
_SHORTEST: Final = 4
"""Fewest moves of a column head that is a game: such a table has no heads."""


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
    frame: pd.DataFrame = GAMES_COLUMNS.table(columns).to_pandas()
    return frame


def scan_frame(
    frame: pd.DataFrame, asked: Asked = ASKED_NOTHING, *, bad: Mapping[int, str] | None = None
) -> Reading:
    """The games of a table, with the rows that could not be read.

    Each game has the rules that its row says, or else those asked for. A games table of evolve has
    our columns, in any case; in other tables the reader finds the column with moves. `bad`: numbers
    of damaged rows, with the reasons. RecordError where no column has moves; RulesError, if
    `asked.judged`, for a row that says other rules than those asked for, or has another winner than
    its rules give it.
    """
    frame = frame.loc[:, ~frame.columns.duplicated()]
    named = {str(column).strip().lower(): column for column in reversed(list(frame.columns))}
    ours = all(name in named for name in _NEEDED)
    if ours:
        there = [name for name in (*_NEEDED, *_OPTIONAL) if name in named]
        frame = frame[[named[name] for name in there]].set_axis(there, axis=1)
    else:
        frame = moves_and_names(frame)
    reading = Reading()
    against: list[RulesError] = []
    for number, row in enumerate(frame.itertuples(index=False), 1):
        try:
            if bad and number in bad:
                raise RecordError(bad[number])
            reading.add(_record(row, asked) if ours else _record_of_others(row, asked))
        except RulesError as error:
            against.append(RulesError(f"row {number}: {error}"))
            if ours:
                raise against[0] from error
            reading.leave_out(f"row {number}", error)
        except RecordError as error:
            reading.leave_out(f"row {number}", error)
    # Other programs' tables contain errors too; but where most winners differ, the rules differ.
    if 2 * len(against) > len(against) + sum(game.ending == "end" for game in reading.records):
        raise against[0]
    return reading


def records_of_frame(
    frame: pd.DataFrame, rules: Rules | None = None, *, judged: bool = True
) -> list[GameRecord]:
    """The games of a games table; RecordError names an invalid row, RulesError as `scan_frame`."""
    return scan_frame(frame, Asked(rules, judged)).whole()


def _record(row: Any, asked: Asked) -> GameRecord:
    moves = "" if row.moves is None else row.moves
    if not isinstance(moves, str) or not isinstance(row.reason, str) or not row.reason:
        raise RecordError("moves and reason must be text; is it cut off?")
    winner, names = _winner(row.winner), (str(row.black), str(row.white))
    said = rules_in_row(_text_of(row, RULES), getattr(row, "match", None))
    rules = asked.agree(said)
    record = _exact(moves, names, rules, start_board(_text_of(row, START)))
    if record.ending == "end":
        if asked.judged and winner is not None and row.reason == "end":
            check_winner(record, winner, said)
        return record
    return replace(
        record, result=None if winner is None else _RESULTS[winner], stopped=_stopped(row.reason)
    )


def _text_of(row: Any, column: str) -> str | None:
    """A row's text in an optional column; None where there is none. Raises RecordError."""
    value = getattr(row, column, None)
    if isinstance(value, str):
        return value or None
    if value is None or _is_missing(value):
        return None
    raise RecordError(f"{column} {value!r} is not text")


def _exact(moves: str, names: tuple[str, str], rules: Rules, start: Board) -> GameRecord:
    """The game of an evolve table, with all passes in its moves, or of one that a person edited."""
    written = read_moves(moves)
    try:
        record = GameRecord(written.squares, *names, rules, start)
        _ = record.final
    except RecordError:
        return game_of(written, start, rules, black=names[0], white=names[1])
    return record


def _record_of_others(row: Any, asked: Asked) -> GameRecord:
    """The game of a row of another program's table."""
    if not isinstance(row.moves, str) or not row.moves.strip():
        raise RecordError("it has no moves")
    record = game_of(
        read_moves(row.moves),
        rules=asked.agree(None),
        black="" if _is_missing(row.black) else str(row.black),
        white="" if _is_missing(row.white) else str(row.white),
        result=_RESULTS.get(row.winner),
    )
    if asked.judged and record.ending == "end" and row.winner in _RESULTS:
        check_winner(record, row.winner, None)
    return record


def _winner(value: Any) -> str | None:
    if isinstance(value, str) and (written := value.strip().lower()) in _RESULTS:
        return written
    if (isinstance(value, str) and not value) or _is_missing(value):
        return None
    raise RecordError(f"winner {value!r} is none of {', '.join(_RESULTS)}")


def _is_missing(value: Any) -> bool:
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


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
    rows = list(map(_object_of, rows)) if isinstance(rows, list) else rows
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise RecordError(f"{path} is not a table: it must be a list of objects, a game each")
    return pd.DataFrame(rows, dtype=object), {}


def _json_lines_frame(data: bytes, path: Path) -> tuple[pd.DataFrame, Mapping[int, str]]:
    """A table with one JSON object per line; other lines are bad rows."""
    rows: list[dict[str, Any]] = []
    bad: dict[int, str] = {}
    for line in filter(str.strip, text_of(data).split("\n")):
        try:
            row = _object_of(json.loads(line))
            if not isinstance(row, dict):
                raise RecordError("it is not an object")
        except (ValueError, RecursionError, RecordError) as error:
            row, bad[len(rows) + 1] = {}, f"it is not JSON: {_first_line(error)}"
        rows.append(row)
    return pd.DataFrame(rows, dtype=object), bad


def _object_of(row: Any) -> Any:
    """A JSON row as an object with moves as text; anything else unchanged."""
    if isinstance(row, str) or _is_texts(row):
        row = {"moves": row}
    if not isinstance(row, dict):
        return row
    return {name: " ".join(value) if _is_texts(value) else value for name, value in row.items()}


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


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


def scan_table(data: bytes, path: Path, asked: Asked) -> Reading:
    """The games of a `.csv`, `.json` or `.parquet` file; RecordError where it is not a table."""
    frame, bad = _FRAMES[ending_of(path)](data, path)
    if RULES not in frame and (beside := rules_beside(path)):
        frame = frame.assign(**{RULES: beside})
    return scan_frame(frame, asked, bad=bad)


def read_frame(path: Path) -> pd.DataFrame:
    """The table in a `.csv` or `.parquet` file; RecordError when it cannot be read."""
    frame, bad = _FRAMES[ending_of(path)](read_bytes(path), path)
    for number, reason in bad.items():
        raise RecordError(f"{path}, row {number}: {reason}")
    return frame


def table_bytes(path: Path, frame: pd.DataFrame) -> bytes:
    """The bytes of a table in the format of the file's ending, before packing."""
    if ending_of(path) == ".parquet":
        return bytes_of(pa.Table.from_pandas(frame, preserve_index=False))
    if ending_of(path) == ".json":
        return frame.to_json(orient="records").encode() + b"\n"
    return csv_text(frame).encode()


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as `.csv`, `.json` or `.parquet`, in one step."""
    write_bytes(path, packed(table_bytes(path, frame), path))


def moves_and_names(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns black, white, moves, winner and reason of another program's table.

    It finds the column of moves by its cells. RecordError where there is none, or where more than
    one is possible.
    """
    if any(_is_game(str(head), _SHORTEST) for head in frame.columns):
        first = pd.DataFrame([[str(head) for head in frame.columns]])
        frame = pd.concat([first, frame.set_axis(range(frame.shape[1]), axis=1)], ignore_index=True)
    heads = [str(head) for head in frame.columns]
    moves = _moves_of(frame, heads)
    _check_rows(frame.iloc[:, moves], heads[moves])
    missing = pd.Series([None] * len(frame), dtype=object)
    columns = {"black": missing, "white": missing, "winner": missing}
    for number, head in enumerate(heads):
        word = "".join(filter(str.isalpha, head.lower()))
        name = "winner" if word in ("winner", "won") else _NAMES.get(word)
        if name is not None and number != moves:
            columns[name] = frame.iloc[:, number]
    columns["winner"] = _winners_of(columns["winner"])
    return pd.DataFrame({**columns, "moves": frame.iloc[:, moves], "reason": ""})


def _winners_of(column: pd.Series[Any]) -> pd.Series[Any]:
    """The cells in lower case; -1, 0 and 1 as sides, where the column has -1."""
    words = column.map(lambda value: str(value).strip().lower().removesuffix(".0"))
    there = set(words) - {"", "none", "nan"}
    return (
        words.map(lambda word: _WINNERS.get(word, word)) if "-1" in there <= {*_WINNERS} else words
    )


def _check_rows(cells: pd.Series[Any], head: str) -> None:
    """Raise RecordError where each row is one move, not a game."""
    texts = list(islice((cell for cell in cells if isinstance(cell, str)), _SAMPLE))
    if all(map(_is_one_move, texts)) and not all(map(_is_game, texts)):
        raise RecordError(
            f"the column {head} has one move in each row; write all moves of a game in one row"
        )


def _is_one_move(text: str) -> bool:
    try:
        return len(read_moves(text).squares) <= 1
    except RecordError:
        return False


def _moves_of(frame: pd.DataFrame, heads: list[str]) -> int:
    """The index of the column with the moves; RecordError where there is not exactly one."""
    whole = [
        number for number, head in enumerate(heads) if _holds_games(frame.iloc[:, number], head)
    ]
    if len(whole) > 1:  # such as openings beside whole games
        named = [number for number in whole if "move" in heads[number].lower()]
        whole = named or whole
    if not whole:
        raise RecordError(
            f"no column has moves such as f5d6c3 in it; there are {', '.join(heads)[:200]}"
        )
    if len(whole) > 1:
        names = " and ".join(heads[number] for number in whole)
        raise RecordError(f"the columns {names} have moves; keep one, or name it moves")
    return whole[0]


def _holds_games(cells: pd.Series[Any], head: str) -> bool:
    """Whether half of a column's cells are games; any cell is enough where its head has `move`."""
    texts = (cell for cell in cells if isinstance(cell, str) and cell.strip())
    sample = list(islice(texts, _SAMPLE))
    games = sum(map(_is_game, sample))
    return games > 0 and ("move" in head.lower() or 2 * games >= len(sample))


def _is_game(text: str, shortest: int = 1) -> bool:
    try:
        written = read_moves(text)
        if len(written.squares) < shortest:
            return False
        game_of(written)
    except RecordError:
        return False
    return True
