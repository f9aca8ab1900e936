"""The plain-Python agent: the same moves and nodes as the kernels."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.rules import NODES_BLACK, NODES_WHITE, PASS, Rules
from evolve.fitness.openings import START_POSITION, Part, balanced_openings
from evolve.fitness.playing import play_games
from tests.plain import PlainAgent, play_game


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_whole_games(rules: Rules) -> None:
    """Two agents with weights of any sign and ties among them, through openings and passes."""
    rng = random.Random(3)
    openings = balanced_openings(12, Part.MATCH, rules, np.random.default_rng(1))
    passes = 0
    for number in range(12):
        pair, players = [], []
        for _ in range(2):
            weights = [[rng.randint(-9, 9) for _ in range(10)] for _ in range(3)]
            mobility = [rng.randint(-3, 3) for _ in range(3)]
            depths = [rng.randint(1, 2) for _ in range(3)]
            agent = AlphaBetaAgent(weights, mobility, depths, [20, 50], rules=rules)
            pair.append(agent)
            players.append(
                PlainAgent(weights, mobility, depths, agent.boundaries, rules == "reversed")
            )
        pairing = np.array([[0, 1, number]], np.int32)
        games = play_games(pair, pairing, openings, rules)
        moves, nodes = play_game(players[0], players[1], openings.moves[number].tolist())
        assert moves == [move for move in games.moves[0].tolist() if move >= 0]
        assert nodes == games.results[0, [NODES_BLACK, NODES_WHITE]].sum()
        passes += moves.count(PASS)
    assert passes


def test_from_the_start() -> None:
    agent = AlphaBetaAgent([[5, -2, 1, 1, -3, 0, 0, 1, 0, 0]], [1], [4])
    player = PlainAgent(agent.weights, agent.mobility, agent.depths, agent.boundaries)
    games = play_games([agent, agent], np.array([[0, 1, 0]], np.int32), START_POSITION, "standard")
    moves, _ = play_game(player, player, [])
    assert moves == [move for move in games.moves[0].tolist() if move >= 0]
