"""Games to learn from, a few at a time: what the tests of several kernels play."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine import dqn_play, mcts, mcts_games
from evolve.engine.context_factory import new_context
from evolve.engine.network import Network
from tests import networks

CLASSIC = AlphaBetaAgent([[100, -25, 10, 5, -25, 1, 1, 5, 2, 1]], depths=[2])


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def tree_games(
    network: Network | None, opponents: list[int], rules: int, seed: int = 0, **changes: Any
) -> dict[str, np.ndarray]:
    count = len(opponents)
    rng = np.random.default_rng(seed)
    scratch = network.scratch() if network else np.zeros(1, np.float32)
    search = mcts.SearchOptions(
        rules, mcts.PUCT, 1.2, network.address if network else 0, scratch.ctypes.data
    )
    options = mcts_games.SelfPlayOptions(search, 20, 0.25, 1.0, 10, 8, False)._replace(**changes)
    fixtures = mcts_games.Fixtures(
        np.array(opponents, np.int32),
        np.where(np.arange(count) % 2 == 0, 1, -1).astype(np.int8),
        rng.integers(0, 6, count).astype(np.int32),
        rng.integers(0, 2**64, count, dtype=np.uint64),
    )
    records = mcts_games.blank_records(count, with_visits=True)
    mcts_games.play_tree_games(
        fixtures,
        CLASSIC.cells.reshape(1, -1),
        options,
        new_context(rules, 0, 10),
        mcts.empty_nodes(4000),
        records,
    )
    return records._asdict()


def episodes_of(
    players: list[tuple[int, int]],
    epsilons: float,
    rules: int = 0,
    architecture: Any = networks.DUELING,
) -> dict[str, np.ndarray]:
    count = len(players)
    nets = [networks.random_network(architecture, seed) for seed in (1, 2)]
    lineup = dqn_play.Lineup(
        np.array(players, np.int32),
        np.full((count, 2), epsilons),
        (np.arange(count) % 5).astype(np.int32),
        np.arange(count, dtype=np.uint64),
    )
    found = dqn_play.blank_episodes(count)
    dqn_play.play_episodes(
        lineup,
        np.array([net.address for net in nets], np.int64),
        CLASSIC.cells.reshape(1, -1),
        rules,
        new_context(rules),
        nets[0].scratch(),
        found,
    )
    return found._asdict()
