"""The individuals table: one row an individual and generation, with its genes.

The file of a generation also carries, as metadata, the generation's own row and the checkpoint
that evolution goes on from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from evolve.documents import parse_json
from evolve.engine.genes import GENES
from evolve.errors import RunError

SCALAR_GENES: Final = tuple(name for name, gene in GENES.items() if not gene.phased)
"""Genes of one number; they are plain columns, all others fixed-size lists."""

INDIVIDUALS_SCHEMA: Final = pa.schema(
    [
        ("generation", pa.int32()),
        ("individual", pa.string()),
        ("born", pa.int32()),
        ("origin", pa.string()),
        ("parents", pa.list_(pa.string())),
        ("score", pa.float64()),
        ("disc_difference", pa.float64()),
        ("games", pa.int32()),
    ]
)
"""The columns before the genes."""
FITNESS: Final = "fitness"
"""The column after these in a run whose fitness is not the score."""
INDIVIDUAL_COLUMNS: Final = (*INDIVIDUALS_SCHEMA.names, FITNESS)

_METADATA_KEY: Final = b"evolve"


@dataclass(frozen=True)
class IndividualRow:
    """What a generation's table says of one individual."""

    individual: str
    born: int
    origin: str
    parents: Sequence[str]
    score: float
    disc_difference: float
    games: int
    genes: Mapping[str, Sequence[int]]
    fitness: float | None = None


def individuals_table(
    generation: int,
    rows: Sequence[IndividualRow],
    generation_row: Mapping[str, Any],
    checkpoint: Mapping[str, Any],
) -> pa.Table:
    """The table of one generation with its metadata; every row has the same genes."""
    values: dict[str, list[Any]] = {
        "generation": [generation] * len(rows),
        "individual": [row.individual for row in rows],
        "born": [row.born for row in rows],
        "origin": [row.origin for row in rows],
        "parents": [list(row.parents) for row in rows],
        "score": [row.score for row in rows],
        "disc_difference": [row.disc_difference for row in rows],
        "games": [row.games for row in rows],
    }
    columns: dict[str, pa.Array] = {
        field.name: pa.array(values[field.name], field.type) for field in INDIVIDUALS_SCHEMA
    }
    if rows[0].fitness is not None:
        columns[FITNESS] = pa.array([row.fitness for row in rows], pa.float64())
    for gene, first in rows[0].genes.items():
        if gene in SCALAR_GENES:
            columns[gene] = pa.array([row.genes[gene][0] for row in rows], pa.int32())
        else:
            kind = pa.list_(pa.int32(), len(first))
            columns[gene] = pa.array([list(row.genes[gene]) for row in rows], kind)
    metadata = json.dumps({"generation": dict(generation_row), "checkpoint": dict(checkpoint)})
    return pa.table(columns).replace_schema_metadata({_METADATA_KEY: metadata.encode()})


def table_metadata(metadata: Mapping[bytes, bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Generation row and checkpoint of an individuals file, from its metadata.

    KeyError, TypeError or ValueError where they are not there.
    """
    document = parse_json(metadata[_METADATA_KEY])
    row, checkpoint = document["generation"], document["checkpoint"]
    if not isinstance(row, dict) or not isinstance(checkpoint, dict):
        raise TypeError("there is no generation in it")
    return row, checkpoint


def row_genes(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[int]]:
    """The genes in a row of the individuals table (as a mapping) as lists; RunError without."""
    try:
        return {
            gene: [int(row[gene])] if gene in SCALAR_GENES else [int(v) for v in row[gene]]
            for gene in names
        }
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(
            f"individual {row.get('individual')!r} has no genes that could be: {error!r}"
        ) from error
