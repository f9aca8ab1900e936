"""The hall of fame: who enters it, and that it goes through a checkpoint."""

from __future__ import annotations

import json

import numpy as np

from evolve.config.toml import resolve
from evolve.evolution.generation import Champions
from evolve.population.genome import Genome, Individual

GENOME = Genome.of(resolve({}))
RNG = np.random.default_rng(0)
INDIVIDUALS = [
    Individual(GENOME.random(RNG), name=f"{born}-0", born=born, origin="mutation", parents=("0-1",))
    for born in range(4)
]


def champions(scores: list[float], size: int = 2) -> Champions:
    made = Champions.new(size)
    made.first_champion, made.first_champion_name = list(INDIVIDUALS[0]), "0-0"
    for generation, score in enumerate(scores):
        made.note_panel(INDIVIDUALS[generation], generation, score)
    return made


def test_the_best_by_the_panel_are_kept_the_later_first_where_they_are_level() -> None:
    made = champions([0.4, 0.7, 0.5, 0.7])
    assert [entry.name for entry in made.hall] == ["3-0", "1-0"]
    assert (made.best_panel_score, made.best_panel_generation) == (0.7, 1)


def test_the_same_genes_enter_once() -> None:
    made = champions([0.4])
    made.note_panel(INDIVIDUALS[0], 3, 0.9)
    assert len(made.hall) == 1


def test_a_checkpoint_brings_them_back() -> None:
    made = champions([0.4, 0.7, 0.5])
    state = json.loads(json.dumps(made.state(GENOME)))
    found = Champions.restored(state, 2, GENOME)
    assert found.state(GENOME) == made.state(GENOME)
    assert [entry.fitness.values for entry in found.hall] == [(0.7, 1.0), (0.5, 2.0)]
