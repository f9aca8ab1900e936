"""Generations: judged by the panel, committed, and read again to go on or as agents.

The committed file of a generation holds what a run needs to go on after it: the population, the
champions so far, and the state of the algorithm.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from deap import tools

from evolve.agents.agent import StoredAgent
from evolve.config.evolution import SCORE
from evolve.config.toml import resolve
from evolve.engine.board.rules import END, REASON, rule_set
from evolve.evolution.panel import Candidate, RunPanel
from evolve.fitness.openings import Openings
from evolve.fitness.roundrobin import Round, Standings
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Fitness, Genome, Individual
from evolve.runs import run_folder
from evolve.runs.life_cycle import check_same
from evolve.runs.run import Run
from evolve.tables.columns import rows_with
from evolve.tables.games import GAMES_COLUMNS, cross_table_of
from evolve.tables.individuals import (
    DISTINCT,
    FITNESS,
    GENERATIONS_COLUMNS,
    individuals_table,
    row_genes,
)
from evolve.tables.paths import CONFIG_FILE


@dataclass(frozen=True)
class PlayedGeneration:
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
    """Judge generations of a run by its panel, and write them."""

    def __init__(self, folder: Path, genome: Genome, panel: RunPanel) -> None:
        self.folder, self.genome, self.settings = folder, genome, genome.settings
        self.panel = panel
        self._judged_at = 0.0  # when the last generation was judged, by `time.monotonic`

    @cached_property
    def run(self) -> Run:
        return Run(self.folder)

    def commit(self, played: PlayedGeneration, champions: Champions) -> dict[str, Any]:
        """Judge a generation, add its best to the champions, and write it; return its row."""
        generation, population = played.generation, played.population
        agents, table, games = played.round.agents, played.round.standings, played.round.games
        champion = max(range(len(population)), key=lambda i: population[i].fitness.values)
        if generation == 0:
            champions.first_champion = list(population[champion])
            champions.first_champion_name = population[champion].name
        metrics: dict[str, Any] = {}
        panel_games = pa.Table.from_batches([], schema=GAMES_COLUMNS.schema)  # loads no pandas
        if generation % self.settings.panel_every == 0:
            first = self.genome.agent(champions.first_champion, champions.first_champion_name)
            spread = {generation // 4, generation // 2, 3 * generation // 4} - {0, generation}
            past = [self._past_champion(number) for number in sorted(spread)]
            candidate = Candidate(generation, agents[champion], first, past, len(games))
            metrics, panel_games = self.panel.judge(candidate)
        score = metrics.get("panel_score")
        if score is not None:
            champions.add(population[champion], generation, score)
        names = [individual.name for individual in population]
        rules = self.settings.rules
        fitness_games = games.table(generation, "fitness", names, rules, played.openings)
        before, self._judged_at = self._judged_at, time.monotonic()
        row: dict[str, Any] = {
            "generation": generation,
            "best": population[champion].name,
            "best_score": float(table.score[champion]),
            "mean_score": float(table.score.mean()),
            DISTINCT: len({play_of(agent) for agent in agents}),
            "games": len(games),
            "over_budget": float((games.results[:, REASON] != END).mean()),
            **metrics,
            "seconds": self._judged_at - max(played.began, before),  # none of the one before
        }
        assert set(row) <= set(GENERATIONS_COLUMNS.names), row.keys()
        checkpoint = {
            "settings": self.settings.identity,
            "algorithm": dict(played.state),
            "progress": champions.state(self.genome),
        }
        run_folder.commit_generation(
            self.folder,
            generation,
            individuals_table(self._rows(generation, population, table), row, checkpoint),
            pa.concat_tables([fitness_games, panel_games]),
        )
        return row

    def _rows(
        self, generation: int, population: Sequence[Individual], table: Standings
    ) -> list[dict[str, Any]]:
        rows = []
        for index, individual in enumerate(population):
            row = {
                "generation": generation,
                "individual": individual.name,
                "born": individual.born,
                "origin": individual.origin,
                "parents": individual.parents,
                "score": float(table.score[index]),
                "disc_difference": float(table.disc_difference[index]),
                "games": int(table.games[index]),
            }
            if self.settings.fitness != SCORE:
                row[FITNESS] = individual.fitness.values[0]
            rows.append({**row, **self.genome.genes(individual)})
        return rows

    def _past_champion(self, generation: int) -> StoredAgent:
        best = self.run.metadata(generation)[0]["best"]
        rows = self.run.individuals_table(generation).to_pylist()
        row = next(row for row in rows if row["individual"] == best)
        return self.genome.agent(self.genome.vector(row_genes(row, [*self.genome.sizes])), best)


@dataclass
class Champions:
    """Hall of fame, best panel score so far, and the best individual of generation 0.

    hall: DEAP's hall of fame; its fitness is (panel score, generation), because scores inside
    a population are not comparable across generations.
    """

    hall: tools.HallOfFame
    best_panel_score: float = -1.0
    best_panel_generation: int = -1
    first_champion: list[int] = field(default_factory=list)
    first_champion_name: str = ""

    def add(self, champion: Individual, generation: int, score: float) -> None:
        """Add a generation's champion to the hall of fame, if it is good enough."""
        entry = copy(champion)  # DEAP's hall copies it once more
        entry.fitness = Fitness((score, float(generation)))
        self.hall.update([entry])
        if score > self.best_panel_score:
            self.best_panel_score, self.best_panel_generation = score, generation

    def state(self, genome: Genome) -> dict[str, Any]:
        return {
            **vars(self),
            "hall": [
                {
                    "individual": entry.name,
                    "born": entry.born,
                    "origin": entry.origin,
                    "parents": list(entry.parents),
                    "panel_score": entry.fitness.values[0],
                    "generation": int(entry.fitness.values[1]),
                    "genes": genome.genes(entry),
                }
                for entry in self.hall
            ],
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any], hall_size: int, genome: Genome) -> Champions:
        champions = cls(tools.HallOfFame(hall_size))
        for entry in state["hall"]:
            fitness = entry["panel_score"], float(entry["generation"])
            genes = genome.vector(entry["genes"])
            champions.hall.update([Individual.of_row(entry, genes, fitness)])
        champions.best_panel_score = float(state["best_panel_score"])
        champions.best_panel_generation = int(state["best_panel_generation"])
        champions.first_champion = [int(gene) for gene in state["first_champion"]]
        champions.first_champion_name = str(state["first_champion_name"])
        genome.agent(champions.first_champion, champions.first_champion_name)  # validates
        return champions


