"""The learner of tree searches: published networks, and an agent before the first step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.agents.mcts import MctsAgent
from evolve.learning.training import LearningEnding
from tests.learning import Watcher, training

pytestmark = pytest.mark.learning


FEWER = {
    "layers": "conv 4 relu norm, conv 4 relu norm, dense 16 relu norm dropout, policy-value",
    "simulations": 4,
}


@pytest.mark.parametrize(("name", "changes"), [("s4-reversiv", {}), ("s3-mcts", FEWER)])
def test_the_published_trees_learn_and_play(
    tmp_path: Path, name: str, changes: dict[str, Any]
) -> None:
    """The policy-value one with fewer channels: the published ones are for GPUs."""
    run = training(tmp_path / name, "mcts", preset=name, games=8, games_per_iteration=4, **changes)
    observer = Watcher()
    run.run(observer)
    assert observer.rows[-1]["steps"] > 0
    agent = evolve.load_agent(tmp_path / name)
    assert agent.choose(evolve.Board.start()) in evolve.Board.start().legal_moves()


def test_nothing_learned_yet_is_an_agent_all_the_same(tmp_path: Path) -> None:
    observer = Watcher()
    run = training(tmp_path, "mcts", games=5, batch=4096, check_every=5)
    assert run.run(observer) is LearningEnding.GAMES
    assert [row["games"] for row in observer.rows] == [5]
    assert observer.rows[0]["steps"] == 0
    assert isinstance(evolve.load_agent(tmp_path), MctsAgent)
