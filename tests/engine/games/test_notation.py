"""Moves of many games as text, against one game's text at a time."""

from __future__ import annotations

import numpy as np

from evolve.engine.board.rules import MAX_PLIES, NO_MOVE, PASS
from evolve.engine.board.squares import format_moves
from evolve.tables.games import move_texts


def test_moves_of_many_games_read_as_those_of_each() -> None:
    rng = np.random.default_rng(1)
    moves = rng.integers(0, PASS + 1, (200, MAX_PLIES)).astype(np.int8)
    for row, plies in zip(moves, rng.integers(0, MAX_PLIES + 1, 200), strict=True):
        row[plies : plies + 1] = NO_MOVE
    games = [[*row, NO_MOVE] for row in moves.tolist()]
    expected = [format_moves(game[: game.index(NO_MOVE)]) for game in games]
    assert move_texts(moves).to_pylist() == expected
    assert "" in expected or min(map(len, expected)) < 20
    assert move_texts(moves[:0]).to_pylist() == []
