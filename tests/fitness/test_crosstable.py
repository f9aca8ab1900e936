"""The cross table: who scored what against whom."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from evolve.fitness.crosstable import cross_table, cross_table_of

GAMES = pa.table(
    {
        "black": ["a", "b", "a", "c"],
        "white": ["b", "a", "c", "c"],
        "winner": ["black", "draw", "white", "white"],
    }
)


def test_points_games_and_scores_of_each_against_each() -> None:
    table = cross_table_of(GAMES, ["a", "b", "c", "d"])
    assert table.points.tolist() == [[0, 1.5, 0, 0], [0.5, 0, 0, 0], [1, 0, 1, 0], [0] * 4]
    assert table.games.tolist() == [[0, 2, 1, 0], [2, 0, 0, 0], [1, 0, 2, 0], [0] * 4]
    assert table.scores[0].tolist() == [0.5, 0.75, 0.0, 0.5]
    assert table.scores[2, 2] == 0.5, "against itself with both colours"
    assert table.totals.tolist() == [0.5, 0.25, 2 / 3, 0.0]


def test_it_is_the_same_by_numbers() -> None:
    black, white = np.array([0, 1, 0, 2]), np.array([1, 0, 2, 2])
    table = cross_table(black, white, np.array([1.0, 0.5, 0.0, 0.0]), 4)
    other = cross_table_of(GAMES, ["a", "b", "c", "d"])
    assert np.array_equal(table.points, other.points)
    assert np.array_equal(table.games, other.games)


def test_no_games_and_games_of_others() -> None:
    empty = cross_table_of(GAMES.slice(0, 0), ["a", "b"])
    assert (empty.scores == 0.5).all()
    assert not empty.games.any()
    with pytest.raises(KeyError):
        cross_table_of(GAMES, ["a", "b"])
