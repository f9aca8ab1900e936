"""Generations: judged by the panel, committed, and read again to go on or as agents.

The committed file of a generation holds what a run needs to go on after it: the population, the
champions so far, and the state of the algorithm.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from evolve.agents.agent import StoredAgent
from evolve.config.evolution import SCORE
from evolve.config.toml import resolve
from evolve.engine.board.rules import END, REASON, rule_set
from evolve.evolution.panel import Candidate, RunPanel
from evolve.evolution.playoff import Champions, play_of
from evolve.fitness.openings import Openings
from evolve.fitness.roundrobin import Round, Standings
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Individual, Vector
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


class Generations:
    """Judge generations of a run by its panel, write them, and go on from them."""

    def __init__(self, panel: RunPanel, champions: Champions) -> None:
        self.panel, self.champions, self.folder = panel, champions, champions.folder
        self.genome, self.settings = champions.genome, champions.genome.settings
        self._judged_at = 0.0  # when the last generation was judged, by `time.monotonic`

    @cached_property
    def run(self) -> Run:
        return Run(self.folder)

    def commit(self, played: PlayedGeneration) -> dict[str, Any]:
        """Judge a generation, add its best to the champions, and write it; return its row."""
        generation, population, champions = played.generation, played.population, self.champions
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
            "progress": champions.state(),
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
        return self.genome.agent(self._genes_of(row), best)

    def restore(self, generation: int, algorithm: Algorithm) -> list[Individual]:
        """Return the population after a committed generation; restore all else.

        Raises RunError if the settings differ, and other errors if the checkpoint is damaged.
        """
        run, settings = self.run, self.settings
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
            population.append(Individual.of_row(row, self._genes_of(row), fitness))
            population[-1].cases = scores
        algorithm.restore(state["algorithm"])
        self.champions.restore(state["progress"])
        self.panel.restore(run)
        return population

    def _genes_of(self, row: Mapping[str, Any]) -> Vector:
        return self.genome.vector(row_genes(row, [*self.genome.sizes]))
