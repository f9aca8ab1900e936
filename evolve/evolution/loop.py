"""An evolution from its settings to its champion, generation by generation.

The order of a generation: breed (or draw), play the round robin, let the champion play the
panel, commit, write champion.json. All that the next generation depends on is in the committed
file, so a run that was killed goes on as if it had not been.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.files import save_agent
from evolve.agents.loading import load_agent
from evolve.config.evolution import EvolutionSettings
from evolve.engine import game as kernels
from evolve.engine.rules import rule_set
from evolve.errors import EvolveError, RunError, SettingsError
from evolve.evolution.checkpoint import Progress
from evolve.evolution.gauntlet import Judged, Judging, panel_of, past_generations
from evolve.evolution.observer import Observer
from evolve.evolution.playoff import Candidate, PlayoffResult, distinct, play_off
from evolve.evolution.seeds import Use, generator
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.roundrobin import RoundRobin, Standings
from evolve.population.algorithm import Algorithm
from evolve.population.cma import CmaEs
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome, Vector
from evolve.population.individual import Individual
from evolve.tables import folder as store
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.generations import GENERATIONS_COLUMNS
from evolve.tables.individuals import IndividualRow, individuals_table, row_genes
from evolve.tables.layout import (
    CHAMPION_FILE,
    CONFIG_FILE,
    committed_generations,
    generation_file,
    playoff_file,
)
from evolve.tables.run import Run

TRAINING_OPENINGS: Final = 4096
"""Openings that a run draws its pairs' openings from, generation after generation."""
LAST_BEST: Final = 3
"""Individuals of the last generation that join the play-off, beside the hall of fame."""


class Ending(Enum):
    """Why `Evolution.run` came back."""

    COMPLETE = "all generations are done"
    PATIENCE = "no better panel score for as long as patience allows"
    REST = "evolution has come to rest"
    TIME = "the time limit is reached"
    STOPPED = "stopped on request"


