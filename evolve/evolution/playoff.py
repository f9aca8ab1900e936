"""Hall of fame, play-off and rating: find the best agent of a run, and how strong it is.

The play-off is on openings that the run has not used before. Its winner's score there is biased
upwards, and cannot be compared with other runs, which have other candidates. So the winner plays
the ladder afterwards, on separate openings: its Elo compares runs and seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from deap import tools

from evolve.agents.agent import StoredAgent
from evolve.arena.judges import RATING, ChampionRating, Ladder, rating_games
from evolve.config.evolution import EvolutionSettings
from evolve.engine.board.rules import rule_set
from evolve.fitness.executor import Executor
from evolve.fitness.games import Games, counted
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, pair_scores, schedule, standings
from evolve.fitness.statistics import score_of_pairs
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Fitness, Genome, Individual
from evolve.population.randomness import Use, generator
from evolve.runs.loading import keep_champion
from evolve.runs.progress import Observer
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.tables.parquet import write_table
from evolve.tables.paths import playoff_file

_LAST_BEST: Final = 3
"""Individuals of the last generation that join the play-off, in addition to the hall of fame."""
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


def play_of(agent: StoredAgent) -> str:
    """Return a key for how an agent of a run plays: agents with the same key play the same."""
    return repr(agent.parameters)


class Champions:
    """The best of a run's generations, of which it chooses and saves its champion.

    hall: DEAP's hall of fame; its fitness is (panel score, generation), because scores inside
    a population are not comparable across generations.
    """

    def __init__(self, folder: Path, genome: Genome, executor: Executor) -> None:
        self.folder, self.genome, self.executor = folder, genome, executor
        self.hall = tools.HallOfFame(genome.settings.hall_of_fame)
        self.best_panel_score, self.best_panel_generation = -1.0, -1
        self.first_champion, self.first_champion_name = list[int](), ""

    def add(self, champion: Individual, generation: int, score: float) -> None:
        """Add a generation's champion to the hall of fame, if it is good enough."""
        entry = copy(champion)  # DEAP's hall copies it once more
        entry.fitness = Fitness((score, float(generation)))
        self.hall.update([entry])
        if score > self.best_panel_score:
            self.best_panel_score, self.best_panel_generation = score, generation

    def state(self) -> dict[str, Any]:
        """What a checkpoint holds of them."""
        return {
            "hall": [
                {
                    "individual": entry.name,
                    "born": entry.born,
                    "origin": entry.origin,
                    "parents": list(entry.parents),
                    "panel_score": entry.fitness.values[0],
                    "generation": int(entry.fitness.values[1]),
                    "genes": self.genome.genes(entry),
                }
                for entry in self.hall
            ],
            "best_panel_score": self.best_panel_score,
            "best_panel_generation": self.best_panel_generation,
            "first_champion": self.first_champion,
            "first_champion_name": self.first_champion_name,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        for entry in state["hall"]:
            fitness = entry["panel_score"], float(entry["generation"])
            genes = self.genome.vector(entry["genes"])
            self.hall.update([Individual.of_row(entry, genes, fitness)])
        self.best_panel_score = float(state["best_panel_score"])
        self.best_panel_generation = int(state["best_panel_generation"])
        self.first_champion = [int(gene) for gene in state["first_champion"]]
        self.first_champion_name = str(state["first_champion_name"])
        self.genome.agent(self.first_champion, self.first_champion_name)  # validates

    @property
    def are_final(self) -> bool:
        """Whether the play-off is over and its champion is saved."""
        return playoff_file(self.folder).exists() and champion_of(self.folder) is not None

    def save_best_so_far(self) -> None:
        """Save the best agent of the hall of fame as the champion."""
        best = self.hall[0]
        score = float(best.fitness.values[0])
        agent = self._candidate(best).with_provenance(score=score, against="panel")
        keep_champion(self.folder, agent)

    def hold_playoff(
        self,
        generation: int,
        population: Sequence[Individual],
        algorithm: Algorithm,
        observer: Observer,
    ) -> None:
        """Hold the play-off after the last `generation`; rate the winner, save it as champion.

        A round robin: each pair of candidates plays both colours on every opening. The best score
        wins; ties go to the better disc difference, then to the earlier candidate.
        """
        settings = self.genome.settings
        agents = self._candidates(generation, population, algorithm)
        rng = generator(settings.seed, Use.PLAYOFF_OPENINGS)
        count, plies = settings.playoff_openings, 8  # random moves in the openings
        openings = balanced_openings(count, Part.PLAYOFF, settings.rules, rng, plies)
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
        run = Run(self.folder)
        facts = rating.play(settings.panel_openings, _first_guess(run))
        keep_champion(self.folder, winner.with_provenance(**facts))
        # Write the play-off's file last: it marks champion.json as the play-off's, and rated.
        names = [agent.name for agent in agents]
        first_game = run.games_table(generation).num_rows
        rows = games.table(generation, "playoff", names, settings.rules, openings, first_game)
        write_table(playoff_file(self.folder), rows)

    def _candidates(
        self, generation: int, population: Sequence[Individual], algorithm: Algorithm
    ) -> list[StoredAgent]:
        """Return the agents that may be the best; of those that play the same, only the first."""
        ranked = sorted(population, key=lambda individual: individual.fitness.values, reverse=True)
        candidates = [self._candidate(i) for i in (*self.hall, *ranked[:_LAST_BEST])]
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
