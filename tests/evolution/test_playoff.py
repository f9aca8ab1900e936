"""The play-off, checked from its games, and the champion's file before it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolve.config.toml import resolve
from evolve.evolution.playoff import games_afterwards
from evolve.runs.progress import Observer
from evolve.runs.run import Run
from tests.evolution.conftest import TINY, StopAfter, go_on, start


def test_champion_is_the_winner_of_the_playoff(run: Run) -> None:
    champion = json.loads((run.path / "champion.json").read_text())
    games = run.games[run.games["kind"] == "playoff"]
    points: dict[str, float] = {}
    for game in games.itertuples():
        for side in ("black", "white"):
            gain = 0.5 if game.winner == "draw" else float(game.winner == side)
            points[getattr(game, side)] = points.get(getattr(game, side), 0.0) + gain
    assert points[champion["name"]] == max(points.values())
    found = champion["provenance"]
    assert found["score"] == pytest.approx(points[champion["name"]] / found["games"])
    assert found["score_low"] < found["score"] < found["score_high"]
    assert (found["run"], found["seed"]) == (run.path.name, run.config["seed"])


def test_mean_joins_the_playoff(run: Run) -> None:
    names = set(run.games[run.games["kind"] == "playoff"]["black"])
    assert "mean-4" in names
    assert len(names) >= 3


def test_champion_of_a_stopped_run_is_the_best_so_far(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(folder, observer=StopAfter(2))
    expected = (folder / "champion.json").read_text()
    assert '"against": "panel"' in expected
    (folder / "champion.json").unlink()
    go_on(folder, observer=StopAfter(1))
    assert (folder / "champion.json").exists()


class Counted(Observer):
    """Keeps how many games each stage has had."""

    def __init__(self) -> None:
        self.games: dict[str, float] = {}

    def stage(self, name: str, done: float, total: float) -> None:
        self.games[name] = max(done, self.games.get(name, 0.0))


@pytest.mark.parametrize("panel", [pytest.param("fixed", marks=pytest.mark.slow), "ladder"])
def test_the_games_of_the_stages_after_the_last_generation_are_known(
    tmp_path: Path, panel: str
) -> None:
    expected = games_afterwards(resolve({**TINY, "panel": panel}))
    watched = Counted()
    start(tmp_path / "run", observer=watched, panel=panel)
    for name, games in expected.items():
        assert watched.games[name] <= games <= 3.0 * watched.games[name]
