"""The games table, one row for each game with every move, and its cross table.

This module loads no kernels, so that the service can make a cross table of a run's games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evolve.engine.board import rules as game_rules
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import square_name
from evolve.tables.columns import Column, Columns, array_of, scalar_of

WINNERS: Final = ("white", "draw", "black")
REASONS: Final = (
    "end", "over budget: black", "over budget: white", "failed: black", "failed: white",
    "resigned: black", "resigned: white",
)  # fmt: skip
RULES: Final = "rules"
"""The column with the rules of each game, which decide who won."""
START: Final = "start"
"""The column with the starting board, as OBF, of each game that has an unusual one."""
FAILED: Final = "failed: "
"""Start of the reason when a program failed: `failed: black: no move in time`."""

RESULTS: Final = {
    "discs_black": game_rules.DISCS_BLACK,
    "discs_white": game_rules.DISCS_WHITE,
    "plies": game_rules.PLIES,
    "nodes_black": game_rules.NODES_BLACK,
    "nodes_white": game_rules.NODES_WHITE,
}
"""Columns of the table by the columns of results that kernels fill."""
_SQUARES: Final = array_of([*map(square_name, range(PASS + 1))], pa.string())


def move_texts(moves: npt.NDArray[np.int8]) -> pa.Array:
    """Rows of moves [N, M], each up to its first −1, as texts such as `f5 d6 pass c3`."""
    played = np.minimum.accumulate(moves >= 0, axis=1)
    ends = np.zeros(len(moves) + 1, np.int32)
    np.cumsum(np.count_nonzero(played, axis=1), out=ends[1:])
    squares = _SQUARES.take(array_of(moves[played].astype(np.int32), pa.int32()))
    lists = pa.ListArray.from_arrays(array_of(ends, pa.int32()), squares)
    return pc.binary_join(lists, scalar_of(" "))  # a plain text would load pandas


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
        Column(RULES, pa.string()),
        Column(START, pa.string()),
    )
)
"""The columns. Those with a function are made of the others, a mapping by name: discs, plies and
nodes are numpy arrays, texts are lists or Arrow arrays."""


def results_by_name(results: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
    """The columns of discs, plies and nodes from `results` [N, RESULT_COLUMNS] of kernels."""
    types = {name: GAMES_COLUMNS.schema.field(name).type.to_pandas_dtype() for name in RESULTS}
    return {name: results[:, column].astype(types[name]) for name, column in RESULTS.items()}


@dataclass(frozen=True)
class CrossTable:
    """Points of N players against each other, and their numbers of games, both [N, N]."""

    points: npt.NDArray[np.float64]
    games: npt.NDArray[np.float64]

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """The score of the row's player against the column's, [N, N].

        ½ if they did not play, and against itself: a player that plays itself with both colours
        scores ½.
        """
        even = np.full_like(self.points, 0.5)
        np.divide(self.points, self.games, out=even, where=self.games > 0)
        return even

    @property
    def totals(self) -> npt.NDArray[np.float64]:
        """The score of each player in all its games, [N]; 0 without games."""
        mean: npt.NDArray[np.float64] = self.points.sum(axis=1)
        mean /= np.maximum(self.games.sum(axis=1), 1.0)
        return mean


def cross_table(
    black: npt.NDArray[np.integer],
    white: npt.NDArray[np.integer],
    points_black: npt.NDArray[np.float64],
    players: int,
) -> CrossTable:
    """Make the cross table of games between players, given by their indices, [games].

    points_black [games] is 1 if black wins and ½ for a draw.
    """
    points, games = np.zeros((2, players, players))
    np.add.at(points, (black, white), points_black)
    np.add.at(points, (white, black), 1.0 - points_black)
    np.add.at(games, (black, white), 1.0)
    np.add.at(games, (white, black), 1.0)
    return CrossTable(points, games)


def cross_table_of(table: pa.Table, names: Sequence[str]) -> CrossTable:
    """Make the cross table of a games table, for players with these names.

    Raises KeyError for another player or an invalid winner.
    """
    index = {name: number for number, name in enumerate(names)}
    black, white = (
        np.array([index[name] for name in table[side].to_pylist()], np.int64)
        for side in ("black", "white")
    )
    halves = {winner: number / 2.0 for number, winner in enumerate(WINNERS)}
    points = np.array([halves[winner] for winner in table["winner"].to_pylist()], np.float64)
    return cross_table(black, white, points, len(names))
