"""Games of networks that learn: by their move values, or by tree search. Needs no PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

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
from evolve.agents.reference import POSITIONAL
from evolve.config.learning import ITSELF, PAST, DqnSettings, MctsSettings
from evolve.engine.board.rules import rule_set
from evolve.engine.games import mcts_games as batched_mcts
from evolve.engine.games.dqn_play import (
    TargetOptions,
    empty_transitions,
    play_network_games,
    transitions_of,
)
from evolve.engine.games.mcts_games import SelfPlayOptions, empty_games, play_tree_games
from evolve.engine.games.training_games import RANDOM_PLAYER, GameRecords, Lineup
from evolve.engine.networks.action_search import DIFFERENCE, HALVES, NO_REWARD, OUTCOME, SHARE
from evolve.engine.networks.mcts import PUCT, Nodes, SearchOptions
from evolve.engine.networks.network import Network
from evolve.engine.search.context import GAME_TABLE_BITS, table_bits_for
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
from evolve.fitness.executor import BATCH
from evolve.fitness.games import GamesDone, agent_rows, in_batches
from evolve.learning.learner import Left, alphabeta_agents, shares_drawn

_REWARDS: Final = {
    "none": NO_REWARD, "outcome": OUTCOME, "halves": HALVES, "share": SHARE,
    "difference": DIFFERENCE,
}  # fmt: skip
_TABLE: Final = np.array(POSITIONAL, np.float32)[np.array(CLASS_OF_SQUARE)]
"""V of every square, for the positional reward; published only as a picture, so assumed."""

Networks = tuple[Network, ...]
_Rows = dict[str, npt.NDArray[Any]]
"""Transitions as a replay keeps them: arrays by name, one row each."""


class Experience:
    """Plays games by a training's settings, and turns them into transitions."""

    def __init__(self, settings: DqnSettings, jobs: int) -> None:
        self._settings = settings
        self._jobs = jobs
        others = (ITSELF, PAST, "random")
        agents = alphabeta_agents(settings.opponents, others, settings.rules)
        self._agents = agent_rows(agents) if agents else np.zeros((1, 1), np.int64)
        names = [name for name in settings.opponents if name not in others]
        # The playing networks come first: black's and white's, new and old.
        self._player_of = {name: 4 + number for number, name in enumerate(names)}
        self._table_bits = max([GAME_TABLE_BITS] + [agent.table_bits for agent in agents])

    def play(
        self,
        rng: np.random.Generator,
        count: int,
        share: float,
        new: Networks,
        old: Networks,
        progress: GamesDone,
        left: Left,
    ) -> tuple[int, _Rows]:
        """Play `count` games of the `new` networks; return how many, and their transitions.

        `share` is the share of the training that is done. The opponents may be the `old` networks.
        """
        lineup, epsilons, learners = self._lineup(rng, count, share)
        addresses = np.array([n.address for n in (new[0], new[-1], old[0], old[-1])], np.int64)
        records = GameRecords.blank(count)
        rules = self._settings.rules

        def play(part: slice) -> None:
            play_network_games(
                lineup.part(part),
                epsilons[part],
                addresses,
                self._agents,
                rule_set(rules).code,
                thread_context(rules, self._table_bits),
                thread_scratch(new[0].scratch_size),
                records.part(part),
            )

        played = in_batches(count, play, self._jobs, progress, lambda: left() <= 0.0)
        return played, self._transitions(records, learners)

    def _lineup(
        self, rng: np.random.Generator, count: int, share: float
    ) -> tuple[Lineup, npt.NDArray[np.float64], npt.NDArray[np.int8]]:
        """Draw the players at random; also return two arrays [N, 2], for black and white.

        They hold the share of random moves, and whether moves are learned.
        """
        settings = self._settings
        shares = {"random": 1.0} if share < settings.random_first else settings.opponents
        names = shares_drawn(shares, count, rng)
        black = rng.random(count) < 0.5
        players = np.empty((count, 2), np.int32)
        learners = np.ones((count, 2), np.int8)
        level = settings.epsilon + (settings.epsilon_end - settings.epsilon) * share
        epsilons = np.full((count, 2), level)
        for game, name in enumerate(names):
            players[game] = 0, 1
            if name == ITSELF:
                continue
            other = 1 if black[game] else 0
            learners[game, other] = settings.both_sides
            if name == PAST:
                players[game, other] = 2 + other
            elif name == "random":
                players[game, other] = RANDOM_PLAYER
            else:
                players[game, other] = self._player_of[name]
                epsilons[game, other] = 0.1  # random moves, so that games differ (assumed)
        return Lineup.drawn(players, settings.openings, rng), epsilons, learners

    def _transitions(self, records: GameRecords, learners: npt.NDArray[np.int8]) -> _Rows:
        settings = self._settings
        options = TargetOptions(
            kind=_REWARDS[settings.reward],
            shaping=float(settings.shaping),
            table=_TABLE,
            positional=float(settings.positional),
            minimax=settings.minimax,
            negamax=settings.bootstrap == "negamax",
            steps=settings.steps,
            gamma=float(settings.gamma),
            rules=rule_set(settings.rules).code,
        )
        transitions = empty_transitions(len(records.counts))
        filled = transitions_of(records, learners, options, transitions)
        game, ply, then = transitions.plies[:filled].T
        positions, sides = records.positions, records.sides
        return {
            "boards": np.concatenate([positions[game, ply], positions[game, then]], axis=1),
            "sides": sides[game, ply],
            "next_sides": sides[game, then],
            "moves": records.moves[game, ply],
            "returns": transitions.returns[:filled],
            "discounts": transitions.discounts[:filled],
        }