def play_of(agent: StoredAgent) -> str:
    """Return a key for how an agent of a run plays: agents with the same key play the same."""
    return repr(agent.parameters)


def restored(
    run: Run, generation: int, algorithm: Algorithm, genome: Genome
) -> tuple[list[Individual], Champions]:
    """Return the population after a committed generation and the champions; restore `algorithm`.

    Raises RunError if the settings differ, and other errors if the checkpoint is damaged.
    """
    settings = genome.settings
    _, state = run.metadata(generation)
    made_with = resolve({}, state["settings"], str(run.path / CONFIG_FILE))
    check_same(run.path, settings.identity, made_with.identity)
    rows = run.individuals_table(generation).to_pylist()
    games = rows_with(run.games_table(generation), "kind", "fitness")
    cases = cross_table_of(games, [row["individual"] for row in rows]).scores
    rank = "score" if settings.fitness == SCORE else FITNESS
    better = rule_set(settings.rules).discs
    population = []
    for row, scores in zip(rows, cases.tolist(), strict=True):
        fitness = row[rank], better * row["disc_difference"]
        genes = genome.vector(row_genes(row, [*genome.sizes]))
        population.append(Individual.of_row(row, genes, fitness))
        population[-1].cases = scores
    algorithm.restore(state["algorithm"])
    return population, Champions.restored(state["progress"], settings.hall_of_fame, genome)
