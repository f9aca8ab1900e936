"""Round robins: pairs of agents play both colours from each opening; fitness comes from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import StoredAgent
from evolve.config.evolution import OPERATORS
from evolve.engine.board.rules import Rules
from evolve.errors import SettingsError
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.fitness.games import Games, GamesDone
from evolve.fitness.openings import Openings
from evolve.fitness.playing import play_games
from evolve.tables.games import cross_table


@dataclass(frozen=True)
class Standings:
    """The results of N agents.

    score [N] in 0..1; disc_difference [N], own − opp discs per game; games [N]; against [N, N],
    the score of each agent against each other one, as in `CrossTable.scores`.
    """

    score: npt.NDArray[np.float64]
    disc_difference: npt.NDArray[np.float64]
    games: npt.NDArray[np.int64]
    against: npt.NDArray[np.float64]


def schedule(
    pairs: npt.NDArray[np.int64], openings_of_pair: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return pairings [games, 3] of pairs [P, 2]: each with both colours on each of its openings.

    openings_of_pair [P, openings per pair] holds opening numbers.
    """
    a, b = np.repeat(pairs, openings_of_pair.shape[1], axis=0).T
    opening = openings_of_pair.ravel()
    pairings = np.empty((2 * len(a), 3), np.int32)
    pairings[0::2] = np.stack([a, b, opening], axis=1)
    pairings[1::2] = np.stack([b, a, opening], axis=1)
    return pairings


def standings(games: Games, players: int) -> Standings:
    """Compute the standings of all players from their games."""
    black, white = games.pairings[:, 0], games.pairings[:, 1]
    points_black = (games.winner.astype(np.float64) + 1.0) / 2.0
    count = np.bincount(black, minlength=players) + np.bincount(white, minlength=players)
    difference = games.disc_difference.astype(np.float64)
    discs = np.bincount(black, difference, players) - np.bincount(white, difference, players)
    table = cross_table(black, white, points_black, players)
    mean_discs = discs / np.maximum(count, 1)
    return Standings(table.totals, mean_discs, count.astype(np.int64), table.scores)


def pair_scores(games: Games, player: int = 0) -> npt.NDArray[np.float64]:
    """Return the mean score of `player` in each pair of its games, [pairs].

    The two games of a pair must be consecutive, with colours swapped.
    """
    black, white = games.pairings[:, 0] == player, games.pairings[:, 1] == player
    points = (np.where(black, games.winner, -games.winner)[black | white] + 1.0) / 2.0
    return cast("npt.NDArray[np.float64]", points.reshape(-1, 2).mean(axis=1))


