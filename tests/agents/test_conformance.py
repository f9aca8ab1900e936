"""What every agent must do, whatever it is."""

from __future__ import annotations

import pytest

import evolve
from evolve.agents.registry import REFERENCES
from tests.agents import test_networks
from tests.agents.conftest import sample_agent

AGENTS: list[evolve.Agent] = [
    *map(evolve.load_agent, REFERENCES),
    sample_agent(),
    *test_networks.AGENTS,
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_whole_games_of_legal_moves_that_repeat(agent: evolve.Agent) -> None:
    assert isinstance(agent, evolve.Agent)
    games = []
    for _ in range(2):
        player, board, moves = agent.for_game(3), evolve.Board.start(), []
        while not board.is_over():
            if not board.legal_moves():
                board = board.pass_move()
                continue
            square = player.choose(board)
            assert square in board.legal_moves()
            moves.append(square)
            board = board.play(square)
        games.append(moves)
    assert games[0] == games[1]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_rules_can_be_given(agent: evolve.Agent) -> None:
    assert agent.with_rules("reversed").rules == "reversed"


def test_random_plays_each_move_alike_over_seeds() -> None:
    board = evolve.Board.start()
    counts = dict.fromkeys(board.legal_moves(), 0)
    for seed in range(4000):
        counts[evolve.RandomAgent().for_game(seed).choose(board)] += 1
    # Four moves, 1000 expected each, standard deviation 27.
    assert all(880 < count < 1120 for count in counts.values()), counts
