"""The games table: one row a game, with every move."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evolve.engine.results import (
    DISCS_BLACK,
    DISCS_WHITE,
    NODES_BLACK,
    NODES_WHITE,
    PLIES,
    REASON,
)
from evolve.engine.squares import square_name
from evolve.tables.columns import Column, Columns
from evolve.tables.individuals import ISLAND

WINNERS: Final = ("white", "draw", "black")
REASONS: Final = (
    "end",
    "over budget: black",
    "over budget: white",
    "failed: black",
    "failed: white",
)
FAILED: Final = "failed: "
"""Start of the reason when a program failed: `failed: black: no move in time`."""


@cache
def _names() -> pa.Array:
    """Of the squares, by number; made on use, because pyarrow loads pandas with its first array."""
    return pa.array([square_name(square) for square in range(65)])


def move_texts(moves: npt.NDArray[np.int8]) -> pa.Array:
    """Rows of moves, each to its first −1, as text with a space between: `f5 d6 pass c3`."""
    ended = moves < 0
    plies = np.where(ended.any(axis=1), ended.argmax(axis=1), moves.shape[1])
    played = np.arange(moves.shape[1]) < plies[:, None]
    ends = np.concatenate([[0], np.cumsum(plies)])
    names = pa.ListArray.from_arrays(ends.astype(np.int32), _names().take(pa.array(moves[played])))
    return pc.binary_join(names, " ")


@dataclass(frozen=True)
class GameRows:
    """N games, of which the games table is made.

    numbers, black, white, openings, moves, winner, reasons [N]: number, names, texts, `black`,
    `white`, `draw` or None; results [N, RESULT_COLUMNS] as kernels fill them.
    """

    generation: int
    kind: str
    numbers: Sequence[int]
    black: Sequence[str]
    white: Sequence[str]
    openings: Sequence[str]
    moves: pa.Array | Sequence[str]
    results: npt.NDArray[np.int64]
    winner: Sequence[str | None]
    reasons: Sequence[str]

    def __len__(self) -> int:
        return len(self.numbers)


def _result(column: int, kind: type[np.integer[Any]]) -> Callable[[GameRows], Any]:
    return lambda games: games.results[:, column].astype(kind)


GAMES_COLUMNS: Final = Columns(
    (
        Column("generation", pa.int32(), lambda games: [games.generation] * len(games)),
        Column("kind", pa.string(), lambda games: [games.kind] * len(games)),
        Column("game", pa.int32(), lambda games: games.numbers),
        Column("black", pa.string(), lambda games: games.black),
        Column("white", pa.string(), lambda games: games.white),
        Column("opening", pa.string(), lambda games: games.openings),
        Column("moves", pa.string(), lambda games: games.moves),
        Column("discs_black", pa.int32(), _result(DISCS_BLACK, np.int32)),
        Column("discs_white", pa.int32(), _result(DISCS_WHITE, np.int32)),
        Column("winner", pa.string(), lambda games: games.winner),
        Column("plies", pa.int32(), _result(PLIES, np.int32)),
        Column("nodes_black", pa.int64(), _result(NODES_BLACK, np.int64)),
        Column("nodes_white", pa.int64(), _result(NODES_WHITE, np.int64)),
        Column("reason", pa.string(), lambda games: games.reasons),
    )
)
"""The columns, each made of `GameRows`."""


def with_island(games: pa.Table, islands: npt.ArrayLike | None) -> pa.Table:
    """The table with the island of each game; None where they are between islands."""
    kind = pa.int32()
    column = pa.nulls(len(games), kind) if islands is None else pa.array(np.asarray(islands), kind)
    return games.append_column(ISLAND, column)


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
    reasons = [REASONS[reason] for reason in results[:, REASON].tolist()]
    for row, why in (failures or {}).items():
        reasons[row] = FAILED + why
    return GAMES_COLUMNS.table(
        GameRows(
            generation,
            kind,
            numbers=range(first_game, first_game + len(pairings)),
            black=[names[index] for index in pairings[:, 0].tolist()],
            white=[names[index] for index in pairings[:, 1].tolist()],
            openings=list(openings),
            moves=move_texts(moves),
            results=results,
            winner=[WINNERS[sign + 1] for sign in winner.tolist()],
            reasons=reasons,
        )
    )
