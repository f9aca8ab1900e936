"""What docs/evidence/learning.md rests on: sound recipes, agents that are kept, fair intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evolve
from benchmarks import claims, trained
from benchmarks.claims import CLAIMS, agent_of, equal_time, meeting
from benchmarks.trained import Recipe, train
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from tests import networks
from tests.agents.conftest import boards

pytestmark = pytest.mark.learning


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_claims_are_of_settings_and_agents_that_exist(claim: claims.Claim) -> None:
    for kind, options in claim.contestants.values():
        model: Any = MctsSettings if kind == "mcts" else DqnSettings
        presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
        resolve_as(model, presets, options)
    for pair in claim.meetings:
        for label in pair:
            if label.partition("?")[0].removesuffix(claims.FIRST) not in claim.contestants:
                evolve.load_agent(label)
    assert any(label.partition("?")[0] in claim.contestants for label, _ in claim.meetings)


def test_what_is_trained_is_kept_and_meets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "KEPT", tmp_path)
    options = {"layers": "dense 4", "games_per_iteration": 5, "batch": 8}
    small = {"one": ("dqn", {**options, "layers": "dense 4 relu, dense 64"})}
    claim = claims.Claim("small", "nothing", small, [("one?lookahead=1", "random")])
    recipe = Recipe.of("dqn", 0.05, **small["one"][1])
    path = train(recipe, 3)
    first = path.read_bytes()
    assert train(recipe, 3) == path
    assert path.read_bytes() == first
    assert recipe.path(4) != path
    agent = agent_of("one?lookahead=1", claim, 3, 0.05)
    assert isinstance(agent, DqnAgent)
    assert agent.lookahead == 1
    row = meeting(claim, "one?lookahead=1", "random", 3, 0.05, 4)
    assert row["games"] == 4
    assert row["score"] == pytest.approx((row["score_black"] + row["score_white"]) / 2)


def test_equal_time_is_equal_time() -> None:
    """The tree search gets simulations by what they cost."""
    dqn = DqnAgent((networks.random_network(networks.DUELING),), lookahead=2)
    tree = MctsAgent(selection="puct", network=networks.random_network(networks.VALUE))
    places = boards(0, 6, 30)
    found = equal_time(dqn, tree, places)
    assert 3 < found.simulations < 20_000
