"""The trials table of a sweep: written whole after every change, from the study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import pyarrow as pa

from evolve.errors import RunError
from evolve.files.folder import FolderPath
from evolve.safe_parsing import parse_json
from evolve.tables.arrow import table_of_rows
from evolve.tables.columns import Chart, Column, Columns
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
"""All columns but the parameters, which stand between the seconds and the reports."""
_LAST_BEFORE: Final = "seconds"
FINISHED: Final = ("COMPLETE", "PRUNED")
"""States of the trials that count."""
_IMPORTANCES: Final = b"importances"
_NOT_YET: Final = "importances are not known before the sweep ends or is stopped"

TYPES: Final = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}


@dataclass(frozen=True)
class Importances:
    """What matters for a good score: by parameter its share, the sum 1, and how likely chance gives
    as large a share; or the reason why that is unknown."""

    shares: Mapping[str, float] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)
    reason: str = _NOT_YET

    @property
    def to_come(self) -> bool:
        """Whether the trials there are have not been weighed."""
        return not self.shares and self.reason == _NOT_YET


def write_trials(
    folder: FolderPath,
    rows: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, type],
    importances: Importances,
) -> None:
    """Replace the table; `parameters` with their types, whose importances are kept beside it.

    RunError where a row has values of other types.
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
    except (pa.ArrowException, TypeError) as error:  # the study is not of our making
        raise RunError(f"a trial of {folder} has what fits no table: {error}") from error
    write_table(folder / TRIALS_FILE, table)


def read_trials(folder: FolderPath) -> pa.Table | None:
    """The table; None where there is none yet. RunError when it is damaged."""
    path = folder / TRIALS_FILE
    if not path.exists():
        return None
    return read_table(path, TRIALS_COLUMNS)


def importances_of(table: pa.Table) -> Importances:
    """The importances beside a table, the largest first."""
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
