"""The stand-alone file of an agent with a network: the agent's moves, from numpy alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evolve.agents.analysis import solved
from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.mcts import MctsAgent
from evolve.errors import AgentError
from tests import networks
from tests.agents.conftest import boards
from tests.standalone import check_time, differing, exported, square_chosen

BOARDS = [board for empties in (48, 30, 14, 9, 5) for board in boards(0, 8, empties)]


CONVOLUTIONS = networks.Architecture(
    "planes", ("conv 8 relu", "conv 4 tanh", "dense 32 relu", "dueling")
)
ARCHITECTURES = networks.DUELING, networks.PLAIN, networks.COLOURED, networks.ACTION, CONVOLUTIONS


@pytest.mark.parametrize(
    ("architecture", "lookahead", "step"),
    [
        pytest.param(
            *(architecture, lookahead, step),
            marks=[pytest.mark.slow] if (number + lookahead + (step == "turn")) % 2 else [],
            id=f"{step}-{lookahead}-{architecture.input} {architecture.layers[0]}",
        )
        for number, architecture in enumerate(ARCHITECTURES)
        for lookahead in (0, 1, 2)
        for step in ("ply", "turn")
    ],
)
def test_move_values(architecture: Any, lookahead: int, step: Any) -> None:
    count = 1 + lookahead % 2
    nets = tuple(networks.random_network(architecture, seed) for seed in range(count))
    earned = Rewards((1.0, -0.2, 0.1, 0.05, -0.5, -0.02, -0.02, 0.01, 0.3, 0.0), 0.5, 0.8, step)
    rules: Any = "standard" if step == "ply" else "reversed"
    agent = DqnAgent(nets, lookahead, rewards=earned, rules=rules)
    assert not differing(exported(agent), agent, BOARDS)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["standard", "reversed"])
@pytest.mark.parametrize(
    "architecture",
    [
        networks.VALUE,
        networks.Architecture("planes", ("dense 40 relu", "gate", "policy-value")),
        networks.POLICY,
    ],
    ids=["value", "dense", "policy"],
)
def test_tree_search(rules: Any, architecture: networks.Architecture) -> None:
    """Floats added in another order may turn a choice between moves of about equal visits."""
    network = networks.random_network(architecture, scale=0.5)
    agent = MctsAgent(60, 1.1, "puct", 0, rules=rules, network=network)
    module = exported(agent)
    same = sum(square_chosen(module, board) == agent.choose(board) for board in BOARDS)
    assert same >= len(BOARDS) - 2


def test_the_end_is_played_exactly_and_a_lost_one_by_the_network() -> None:
    agent = DqnAgent((networks.random_network(networks.DUELING),), endgame=9)
    module = exported(agent)
    lost = [board for board in boards(0, 30, 9) if solved(board).score < 0]
    held = [board for board in boards(0, 30, 9) if solved(board).score >= 0]
    after = [board.play(square_chosen(module, board)) for board in held]
    assert [-solved(board).score for board in after] == [solved(board).score for board in held]
    assert not differing(module, replace(agent, endgame=0), lost)
    assert len(lost) > 2


@pytest.mark.clock
def test_the_time_is_kept() -> None:
    network = networks.random_network(networks.MOBILE)
    module = exported(MctsAgent(1_000_000, 1.1, "puct", 12, network=network))
    for board in BOARDS[::9]:
        check_time(module, board)


def test_what_does_not_fit_in_such_a_file() -> None:
    with pytest.raises(AgentError, match="network"):
        MctsAgent().python_source()
