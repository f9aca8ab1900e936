"""The trials table of a sweep: written whole after every change, from the study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from evolve.documents import parse_json
from evolve.errors import RunError
from evolve.tables.layout import TRIALS_FILE
from evolve.tables.parquet import read_table, write_table

_BEFORE: Final = (
    pa.field("number", pa.int64()),
    pa.field("state", pa.string()),
    pa.field("score", pa.float64()),
    pa.field("score_error", pa.float64()),
    pa.field("seconds", pa.float64()),
)
_AFTER: Final = (
    pa.field("reports", pa.list_(pa.float64())),
    pa.field("origin", pa.string()),
    pa.field("worker", pa.string()),
    pa.field("agent", pa.string()),
    pa.field("reason", pa.string()),
)
TRIAL_COLUMNS: Final = tuple(field.name for field in (*_BEFORE, *_AFTER))
"""All columns but the parameters, which stand between the seconds and the reports."""
FINISHED: Final = ("COMPLETE", "PRUNED")
"""States of the trials that count."""
_IMPORTANCES: Final = b"importances"

TYPES: Final = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


def write_trials(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, type],
    importances: Mapping[str, float],
) -> None:
    """Replace the table; `parameters` with their types, whose importances are kept beside it.

    RunError where a row has values of other types.
    """
    fields = [pa.field(name, TYPES[kind]) for name, kind in parameters.items()]
    schema = pa.schema(
        [*_BEFORE, *fields, *_AFTER], metadata={_IMPORTANCES: json.dumps(importances)}
    )
    try:
        table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
    except (pa.ArrowException, TypeError) as error:  # the study is not of our making
        raise RunError(f"a trial of {folder} has what fits no table: {error}") from error
    write_table(folder / TRIALS_FILE, table)


def read_trials(folder: Path) -> pa.Table | None:
    """The table; None where there is none yet. RunError when it is damaged."""
    path = folder / TRIALS_FILE
    if not path.exists():
        return None
    return read_table(path, pa.schema([*_BEFORE, *_AFTER]))


def importances_of(table: pa.Table) -> dict[str, float]:
    """The importances beside a table, the largest first."""
    try:
        found = parse_json((table.schema.metadata or {}).get(_IMPORTANCES, b"{}"))
        shares = {str(name): float(share) for name, share in found.items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise RunError(f"{TRIALS_FILE} is damaged: its importances cannot be read") from error
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
