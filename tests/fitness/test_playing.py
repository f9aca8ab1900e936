"""Games move by move: who is asked, what is counted, and what a failure comes to."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.engine.board import rules as columns
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, Rules
from evolve.engine.board.squares import parse_moves
from evolve.errors import EngineError
from evolve.fitness.games import empty_rows
from evolve.fitness.live_games import GameStart, LiveGame
from evolve.records.record import play_moves
from tests.cli import done
from tests.programs.test_external import source


def written(game: LiveGame) -> tuple[list[int], np.ndarray]:
    """Its moves, and its row of results."""
    moves, results = empty_rows(1)
    game.write(moves[0], results[0])
    return moves[moves >= 0].tolist(), results[0]


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_a_game_is_played_to_its_end_with_its_passes(rules: Rules) -> None:
    """Played again by hand, move for move; of ten games some have a pass."""
    passes = 0
    for seed in range(10):
        players = {7: evolve.load_agent(f"random?seed={seed}"), 9: evolve.load_agent("random")}
        game = LiveGame(GameStart(7, 9, 0, Board.start(), []), players, rules)
        while not game.over:
            assert game.to_move == (7 if game.board.side == "black" else 9)
            assert game.board.legal_moves()
            game.choose()
        played, result = written(game)
        passes += played.count(PASS)
        board = play_moves(Board.start(), played)
        assert board == game.board
        assert board.is_over()
        assert result[columns.PLIES] == len(played)
        discs = board.discs("black"), board.discs("white")
        assert (result[columns.DISCS_BLACK], result[columns.DISCS_WHITE]) == discs
        assert result[columns.OUTCOME] == np.sign(board.score_of("black", rules))
    assert passes > 0


def test_an_opening_is_played_by_nobody() -> None:
    opening = parse_moves("f5d6c4")
    start = GameStart(0, 1, 0, Board.start(), [*opening, *[columns.NO_MOVE] * 2])
    game = LiveGame(start, [evolve.load_agent("zero")] * 2, "standard")
    assert (game.to_move, game.over) == (1, False)
    chosen = [0, 0]
    while not game.over:
        chosen[game.to_move] += 1
        game.play(game.board.legal_moves()[0], 5)
    moves, result = written(game)
    assert moves[:3] == [*opening]
    assert sum(chosen) == len(moves) - moves.count(PASS) - 3
    nodes = result[columns.NODES_BLACK], result[columns.NODES_WHITE]
    assert nodes == (5 * chosen[0], 5 * chosen[1])


def test_who_fails_has_lost_where_the_game_stands() -> None:
    failing = Mock()
    failing.for_game().choose_counted.side_effect = EngineError("ended with exit code 1")
    players: dict[int, Any] = {0: evolve.load_agent("swh"), 1: failing}
    game = LiveGame(GameStart(0, 1, 0, Board.start(), []), players, "standard")
    game.choose()
    assert not game.over
    game.choose()
    assert game.over
    assert game.failure == "white: ended with exit code 1"
    _, result = written(game)
    ended = result[columns.REASON], result[columns.PLIES], result[columns.OUTCOME]
    assert ended == (columns.FAILED_WHITE, 1, 0)
    assert (result[columns.DISCS_BLACK], result[columns.DISCS_WHITE]) == (4, 1)


@pytest.mark.parametrize(
    "agent",
    ["swh?depth=3", "uct?simulations=50", pytest.param("swh?time=0.03", marks=pytest.mark.slow)],
)
def test_our_own_nodes_are_counted_against_a_program(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    done("match", agent, source("gtp", "good"), "--games", 2, "--out", path)
    games = pd.read_parquet(path)
    ours = np.where(games["black"] == agent, games["nodes_black"], games["nodes_white"])
    theirs = np.where(games["black"] == agent, games["nodes_white"], games["nodes_black"])
    assert (ours > 500).all()
    assert (theirs == 0).all()
