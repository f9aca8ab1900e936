"""The play-off and the rating: find the best agent of a run, and how strong it is.

The play-off is on openings that the run has not used before. Its winner's score there is biased
upwards, and cannot be compared with other runs, which have other candidates. So the winner plays
the ladder afterwards, on separate openings: its Elo compares runs and seeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from evolve.agents.agent import StoredAgent
from evolve.arena.judges import RATING, ChampionRating, Ladder, rating_games
from evolve.config.evolution import EvolutionSettings
from evolve.engine.board.rules import rule_set
from evolve.evolution.generation import Champions, play_of
from evolve.fitness.executor import Executor
from evolve.fitness.games import Games, counted
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, pair_scores, schedule, standings
from evolve.fitness.statistics import score_of_pairs
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Genome, Individual
from evolve.population.randomness import Use, generator
from evolve.runs.loading import keep_champion
from evolve.runs.progress import Observer
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.tables.parquet import write_table
from evolve.tables.paths import playoff_file

_LAST_BEST: Final = 3
"""Individuals of the last generation that join the play-off, in addition to the hall of fame."""
_PLIES: Final = 8  # random moves in the openings
_PLAYOFF: Final = "play-off"  # name of the stage that follows the last generation


def games_afterwards(settings: EvolutionSettings) -> dict[str, int]:
    """Return the games of the stages after the last generation, about.

    Of the play-off it is the most: fewer candidates meet where some play the same.
    """
    candidates = min(settings.hall_of_fame, settings.generations) + _LAST_BEST + 1
    return {
        _PLAYOFF: candidates * (candidates - 1) * settings.playoff_openings,
        RATING: rating_games(settings.rules, settings.panel_openings),
    }


@dataclass(frozen=True)
class ChampionSelection:
    """Choose and save the champion of a run."""

    folder: Path
    genome: Genome
    executor: Executor

    @property
    def held(self) -> bool:
        """Whether the play-off is over and its champion is saved."""
        return playoff_file(self.folder).exists() and champion_of(self.folder) is not None

    def save_best_so_far(self, champions: Champions) -> None:
        """Save the best agent of the hall of fame as the champion."""
        best = champions.hall[0]
        score = float(best.fitness.values[0])
        agent = self._candidate(best).with_provenance(score=score, against="panel")
        keep_champion(self.folder, agent)

    def hold(
        self,
        run: Run,
        generation: int,
        population: Sequence[Individual],
        champions: Champions,
        algorithm: Algorithm,
        observer: Observer,
    ) -> None:
        """Hold the play-off after the last `generation`; rate the winner, save it as champion.

        A round robin: each pair of candidates plays both colours on every opening. The best score
        wins; ties go to the better disc difference, then to the earlier candidate.
        """
        settings = self.genome.settings
        agents = self._candidates(generation, population, champions, algorithm)
        rng = generator(settings.seed, Use.PLAYOFF_OPENINGS)
        openings = balanced_openings(
            settings.playoff_openings, Part.PLAYOFF, settings.rules, rng, _PLIES
        )
        players = len(agents)
        pairs = all_pairs(players)
        pairings = schedule(pairs, np.tile(np.arange(len(openings)), (len(pairs), 1)))
        games = play_games(
            agents,
            pairings,
            openings,
            settings.rules,
            move_budget=settings.move_budget,
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
            progress=counted(len(pairings), partial(observer.stage, _PLAYOFF)),
        )
        table = standings(games, players)
        better = rule_set(settings.rules).discs
        best = max(
            range(players), key=lambda i: (table.score[i], better * table.disc_difference[i])
        )
        winner = agents[best].with_provenance(**_won(games, best, players))
        rating = ChampionRating(
            Ladder(settings.rules, seed=settings.seed),
            winner,
            observer,
            seconds=math.inf,
            largest_endgame=self.genome.largest_endgame,
            executor=self.executor,
        )
        facts = rating.play(settings.panel_openings, _first_guess(run))
        keep_champion(self.folder, winner.with_provenance(**facts))
        # Write the play-off's file last: it marks champion.json as the play-off's, and rated.
        names = [agent.name for agent in agents]
        first_game = run.games_table(generation).num_rows
        rows = games.table(generation, "playoff", names, settings.rules, openings, first_game)
        write_table(playoff_file(self.folder), rows)

    def _candidates(
        self,
        generation: int,
        population: Sequence[Individual],
        champions: Champions,
        algorithm: Algorithm,
    ) -> list[StoredAgent]:
        """Return the agents that may be the best; of those that play the same, only the first."""
        ranked = sorted(population, key=lambda individual: individual.fitness.values, reverse=True)
        candidates = [self._candidate(i) for i in (*champions.hall, *ranked[:_LAST_BEST])]
        survivors = [i.name for i in ranked[: self.genome.settings.survivor_count]]
        average = Individual(
            algorithm.mean(population),
            name=f"mean-{generation}",
            born=generation,
            origin="mean",
            parents=tuple(survivors),
        )
        distinct: dict[str, StoredAgent] = {}
        for candidate in (*candidates, self._candidate(average)):
            distinct.setdefault(play_of(candidate), candidate)
        return list(distinct.values())

    def _candidate(self, individual: Individual) -> StoredAgent:
        return self.genome.agent_of(individual, self.folder.resolve().name)


def _won(games: Games, winner: int, candidates: int) -> dict[str, object]:
    if candidates == 1:
        return {"games": 0, "against": "nobody: all candidates of the play-off were one agent"}
    score = score_of_pairs(pair_scores(games, winner))
    return {
        "score": score.value,
        "score_error": score.error,
        "score_low": score.low,
        "score_high": score.high,
        "games": score.n,
        "against": f"play-off of {candidates} candidates on fresh openings",
    }


def _first_guess(run: Run) -> float | None:
    """Guess the champion's Elo: the rating of the last generations; None without a ladder panel."""
    rows = (run.metadata(number)[0] for number in reversed(range(run.generation_count)))
    ratings = (row["rating"] for row in rows if row.get("rating") is not None)
    return next(ratings, None) if run.config.get("panel") == "ladder" else None
