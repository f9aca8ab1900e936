"""What every agent must do, whatever it is."""

from __future__ import annotations

import pytest

import evolve
from evolve.agents.registry import LEVELS, REFERENCES
from tests.agents.conftest import NETWORK_AGENTS, PATTERN_AGENTS, sample_agent

AGENTS: list[evolve.Agent] = [
    *(evolve.load_agent(name) for name in REFERENCES if name not in LEVELS[8:]),  # these think long
    sample_agent(),
    *NETWORK_AGENTS,
    *PATTERN_AGENTS,
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
