"""A study by a Python call, with functions of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import evolve
from evolve.fitness.roundrobin import Round
from evolve.population.genome import Individual
from evolve.population.operators import Breeding
from evolve.runs.progress import Observer
from tests.evolution.conftest import TINY

QUICK: dict[str, Any] = {**TINY, "openings": "start", "survivors": 0.5, "generations": 2}
QUICK.pop("seed", None)  # a study has seeds of its own


def youngest(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    lots = breeding.rng.permutation(len(candidates))
    order = sorted(lots.tolist(), key=lambda place: candidates[place].born, reverse=True)
    return [candidates[place] for place in order[:count]]


def few_discs(played: Round) -> Any:
    return 64.0 - played.standings.disc_difference


class Watch(Observer):
    """Counts rows, and stops after so many answers."""

    def __init__(self, left: int = 1000) -> None:
        self.left = left
        self.rows: list[tuple[Any, float, float]] = []

    def row(self, row: Any, done: float, total: float) -> None:
        self.rows.append((row, done, total))

    def stop(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.fixture(scope="package")
def study(tmp_path_factory: pytest.TempPathFactory) -> evolve.Study:
    folder = tmp_path_factory.mktemp("studies") / "own"
    watch = Watch()
    made = evolve.study(
        folder, seeds=range(3), grid={"selection": ["best", youngest]}, observer=watch, **QUICK
    )
    assert [(done, total) for _, done, total in watch.rows] == [(n, 6) for n in range(1, 7)]
    assert {row["state"] for row, *_ in watch.rows} == {"done"}
    return made
