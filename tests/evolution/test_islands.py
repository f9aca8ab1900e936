"""Runs with islands, and with opponents drawn by lot: who met whom, and that they go on alike."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.toml import resolve_as
from evolve.runs.run import Run
from tests.evolution.conftest import StopAfter, go_on, start

ISLANDS = {"islands": 3, "migrate_every": 2, "selection": "lexicase"}


def tables(folder: Path) -> list[pd.DataFrame]:
    run = evolve.load_run(folder)
    assert isinstance(run, Run)
    return [run.generations.drop(columns="seconds"), run.individuals, run.games]


@pytest.mark.parametrize(
    "options",
    [
        ISLANDS,
        pytest.param({"opponents": 3}, marks=pytest.mark.slow),
        pytest.param({"openings": "start", "opponents": 3}, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_was_stopped_goes_on_alike(tmp_path: Path, options: dict[str, object]) -> None:
    start(tmp_path / "whole", **options)
    start(tmp_path / "stopped", observer=StopAfter(2), **options)
    go_on(tmp_path / "stopped", jobs=2)
    for one, other in zip(tables(tmp_path / "whole"), tables(tmp_path / "stopped"), strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_islands_play_their_own_and_say_which_they_are(tmp_path: Path) -> None:
    start(tmp_path / "run", **ISLANDS)
    generations, individuals, games = tables(tmp_path / "run")
    assert individuals.groupby("generation")["island"].value_counts().unique().tolist() == [6]
    assert generations["island"].tolist() == [0, 1, 2, 0]
    for generation, rows in individuals.groupby("generation"):
        home = rows.set_index("individual")["island"]
        fitness = games[(games["kind"] == "fitness") & (games["generation"] == generation)]
        assert (fitness["black"].map(home) == fitness["island"]).all()
        assert (fitness["white"].map(home) == fitness["island"]).all()
        assert (rows["games"] == 2 * 5).all()
        row = generations.loc[generation]
        here = rows[rows["island"] == row["island"]]
        assert row["best_score"] == here["score"].max()
        assert home[row["best"]] == row["island"]
        judged = games[(games["kind"] == "panel") & (games["generation"] == generation)]
        assert (judged["island"] == row["island"]).all()
    assert games.loc[games["kind"] == "playoff", "island"].isna().all()
    migrants = individuals[individuals["origin"] == "migrant"]
    assert migrants[migrants["generation"] == 2].groupby("island").size().tolist() == [1, 1, 1]
    assert migrants["born"].unique().tolist() == [2]


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


def test_all_others_by_lot_are_the_round_robin(tmp_path: Path) -> None:
    start(tmp_path / "all", generations=2)
    start(tmp_path / "lot", generations=2, opponents=5)
    for one, other in zip(tables(tmp_path / "all"), tables(tmp_path / "lot"), strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_games_of_a_generation_are_known_before() -> None:
    def games(**options: object) -> int:
        return resolve_as(EvolutionSettings, PRESETS, options).games_a_generation

    assert games(population=512) == 261_632
    assert games(population=512, opponents=63) == 32_256
    assert games(population=64, islands=4) == 4 * 64 * 63
    assert games(population=8, islands=2, opponents=2, openings_per_pair=3) == 2 * 8 * 2 * 3
    assert games(population=8, openings="start", openings_per_pair=3) == 56
