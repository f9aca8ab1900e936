"""The individuals table: who lived, and their genes."""

from __future__ import annotations

import pyarrow as pa

from evolve.tables.individuals import INDIVIDUALS_COLUMNS, IndividualRow, individuals_table


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