class Evolution:
    """One run under way. Make one with `create` or `resume`, inside the folder's lock."""

    def __init__(self, folder: Path, settings: EvolutionSettings, jobs: int) -> None:
        self.folder = folder
        self.settings = settings
        self.jobs = jobs
        self.genome = Genome.of(settings)
        self.algorithm = self._algorithm()
        self.largest_endgame = int(self.genome.high[self.genome.slices["endgame"]][0])
        self.progress = Progress.new(settings.hall_of_fame)
        self.population: list[Individual] = []
        self.generation = -1
        self.panel = panel_of(settings, self.largest_endgame, jobs)
        self._run: Run | None = None
        rules, plies = settings.rules, settings.opening_plies
        needs_pool = settings.openings != "start"
        pool = TRAINING_OPENINGS if needs_pool else 1
        self._round_robin = RoundRobin(
            rules,
            settings.openings,
            self._openings(pool, Part.TRAINING, Use.TRAINING_OPENINGS, plies),
            openings_per_pair=settings.openings_per_pair,
            move_budget=settings.move_budget,
            largest_endgame=self.largest_endgame,
            jobs=jobs,
        )

    def restore(self) -> None:
        """Go to the state after the last committed generation of the folder."""
        run = self._open_run()
        count = run.generation_count
        if count == 0:
            return
        self.generation = count - 1
        try:
            self._restore(run, *run.metadata(self.generation))
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            if isinstance(error, EvolveError):
                raise
            path = generation_file(self.folder, self.generation)
            raise RunError(
                f"{path} is damaged: its checkpoint is not of this run: {error!r}"
            ) from error

    def _restore(self, run: Run, row: Mapping[str, Any], checkpoint: Mapping[str, Any]) -> None:
        self._check_settings(checkpoint["settings"])
        self.population = []
        for one in run.individuals_table(row["generation"]).to_pylist():
            individual = Individual(
                self.genome.vector(row_genes(one, self.settings.genes)),
                name=one["individual"],
                born=one["born"],
                origin=one["origin"],
                parents=tuple(one["parents"]),
            )
            difference = self._direction * one["disc_difference"]
            individual.fitness.values = (one["score"], difference)
            self.population.append(individual)
        self.algorithm.restore(checkpoint["algorithm"])
        self.progress = Progress.restored(
            checkpoint["progress"], self.settings.hall_of_fame, self.genome
        )
        self.panel.restore(run)

    def run(self, observer: Observer) -> Ending:
        """Evolve up to the settings' generations, then hold the play-off.

        A run that is stopped on request has no play-off: its champion.json is the best of the
        hall of fame so far.
        """
        started = time.monotonic()
        target = self.settings.generations
        ending = self._ending(started)
        if ending is None and self.generation >= 0:
            store.remove_playoff(self.folder)
            # A kill between a commit and this file leaves an old one, or none.
            self._save_hall_of_fame_best()
        while ending is None:
            row = self._advance(observer)
            observer.generation(row, target)
            ending = self._ending(started)
            if ending is None and observer.stop():
                return Ending.STOPPED
        if not self._crowned_before:
            self._crown(observer)
        return ending

    @property
    def finished(self) -> Ending | None:
        """Why there is nothing left to do, the play-off included; None when there is."""
        done = self._ending(time.monotonic())
        return done if self._crowned_before else None

    @property
    def _crowned_before(self) -> bool:
        return playoff_file(self.folder).exists() and (self.folder / CHAMPION_FILE).exists()

    def _check_settings(self, made_with: Mapping[str, Any]) -> None:
        """Raise RunError when config.toml is not what the generations so far were made with."""
        now = self.settings.identity
        changed = [key for key in made_with if now.get(key) != made_with[key]]
        if changed:
            faults = ", ".join(f"{key} was {made_with[key]}, not {now.get(key)}" for key in changed)
            raise RunError(f"{self.folder / CONFIG_FILE} was changed: {faults}")

    def _ending(self, started: float) -> Ending | None:
        settings = self.settings
        if self.generation + 1 >= settings.generations:
            return Ending.COMPLETE
        if self.generation < 0:
            return None
        waited = self.generation - self.progress.best_panel_generation
        if settings.patience is not None and waited >= settings.patience:
            return Ending.PATIENCE
        if settings.until_rest and self.panel.rise is not None and self.panel.rise.rests:
            return Ending.REST
        if (
            settings.time_limit is not None
            and time.monotonic() - started > settings.time_limit * 3600
        ):
            return Ending.TIME
        return None

    def _advance(self, observer: Observer) -> dict[str, Any]:
        """One more generation, committed; its row."""
        began = time.monotonic()
        generation = self.generation + 1
        seed = self.settings.seed
        breeding = generator(seed, Use.BREEDING, generation)
        if generation == 0:
            population = self.algorithm.first(breeding)
        else:
            population = self.algorithm.next(generation, self.population, breeding)
        agents = [self.genome.agent(individual, individual.name) for individual in population]
        done, total, stage = 0, self.settings.games_a_generation, f"generation {generation}"

        def count(games: int) -> None:
            nonlocal done
            done += games
            observer.games(stage, done, total)

        observer.games(stage, 0, total)
        table, games, openings = self._round_robin.play(
            [individual.name for individual in population],
            agents,
            generator(seed, Use.PLAYING, generation),
            count,
        )
        for index, individual in enumerate(population):
            difference = self._direction * float(table.disc_difference[index])
            individual.fitness.values = (float(table.score[index]), difference)
        champion = max(range(len(population)), key=lambda i: population[i].fitness.values)
        if generation == 0:
            self.progress.first_champion = list(population[champion])
            self.progress.first_champion_name = population[champion].name
        judged = self._judged(generation, agents[champion], len(games))
        score = judged.figures.get("panel_score")
        if score is not None:
            self.progress.note_panel(population[champion], generation, score)
        names = [individual.name for individual in population]
        played = games.table(generation, "fitness", names, openings)
        row: dict[str, Any] = {
            "generation": generation,
            "best": population[champion].name,
            "best_score": float(table.score[champion]),
            "mean_score": float(table.score.mean()),
            "games": len(games),
            "over_budget": float((games.results[:, kernels.REASON] != kernels.END).mean()),
            **judged.figures,
            "seconds": time.monotonic() - began,
        }
        assert set(row) <= set(GENERATIONS_COLUMNS.names), row.keys()
        checkpoint = {
            "settings": self.settings.identity,
            "algorithm": dict(self.algorithm.state()),
            "progress": self.progress.state(self.genome),
        }
        store.commit_generation(
            self.folder,
            generation,
            individuals_table(generation, self._rows(population, table), row, checkpoint),
            pa.concat_tables([played, judged.table]),
        )
        self.generation, self.population = generation, population
        self._save_hall_of_fame_best()
        return row

    def _rows(self, population: Sequence[Individual], table: Standings) -> list[IndividualRow]:
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
            )
            for index, individual in enumerate(population)
        ]

    def _judged(self, generation: int, champion: AlphaBetaAgent, first_game: int) -> Judged:
        """What the panel says of the champion, in generations that it is asked in."""
        if generation % self.settings.panel_every:
            return Judged({}, GAMES_COLUMNS.schema.empty_table())
        first = self.genome.agent(self.progress.first_champion, self.progress.first_champion_name)
        past = [self._past_champion(number) for number in past_generations(generation)]
        return self.panel.judge(Judging(generation, champion, first, past, first_game))

    def _past_champion(self, generation: int) -> AlphaBetaAgent:
        run = self._open_run()
        best = run.metadata(generation)[0]["best"]
        rows = run.individuals_table(generation).to_pylist()
        row = next(row for row in rows if row["individual"] == best)
        return self.genome.agent(self.genome.vector(row_genes(row, self.settings.genes)), best)

    def _crown(self, observer: Observer) -> None:
        """Hold the play-off and write its winner as the run's champion."""
        candidates = distinct(self._candidates())
        openings = self._openings(
            self.settings.playoff_openings, Part.PLAYOFF, Use.PLAYOFF_OPENINGS, 8
        )
        result = play_off(
            candidates,
            openings,
            self.settings,
            generation=self.generation,
            first_game=self._open_run().games_table(self.generation).num_rows,
            largest_endgame=self.largest_endgame,
            jobs=self.jobs,
            progress=lambda done, total: observer.games("play-off", done, total),
        )
        save_agent(self._crowned(result), self.folder / CHAMPION_FILE)
        # The play-off's file comes last: it says that champion.json is the play-off's.
        store.commit_playoff(self.folder, result.table)

    def _crowned(self, result: PlayoffResult) -> AlphaBetaAgent:
        score = result.score
        provenance = {
            **result.winner.provenance,
            "score": score.score,
            "score_error": score.error,
            "score_low": score.low,
            "score_high": score.high,
            "games": score.games,
            "against": f"play-off of {result.candidates} candidates on fresh openings",
        }
        return result.winner.agent.changed(provenance=provenance)

    def _candidates(self) -> list[Candidate]:
        ranked = sorted(self.population, key=lambda one: one.fitness.values, reverse=True)
        candidates = [self._candidate(one) for one in (*self.progress.hall, *ranked[:LAST_BEST])]
        mean = Individual(self.algorithm.mean(self.population), name=f"mean-{self.generation}")
        survivors = [one.name for one in ranked[: self.settings.survivor_count]]
        mean.born, mean.origin, mean.parents = self.generation, "mean", tuple(survivors)
        return [*candidates, self._candidate(mean)]

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

    def _save_hall_of_fame_best(self) -> None:
        best = self.progress.hall[0]
        candidate = self._candidate(best)
        score = float(best.fitness.values[0])
        provenance = {**candidate.provenance, "score": score, "against": "panel"}
        save_agent(candidate.agent.changed(provenance=provenance), self.folder / CHAMPION_FILE)

    def _algorithm(self) -> Algorithm:
        start = self._start()
        if self.settings.algorithm == "cma":
            return CmaEs(self.settings, self.genome, start)
        return GeneticAlgorithm(self.settings, self.genome, start)

    def _start(self) -> Vector | None:
        source = self.settings.start_from
        # Only generation 0 depends on the start; its file may be gone when a run goes on.
        if source is None or committed_generations(self.folder) > 0:
            return None
        agent = load_agent(source)
        if not isinstance(agent, AlphaBetaAgent):
            raise SettingsError(f"start_from: {source} is no alpha-beta agent")
        return self.genome.from_agent(agent, source)

    def _openings(self, count: int, part: Part, use: Use, plies: int) -> Openings:
        rng = generator(self.settings.seed, use)
        return balanced_openings(count, part, self.settings.rules, rng, plies)

    def _open_run(self) -> Run:
        if self._run is None:
            self._run = Run(self.folder)
        return self._run

    @property
    def _direction(self) -> int:
        """The sign that makes a better disc difference the higher one."""
        return rule_set(self.settings.rules).discs
