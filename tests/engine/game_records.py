"""Games to learn from, a few at a time: what the tests of several kernels play."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.games import dqn_play, mcts_games
from evolve.engine.games.game import new_context
from evolve.engine.games.training_games import GameRecords, Lineup
from evolve.engine.networks import mcts
from evolve.engine.networks.network import Network
from tests import networks

CLASSIC = AlphaBetaAgent([[100, -25, 10, 5, -25, 1, 1, 5, 2, 1]], depths=[2])


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def tree_games(
    network: Network | None, opponents: list[int], rules: int, seed: int = 0, **changes: Any
) -> dict[str, np.ndarray]:
    """Games of a tree search, player 0, against these; it is black in the first, white in the next,
    and so on."""
    count = len(opponents)
    players = np.zeros((count, 2), np.int32)
    players[np.arange(count), 1 - np.arange(count) % 2] = opponents
    rng = np.random.default_rng(seed)
    scratch = network.scratch() if network else np.zeros(1, np.float32)
    search = mcts.SearchOptions(
        rules, mcts.PUCT, 1.2, network.address if network else 0, scratch.ctypes.data
    )
    options = mcts_games.SelfPlayOptions(search, 20, 0.25, 1.0, 10, 8, False)._replace(**changes)
    records = GameRecords.blank(count, with_visits=True)
    mcts_games.play_tree_games(
        Lineup.drawn(players, 5, rng),
        CLASSIC.cells.reshape(1, -1),
        options,
        new_context(rules, 0, 10),
        mcts.empty_nodes(4000),
        records,
    )
    return records._asdict()


def network_games(
    players: list[tuple[int, int]],
    epsilons: float,
    rules: int = 0,
    architecture: Any = networks.DUELING,
) -> dict[str, np.ndarray]:
    count = len(players)
    nets = [networks.random_network(architecture, seed) for seed in (1, 2)]
    lineup = Lineup(
        np.array(players, np.int32),
        (np.arange(count) % 5).astype(np.int32),
        np.arange(count, dtype=np.uint64),
    )
    records = GameRecords.blank(count)
    dqn_play.play_network_games(
        lineup,
        np.full((count, 2), epsilons),
        np.array([net.address for net in nets], np.int64),
        CLASSIC.cells.reshape(1, -1),
        rules,
        new_context(rules),
        nets[0].scratch(),
        records,
    )
    return records._asdict()
