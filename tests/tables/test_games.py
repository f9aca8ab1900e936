"""The games table: what kernels tell of games, as rows, and who scored what against whom."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_BLACK,
    MAX_PLIES,
    OUTCOME,
    PLIES,
    REASON,
    RESULT_COLUMNS,
)
from evolve.engine.board.squares import parse_moves
from evolve.fitness.games import Games
from evolve.fitness.openings import Openings
from evolve.tables.games import GAMES_COLUMNS, cross_table, cross_table_of, move_texts


def played(starts: tuple[Board, ...] = ()) -> pa.Table:
    """Two games: one to its end, and one that a program lost."""
    moves = np.full((2, MAX_PLIES), -1, np.int8)
    moves[0, :2] = [19, 64]
    results = np.zeros((2, RESULT_COLUMNS), np.int64)
    results[0, [DISCS_BLACK, DISCS_WHITE, PLIES]] = [40, 24, 2]
    results[1, REASON] = FAILED_BLACK
    results[0, OUTCOME] = 1
    pairings = np.array([[0, 1, 0], [1, 0, 1]], np.int32)
    games = Games(pairings, moves, results, {1: "black: it crashed"})
    openings = Openings(np.array([[19], [-1]], np.int8), starts)
    return games.table(3, "match", ["a", "b"], "reversed", openings, 7)


def test_games() -> None:
    table = played()
    assert table.schema == GAMES_COLUMNS.schema
    first, second = table.to_pylist()
    expected = {
        "generation": 3, "kind": "match", "game": 7, "black": "a", "white": "b", "opening": "d3",
        "moves": "d3 pass", "discs_black": 40, "discs_white": 24, "winner": "black", "plies": 2,
        "nodes_black": 0, "nodes_white": 0, "reason": "end", "rules": "reversed", "start": None,
    }  # fmt: skip
    assert {**first, **expected} == first
    assert (second["game"], second["winner"]) == (8, "white")
    assert second["reason"] == "failed: black: it crashed"


def test_where_games_begin() -> None:
    starts = played((Board(own=0, opp=0), Board.start()))["start"].to_pylist()
    assert starts == ["-" * 64 + " X;", None]


def test_moves_end_at_the_first_that_is_none() -> None:
    rows = np.array([[37, 43, 64, 18], [37, -1, 43, -1], [-1, -1, -1, -1]], np.int8)
    assert move_texts(rows).to_pylist() == ["f5 d6 pass c3", "f5", ""]
    cases = zip(rows.tolist(), move_texts(rows).to_pylist(), strict=True)
    assert not [(row, text) for row, text in cases if parse_moves(text) != row[: len(text.split())]]


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


def test_a_cross_table_is_the_same_by_numbers() -> None:
    black, white = np.array([0, 1, 0, 2]), np.array([1, 0, 2, 2])
    table = cross_table(black, white, np.array([1.0, 0.5, 0.0, 0.0]), 4)
    other = cross_table_of(GAMES, ["a", "b", "c", "d"])
    assert np.array_equal(table.points, other.points)
    assert np.array_equal(table.games, other.games)


def test_cross_tables_of_no_games_and_of_others() -> None:
    empty = cross_table_of(GAMES.slice(0, 0), ["a", "b"])
    assert (empty.scores == 0.5).all()
    assert not empty.games.any()
    with pytest.raises(KeyError):
        cross_table_of(GAMES, ["a", "b"])
