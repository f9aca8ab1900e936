"""The individuals table: who lived, and their genes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evolve.errors import RunError
from evolve.runs.run import Run
from evolve.tables.individuals import (
    FITNESS,
    GENERATIONS_COLUMNS,
    INDIVIDUALS_COLUMNS,
    OF_LADDER,
    individuals_table,
    row_genes,
    table_metadata,
)
from evolve.tables.parquet import write_table
from evolve.tables.paths import generation_file

GENES = {"weights": [1, 2], "endgame": [4]}
ROW = {
    "generation": 2, "individual": "0-0", "born": 0, "origin": "random", "parents": ["a"],
    "score": 0.5, "disc_difference": -2.0, "games": 6,
}  # fmt: skip


def test_individuals() -> None:
    table = individuals_table([{**ROW, **GENES}], {"generation": 2}, {})
    assert tuple(table.column_names) == (*INDIVIDUALS_COLUMNS.names, *GENES)
    assert table.to_pylist() == [{**ROW, "weights": [1, 2], "endgame": 4}]
    assert table.schema.field("weights").type == pa.list_(pa.int32(), 2)


def test_genes_of_a_row_are_read_again() -> None:
    table = individuals_table([{**ROW, FITNESS: 0.25, **GENES}], {"generation": 0}, {"seed": 1})
    assert table[FITNESS].to_pylist() == [0.25]
    assert table_metadata(table.schema.metadata, Path("x")) == ({"generation": 0}, {"seed": 1})
    row = table.to_pylist()[0]
    assert row_genes(row, tuple(GENES)) == GENES
    for damage in ({"weights": None}, {"weights": ["x"]}, {"endgame": None}):
        with pytest.raises(RunError, match="genes"):
            row_genes({**row, **damage}, tuple(GENES))
    with pytest.raises(RunError, match="depths"):
        row_genes(row, ("depths",))


@pytest.mark.parametrize("panel", ["ladder", "fixed"])
def test_generations_without_a_panel_have_none(tmp_path: Path, panel: str) -> None:
    (tmp_path / "generations").mkdir()
    (tmp_path / "config.toml").write_text(f'command = "run"\npanel = "{panel}"\n')
    row = {"generation": 0, "best": "0-1", "best_score": 0.5, "mean_score": 0.4}
    counts: dict[str, object] = {"games": 6, "distinct": 3}

    def write() -> None:
        write_table(generation_file(tmp_path, 0), individuals_table([ROW], row | counts, {}))

    write()
    frame = Run(tmp_path).generations
    names = [
        name for name in GENERATIONS_COLUMNS.names if panel == "ladder" or name not in OF_LADDER
    ]
    assert list(frame) == names
    assert frame[names[-2]].isna().all()
    assert frame["distinct"].dtype == frame["games"].dtype == np.int64
    counts["games"] = "many"
    write()
    with pytest.raises(RunError, match="generation"):
        _ = Run(tmp_path).generations
