"""Batches of games by tree search, for learning, on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from evolve.engine import batched_mcts
from evolve.engine.context import table_bits_for
from evolve.engine.mcts import PUCT, Nodes, SearchOptions
from evolve.engine.mcts_games import (
    Fixtures,
    Records,
    SelfPlayOptions,
    blank_records,
    empty_games,
    play_tree_games,
)
from evolve.engine.network import Network
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set
from evolve.fitness.executor import BATCH
from evolve.fitness.games import GamesDone, agent_rows, in_batches

_SLOW: Final = 1000
"""Simulations a move from which a game takes a tenth of a second or more."""


@dataclass(frozen=True)
class TreePlay:
    """How the search plays; see `engine.mcts_games.SelfPlayOptions`."""

    simulations: int
    c_puct: float = 1.2
    noise: float = 0.25
    temperature: float = 1.0
    temperature_plies: int = 20
    solved: int = 10
    rules: Rules = DEFAULT_RULES
    reuse: bool = False

    @property
    def nodes(self) -> int:
        """Nodes that a game's tree needs."""
        return nodes_for(self.simulations * (2 if self.reuse else 1))

    def options(self, network: Network | None) -> SelfPlayOptions:
        """Return the same for the kernels, with this thread's scratch memory for `network`."""
        scratch = thread_scratch(network.scratch_size if network else 0)
        search = SearchOptions(
            rule_set(self.rules).code,
            PUCT,
            float(self.c_puct),
            network.address if network else 0,
            scratch.ctypes.data,
        )
        return SelfPlayOptions(
            search,
            self.simulations,
            float(self.noise),
            float(self.temperature),
            self.temperature_plies,
            self.solved,
            self.reuse,
        )


@dataclass(frozen=True)
class SearchedGames:
    """Search results of N games.

    given_up [N]: whether a game was not played to the end; nothing is learned from it.
    """

    records: Records
    given_up: npt.NDArray[np.bool_]

    @property
    def played(self) -> int:
        """The number of games played to their end."""
        return int(np.count_nonzero(~self.given_up))


def searched_games(
    network: Network | None,
    play: TreePlay,
    fixtures: Fixtures,
    *,
    agents: Sequence[AlphaBetaAgent] = (),
    with_visits: bool = False,
    evaluate: Evaluate | None = None,
    jobs: int = 1,
    progress: GamesDone | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> SearchedGames:
    """Play the games of `fixtures`; their opponents are indices of `agents`, or codes for none.

    Results do not depend on `jobs`. Games that are not finished when `stop` says so, or when
    `evaluate` raises OutOfTimeError, are given up. Without a `network`, rollouts evaluate leaves.
    With `evaluate` the network is not used here: all games advance together, and `evaluate` gets
    the leaves of all of them at once. That is for networks that are slow one position at a time.
    """
    count = len(fixtures.seeds)
    games = SearchedGames(blank_records(count, with_visits), np.zeros(count, np.bool_))
    rows = agent_rows(agents) if agents else np.zeros((1, 1), np.int64)
    bits = max([table_bits_for(play.solved), *(agent.table_bits for agent in agents)])
    if evaluate is not None:
        _play_in_step(evaluate, play, fixtures, rows, bits, games, progress, stop)
        return games

    def work(part: slice) -> None:
        if stop():
            games.given_up[part] = True
            return
        # Exactly this many nodes: a full tree ends a search, equally on every thread.
        room = slice(play.nodes)
        nodes = Nodes._make(array[room] for array in thread_tree(play.nodes).nodes)
        play_tree_games(
            fixtures.part(part),
            rows,
            play.options(network),
            thread_context(play.rules, bits),
            nodes,
            games.records.part(part),
        )

    def told(finished: int) -> None:
        if progress is not None and not stop():  # later batches were not played
            progress(finished)

    # Slow games run one by one, so that a stop waits for only one.
    batch = 1 if play.simulations >= _SLOW else BATCH
    in_batches(count, work, jobs, told, batch)
    return games


def _play_in_step(
    evaluate: Evaluate,
    play: TreePlay,
    fixtures: Fixtures,
    rows: npt.NDArray[np.int64],
    bits: int,
    games: SearchedGames,
    progress: GamesDone | None,
    stop: Callable[[], bool],
) -> None:
    count = len(fixtures.seeds)
    forest, hands = Forest(count, play.nodes), empty_games(count)
    trees, records, options = forest.trees, games.records, play.options(None)
    rules, c = options.search.rules, options.search.c
    batched_mcts.start_all(fixtures.seeds, hands)
    going = count
    while going:
        context = thread_context(play.rules, bits)
        still = batched_mcts.play_to_search_all(
            trees, fixtures, rows, options, context, hands, records
        )
        if progress is not None:
            progress(going - still)
        going = still
        if not going or stop():
            games.given_up[:] = trees.searching
            break
        try:
            forest.simulate(1, rules, c, evaluate)
            if play.noise > 0.0:
                batched_mcts.add_root_noise_all(play.noise, trees, hands)
            forest.simulate(play.simulations - 1, rules, c, evaluate)
        except OutOfTimeError:
            games.given_up[:] = trees.searching
            break
        batched_mcts.record_and_play_all(trees, options, hands, records)