@dataclass
class RoundRobin:
    """Play the round robins of a run, one per generation.

    mode: `pair` gives every pair its own openings, `shared` gives all pairs the same ones, both
    drawn from `openings` each time. `start` uses only the first of them; games between agents with
    the same names as in the last round are reused, not played again. Games on drawn openings are
    not reused: these rarely repeat, and looking for them took 1.4 s of a generation of 512.

    opponents: how many others each agent plays, chosen at random; by default all.
    """

    rules: Rules
    mode: Literal["pair", "shared", "start"]
    openings: Openings
    _: KW_ONLY
    openings_per_pair: int = 1
    opponents: int | None = None
    move_budget: int = 0
    largest_endgame: int = 0
    executor: Executor = ONE_THREAD

    def __post_init__(self) -> None:
        self._last: tuple[Sequence[str], Games] | None = None

    def play(
        self,
        names: Sequence[str],
        agents: Sequence[StoredAgent],
        rng: np.random.Generator,
        progress: GamesDone | None = None,
    ) -> tuple[Standings, Games]:
        """Play one round robin.

        An agent with the same name as in the last round must be the same agent.
        """
        players = len(agents)
        opponents = players - 1 if self.opponents is None else self.opponents
        drawn = self._draw(players * opponents // 2, rng)
        everyone = opponents == players - 1
        pairs = all_pairs(players) if everyone else _random_pairs(players, opponents, rng)
        pairings = schedule(pairs, drawn)
        known = self._known(names, pairings)
        new = known < 0
        if progress is not None and not new.all():
            progress(int((~new).sum()))
        played = play_games(
            agents,
            pairings[new],
            self.openings,
            self.rules,
            move_budget=self.move_budget,
            largest_endgame=self.largest_endgame,
            executor=self.executor,
            progress=progress,
        )
        games = played
        if self._last is not None and not new.all():
            last = self._last[1]
            moves, results = last.moves[known], last.results[known]
            moves[new], results[new] = played.moves, played.results
            games = Games(pairings, moves, results)
        if self.mode == "start":
            self._last = names, games
        return standings(games, players), games

    def _known(
        self, names: Sequence[str], pairings: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int64]:
        """Return the number of each game in the last round, −1 if it was not played, [games]."""
        if self._last is None:
            return np.full(len(pairings), -1)
        before, games = self._last
        # A new agent gets the number of an extra row and column without games.
        numbers = {name: number for number, name in enumerate(before)}
        of_last = np.array([numbers.get(name, len(before)) for name in names])
        game = np.full((len(before) + 1, len(before) + 1), -1)
        game[games.pairings[:, 0], games.pairings[:, 1]] = np.arange(len(games))
        return cast("npt.NDArray[np.int64]", game[of_last[pairings[:, 0]], of_last[pairings[:, 1]]])

    def _draw(self, pairs: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        if self.mode == "start":
            return np.zeros((pairs, 1), np.int64)
        if self.mode == "shared":
            drawn = rng.permutation(len(self.openings))[: self.openings_per_pair]
            return np.tile(drawn, (pairs, 1))
        need = pairs * self.openings_per_pair
        rounds = -(-need // len(self.openings))
        drawn = np.concatenate([rng.permutation(len(self.openings)) for _ in range(rounds)])[:need]
        return drawn.reshape(pairs, self.openings_per_pair)


def all_pairs(players: int) -> npt.NDArray[np.int64]:
    """Return all pairs of players: (0, 1), (0, 2), …, (1, 2), …."""
    return np.stack(np.triu_indices(players, 1), axis=1)


def _random_pairs(players: int, opponents: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Pair each of N players with K random others, each pair at most once; N · K must be even.

    The players sit around a table at random. If N is even, draw K of the circle method's N − 1
    rounds; everyone plays one other player in each. If N is odd, draw K / 2 distances; everyone
    plays the players at those distances on both sides. Drawing single pairs until all have K
    opponents would need many tries if K is near N.
    """
    assert 0 < opponents < players
    assert players * opponents % 2 == 0
    seats = rng.permutation(players)
    if players % 2 == 0:
        others = players - 1  # one sits in the middle and plays one other per round
        rounds = np.sort(rng.choice(others, opponents, replace=False))[:, None]
        steps = np.arange(1, players // 2)
        middle = np.broadcast_to(players - 1, rounds.shape)
        first = np.hstack([middle, (rounds + steps) % others])
        second = np.hstack([rounds, (rounds - steps) % others])
    else:
        distances = np.sort(rng.choice(players // 2, opponents // 2, replace=False))[:, None] + 1
        first = np.broadcast_to(np.arange(players), (len(distances), players))
        second = (first + distances) % players
    pairs = np.sort(np.stack([seats[first.ravel()], seats[second.ravel()]], axis=1), axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@dataclass(frozen=True)
class Round:
    """A finished round robin.

    agents: N agents; standings: their results; games: all games, with indices into `agents`; rng:
    the only generator that a fitness function may draw from.
    """

    agents: Sequence[StoredAgent]
    standings: Standings
    games: Games
    rng: np.random.Generator


Fitness = Callable[[Round], npt.ArrayLike]
"""fitness(round): a number for each agent [N], higher is better. Disc difference breaks ties."""


FITNESS_FUNCTIONS: Final[Mapping[str, Fitness]] = {"score": lambda played: played.standings.score}
"""The function of every name of OPERATORS."""
assert tuple(FITNESS_FUNCTIONS) == tuple(OPERATORS["fitness"])


def finite_numbers(kind: str, values: Any, count: int) -> npt.NDArray[np.float64]:
    """What a function of that kind gave; SettingsError unless it is `count` finite numbers."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        numbers = np.full(count, np.nan)
    if numbers.shape != (count,) or not np.isfinite(numbers).all():
        raise SettingsError(f"{kind}: it must give {count} finite numbers, not {values!r}")
    return numbers
