"""The Elo of a run's champion on the ladder: from fresh games, the same however it came about."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.arena.judges import RUNGS, Ladder
from evolve.config.toml import resolve
from evolve.engine.board.rules import Rules
from evolve.evolution.loop import EvolutionEnding
from evolve.evolution.panel import RunContext
from evolve.evolution.playoff import RATING_PANELS, rate
from evolve.fitness.executor import ONE_THREAD, Threads
from evolve.fitness.statistics import Estimate
from evolve.population.genome import Genome
from tests.evolution.conftest import TINY, StopAfter, go_on, start
from tests.tables.content import content_hash


def provenance(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "champion.json").read_text())["provenance"]
    return found


def elo_of(folder: Path) -> list[Any]:
    return [provenance(folder)[key] for key in ("elo", "elo_low", "elo_high", "elo_games")]


@pytest.mark.parametrize(
    ("rules", "place", "guess"),
    [
        ("standard", 1, None),
        pytest.param("standard", 4, 1300.0, marks=pytest.mark.slow),
        ("standard", 2, -1000.0),
        ("reversed", 0, 500.0),
        pytest.param("reversed", 4, None, marks=pytest.mark.slow),
    ],
)
def test_a_rung_has_the_elo_that_was_measured(
    rules: Rules, place: int, guess: float | None
) -> None:
    rung = Ladder(rules).rungs[place]
    settings = resolve({**TINY, "rules": rules, "panel_openings": 8})
    told: list[tuple[int, int]] = []
    context = RunContext(Path("."), Genome.of(settings), Threads(2))
    found = rate(rung.agent, context, guess, lambda *now: told.append(now))
    assert found is not None
    half = (found.high - found.low) / 2
    assert 20 < half < 120
    # It plays itself as well, which brings half of the points for certain; twice the interval.
    assert abs(found.value - rung.elo) < 2 * half
    assert found.n == 2 * RUNGS * RATING_PANELS * 8
    (done, total), totals = told[-1], {total for _, total in told}
    assert done == total == max(totals)


def test_ratings_are_those_of_the_seed(run: evolve.Run) -> None:
    settings = resolve({**TINY, "generations": 5, "population": 8})
    champion, guess = evolve.load_agent(run.path).stored(), run.generations["rating"].iloc[-1]

    def rated(seed: int) -> Estimate | None:
        genome = Genome.of(settings.model_copy(update={"seed": seed}))
        context = RunContext(Path("."), genome, ONE_THREAD)
        return rate(champion, context, guess, lambda done, total: None)

    mine = rated(TINY["seed"])
    assert mine is not None
    assert [*mine] == elo_of(run.path)
    assert rated(6) != mine


def test_it_is_neither_a_generations_nor_the_share_in_the_play_off(run: evolve.Run) -> None:
    elo, low, high, games = elo_of(run.path)
    assert low < elo < high
    assert games == 2 * RUNGS * RATING_PANELS * TINY["panel_openings"]
    assert elo not in run.generations["panel_elo"].tolist()
    assert elo not in run.generations["rating"].tolist()


@pytest.mark.parametrize(
    "left",
    [
        ["playoff", "champion"],
        *(
            pytest.param([one], marks=pytest.mark.slow)
            for one in ("playoff", "champion", "stopped", "longer")
        ),
    ],
)
def test_a_run_that_was_killed_gets_the_same(tmp_path: Path, left: list[str]) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "run"
    start(whole, jobs=2)
    if left == ["stopped"]:
        assert start(folder, observer=StopAfter(2)) is EvolutionEnding.STOPPED
        assert "elo" not in provenance(folder)
    else:
        start(folder, generations=3 if left == ["longer"] else 4)
    for name, path in {"playoff": "games/playoff.parquet", "champion": "champion.json"}.items():
        if name in left:
            (folder / path).unlink()
    assert go_on(folder, generations=4) is EvolutionEnding.COMPLETE
    assert elo_of(folder) == elo_of(whole)
    assert content_hash(folder) == content_hash(whole)


def test_the_file_of_an_exported_champion_has_it(run: evolve.Run, tmp_path: Path) -> None:
    agent = evolve.load_agent(shutil.copy(run.path / "champion.json", tmp_path / "mine.json"))
    assert agent.stored().provenance["elo"] == elo_of(run.path)[0]
