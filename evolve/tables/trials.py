"""The trials table of a sweep: written whole after every change, from the study."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from evolve.errors import RunError
from evolve.tables.atomic import replacing
from evolve.tables.layout import TRIALS_FILE

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
    """Replace the table; `parameters` with their types, whose importances are kept beside it."""
    fields = [pa.field(name, TYPES[kind]) for name, kind in parameters.items()]
    schema = pa.schema(
        [*_BEFORE, *fields, *_AFTER], metadata={_IMPORTANCES: json.dumps(importances)}
    )
    with replacing(folder / TRIALS_FILE) as temporary:
        pq.write_table(
            pa.Table.from_pylist([dict(row) for row in rows], schema=schema),
            temporary,
            compression="zstd",
            write_page_checksum=True,
        )


def read_trials(folder: Path) -> pa.Table | None:
    """The table; None where there is none yet. RunError when it is damaged."""
    path = folder / TRIALS_FILE
    if not path.exists():
        return None
    try:
        # In one piece: a reader that opens the file twice may find another one the second time.
        content = io.BytesIO(path.read_bytes())
        table = pq.read_table(content, use_threads=False, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise RunError(f"{path} is damaged: {str(error).splitlines()[0]}") from error
    missing = [name for name in TRIAL_COLUMNS if name not in table.column_names]
    if missing:
        raise RunError(f"{path} is another table: it has no column {missing[0]}")
    return table


def importances_of(table: pa.Table) -> dict[str, float]:
    """The importances beside a table, the largest first."""
    found: dict[str, float] = json.loads((table.schema.metadata or {}).get(_IMPORTANCES, b"{}"))
    return dict(sorted(found.items(), key=lambda item: -item[1]))
