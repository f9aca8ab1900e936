"""Tiny runs, driven as the command line drives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.config.toml import config_text, read_toml, resolve
from evolve.evolution.loop import Evolution, EvolutionEnding
from evolve.fitness.executor import Threads
from evolve.fitness.roundrobin import Round
from evolve.population.genome import Individual
from evolve.population.operators import Breeding
from evolve.runs import run_folder
from evolve.runs.progress import Observer
from evolve.runs.run import Run

TINY: dict[str, Any] = {
    "generations": 4, "population": 6, "panel_openings": 2, "playoff_openings": 3,
    "hall_of_fame": 2, "move_budget": 400, "seed": 5,
}  # fmt: skip


def youngest(candidates: Sequence[Individual], count: int, breeding: Breeding) -> list[Individual]:
    lots = breeding.rng.permutation(len(candidates))
    order = sorted(lots.tolist(), key=lambda place: candidates[place].born, reverse=True)
    return [candidates[place] for place in order[:count]]


def few_discs(played: Round) -> Any:
    return 64.0 - played.standings.disc_difference + played.rng.random()


def corner_or_edge(genes: dict[str, list[int]]) -> evolve.AlphaBetaAgent:
    corner, edge = genes["table"]
    return evolve.AlphaBetaAgent([[corner, -edge, *[edge] * 8]], depths=genes["deep"], endgame=2)


ENCODING = evolve.Encoding(
    {
        "table": evolve.Gene((-9, 90), "corner and edge", numbers=2),
        "deep": evolve.Gene((1, 3), "plies", steps=True),
    },
    corner_or_edge,
)


class After(Observer):
    """Does something when so many rows are written: a wish to stop, or an error."""

    def __init__(self, rows: int, error: type[BaseException] | None = None) -> None:
        self.left, self.error = rows, error

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.left -= 1
        if self.left <= 0 and self.error is not None:
            raise self.error

    def stop(self) -> bool:
        return self.left <= 0


class Watching(Observer):
    """Keeps what it gets, and wishes to stop as soon as `until` holds of it."""

    def __init__(self, until: Callable[[Watching], bool] = lambda seen: False) -> None:
        self.until = until
        self.rows, self.notes = list[dict[str, Any]](), list[str]()
        self.shares, self.stages = list[float](), list[tuple[str, float, float]]()

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))
        self.shares.append(done / total)

    def stage(self, name: str, done: float, total: float) -> None:
        self.stages.append((name, done, total))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def stop(self) -> bool:
        return self.until(self)


def start(
    folder: Path, jobs: int = 1, observer: Observer | None = None, **options: Any
) -> EvolutionEnding:
    settings = resolve({**TINY, **options})
    evolution = Evolution(folder, settings, Threads(jobs))
    run_folder.create(folder, config_text(settings, {}))
    with run_folder.locked(folder):
        return evolution.run(observer or Observer())


def go_on(
    folder: Path, jobs: int = 1, observer: Observer | None = None, **changes: Any
) -> EvolutionEnding:
    """Go on with a run, as `evolve resume` does."""
    settings = resolve(changes, read_toml(folder / "config.toml"))
    with run_folder.locked(folder):
        run_folder.sweep_orphans(folder)
        evolution = Evolution(folder, settings, Threads(jobs))
        evolution.restore()
        return evolution.run(observer or Observer())


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "run"
    start(folder, generations=5, population=8)
    return evolve.load_run(folder)
