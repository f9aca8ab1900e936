"""Batches of games by tree search, for learning, on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.memory import (
    Evaluate,
    Forest,
    OutOfTimeError,
    nodes_for,
    thread_context,
    thread_scratch,
    thread_tree,
)
from evolve.config.learning import MctsSettings
from evolve.engine.board.rules import rule_set
from evolve.engine.games import mcts_games as batched_mcts
from evolve.engine.games.mcts_games import SelfPlayOptions, empty_games, play_tree_games
from evolve.engine.games.training_games import GameRecords, Lineup
from evolve.engine.networks.mcts import PUCT, Nodes, SearchOptions
from evolve.engine.networks.network import Network
from evolve.engine.search.context import table_bits_for
from evolve.fitness.executor import BATCH
from evolve.fitness.games import GamesDone, agent_rows
from evolve.learning.learner import play_in_time

_SLOW: Final = 1000
"""Simulations a move from which a game takes a tenth of a second or more."""


def searched_games(
    network: Network | None,
    settings: MctsSettings,
    lineup: Lineup,
    *,
    agents: Sequence[AlphaBetaAgent] = (),
    with_visits: bool = False,
    evaluate: Evaluate | None = None,
    jobs: int = 1,
    progress: GamesDone = lambda games: None,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[GameRecords, int]:
    """Play the games of `lineup` by `settings`; return them, and how many were played to their end.

    Players from 1 on are `agents`. Results do not depend on `jobs`. Games that are not finished
    when `stop` says so, or when `evaluate` raises OutOfTimeError, have no positions. Without a
    `network`, rollouts evaluate leaves. With `evaluate` the network is not used here: all games
    advance together, and `evaluate` gets the leaves of all of them at once. That is for networks
    that are slow one position at a time.
    """
    count = len(lineup.seeds)
    records = GameRecords.blank(count, with_visits)
    rows = agent_rows(agents) if agents else np.zeros((1, 1), np.int64)
    bits = max([table_bits_for(settings.solved), *(agent.table_bits for agent in agents)])
    size = nodes_for(settings.simulations * (2 if settings.reuse else 1))
    if evaluate is not None:
        forest = Forest(count, size)
        _play_in_step(evaluate, settings, lineup, rows, bits, forest, records, progress, stop)
        return records, count - int(forest.trees.searching.sum())

    def play(part: slice) -> None:
        # Exactly this many nodes: a full tree ends a search, equally on every thread.
        nodes = Nodes._make(array[:size] for array in thread_tree(size).nodes)
        play_tree_games(
            lineup.part(part),
            rows,
            _options(settings, network),
            thread_context(settings.rules, bits),
            nodes,
            records.part(part),
        )

    # Slow games run one by one, so that a stop waits for only one.
    batch = 1 if settings.simulations >= _SLOW else BATCH
    return records, play_in_time(count, play, jobs, progress, stop, batch)


def _options(settings: MctsSettings, network: Network | None) -> SelfPlayOptions:
    """Return the settings for the kernels, with this thread's scratch memory for `network`."""
    scratch = thread_scratch(network.scratch_size if network else 0)
    address = network.address if network else 0
    rules = rule_set(settings.rules).code
    return SelfPlayOptions(
        SearchOptions(rules, PUCT, float(settings.c_puct), address, scratch.ctypes.data),
        settings.simulations,
        float(settings.noise),
        float(settings.temperature),
        settings.temperature_plies,
        settings.solved,
        settings.reuse,
    )


def _play_in_step(
    evaluate: Evaluate,
    settings: MctsSettings,
    lineup: Lineup,
    rows: npt.NDArray[np.int64],
    bits: int,
    forest: Forest,
    records: GameRecords,
    progress: GamesDone,
    stop: Callable[[], bool],
) -> None:
    going = len(lineup.seeds)
    trees, games, options = forest.trees, empty_games(going), _options(settings, None)
    rules, c = options.search.rules, options.search.c
    batched_mcts.start_all(lineup.seeds, games)
    while going:
        context = thread_context(settings.rules, bits)
        still = batched_mcts.play_to_search_all(
            trees, lineup, rows, options, context, games, records
        )
        progress(going - still)
        going = still
        if not going or stop():
            break
        try:
            forest.simulate(1, rules, c, evaluate)
            if options.noise > 0.0:
                batched_mcts.add_root_noise_all(options.noise, trees, games)
            forest.simulate(options.simulations - 1, rules, c, evaluate)
        except OutOfTimeError:
            break
        batched_mcts.record_and_play_all(trees, options, games, records)
