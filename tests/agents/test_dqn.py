"""Agents that play what their networks value most."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.agents.analysis import solved
from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.mcts import MctsAgent
from evolve.engine.board.board import Board
from evolve.engine.networks import action_search as cells_of
from evolve.errors import AgentError
from tests import networks, reference
from tests.agents.conftest import boards, dqn_agent, mcts_agent


def test_a_network_that_says_nothing_of_use_plays_a_legal_move() -> None:
    layers = ("dense 64", *["gate"] * 12, "dense 64")
    network = networks.random_network(networks.Architecture("canonical", layers), scale=1e6)
    agent = DqnAgent((network,))
    assert all(agent.choose(board) in board.legal_moves() for board in boards(0, 10, 30))


def test_each_colour_has_its_network() -> None:
    nets = [networks.random_network(networks.DUELING, seed) for seed in (0, 1)]
    both = DqnAgent(tuple(nets))
    alone = {side: DqnAgent((net,)) for side, net in zip(("black", "white"), nets, strict=True)}
    places = boards(0, 10, 40)
    assert [*map(both.choose, places)] == [alone[board.side].choose(board) for board in places]


@pytest.mark.parametrize("board", boards(0, 10, 30))
def test_moves_are_ranked_by_what_the_network_says(board: Board) -> None:
    agent = dqn_agent()
    said = networks.outputs(agent.networks[0], np.array([(board.own, board.opp)], np.uint64))[0]
    analysis = agent.analyse(board)
    assert [*analysis.values] == sorted(board.legal_moves(), key=lambda move: -said[move])
    assert analysis.line == (agent.choose(board),)
    assert agent.choose_counted(board) == (agent.choose(board), 1)


@pytest.mark.parametrize("board", boards(0, 3, 30))
def test_each_ply_ahead_looks_at_more_positions(board: Board) -> None:
    agent = dqn_agent()
    nodes = [replace(agent, lookahead=plies).choose_counted(board)[1] for plies in range(4)]
    assert nodes == sorted({*nodes})


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
        pytest.param("swh-mobility?time=60", marks=pytest.mark.slow),
        pytest.param("anti-swh-mobility?time=60", marks=pytest.mark.slow),
        pytest.param("uct?time=0.3&endgame=24", marks=pytest.mark.slow),
    ],
    ids=lambda agent: getattr(agent, "kind", agent),
)
def test_near_the_end_it_wins_what_is_won(agent: MctsAgent | DqnAgent | str) -> None:
    agent = evolve.load_agent(agent) if isinstance(agent, str) else agent
    won = lost = 0
    rules = agent.rules or "standard"
    for board in boards(0, 40, 8):
        _, score, _ = solved(board, rules)
        if score >= 0:
            assert -solved(board.play(agent.choose(board)), rules).score == score
            won += 1
        else:
            lost += 1
            if agent.limit.seconds is None:
                assert agent.choose(board) == replace(agent, endgame=0).choose(board)
    assert won > 5 < lost


numbers = st.floats(-10, 10)
earned = st.builds(
    Rewards,
    st.tuples(*[numbers] * 10),
    numbers,
    st.floats(0.0, 1.0),
    st.sampled_from(("ply", "turn")),
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(earned)
def test_cells_are_by_square(rewards: Rewards) -> None:
    cells = [rewards.squares[reference.CLASS_OF[square]] for square in range(64)]
    assert rewards.cells[:64].tolist() == cells
    assert rewards.cells[cells_of.DISCS] == rewards.discs


@pytest.mark.parametrize(
    ("step", "discount", "expected"),
    [("ply", 0.5, (0.5, 1, 0.5, 1)), ("turn", 0.5, (0.5, 0.5, 1, 2)), ("turn", 0.0, (0, 0, 1, 1))],
)
def test_a_round_of_both_sides_is_two_plies_or_one_turn(
    step: Any, discount: float, expected: tuple[float, ...]
) -> None:
    cells = Rewards(discount=discount, step=step).cells
    names = ("DISCOUNT_OWN", "DISCOUNT_PASS", "DISCOUNT_OTHER", "DISCOUNT_PASSED")
    assert tuple(cells[getattr(cells_of, name)] for name in names) == expected
