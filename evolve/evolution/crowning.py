"""Choosing a run's champion and writing champion.json: during the run by the panel, at its end by a
play-off on openings that nobody has seen, after which it is rated on the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import evolve
from evolve.agents.agent import StoredAgent
from evolve.agents.files import read_header
from evolve.agents.loading import read_agent
from evolve.config.evolution import EvolutionSettings
from evolve.engine.rules import rule_set
from evolve.evolution.champions import Champions
from evolve.evolution.playoff import Candidate, PlayoffResult, distinct, play_off
from evolve.evolution.rating import first_guess, rate
from evolve.evolution.seeds import Use, generator
from evolve.files.folder import FolderPath
from evolve.fitness.executor import Executor
from evolve.fitness.openings import Part, balanced_openings
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.population.islands import on_islands, on_turn
from evolve.tables import folder as store
from evolve.tables.games import with_island
from evolve.tables.paths import CHAMPION_FILE, LEARNED_FILE, playoff_file
from evolve.tables.progress import Observer
from evolve.tables.run import Run
from evolve.tables.run_types import champion_of

LAST_BEST: Final = 3
"""Individuals of the last generation that join the play-off, beside the hall of fame."""
PLAYOFF_PLIES: Final = 8
"""Random moves in the play-off's openings."""


class Crowning:
    """The champion of the run in `folder`."""

    def __init__(
        self,
        folder: FolderPath,
        settings: EvolutionSettings,
        genome: Genome,
        largest_endgame: int,
        executor: Executor,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.genome = genome
        self.largest_endgame = largest_endgame
        self.executor = executor

    @property
    def held(self) -> bool:
        """Whether the champion's file is the play-off's."""
        return playoff_file(self.folder).exists() and champion_of(self.folder) is not None

    @property
    def rated(self) -> bool:
        """Whether the champion's file has its Elo; of runs before 0.2 it has none."""
        path = champion_of(self.folder)
        known = path is not None and "elo" in read_header(path).provenance
        return known or not rule_set(self.settings.rules).ladder

    def save_best_so_far(self, champions: Champions) -> None:
        """Make the best of the hall of fame the champion."""
        best = champions.hall[0]
        candidate = self._candidate(best)
        score = float(best.fitness.values[0])
        provenance = {**candidate.provenance, "score": score, "against": "panel"}
        self._save(candidate.agent.with_provenance(**provenance))

    def hold(
        self,
        run: Run,
        generation: int,
        population: Sequence[Individual],
        champions: Champions,
        algorithm: Algorithm,
        observer: Observer,
    ) -> None:
        """Hold the play-off after the last `generation`, make its winner the champion, and rate
        it."""
        settings = self.settings
        result = play_off(
            distinct(self._candidates(generation, population, champions, algorithm)),
            balanced_openings(
                settings.playoff_openings,
                Part.PLAYOFF,
                settings.rules,
                generator(settings.seed, Use.PLAYOFF_OPENINGS),
                PLAYOFF_PLIES,
            ),
            settings,
            generation=generation,
            first_game=run.games_table(generation).num_rows,
            largest_endgame=self.largest_endgame,
            executor=self.executor,
            progress=lambda done, total: observer.stage("play-off", done, total),
        )
        self._save(self._rated(_crowned(result), run, observer))
        # The play-off's file comes last: it says that champion.json is the play-off's, and rated.
        several = settings.islands > 1
        table = with_island(result.table, None) if several else result.table
        store.commit_playoff(self.folder, table)

    def rate(self, run: Run, observer: Observer) -> None:
        """Rate the champion of a play-off that was held before champions were rated."""
        path = champion_of(self.folder)
        assert path is not None, "the play-off was held"
        self._save(self._rated(read_agent(path), run, observer))

    def _rated(self, champion: StoredAgent, run: Run, observer: Observer) -> StoredAgent:
        rating = rate(
            champion,
            self.settings,
            first_guess(run),
            largest_endgame=self.largest_endgame,
            executor=self.executor,
            progress=lambda done, total: observer.stage("ladder", done, total),
        )
        if rating is None:
            return champion
        return champion.with_provenance(**rating.facts)

    def _save(self, agent: StoredAgent) -> None:
        agent.save(self.folder / (LEARNED_FILE if agent.arrays else CHAMPION_FILE))

    def _candidates(
        self,
        generation: int,
        population: Sequence[Individual],
        champions: Champions,
        algorithm: Algorithm,
    ) -> list[Candidate]:
        islands = on_islands(population, self.settings.islands)
        ranked = [
            sorted(island, key=lambda one: one.fitness.values, reverse=True) for island in islands
        ]
        # Of several islands the best of each, then the second of each.
        last = [one for rank in zip(*ranked, strict=True) for one in rank]
        last = last[: max(LAST_BEST, len(islands))]
        candidates = [self._candidate(one) for one in (*champions.hall, *last)]
        turn = on_turn(generation, len(islands))
        survivors = [one.name for one in ranked[turn][: self.settings.survivor_count]]
        average = Individual(
            algorithm.mean(islands[turn]),
            name=f"mean-{generation}",
            born=generation,
            origin="mean",
            parents=tuple(survivors),
        )
        return [*candidates, self._candidate(average)]

    def _candidate(self, individual: Individual) -> Candidate:
        provenance = {
            "run": self.folder.resolve().name,
            "generation": individual.born,
            "individual": individual.name,
            "origin": individual.origin,
            "parents": list(individual.parents),
            "seed": self.settings.seed,
            "evolve": evolve.__version__,
        }
        return Candidate(self.genome.agent(individual, individual.name), provenance)


def _crowned(result: PlayoffResult) -> StoredAgent:
    score = result.score
    if score is None:
        told = {"games": 0, "against": "nobody: all candidates of the play-off were one agent"}
        return result.winner.agent.with_provenance(**result.winner.provenance, **told)
    provenance = {
        **result.winner.provenance,
        "score": score.value,
        "score_error": score.error,
        "score_low": score.low,
        "score_high": score.high,
        "games": score.n,
        "against": f"play-off of {result.candidates} candidates on fresh openings",
    }
    return result.winner.agent.with_provenance(**provenance)
