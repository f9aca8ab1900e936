"""Matches of agents that are asked about many boards at once: the games of one at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import evolve
from evolve.agents.protocol import Agent
from evolve.errors import AgentError
from evolve.fitness.match import MatchResult, play_match
from evolve.fitness.openings import Part, balanced_openings
from tests import networks

PLAYER = evolve.MctsAgent(
    16, 1.1, "puct", endgame=6, network=networks.random_network(networks.POLICY), name="tree"
)
TOGETHER = replace(PLAYER, evaluate=PLAYER.network.outputs if PLAYER.network else None)
OTHER = replace(PLAYER, simulations=9, network=networks.random_network(networks.VALUE))


@pytest.mark.parametrize(
    "opponent", [OTHER, evolve.load_agent("random"), evolve.load_agent("swh")], ids=lambda a: a.name
)
@pytest.mark.parametrize("first", [True, False])
def test_side_by_side_they_are_the_same_games(opponent: Agent, first: bool) -> None:
    openings = balanced_openings(7, Part.MATCH, "standard", np.random.default_rng(0))

    def games(player: Agent) -> tuple[MatchResult, np.ndarray]:
        pair = (player, opponent) if first else (opponent, player)
        told: list[int] = []
        result, played = play_match(*pair, openings, "standard", seed=3, progress=told.append)
        assert sum(told) == 14
        return result, played.moves

    result, moves = games(TOGETHER)
    expected, expected_moves = games(PLAYER)
    assert result == expected
    assert (moves == expected_moves).all()
    assert len(np.unique(moves, axis=0)) > 10


def test_both_sides_may_be_asked_together() -> None:
    openings = balanced_openings(4, Part.MATCH, "reversed", np.random.default_rng(1))
    assert OTHER.network is not None
    other = replace(OTHER, evaluate=OTHER.network.outputs)
    one = play_match(TOGETHER, other, openings, "reversed")[1]
    assert (one.moves == play_match(PLAYER, OTHER, openings, "reversed")[1].moves).all()


@pytest.mark.parametrize("changes", [{"selection": "ucb1"}, {"seconds": 0.1}])
def test_boards_are_not_searched_together_by_the_clock_or_ucb1(changes: dict[str, object]) -> None:
    with pytest.raises(AgentError, match="searched together by puct and a number"):
        replace(TOGETHER, **changes)  # type: ignore[arg-type]
