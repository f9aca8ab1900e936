"""The games table: one row for each game, with every move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    NODES_BLACK,
    NODES_WHITE,
    PASS,
    PLIES,
)
from evolve.engine.board.squares import square_name
from evolve.tables.columns import Column, Columns, array_of

WINNERS: Final = ("white", "draw", "black")
REASONS: Final = (
    "end",
    "over budget: black",
    "over budget: white",
    "failed: black",
    "failed: white",
)
RULES: Final = "rules"
"""The column with the rules of each game, which decide who won."""
START: Final = "start"
"""The column with the starting board, as OBF, of each game that has an unusual one."""
FAILED: Final = "failed: "
"""Start of the reason when a program failed: `failed: black: no move in time`."""

RESULTS: Final = {
    "discs_black": DISCS_BLACK,
    "discs_white": DISCS_WHITE,
    "plies": PLIES,
    "nodes_black": NODES_BLACK,
    "nodes_white": NODES_WHITE,
}
"""Columns of the table by the columns of results that kernels fill."""
_PASSED: Final = b"@@"
"""Stands for a pass while the texts of all moves have one length."""
_LETTERS: Final = np.array(
    [list(f"{square_name(square)} ".encode()) for square in range(PASS)] + [list(_PASSED + b" ")],
    np.uint8,
)


def move_texts(moves: npt.NDArray[np.int8]) -> pa.Array:
    """Rows of moves [N, M], each up to its first −1, as text with spaces between: `f5 d6 pass c3`.

    Arrow's own `take` and `binary_join` took 0.25 s for a generation of 512.
    """
    played = np.minimum.accumulate(moves >= 0, axis=1)
    counts = np.count_nonzero(played, axis=1)
    letters = _LETTERS[moves[played]].ravel()
    kept = np.ones(len(letters), np.bool_)
    kept[3 * np.cumsum(counts)[counts > 0] - 1] = False  # the space after a game's last move
    text = letters[kept].tobytes().replace(_PASSED, square_name(PASS).encode())
    passes = np.count_nonzero((moves == PASS) & played, axis=1)
    longer = len(square_name(PASS)) - len(_PASSED)
    ends = np.zeros(len(moves) + 1, np.int64)
    np.cumsum(3 * counts - (counts > 0) + longer * passes, out=ends[1:])
    if ends[-1] > np.iinfo(np.int32).max:
        raise OverflowError(f"{len(moves)} games are too many for one table")
    return pa.StringArray.from_buffers(
        len(moves), pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(text)
    )


GAMES_COLUMNS: Final = Columns(
    (
        Column("generation", pa.int32()),
        Column("kind", pa.string()),
        Column("game", pa.int32()),
        Column("black", pa.string()),
        Column("white", pa.string()),
        Column("opening", pa.string()),
        Column("moves", pa.string()),
        Column("discs_black", pa.int32()),
        Column("discs_white", pa.int32()),
        Column("winner", pa.string()),
        Column("plies", pa.int32()),
        Column("nodes_black", pa.int64()),
        Column("nodes_white", pa.int64()),
        Column("reason", pa.string()),
        Column(RULES, pa.string(), before=None),
        Column(START, pa.string(), before=None),
    )
)
"""The columns. Those with a function are made of the others, a mapping by name: discs, plies and
nodes are numpy arrays, texts are lists or Arrow arrays."""


def results_by_name(results: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
    """The columns of discs, plies and nodes from `results` [N, RESULT_COLUMNS] of kernels."""
    types = {name: GAMES_COLUMNS.schema.field(name).type.to_pandas_dtype() for name in RESULTS}
    return {name: results[:, column].astype(types[name]) for name, column in RESULTS.items()}


def texts_at(texts: Sequence[str | None], numbers: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """For each number, the text at that index: 0.02 s for a generation of 512, 0.2 s as lists."""
    return array_of(texts, pa.string()).take(array_of(numbers.astype(np.int64), pa.int64()))
