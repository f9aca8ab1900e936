"""Generations: who enters the hall of fame, who descends from whom, and what a run goes on from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from evolve.config.toml import resolve
from evolve.evolution.playoff import Champions
from evolve.fitness.executor import ONE_THREAD
from evolve.population.genome import Genome, Individual
from evolve.runs.run import Run

GENOME = Genome.of(resolve({"hall_of_fame": 2}))
RNG = np.random.default_rng(0)
INDIVIDUALS = [
    Individual(GENOME.random(RNG), name=f"{born}-0", born=born, origin="mutation", parents=("0-1",))
    for born in range(4)
]


def champions(scores: list[float]) -> Champions:
    made = Champions(Path(), GENOME, ONE_THREAD)
    made.first_champion, made.first_champion_name = list(INDIVIDUALS[0]), "0-0"
    for generation, score in enumerate(scores):
        made.add(INDIVIDUALS[generation], generation, score)
    return made


def test_the_best_by_the_panel_are_kept_the_later_first_where_they_are_level() -> None:
    made = champions([0.4, 0.7, 0.5, 0.7])
    assert [entry.name for entry in made.hall] == ["3-0", "1-0"]
    assert (made.best_panel_score, made.best_panel_generation) == (0.7, 1)
    made.add(INDIVIDUALS[3], 5, 0.9)
    assert [entry.name for entry in made.hall] == ["3-0", "1-0"], "the same genes enter once"


def test_a_checkpoint_brings_them_back() -> None:
    made = champions([0.4, 0.7, 0.5])
    found = Champions(Path(), GENOME, ONE_THREAD)
    found.restore(json.loads(json.dumps(made.state())))
    assert found.state() == made.state()
    assert [entry.fitness.values for entry in found.hall] == [(0.7, 1.0), (0.5, 2.0)]


def test_ids_are_unique_and_ancestry_is_known(run: Run) -> None:
    frame = run.individuals
    genes = frame[["individual", "weights", "depths"]].astype(str).drop_duplicates()
    assert genes["individual"].is_unique, "one id, one genome"
    known = set(frame["individual"])
    assert (frame["born"] <= frame["generation"]).all()
    assert set(frame["parents"].explode().dropna()) <= known
    assert ((frame["parents"].map(len) == 0) == frame["origin"].isin(["random", "newcomer"])).all()
    assert (frame.groupby("generation").size() == 8).all()
