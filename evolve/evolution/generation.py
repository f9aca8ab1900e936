"""Judge and commit a generation after its games: the panel rates its best individual."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.config.evolution import EvolutionSettings
from evolve.engine.board.rules import END, REASON
from evolve.evolution.champions import Champions
from evolve.evolution.checkpoint import checkpoint, ranked_by
from evolve.evolution.panel import Candidate, PanelResult, RunPanel, past_generations
from evolve.evolution.playoff import play_of
from evolve.files.folder import FolderPath
from evolve.fitness.openings import Openings
from evolve.fitness.round import Round
from evolve.fitness.roundrobin import Standings
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.population.islands import on_turn, places_of
from evolve.runs import run_folder as store
from evolve.runs.run import Run
from evolve.tables.games import GAMES_COLUMNS, with_island
from evolve.tables.individuals import (
    DISTINCT,
    FITNESS,
    GENERATIONS_COLUMNS,
    ISLAND,
    IndividualRow,
    individuals_table,
    row_genes,
)


@dataclass(frozen=True)
class Played:
    """A generation after its games, before it is judged and committed.

    openings: the openings that the games' numbers refer to; state: the algorithm's, which the
    next generation changes; began: when it was bred, by `time.monotonic`.
    """

    generation: int
    population: list[Individual]
    round: Round
    openings: Openings
    state: Mapping[str, Any]
    began: float


class GenerationWriter:
    """Judge generations of the run in `folder` by its panel, and write them."""

    def __init__(
        self, folder: FolderPath, settings: EvolutionSettings, genome: Genome, panel: RunPanel
    ) -> None:
        self.folder, self.settings, self.genome, self.panel = folder, settings, genome, panel
        self._judged_at = 0.0
        """When the last generation was judged, by `time.monotonic`."""
        self._run: Run | None = None

    @property
    def run(self) -> Run:
        """The committed run."""
        if self._run is None:
            self._run = Run(self.folder)
        return self._run

    def commit(self, played: Played, champions: Champions) -> dict[str, Any]:
        """Judge a generation, add its best to the champions, and write it; return its row."""
        generation, population = played.generation, played.population
        agents, table, games = played.round.agents, played.round.standings, played.round.games
        island = on_turn(generation, self.settings.islands)
        places = places_of(island, self.settings.population)
        champion = max(places, key=lambda place: population[place].fitness.values)
        if generation == 0:
            champions.first_champion = list(population[champion])
            champions.first_champion_name = population[champion].name
        judged = self._judged(generation, agents[champion], champions, len(games))
        score = judged.figures.get("panel_score")
        if score is not None:
            champions.note_panel(population[champion], generation, score)
        names = [individual.name for individual in population]
        rules = self.settings.rules
        fitness_games = games.table(generation, "fitness", names, rules, played.openings)
        judging_games = judged.table
        several = self.settings.islands > 1
        if several:
            islands = games.pairings[:, 0] // self.settings.population
            fitness_games = with_island(fitness_games, islands)
            judging_games = with_island(judging_games, np.full(len(judging_games), island))
        row: dict[str, Any] = {
            "generation": generation,
            **({ISLAND: island} if several else {}),
            "best": population[champion].name,
            "best_score": float(table.score[champion]),
            "mean_score": float(table.score.mean()),
            DISTINCT: len({play_of(agent) for agent in agents}),
            "games": len(games),
            "over_budget": float((games.results[:, REASON] != END).mean()),
            **judged.figures,
            "seconds": self._seconds(played),
        }
        assert set(row) <= set(GENERATIONS_COLUMNS.names), row.keys()
        state = checkpoint(self.settings, played.state, champions, self.genome)
        store.commit_generation(
            self.folder,
            generation,
            individuals_table(generation, self._rows(population, table), row, state),
            pa.concat_tables([fitness_games, judging_games]),
        )
        return row

    def _rows(self, population: Sequence[Individual], table: Standings) -> list[IndividualRow]:
        has_fitness = ranked_by(self.settings) == FITNESS
        return [
            IndividualRow(
                individual=individual.name,
                born=individual.born,
                origin=individual.origin,
                parents=individual.parents,
                score=float(table.score[index]),
                disc_difference=float(table.disc_difference[index]),
                games=int(table.games[index]),
                genes=self.genome.genes(individual),
                fitness=individual.fitness.values[0] if has_fitness else None,
                island=index // self.settings.population if self.settings.islands > 1 else None,
            )
            for index, individual in enumerate(population)
        ]

    def _judged(
        self, generation: int, champion: StoredAgent, champions: Champions, first_game: int
    ) -> PanelResult:
        """Judge the champion by the panel, every `panel_every` generations."""
        if generation % self.settings.panel_every:
            return PanelResult({}, GAMES_COLUMNS.schema.empty_table())
        first = self.genome.agent(champions.first_champion, champions.first_champion_name)
        past = [self._past_champion(number) for number in past_generations(generation)]
        return self.panel.judge(Candidate(generation, champion, first, past, first_game))

    def _seconds(self, played: Played) -> float:
        """Seconds of a generation that do not overlap with the one before."""
        before, self._judged_at = self._judged_at, time.monotonic()
        return self._judged_at - max(played.began, before)

    def _past_champion(self, generation: int) -> StoredAgent:
        best = self.run.metadata(generation)[0]["best"]
        rows = self.run.individuals_table(generation).to_pylist()
        row = next(row for row in rows if row["individual"] == best)
        return self.genome.agent(self.genome.vector(row_genes(row, [*self.genome.sizes])), best)
