"""The cross table of a round robin: the score of each player against each other player.

This module loads no kernels, so that the service can make a cross table of a run's games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evolve.tables.games import WINNERS

_POINTS: Final = {winner: half / 2.0 for half, winner in enumerate(WINNERS)}
"""Points of black, by winner."""


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
    points = np.array([_POINTS[winner] for winner in table["winner"].to_pylist()], np.float64)
    return cross_table(black, white, points, len(names))
