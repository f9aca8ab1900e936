"""Agents with networks: headers of their files that lie, and what both kinds do near the end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.agents.agent import StoredAgent
from evolve.agents.agent_file import _HEADER, write_arrays
from evolve.agents.analysis import solved
from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.mcts import MctsAgent
from evolve.engine.networks import action_search as cells_of
from evolve.errors import AgentError
from tests import networks, reference
from tests.agents.conftest import dqn_agent, mcts_agent, refused
from tests.agents.test_mcts import ends


def header_of(agent: StoredAgent, **changes: Any) -> dict[str, Any]:
    document = agent.document
    parameters = {**document["parameters"], **changes.pop("parameters", {})}
    return {**document, "parameters": parameters, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version 2"),
        ({"kind": "alphabeta"}, "unknown"),
        ({"kind": {"kind": "dqn"}}, "unknown"),
        ({"rules": "freestyle"}, "freestyle"),
        ({"parameters": {"layers": "dense 1"}}, "layers .*valid list"),
        ({"parameters": {"layers": ["dense 3"]}}, "must give"),
        ({"parameters": {"layers": ["dense 64"]}}, "weights 0 are"),
        ({"parameters": {"input": "none"}}, "no input"),
        ({"parameters": {"lookahead": 9}}, "lookahead 9"),
        ({"parameters": {"lookahead": "2"}}, "it must be a whole number"),
        ({"parameters": {"rewards": 3}}, "dictionary"),
        ({"parameters": {"rewards": {"squares": [1]}}}, "squares.* 10"),
        ({"parameters": {"rewards": {"squares": ["a"] * 10}}}, "squares.* number"),
        ({"parameters": {"rewards": {"discount": 2}}}, "discount.* 1"),
        ({"parameters": {"rewards": {"step": "game"}}}, "step.*turn"),
        ({"parameters": {"endgame": True}}, "it must be a whole number"),
        ({"parameters": {"networks": 2}}, "missing"),
        ({"parameters": {"temper": 2}}, "temper is unknown"),
    ],
)
def test_headers_that_lie(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    agent, path = dqn_agent(), tmp_path / "x.npz"
    arrays = {_HEADER: np.array(json.dumps(header_of(agent, **changes))), **agent.arrays}
    write_arrays(path, arrays)
    refused(path, words)


def test_agents_of_the_wrong_networks() -> None:
    value, moves = (networks.random_network(a) for a in (networks.VALUE, networks.DUELING))
    with pytest.raises(AgentError, match="value"):
        MctsAgent(network=moves)
    with pytest.raises(AgentError, match="moves"):
        DqnAgent((value,))
    with pytest.raises(AgentError, match="colours"):
        DqnAgent((moves, moves, moves))


@pytest.mark.parametrize(
    "agent",
    [
        mcts_agent(),
        dqn_agent(endgame=8),
        MctsAgent(simulations=50, endgame=8, rules="standard"),
        MctsAgent(simulations=50, endgame=8, rules="reversed"),
    ],
    ids=["mcts", "dqn", "uct", "uct reversed"],
)
def test_near_the_end_it_wins_what_is_won(agent: MctsAgent | DqnAgent) -> None:
    won = lost = 0
    rules = agent.rules or "standard"
    for board in ends(40, 8):
        _, score, _ = solved(board, rules)
        after = board.play(agent.choose(board))
        value = -after.score(rules) if after.is_over() else -solved(after, rules)[1]
        if score >= 0:
            assert value == score
            won += 1
        else:
            lost += 1
            assert agent.choose(board) == replace(agent, endgame=0).choose(board)
    assert won > 5 < lost


quick = settings(max_examples=100, deadline=None, derandomize=True)
numbers = st.floats(-10, 10)
earned = st.builds(
    Rewards,
    st.tuples(*[numbers] * 10),
    numbers,
    st.floats(0.0, 1.0),
    st.sampled_from(("ply", "turn")),
)


@quick
@given(earned)
def test_a_document_is_read_again(rewards: Rewards) -> None:
    assert Rewards(**json.loads(json.dumps(rewards.document()))) == rewards


@quick
@given(earned)
def test_cells_are_by_square(rewards: Rewards) -> None:
    assert [rewards.cells[square] for square in range(64)] == [
        rewards.squares[reference.CLASS_OF[square]] for square in range(64)
    ]
    assert rewards.cells[cells_of.DISCS] == rewards.discs


@pytest.mark.parametrize(
    ("step", "discount", "expected"),
    [("ply", 0.5, (0.5, 1, 0.5, 1)), ("turn", 0.5, (0.5, 0.5, 1, 2)), ("turn", 0.0, (0, 0, 1, 1))],
)
def test_a_round_of_both_sides_is_two_plies_or_one_turn(
    step: Any, discount: float, expected: tuple[float, ...]
) -> None:
    cells = Rewards(discount=discount, step=step).cells
    places = (
        cells_of.DISCOUNT_OWN,
        cells_of.DISCOUNT_PASS,
        cells_of.DISCOUNT_OTHER,
        cells_of.DISCOUNT_PASSED,
    )
    assert tuple(cells[[*places]].tolist()) == expected
