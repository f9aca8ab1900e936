"""What a run's panel says of its champions, checked from the games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.arena.judges import RUNGS, Ladder
from evolve.fitness.statistics import rate_one
from evolve.fitness.trend import Curve
from evolve.runs.run import Run
from tests.evolution.conftest import start


def test_rating_follows_from_the_panel_games(run: Run) -> None:
    games = run.games[run.games["kind"] == "panel"]
    known = {rung.agent.name: rung.elo for rung in Ladder("reversed").rungs}
    strength = Curve()
    for row in run.generations.itertuples():
        mine = games[games["generation"] == row.generation]
        assert len(mine) == RUNGS * 2 * 2
        scores: dict[str, list[float]] = {}
        for game in mine.itertuples():
            rung = game.white if game.black == row.best else game.black
            points = 0.5 if game.winner == "draw" else float(getattr(game, game.winner) == row.best)
            scores.setdefault(rung, []).append(points)
        elo = rate_one(
            np.array([known[rung] for rung in scores]),
            np.array(list(scores.values())).reshape(RUNGS, 2, 2).mean(axis=2),
        )
        strength.add(row.generation, elo.value, elo.error)
        assert row.panel_elo == pytest.approx(elo.value)
        assert row.panel_elo_high - row.panel_elo == pytest.approx(1.96 * elo.error, rel=1e-4)
        level = strength.level
        assert level is not None
        stored = run.metadata(row.Index)[0]["rating"]
        assert stored == pytest.approx(level.value), "what was known then"
        assert row.rating_low < row.rating < row.rating_high
        assert 0 < row.panel_score < 1
    last, stored = run.generations.iloc[-1], run.metadata(len(run.generations) - 1)[0]
    assert last["rating"] == pytest.approx(stored["rating"]), "the table ends with the headline"
    first = run.metadata(0)[0]
    assert run.generations["rating"].iloc[0] != first["rating"], "later bests say more of it"
    order = np.argsort(run.generations["panel_elo"])
    assert run.generations["panel_score"].iloc[order].is_monotonic_increasing


def test_score_of_the_fixed_panel_follows_from_its_games(tmp_path: Path) -> None:
    points: list[list[float]] = []
    start(tmp_path / "run", panel="fixed", generations=3)
    run = evolve.load_run(tmp_path / "run")
    games = run.games[run.games["kind"] == "panel"]
    for row in run.generations.itertuples():
        mine = games[games["generation"] == row.generation]
        won = [
            game.black != game.white and getattr(game, game.winner, None)
            for game in mine.itertuples()
        ]
        points.append([{row.best: 1.0}.get(name, 0.0 if name else 0.5) for name in won])
    assert [len(row) for row in points] == [2 * 3 * 2] * 3
    assert run.generations["panel_score"].tolist() == pytest.approx(np.mean(points, axis=1))
    known = run.generations.dropna(subset=["panel_elo", "panel_elo_low"])
    assert known["panel_elo"].between(known["panel_elo_low"], known["panel_elo_high"]).all()


def test_evolution_does_not_depend_on_the_panel(run: Run, tmp_path: Path) -> None:
    start(tmp_path / "run", generations=5, population=8, panel="fixed", panel_every=3)
    other = evolve.load_run(tmp_path / "run")
    pd.testing.assert_frame_equal(run.individuals, other.individuals)
    fitness = [one.games[one.games["kind"] == "fitness"] for one in (run, other)]
    pd.testing.assert_frame_equal(*(games.reset_index(drop=True) for games in fitness))


def test_every_panel_has_openings_of_its_own(run: Run) -> None:
    games = run.games[run.games["kind"] == "panel"]
    assert (games.groupby(["generation", "opening"]).size() == 2).all()
    assert games.groupby("opening")["generation"].nunique().max() == 1
