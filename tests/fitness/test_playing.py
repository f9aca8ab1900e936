"""Games move by move: who is asked, what is counted, and what a failure comes to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    FAILED_WHITE,
    MAX_PLIES,
    NO_MOVE,
    NODES_BLACK,
    NODES_WHITE,
    OUTCOME,
    PASS,
    PLIES,
    REASON,
    RESULT_COLUMNS,
    Rules,
)
from evolve.engine.board.squares import parse_moves
from evolve.errors import EngineError
from evolve.fitness.live_games import GameStart, LiveGame
from tests.cli import done
from tests.programs.test_external import source


def blank() -> tuple[np.ndarray, np.ndarray]:
    return np.full(MAX_PLIES, NO_MOVE, np.int8), np.zeros(RESULT_COLUMNS, np.int64)


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_a_game_is_played_to_its_end_with_its_passes(rules: Rules) -> None:
    """Played again by hand, move for move; of twenty games some have a pass."""
    passes = 0
    for seed in range(20):
        players = {7: evolve.load_agent(f"random?seed={seed}"), 9: evolve.load_agent("random")}
        game = LiveGame(GameStart(7, 9, 0, Board.start(), []), players, rules)
        while not game.over:
            assert game.to_move == (7 if game.board.side == "black" else 9)
            assert game.board.legal_moves()
            game.choose()
        moves, result = blank()
        game.write(moves, result)
        board = Board.start()
        played = moves[moves != NO_MOVE].tolist()
        for square in played:
            passes += square == PASS
            board = board.pass_move() if square == PASS else board.play(square)
        assert board == game.board
        assert board.is_over()
        assert result[PLIES] == len(played)
        assert (result[DISCS_BLACK], result[DISCS_WHITE]) == (
            board.discs("black"),
            board.discs("white"),
        )
        assert result[OUTCOME] == np.sign(board.score_of("black", rules))
    assert passes > 0


def test_an_opening_is_played_by_nobody() -> None:
    opening = parse_moves("f5d6c4")
    game = LiveGame(GameStart(0, 1, 0, Board.start(), [*opening, NO_MOVE, NO_MOVE]), {}, "standard")
    assert (game.to_move, game.over) == (1, False)
    chosen = [0, 0]
    while not game.over:
        chosen[game.to_move] += 1
        game.play(game.board.legal_moves()[0], 5)
    moves, result = blank()
    game.write(moves, result)
    assert moves[:3].tolist() == [*opening]
    assert sum(chosen) == ((moves >= 0) & (moves != PASS)).sum() - 3
    assert (result[NODES_BLACK], result[NODES_WHITE]) == (5 * chosen[0], 5 * chosen[1])


@dataclass(frozen=True)
class Failing(Agent):
    """Ends as a program does that has ended."""

    name: str = "failing"

    def choose(self, board: Board) -> int:
        raise EngineError("ended with exit code 1")


def test_who_fails_has_lost_where_the_game_stands() -> None:
    players = {0: evolve.load_agent("swh"), 1: Failing()}
    game = LiveGame(GameStart(0, 1, 0, Board.start(), []), players, "standard")
    game.choose()
    assert not game.over
    game.choose()
    assert game.over
    assert game.failure == "white: ended with exit code 1"
    moves, result = blank()
    game.write(moves, result)
    assert (result[REASON], result[PLIES], result[OUTCOME]) == (FAILED_WHITE, 1, 0)
    assert (result[DISCS_BLACK], result[DISCS_WHITE]) == (4, 1)


@pytest.mark.parametrize(
    "agent",
    [
        "swh?depth=3&endgame=6",
        pytest.param("swh?time=0.03", marks=pytest.mark.slow),
        "uct?simulations=50",
    ],
)
def test_our_own_nodes_are_counted_against_a_program(agent: str, tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    done("match", agent, source("gtp", "good"), "--games", 2, "--out", path)
    games = pd.read_parquet(path)
    ours = np.where(games["black"] == agent, games["nodes_black"], games["nodes_white"])
    theirs = np.where(games["black"] == agent, games["nodes_white"], games["nodes_black"])
    assert (ours > 500).all()
    assert (theirs == 0).all()
