"""What a run needs to resume after a committed generation, in addition to its tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import SCORE
from evolve.engine.board.rules import rule_set
from evolve.errors import EvolveError, RunError
from evolve.evolution.champions import Champions
from evolve.fitness.crosstable import cross_table_of
from evolve.population.algorithms import Algorithm
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.runs.run import Run
from evolve.tables.columns import rows_with
from evolve.tables.individuals import FITNESS, row_genes
from evolve.tables.paths import CONFIG_FILE, EVALUATION_FILE, generation_file


def checkpoint(
    settings: EvolutionSettings, state: Mapping[str, Any], champions: Champions, genome: Genome
) -> dict[str, Any]:
    """Return JSON for the metadata of the generation's file; `state` is the algorithm's."""
    return {
        "settings": settings.identity,
        "evaluation": _digest(genome),
        "algorithm": dict(state),
        "progress": champions.state(genome),
    }


def restored(
    run: Run,
    generation: int,
    settings: EvolutionSettings,
    algorithm: Algorithm,
    genome: Genome,
) -> tuple[list[Individual], Champions]:
    """Return the population after a committed generation and the champions; restore `algorithm`.

    Raises RunError if the settings differ; inside `damage_told`, also if the checkpoint is
    damaged.
    """
    _, state = run.metadata(generation)
    _check_settings(run, settings, state["settings"])
    if state.get("evaluation") != _digest(genome):
        raise RunError(f"{run.path / EVALUATION_FILE} is not what the generations so far had")
    rows = run.individuals_table(generation).to_pylist()
    games = rows_with(run.games_table(generation), "kind", "fitness")
    cases = cross_table_of(games, [row["individual"] for row in rows]).scores
    population = [_individual(row, genome, settings) for row in rows]
    size = settings.population
    for place, individual in enumerate(population):
        island = place // size * size
        individual.cases = cases[place, island : island + size].tolist()
    algorithm.restore(state["algorithm"])
    return population, Champions.restored(state["progress"], settings.hall_of_fame, genome)


@contextmanager
def damage_told(run: Run, generation: int) -> Iterator[None]:
    """Raise RunError with the generation's file if its content does not allow resuming."""
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        if isinstance(error, EvolveError):
            raise
        path = generation_file(run.path, generation)
        raise RunError(
            f"{path} is damaged: its checkpoint is not of this run: {error!r}"
        ) from error


def _check_settings(run: Run, settings: EvolutionSettings, made_with: Mapping[str, Any]) -> None:
    """Raise RunError if config.toml differs from the settings of the generations so far."""
    now = settings.identity
    changed = [key for key in made_with if now.get(key) != made_with[key]]
    if changed:
        faults = ", ".join(f"{key} was {made_with[key]}, not {now.get(key)}" for key in changed)
        raise RunError(f"{run.path / CONFIG_FILE} was changed: {faults}")


def _digest(genome: Genome) -> str | None:
    """Hash the evaluation that all individuals share, with its cuts; None if there is none."""
    if genome.given is None:
        return None
    arrays = [array.tobytes() for array in genome.given.arrays.values()]
    shapes = repr(genome.given.patterns.shapes.shapes).encode()
    return hashlib.sha256(b"".join([shapes, *arrays])).hexdigest()


def ranked_by(settings: EvolutionSettings) -> str:
    """Return the column that holds the fitness."""
    return "score" if settings.fitness == SCORE else FITNESS


def _individual(row: dict[str, Any], genome: Genome, settings: EvolutionSettings) -> Individual:
    individual = Individual(
        genome.vector(row_genes(row, [*genome.sizes])),
        name=row["individual"],
        born=row["born"],
        origin=row["origin"],
        parents=tuple(row["parents"]),
    )
    better = rule_set(settings.rules).discs
    individual.fitness.values = (row[ranked_by(settings)], better * row["disc_difference"])
    return individual
