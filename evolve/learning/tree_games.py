"""Batches of games of a tree search, to learn from, on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import AlphaBetaAgent, thread_context
from evolve.agents.memory import (
    Evaluate,
    Forest,
    OutOfTimeError,
    nodes_for,
    thread_scratch,
    thread_tree,
)
from evolve.engine import lockstep
from evolve.engine.context import table_bits_for
from evolve.engine.network import Network
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.selfplay import (
    COUNTERS,
    DISCS,
    ITSELF,
    MOST_MOVES,
    play_tree_games,
)
from evolve.fitness.games import BATCH, Progress, agent_rows, in_batches

__all__ = ["ITSELF", "SearchedGames", "TreePlay", "searched_games"]

_SLOW: Final = 1000
"""Simulations a move from which a game takes a tenth of a second and more."""

Schedule = tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int32]]
"""Opponents, colours of the search, random moves at the beginning."""
Records = tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.int8],
    npt.NDArray[np.float32],
    npt.NDArray[np.float32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int8],
]


@dataclass(frozen=True)
class TreePlay:
    """How the search plays: see `engine.selfplay.play_tree_games`."""

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


@dataclass(frozen=True)
class SearchedGames:
    """What the search saw in N games, in the positions where it was to move.

    positions [N, MOST_MOVES, 2] own and opp; sides [N, MOST_MOVES] 1 black, −1 white; searched
    [N, MOST_MOVES] mean values; visits [N, MOST_MOVES, 64] shares of simulations, or [0, …]
    where not asked for; counts [N] of positions; results [N] 1 black won, 0 draw, −1 white;
    given_up [N]: not played to the end, and nothing is to be learned from them.
    """

    positions: npt.NDArray[np.uint64]
    sides: npt.NDArray[np.int8]
    searched: npt.NDArray[np.float32]
    visits: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64]
    results: npt.NDArray[np.int8]
    given_up: npt.NDArray[np.bool_]

    @property
    def played(self) -> int:
        """How many were played to their end."""
        return int(np.count_nonzero(~self.given_up))

    def part(self, some: slice) -> Records:
        """The arrays of some of the games, to be filled."""
        visits = self.visits[some] if len(self.visits) else self.visits
        return (
            self.positions[some],
            self.sides[some],
            self.searched[some],
            visits,
            self.counts[some],
            self.results[some],
        )


def searched_games(
    network: Network | None,
    play: TreePlay,
    opponents: npt.NDArray[np.int32],
    colours: npt.NDArray[np.int8],
    openings: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    *,
    agents: Sequence[AlphaBetaAgent] = (),
    with_visits: bool = False,
    evaluate: Evaluate | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> SearchedGames:
    """Play a game for each of `seeds` [N]; results do not depend on `jobs`.

    Games that are not finished when `stop` says so, or when `evaluate` raises OutOfTimeError, are
    given up.

    opponents [N]: ITSELF, RANDOM or a number among `agents`; colours [N] of the search, 1 or −1;
    openings [N]: random moves at the beginning; `network` None values by random games. With
    `evaluate` the network is not played here: all games go in step, and it is asked about the
    positions of all of them at once, for networks that are slow one position at a time.
    """
    games = _blank(len(seeds), with_visits)
    rows = agent_rows(agents) if agents else np.zeros((1, 1), np.int64)
    bits = max([table_bits_for(play.solved), *(agent.table_bits for agent in agents)])
    schedule = (opponents, colours, openings)
    if evaluate is not None:
        _play_in_step(evaluate, play, schedule, seeds, rows, bits, games, progress, stop)
        return games

    def work(part: slice) -> None:
        if stop():
            games.given_up[part] = True
            return
        nodes = play.nodes
        tree = thread_tree(nodes)
        play_tree_games(
            opponents[part],
            colours[part],
            openings[part],
            seeds[part],
            rows,
            network.address if network else 0,
            play.simulations,
            play.c_puct,
            play.noise,
            play.temperature,
            play.temperature_plies,
            play.solved,
            rule_set(play.rules).code,
            play.reuse,
            thread_context(play.rules, bits),
            thread_scratch(network.scratch_size if network else 0),
            # No more than that: a tree that is full ends a search, on whatever thread.
            tree.boards[:nodes],
            tree.links[:nodes],
            tree.values[:nodes],
            *games.part(part),
        )

    def told(finished: int) -> None:
        if progress is not None and not stop():  # the batches after that were not played
            progress(finished)

    # Slow games come one by one, so that a stop waits for one alone.
    batch = 1 if play.simulations >= _SLOW else BATCH
    in_batches(len(seeds), work, jobs, told, batch)
    return games


def _play_in_step(
    evaluate: Evaluate,
    play: TreePlay,
    schedule: Schedule,
    seeds: npt.NDArray[np.uint64],
    rows: npt.NDArray[np.int64],
    bits: int,
    games: SearchedGames,
    progress: Progress | None,
    stop: Callable[[], bool],
) -> None:
    count = len(seeds)
    forest = Forest(count, play.nodes)
    discs, counters = np.empty((count, DISCS), np.uint64), np.empty((count, COUNTERS), np.int64)
    rules = rule_set(play.rules).code
    positions, sides, searched, visits, counts, results = games.part(slice(None))
    lockstep.begin_all(seeds, discs, counters)
    going = count
    while going:
        still = lockstep.advance_all(
            forest.searching,
            forest.used,
            forest.boards,
            forest.links,
            forest.values,
            *schedule,
            rows,
            play.solved,
            rules,
            play.reuse,
            thread_context(play.rules, bits),
            discs,
            counters,
            positions,
            sides,
            searched,
            visits,
            counts,
            results,
        )
        if progress is not None:
            progress(going - still)
        going = still
        if not going or stop():
            games.given_up[:] = forest.searching
            break
        try:
            forest.grow(1, rules, play.c_puct, evaluate)
            if play.noise > 0.0:
                lockstep.disturb_all(
                    forest.searching, play.noise, forest.links, forest.values, discs
                )
            forest.grow(play.simulations - 1, rules, play.c_puct, evaluate)
        except OutOfTimeError:
            games.given_up[:] = forest.searching
            break
        lockstep.decide_all(
            forest.searching,
            play.temperature,
            play.temperature_plies,
            forest.links,
            forest.values,
            discs,
            counters,
            positions,
            sides,
            searched,
            visits,
        )


def _blank(count: int, with_visits: bool) -> SearchedGames:
    return SearchedGames(
        np.empty((count, MOST_MOVES, 2), np.uint64),
        np.zeros((count, MOST_MOVES), np.int8),
        np.zeros((count, MOST_MOVES), np.float32),
        np.zeros((count if with_visits else 0, MOST_MOVES, 64), np.float32),
        np.zeros(count, np.int64),
        np.zeros(count, np.int8),
        np.zeros(count, np.bool_),
    )