class TreeGames:
    """The games of a lineup by tree search, and their records; players from 1 on are `agents`.

    Games that are not finished when `stop` says so, or when `evaluate` raises OutOfTimeError, have
    no positions.
    """

    def __init__(
        self,
        settings: MctsSettings,
        lineup: Lineup,
        agents: Sequence[AlphaBetaAgent] = (),
        *,
        with_visits: bool = False,
    ) -> None:
        self._settings, self._lineup = settings, lineup
        self.records = GameRecords.blank(len(lineup.seeds), with_visits)
        self._agents = agent_rows(agents) if agents else np.zeros((1, 1), np.int64)
        self._bits = max([table_bits_for(settings.solved), *(agent.table_bits for agent in agents)])
        self._nodes = nodes_for(settings.simulations * (2 if settings.reuse else 1))

    def play(
        self,
        network: Network | None,
        jobs: int = 1,
        progress: GamesDone = lambda games: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Play one by one; return how many were played. Results do not depend on `jobs`.

        Without a `network`, rollouts evaluate leaves.
        """
        settings, size = self._settings, self._nodes

        def play(part: slice) -> None:
            # Exactly this many nodes: a full tree ends a search, equally on every thread.
            nodes = Nodes._make(array[:size] for array in thread_tree(size).nodes)
            play_tree_games(
                self._lineup.part(part),
                self._agents,
                _options(settings, network),
                thread_context(settings.rules, self._bits),
                nodes,
                self.records.part(part),
            )

        # Slow games run one by one, so that a stop waits for only one.
        # Simulations a move from which a game takes a tenth of a second or more.
        batch = 1 if settings.simulations >= 1000 else BATCH
        return in_batches(len(self._lineup.seeds), play, jobs, progress, stop, batch)

    def play_in_step(
        self,
        evaluate: Evaluate,
        progress: GamesDone = lambda games: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Play all side by side; return how many were played to their end.

        `evaluate` gets the leaves of all games at once: for networks that are slow one position at
        a time.
        """
        running = len(self._lineup.seeds)
        forest, options = Forest(running, self._nodes), _options(self._settings, None)
        trees, games = forest.trees, empty_games(running)
        rules, c = options.search.rules, options.search.c
        batched_mcts.start_all(self._lineup.seeds, games)
        while running:
            context = thread_context(self._settings.rules, self._bits)
            left = batched_mcts.play_to_search_all(
                trees, self._lineup, self._agents, options, context, games, self.records
            )
            progress(running - left)
            running = left
            if not running or stop():
                break
            try:
                forest.simulate(1, rules, c, evaluate)
                if options.noise > 0.0:
                    batched_mcts.add_root_noise_all(options.noise, trees, games)
                forest.simulate(options.simulations - 1, rules, c, evaluate)
            except OutOfTimeError:
                break
            batched_mcts.record_and_play_all(trees, options, games, self.records)
        return len(self._lineup.seeds) - int(trees.searching.sum())


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
