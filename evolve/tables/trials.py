"""The trials table of a sweep: rewritten as a whole from the study after each change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import pyarrow as pa

from evolve.errors import RunError
from evolve.files.folder import FolderPath
from evolve.safe_parsing import parse_json
from evolve.tables.columns import Chart, Column, Columns, table_of_rows
from evolve.tables.parquet import read_table, write_table
from evolve.tables.paths import TRIALS_FILE

TRIALS_COLUMNS: Final = Columns(
    (
        Column("number", pa.int64()),
        Column("state", pa.string()),
        Column("score", pa.float64(), chart=Chart("Score of each trial")),
        Column("score_error", pa.float64()),
        Column("seconds", pa.float64()),
        Column("reports", pa.list_(pa.float64())),
        Column("origin", pa.string()),
        Column("worker", pa.string()),
        Column("games", pa.int64()),
        Column("agent", pa.string()),
        Column("reason", pa.string()),
    )
)
"""All columns but the parameters, which come between the seconds and the reports."""
_LAST_BEFORE: Final = "seconds"
FINISHED: Final = ("COMPLETE", "PRUNED")
"""States of the trials that count."""
_IMPORTANCES: Final = b"importances"
_NOT_YET: Final = "importances are not known before the sweep ends or is stopped"

TYPES: Final = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


@dataclass(frozen=True)
class Importances:
    """The share of each parameter in a good score, or why it is unknown.

    shares: by parameter, with a sum of 1. p: how likely chance gives as large a share. reason: why
    the shares are unknown.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)
    reason: str = _NOT_YET

    @property
    def to_come(self) -> bool:
        """Whether the importances of these trials are still to be computed."""
        return not self.shares and self.reason == _NOT_YET


def write_trials(
    folder: FolderPath,
    rows: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, type],
    importances: Importances,
) -> None:
    """Replace the table, with the importances of `parameters` as metadata.

    `parameters` gives the type of each. RunError where a row has values of other types.
    """
    fields = [pa.field(name, TYPES[kind]) for name, kind in parameters.items()]
    place = 1 + TRIALS_COLUMNS.names.index(_LAST_BEFORE)
    ours = list(TRIALS_COLUMNS.schema)
    schema = pa.schema(
        [*ours[:place], *fields, *ours[place:]],
        metadata={_IMPORTANCES: json.dumps(asdict(importances))},
    )
    try:
        table = table_of_rows(rows, schema)
    except (pa.ArrowException, TypeError) as error:  # another program wrote the study
        raise RunError(f"a trial of {folder} has what fits no table: {error}") from error
    write_table(folder / TRIALS_FILE, table)


def read_trials(folder: FolderPath) -> pa.Table | None:
    """The table; None before there is one. RunError when it is damaged."""
    path = folder / TRIALS_FILE
    if not path.exists():
        return None
    return read_table(path, TRIALS_COLUMNS)


def importances_of(table: pa.Table) -> Importances:
    """The importances in a table's metadata, the largest first."""
    try:
        return _parsed(parse_json((table.schema.metadata or {}).get(_IMPORTANCES, b"{}")))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{TRIALS_FILE} is damaged: its importances cannot be read") from error


def _parsed(found: Any) -> Importances:
    if found == {}:
        return Importances()
    order = sorted(found["shares"], key=lambda name: -found["shares"][name])
    return Importances(
        {name: float(found["shares"][name]) for name in order},
        {name: float(found["p"][name]) for name in order},
        str(found["reason"]),
    )
