"""Speed of the tree search, and of the games that it learns from."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from evolve.agents.mcts import MctsAgent
from evolve.bench.positions import SEED, half_random
from evolve.bench.speed import Figures, timed
from evolve.engine.architecture import Architecture
from evolve.engine.board import Board
from evolve.engine.network import Network
from evolve.engine.selfplay import SELF_PLAY, Fixtures
from evolve.learning.tree_games import TreePlay, searched_games

SIMULATIONS: Final = 20_000
TREE_EMPTIES: Final = (60, 40, 20)
SELFPLAY_GAMES: Final = 200
SELFPLAY_SIMULATIONS: Final = 100
NETWORKS: Final = {
    "RevNet": Architecture("canonical", ("gate", "gate", "dense 1 tanh")),
    "mobility": Architecture("mobility", ("dense 64 relu", "dense 32 relu", "dense 1 tanh")),
}


def random_network(architecture: Architecture) -> Network:
    """A network of that shape with small random weights, always the same."""
    rng = np.random.default_rng(SEED)
    return Network(
        architecture,
        [
            (
                rng.normal(0, 0.5 / matrix.inputs**0.5, (matrix.inputs, matrix.outputs)).astype(
                    np.float32
                ),
                np.zeros(matrix.outputs, np.float32),
            )
            for matrix in architecture.matrices
        ],
    )


def mcts_rows() -> list[Figures]:
    """Tree searches from the start and from the middle game, by random games and by networks."""
    rows = []
    values: list[tuple[str, Any, Network | None]] = [
        ("random games", "ucb1", None),
        ("random games", "puct", None),
        *((name, "puct", random_network(shape)) for name, shape in NETWORKS.items()),
    ]
    for empties, (name, selection, network) in itertools.product(TREE_EMPTIES, values):
        (board,) = half_random(1, (empties, empties)) if empties < 60 else [Board.start()]
        agent = MctsAgent(SIMULATIONS, selection=selection, endgame=0, network=network)

        def work(agent: MctsAgent = agent, board: Board = board) -> int:
            agent.choose(board)
            return SIMULATIONS

        seconds, simulations = timed(work)
        row = {"empties": empties, "values": name, "selection": selection}
        rows.append(
            {
                **row,
                "simulations": simulations,
                "million_per_second": simulations / seconds / 1e6,
            }
        )
    return rows


def selfplay_rows() -> list[Figures]:
    """Games of a tree search with itself, ended by exact outcomes at 10 empties, one thread."""
    rows = []
    rng = np.random.default_rng(SEED)
    fixtures = Fixtures(
        np.full(SELFPLAY_GAMES, SELF_PLAY, np.int32),
        np.ones(SELFPLAY_GAMES, np.int8),
        rng.integers(0, 13, SELFPLAY_GAMES).astype(np.int32),
        rng.integers(0, 2**64, SELFPLAY_GAMES, dtype=np.uint64),
    )
    for name, shape in NETWORKS.items():
        network = random_network(shape)

        def work(network: Network = network) -> int:
            play = TreePlay(SELFPLAY_SIMULATIONS)
            games = searched_games(network, play, fixtures)
            return int(games.records.counts.sum())

        seconds, positions = timed(work)
        rows.append(
            {
                "values": name,
                "simulations_a_move": SELFPLAY_SIMULATIONS,
                "games": SELFPLAY_GAMES,
                "positions": positions,
                "games_per_cpu_minute": 60 * SELFPLAY_GAMES / seconds,
            }
        )
    return rows
