"""The tournament: every pair of agents plays both colours from each opening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from evolve.agents.agent import StoredAgent
from evolve.engine.rules import Rules
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.fitness.games import Games, GamesDone, play_games, winner_of
from evolve.fitness.openings import START_POSITION, Openings
from evolve.fitness.score import Score, score_of_pairs
from evolve.tables.games import WINNERS

OpeningMode = Literal["pair", "shared", "start"]


@dataclass(frozen=True)
class Standings:
    """The results of N agents.

    score [N] in 0..1; disc_difference [N], own − opp discs a game; games [N]; against [N, N], the
    score of each against each other one, and ½ against itself, which is what an agent that plays
    itself with both colours has.
    """

    score: npt.NDArray[np.float64]
    disc_difference: npt.NDArray[np.float64]
    games: npt.NDArray[np.int64]
    against: npt.NDArray[np.float64]


def schedule(players: int, openings_of_pair: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Pairings [games, 3] of a round robin: each pair with both colours on each of its openings.

    openings_of_pair [pairs, openings a pair] holds opening numbers, pairs in the order
    (0, 1), (0, 2), …, (1, 2), …
    """
    first, second = np.triu_indices(players, 1)
    per_pair = openings_of_pair.shape[1]
    a, b = np.repeat(first, per_pair), np.repeat(second, per_pair)
    opening = openings_of_pair.ravel()
    pairings = np.empty((2 * len(a), 3), np.int32)
    pairings[0::2] = np.stack([a, b, opening], axis=1)
    pairings[1::2] = np.stack([b, a, opening], axis=1)
    return pairings


def standings(games: Games, players: int) -> Standings:
    """Scores of all players from their games alone."""
    black, white = games.pairings[:, 0], games.pairings[:, 1]
    points_black = (games.winner.astype(np.float64) + 1.0) / 2.0
    count = np.bincount(black, minlength=players) + np.bincount(white, minlength=players)
    points = np.bincount(black, points_black, players)
    points += np.bincount(white, 1.0 - points_black, players)
    difference = games.disc_difference.astype(np.float64)
    discs = np.bincount(black, difference, players) - np.bincount(white, difference, players)
    played = np.maximum(count, 1)
    against = scores_against(black, white, points_black, players)
    return Standings(points / played, discs / played, count.astype(np.int64), against)


def scores_against(
    black: npt.NDArray[np.integer],
    white: npt.NDArray[np.integer],
    points_black: npt.NDArray[np.float64],
    players: int,
) -> npt.NDArray[np.float64]:
    """`Standings.against` of games between players, by their indices, [games].

    points_black [games] is 1 for black's victory and ½ for a draw.
    """
    points, games = np.zeros((2, players, players))
    np.add.at(points, (black, white), points_black)
    np.add.at(points, (white, black), 1.0 - points_black)
    np.add.at(games, (black, white), 1.0)
    np.add.at(games, (white, black), 1.0)
    return np.divide(points, games, out=np.full_like(points, 0.5), where=games > 0)


def scores_in_table(table: pa.Table, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """`Standings.against` of the individuals so named, from a generation's games table."""
    table = table.filter(pc.field("kind") == "fitness")
    index = {name: number for number, name in enumerate(names)}
    black, white = (
        np.array([index[name] for name in table[side].to_pylist()], np.int64)
        for side in ("black", "white")
    )
    points = np.array([WINNERS.index(one) / 2.0 for one in table["winner"].to_pylist()])
    return scores_against(black, white, points, len(names))


def score_against(games: Games, player: int) -> Score:
    """Score with its interval of `player`, whose games come in pairs with colours swapped."""
    mine = (games.pairings[:, 0] == player) | (games.pairings[:, 1] == player)
    points = (games.winner[mine].astype(np.float64) + 1.0) / 2.0
    points = np.where(games.pairings[mine, 0] == player, points, 1.0 - points)
    return score_of_pairs(points.reshape(-1, 2).mean(axis=1))


class RoundRobin:
    """Round robins of one run, generation after generation.

    `pair` gives every pair openings of its own, `shared` all pairs the same ones, both drawn
    anew from `pool` each time; `start` is the start position alone. A game on the same opening
    between agents of the same names as in the last round is remembered, not played again.
    """

    def __init__(
        self,
        rules: Rules,
        mode: OpeningMode,
        pool: Openings,
        *,
        openings_per_pair: int = 1,
        move_budget: int = 0,
        largest_endgame: int = 0,
        executor: Executor = ONE_THREAD,
    ) -> None:
        self.rules: Rules = rules
        self.mode = mode
        self.pool = START_POSITION if mode == "start" else pool
        self.openings_per_pair = openings_per_pair
        self.move_budget = move_budget
        self.largest_endgame = largest_endgame
        self.executor = executor
        self._texts = self.pool.texts()
        self._remembered: dict[tuple[str, str, str], tuple[npt.NDArray[np.int8], ...]] = {}

    def play(
        self,
        names: Sequence[str],
        agents: Sequence[StoredAgent],
        rng: np.random.Generator,
        progress: GamesDone | None = None,
    ) -> tuple[Standings, Games, list[str]]:
        """Play one round robin; the last part of the answer is every game's opening as text.

        `names` tell whether an agent is the one that bore the name in the last round.
        """
        players = len(agents)
        pairings = schedule(players, self._draw(players * (players - 1) // 2, rng))
        keys = [
            (names[black], names[white], self._texts[opening])
            for black, white, opening in pairings.tolist()
        ]
        known = np.array([key in self._remembered for key in keys])
        if progress is not None and known.any():
            progress(int(known.sum()))
        played = play_games(
            agents,
            pairings[~known],
            self.pool,
            self.rules,
            move_budget=self.move_budget,
            largest_endgame=self.largest_endgame,
            executor=self.executor,
            progress=progress,
        )
        moves = np.empty((len(pairings), played.moves.shape[1]), np.int8)
        results = np.empty((len(pairings), played.results.shape[1]), np.int64)
        moves[~known], results[~known] = played.moves, played.results
        for index in np.flatnonzero(known):
            moves[index], results[index] = self._remembered[keys[index]]
        self._remembered = {key: (moves[index], results[index]) for index, key in enumerate(keys)}
        games = Games(pairings, moves, results, winner_of(results))
        return standings(games, players), games, [key[2] for key in keys]

    def _draw(self, pairs: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Opening numbers for each pair, [pairs, openings a pair]."""
        if self.mode == "start":
            return np.zeros((pairs, 1), np.int64)
        if self.mode == "shared":
            drawn = rng.permutation(len(self.pool))[: self.openings_per_pair]
            return np.tile(drawn, (pairs, 1))
        need = pairs * self.openings_per_pair
        rounds = -(-need // len(self.pool))
        drawn = np.concatenate([rng.permutation(len(self.pool)) for _ in range(rounds)])[:need]
        return drawn.reshape(pairs, self.openings_per_pair)
