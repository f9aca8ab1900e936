"""The tables of individuals and of generations.

Individuals have one row for each individual and generation, with its genes. The file of a
generation also holds, as metadata, the row of the generations table and the checkpoint from which
evolution resumes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from evolve.engine.search.genes import GENES
from evolve.errors import RunError
from evolve.parsing import parse_json
from evolve.tables.columns import Chart, Column, Columns, array_of, table_of_rows

SCALAR_GENES: Final = tuple(name for name, gene in GENES.items() if not gene.phased)
"""Genes of one number: plain columns. All others are fixed-size lists."""

_METADATA_KEY: Final = b"evolve"
FITNESS: Final = "fitness"
"""A column after these, in a run whose fitness is not the score."""
DISTINCT: Final = "distinct"
"""Column: how many of a generation's individuals play differently; 1 if all are clones."""
OF_LADDER: Final = (
    "rating", "rating_low", "rating_high", "rise", "rise_low", "rise_high", "rise_since",
)  # fmt: skip
"""Columns that only runs with the ladder have; runs with the fixed panel do not."""
INDIVIDUALS_COLUMNS: Final = Columns(
    (
        Column("generation", pa.int32()),
        Column("individual", pa.string()),
        Column("born", pa.int32(), head="born in"),
        Column("origin", pa.string(), head="made by"),
        Column("parents", pa.list_(pa.string())),
        Column("score", pa.float64(), format="percent"),
        Column("disc_difference", pa.float64(), head="discs ahead, mean"),
        Column("games", pa.int32()),
    )
)
"""The columns before the genes."""


def individuals_table(
    rows: Sequence[Mapping[str, Any]],
    generation_row: Mapping[str, Any],
    checkpoint: Mapping[str, Any],
) -> pa.Table:
    """The table of one generation with its metadata.

    rows: values by column, the fitness where it is not the score, and the same genes in all rows.
    """
    table = table_of_rows(rows, INDIVIDUALS_COLUMNS.schema)
    for name in [name for name in rows[0] if name not in INDIVIDUALS_COLUMNS.names]:
        values = [row[name] for row in rows]
        if name == FITNESS:
            column = array_of(values, pa.float64())
        elif name in SCALAR_GENES:
            column = array_of([number for (number,) in values], pa.int32())
        else:
            column = array_of(values, pa.list_(pa.int32(), len(values[0])))
        table = table.append_column(name, column)
    metadata = json.dumps({"generation": dict(generation_row), "checkpoint": dict(checkpoint)})
    return table.replace_schema_metadata({_METADATA_KEY: metadata.encode()})


def table_metadata(table: pa.Table, path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Generation row and checkpoint from a file's metadata; RunError where it is damaged."""
    try:
        document = parse_json(table.schema.metadata[_METADATA_KEY])
        return {**document["generation"]}, {**document["checkpoint"]}
    except (LookupError, TypeError, ValueError) as error:
        raise RunError(f"{path} is damaged: {error}") from error


def row_genes(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[int]]:
    """The genes in a row of the individuals table (a mapping) as lists; RunError if missing."""
    try:
        return {
            gene: [int(row[gene])] if gene in SCALAR_GENES else [int(v) for v in row[gene]]
            for gene in names
        }
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(
            f"individual {row.get('individual')!r} has no genes that could be: {error!r}"
        ) from error


def _number(name: str, text: str, **options: Any) -> Column:
    return Column(name, pa.float64(), text=text, **options)


def _share(name: str, text: str, **options: Any) -> Column:
    return _number(name, text, format="percent", **options)


GENERATIONS_COLUMNS: Final = Columns(
    (
        Column("generation", pa.int64(), text="its number; 0 is random"),
        Column("best", pa.string(), text="the individual with the best score", head="the best"),
        _share("best_score", "its score against its own population", head="its score",
               chart=Chart("Lead over its own generation", (0.5, 1)), label="best"),
        _share("mean_score", "of the population", in_view=False),
        Column(DISTINCT, pa.int64(), in_view=False, head="different players",
               text="individuals that play differently; 1 is a population of clones"),
        Column("games", pa.int64(), text="of the round robin", in_view=False),
        _share("over_budget", "share of games lost for more nodes than --move-budget",
               head="games lost on nodes",
               chart=Chart("Games lost on nodes", (0, 0.01)), label="share of games"),
        _share("panel_score", "its score against the panel, which does not change",
               head="score against its panel",
               chart=Chart("Score against the whole ladder", (0, 1)), label="score"),
        _number("panel_elo", "the same as Elo: the best's rating on the ladder, or over the panel",
                chart=Chart("How strong each generation's best is", first=True),
                label="Elo of the best", head="its Elo"),
        _number("panel_elo_low", "where the 95 % interval of that begins"),
        _number("panel_elo_high", "and where it ends"),
        _number("rating", "strength: panel_elo smoothed over all generations, later ones too",
                head="strength, smoothed Elo",
                chart=Chart("Rating on the ladder", first=True), label="Elo of the best"),
        _number("rating_low", "where the 95 % interval of the rating begins", in_view=False),
        _number("rating_high", "and where it ends", in_view=False),
        _number("rise", "Elo that the rating rises by in 40 generations, from rise_since on",
                head="rise in 40 generations, Elo", in_view=False),
        _number("rise_low", "where its 95 % interval begins", in_view=False),
        _number("rise_high", "and where it ends: below 20, the run has stopped improving",
                in_view=False),
        _number("rise_since", "the first generation of those that the rise is taken from",
                in_view=False),
        _share("past_score", "its score against champions of the run's own past",
               head="score against past champions",
               chart=Chart("Score against past champions", (0, 1)), label="score"),
        _number("seconds", "wall time of the generation",
                chart=Chart("Seconds a generation", (0,)), label="seconds"),
    )
)  # fmt: skip
"""Columns that a row may lack are null there, such as those of the panel without a panel."""
