"""Runs with opponents drawn by lot: who met whom, and that they resume alike."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.toml import resolve_as
from evolve.runs.run import Run
from tests.evolution.conftest import StopAfter, go_on, start


def tables(folder: Path) -> list[pd.DataFrame]:
    run = evolve.load_run(folder)
    assert isinstance(run, Run)
    return [run.generations.drop(columns="seconds"), run.individuals, run.games]


@pytest.mark.parametrize(
    "options",
    [
        {"opponents": 3},
        pytest.param({"openings": "start", "opponents": 3}, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_was_stopped_goes_on_alike(tmp_path: Path, options: dict[str, object]) -> None:
    start(tmp_path / "whole", **options)
    start(tmp_path / "stopped", observer=StopAfter(2), **options)
    go_on(tmp_path / "stopped", jobs=2)
    for one, other in zip(tables(tmp_path / "whole"), tables(tmp_path / "stopped"), strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_by_lot_each_meets_so_many(tmp_path: Path) -> None:
    start(tmp_path / "run", opponents=3)
    _, individuals, games = tables(tmp_path / "run")
    assert (individuals["games"] == 2 * 3).all()
    fitness = games[games["kind"] == "fitness"]
    met = fitness.groupby(["generation", "black"])["white"].nunique()
    assert met.unique().tolist() == [3]
    pairs = fitness[["generation", "black", "white"]]
    drawn = [
        sorted(zip(part["black"], part["white"], strict=True))
        for _, part in pairs.groupby("generation")
    ]
    assert len({tuple(part) for part in drawn}) == len(drawn), "drawn anew each generation"


def test_games_of_a_generation_are_known_before() -> None:
    def games(**options: object) -> int:
        return resolve_as(EvolutionSettings, PRESETS, options).games_a_generation

    assert games(population=512) == 261_632
    assert games(population=512, opponents=63) == 32_256
    assert games(population=8, opponents=2, openings_per_pair=3) == 8 * 2 * 3
    assert games(population=8, openings="start", openings_per_pair=3) == 56
