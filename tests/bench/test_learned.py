"""What docs/evidence/learning.md rests on: sound recipes, agents that are kept, fair intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from benchmarks import claims, trained
from benchmarks.claims import CLAIMS, agent_of, equal_time, meeting
from benchmarks.trained import Recipe, holm_levels, over_seeds, p_of_half, train
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from evolve.engine.networks.network import Network
from tests import networks
from tests.agents.test_mcts import ends

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


def test_holms_levels_by_hand() -> None:
    """Holm's step-down test: 0.05 over 4, 3, 2, 1 against the values in their order."""
    levels = holm_levels([0.03, 0.001, 0.04, 0.016])
    assert [1 - level for level in levels] == pytest.approx([0.025, 0.0125, 0.025, 0.05 / 3])


@pytest.mark.slow
def test_holms_levels_reject_what_holm_rejects() -> None:
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):  # ten claims of which none is true
        scores = [rng.normal(0.5, 0.1, 6).tolist() for _ in range(10)]
        ps = [p_of_half(part) for part in scores]
        left_out = []
        for part, p, level in zip(scores, ps, holm_levels(ps), strict=True):
            _, low, high = over_seeds(part, level)
            left_out.append(not low <= 0.5 <= high)
            assert left_out[-1] == (p < 1 - level)
        wrong += any(left_out)
    assert wrong < 400 * 0.05 + 3 * (400 * 0.05 * 0.95) ** 0.5


def test_the_first_good_network_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "KEPT", tmp_path)
    easy = {"accept_against": "random", "simulations": 8, "games_per_iteration": 20}
    small = {"one": ("mcts", {"layers": "dense 8 relu, dense 1 tanh", **easy})}
    claim = claims.Claim("small", "nothing", small, [], first_of="one")
    last = claims.trained(claim, "one", 0, 1.5)
    first: Any = agent_of(f"one{claims.FIRST}", claim, 0, 1.5)
    assert 0 < first.provenance["games"] <= evolve.load_agent(last).provenance["games"]  # type: ignore[attr-defined]


def test_corners_are_found_where_they_are_valued_most() -> None:
    network = networks.random_network(networks.Architecture("canonical", ("dense 64",)))
    weights = [(np.zeros_like(matrix), np.zeros_like(bias)) for matrix, bias in network.weights]
    for square in (0, 7, 56, 63):
        weights[0][1][square] = 1.0
    fond = DqnAgent((Network(network.architecture, weights),))
    found = claims.corner_share(fond, 0)
    assert found["score"] == 1.0
    assert 0.05 < found["by_chance"] < 0.5


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


def test_intervals_over_seeds_hold_the_truth() -> None:
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(1000):
        _, low, high = over_seeds(rng.normal(0.6, 0.02, 3).tolist())
        inside += low <= 0.6 <= high
    assert 925 < inside < 975


def test_equal_time_is_equal_time() -> None:
    """The tree search gets simulations by what they cost."""
    dqn = DqnAgent((networks.random_network(networks.DUELING),), lookahead=2)
    tree = MctsAgent(selection="puct", network=networks.random_network(networks.VALUE))
    boards = ends(6, 30)
    found = equal_time(dqn, tree, boards)
    assert 3 < found.simulations < 20_000
