"""Agents that make mistakes: a share of their moves, the same again from the same seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import evolve
from evolve.agents.chance import MistakenAgent, mix
from evolve.errors import AgentError
from tests.agents.conftest import boards


def test_a_share_of_the_moves_is_random() -> None:
    agent, right = evolve.load_agent("swh?mistakes=0.5"), evolve.load_agent("swh")
    places = [board for board in boards(0, 300, 35) if len(board.legal_moves()) > 7]
    expected, never = [*map(right.choose, places)], evolve.load_agent("swh?mistakes=0")
    # Half, and about one in ten of the other half by chance.
    assert 0.45 < np.mean(np.equal([*map(agent.choose, places)], expected)) < 0.67
    assert [*map(never.choose, places)] == expected


def test_moves_are_those_of_seed_and_position() -> None:
    agent, places = evolve.load_agent("swh?mistakes=0.8"), boards(1, 60, 40)
    assert isinstance(agent, MistakenAgent)

    def moves(player: evolve.Agent) -> list[int]:
        return [player.choose(board) for board in places]

    assert moves(agent) == moves(agent)
    assert moves(agent.for_game(1)) == moves(agent.for_game(1)) != moves(agent.for_game(2))
    assert moves(agent.with_rules("standard")) == moves(agent)
    assert not agent.repeats


def test_settings_go_on_to_the_agent_that_makes_the_mistakes() -> None:
    agent = evolve.load_agent("patterns-standard?depth=3&mistakes=0.2&nodes=500")
    assert isinstance(agent, MistakenAgent)
    assert (agent.share, agent.limit.nodes, agent.limit.depth) == (0.2, 500, 3)
    changed = agent.with_settings({"mistakes": 0.4, "seed": 7, "endgame": 2}, "changed")
    assert (changed.share, changed.seed, changed.name) == (0.4, 7, "changed")
    assert "40 % of its moves at random" in changed.describe().facts
    assert changed.identity != agent.identity
    board = evolve.Board.start()
    assert agent.analyse(board) == agent.agent.analyse(board)
    with pytest.raises(AgentError, match="is not an agent that a file could hold"):
        agent.stored()


def test_random_plays_each_move_alike_over_seeds() -> None:
    board = evolve.Board.start()
    counts = Counter(evolve.RandomAgent().for_game(seed).choose(board) for seed in range(4000))
    # 1000 expected each, standard deviation 27.
    assert sorted(counts) == board.legal_moves()
    assert 880 < min(counts.values()) <= max(counts.values()) < 1120


def test_random_moves_are_those_of_seed_and_position() -> None:
    board = evolve.Board.start().play(19)
    moves = [evolve.RandomAgent(seed).choose(board) for seed in range(50)]
    evolve.RandomAgent(3).choose(evolve.Board.start())
    assert moves == [evolve.RandomAgent(seed).choose(board) for seed in range(50)]
    assert {*moves} == {*board.legal_moves()}
    with pytest.raises(evolve.IllegalMoveError, match="move"):
        evolve.RandomAgent().choose(evolve.Board(own=1, opp=0))


def test_numbers_are_mixed_as_in_kernels() -> None:
    """Vigna's splitmix64.c gives 6457827717110365317 first from the seed 1234567."""
    assert mix(1234567) == 6457827717110365317
    assert len({mix(value) for value in range(1000)}) == 1000
