"""The individuals table: who lived, and their genes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from evolve.errors import RunError
from evolve.tables.individuals import (
    FITNESS,
    INDIVIDUALS_COLUMNS,
    IndividualRow,
    individuals_table,
    row_genes,
    table_metadata,
)


def test_individuals() -> None:
    genes = {"weights": [1, 2], "endgame": [4]}
    rows = [IndividualRow("0-0", 0, "random", ["a"], 0.5, -2.0, 6, genes)]
    table = individuals_table(2, rows, {"generation": 2}, {})
    assert tuple(table.column_names) == (*INDIVIDUALS_COLUMNS.names, *genes)
    assert table.to_pylist()[0] == {
        "generation": 2, "individual": "0-0", "born": 0, "origin": "random", "parents": ["a"],
        "score": 0.5, "disc_difference": -2.0, "games": 6, "weights": [1, 2], "endgame": 4,
    }  # fmt: skip
    assert table.schema.field("weights").type == pa.list_(pa.int32(), 2)


def test_genes_of_a_row_are_read_again() -> None:
    genes = {"weights": [1, 2], "endgame": [4]}
    rows = [IndividualRow("0-0", 0, "random", [], 0.5, 0.0, 6, genes, fitness=0.25)]
    table = individuals_table(0, rows, {"generation": 0}, {"seed": 1})
    assert table[FITNESS].to_pylist() == [0.25]
    assert table_metadata(table.schema.metadata) == ({"generation": 0}, {"seed": 1})
    row = table.to_pylist()[0]
    assert row_genes(row, tuple(genes)) == genes
    for damage in ({"weights": None}, {"weights": ["x"]}, {"endgame": None}):
        with pytest.raises(RunError, match="'0-0' has no genes that could be"):
            row_genes({**row, **damage}, tuple(genes))
    with pytest.raises(RunError, match="depths"):
        row_genes(row, ("depths",))
