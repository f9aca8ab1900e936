"""Agents of the kinds that files hold: one with every term in use, with networks, with patterns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.agent import StoredAgent
from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.mcts import MctsAgent
from evolve.agents.patterns import PatternAgent
from evolve.agents.probcut import Cut, Cuts
from evolve.engine.board.board import Board
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import parse_shape
from evolve.errors import AgentFileError
from tests import networks
from tests.engine.slow_patterns import with_tempo


def refused(path: Path, words: str) -> None:
    """It is no agent, which one line says, with the name of the file."""
    with pytest.raises(AgentFileError, match=words) as caught:
        evolve.load_agent(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def boards(seed: int, count: int, empties: int) -> list[Board]:
    """Positions of random games with a choice of moves."""
    rng = np.random.default_rng(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board.start()
        while not board.is_over() and board.empties > empties:
            moves = board.legal_moves()
            board = board.play(int(rng.choice(moves))) if moves else board.pass_move()
        if len(board.legal_moves()) > 1:
            found.append(board)
    return found


def sample_agent() -> evolve.AlphaBetaAgent:
    return evolve.AlphaBetaAgent(
        weights=[[100, -25, 10, 5, -25, 1, 1, 5, 2, 1], [90] * 10, [-3, 7] * 5],
        mobility=[3, -2, 1],
        depths=[2, 3, 1],
        boundaries=[20, 40],
        endgame=6,
        rules="reversed",
        stability=[10, 20, -30],
        x_squares=[-40, -30, 5],
        c_squares=[-10, -20, 6],
        potential_mobility=[2, 1, -1],
        name="sample",
        provenance={"run": "none"},
    )


def mcts_agent(architecture: Any = networks.MOBILE) -> MctsAgent:
    network = networks.random_network(architecture)
    return MctsAgent(30, 1.1, "puct", 8, rules="standard", name="tree", network=network)


def dqn_agent(count: int = 1, architecture: Any = networks.DUELING, **changes: Any) -> DqnAgent:
    nets = tuple(networks.random_network(architecture, seed) for seed in range(count))
    return DqnAgent(nets, provenance={"run": "none"}, **changes)


NETWORK_AGENTS: list[StoredAgent] = [
    mcts_agent(),
    mcts_agent(networks.POLICY),
    replace(mcts_agent(), reuse=True, order="value"),
    dqn_agent(),
    dqn_agent(2, lookahead=1, endgame=6, rules="reversed"),
    dqn_agent(1, networks.ACTION, rewards=Rewards((0.5, *[-0.1] * 9), 0.25, 0.9, "turn")),
    dqn_agent(2, networks.COLOURED, lookahead=2),
]


def pattern_agent(seed: int = 0, **changes: Any) -> PatternAgent:
    """One of two phases whose small shapes have random weights, of at most 2 discs."""
    shapes = ShapeSet((parse_shape("a1-b2"), parse_shape("a1-d1")))
    weights = np.random.default_rng(seed).integers(-512, 513, (2, shapes.weights), np.int16)
    made = {"patterns": Patterns.of_weights(shapes, (30,), weights), "depth": 3, "endgame": 6}
    return PatternAgent(**{**made, "provenance": {"run": "none"}, **changes})


CUTS = Cuts.of(
    [
        Cut(depth, shallow, discs, 0.9, 0.0125 * discs, 2.3)
        for depth, shallow in ((1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (3, 1), (4, 2), (5, 1))
        for discs in range(4, 65)
    ]
)
PATTERN_AGENTS = [
    pattern_agent(),
    pattern_agent(1, cuts=CUTS, depth=5, probcut=1.3, rules="reversed", name="with cuts"),
    pattern_agent(patterns=with_tempo(pattern_agent().patterns), name="with a tempo"),
]
