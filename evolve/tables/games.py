"""The games table: one row a game, with every move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evolve.engine import game as kernels
from evolve.engine.squares import square_name

GAMES_SCHEMA: Final = pa.schema(
    [
        ("generation", pa.int32()),
        ("kind", pa.string()),
        ("game", pa.int32()),
        ("black", pa.string()),
        ("white", pa.string()),
        ("opening", pa.string()),
        ("moves", pa.string()),
        ("discs_black", pa.int32()),
        ("discs_white", pa.int32()),
        ("winner", pa.string()),
        ("plies", pa.int32()),
        ("nodes_black", pa.int64()),
        ("nodes_white", pa.int64()),
        ("reason", pa.string()),
    ]
)

WINNERS: Final = ("white", "draw", "black")
REASONS: Final = (
    "end",
    "over budget: black",
    "over budget: white",
    "failed: black",
    "failed: white",
)
FAILED: Final = "failed: "
"""Begin of the reason when a program failed: `failed: black: no move in time`."""

_NAMES: Final = pa.array([square_name(square) for square in range(65)])


def move_texts(moves: npt.NDArray[np.int8]) -> pa.Array:
    """Rows of moves, each to its first −1, as text with a space between: `f5 d6 pass c3`."""
    played = np.logical_and.accumulate(moves >= 0, axis=1)
    ends = np.concatenate([[0], np.cumsum(played.sum(axis=1))])
    names = pa.ListArray.from_arrays(ends.astype(np.int32), _NAMES.take(pa.array(moves[played])))
    return pc.binary_join(names, " ")


def games_table(
    generation: int,
    kind: str,
    names: Sequence[str],
    pairings: npt.NDArray[np.int32],
    openings: Sequence[str],
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
    winner: npt.NDArray[np.int8],
    first_game: int = 0,
    failures: Mapping[int, str] | None = None,
) -> pa.Table:
    """Games as rows: `names` are those of the players that pairings' columns 0 and 1 index.

    `failures` are the reasons of the games, by row, that ended because a program failed.
    """
    count = len(pairings)
    columns: dict[str, Any] = {
        "generation": np.full(count, generation, np.int32),
        "kind": [kind] * count,
        "game": np.arange(first_game, first_game + count, dtype=np.int32),
        "black": [names[index] for index in pairings[:, 0].tolist()],
        "white": [names[index] for index in pairings[:, 1].tolist()],
        "opening": list(openings),
        "moves": move_texts(moves),
        "discs_black": results[:, kernels.DISCS_BLACK].astype(np.int32),
        "discs_white": results[:, kernels.DISCS_WHITE].astype(np.int32),
        "winner": [WINNERS[sign + 1] for sign in winner.tolist()],
        "plies": results[:, kernels.PLIES].astype(np.int32),
        "nodes_black": results[:, kernels.NODES_BLACK],
        "nodes_white": results[:, kernels.NODES_WHITE],
        "reason": [REASONS[reason] for reason in results[:, kernels.REASON].tolist()],
    }
    for row, why in (failures or {}).items():
        columns["reason"][row] = FAILED + why
    return pa.table(columns, schema=GAMES_SCHEMA)
