"""What a run's panel says of its champions, checked from the games."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena import judges
from evolve.arena.judges import _RATING_PANELS, RUNGS, ChampionRating, Ladder
from evolve.config.toml import resolve
from evolve.engine.board.rules import Rules
from evolve.evolution.playoff import games_afterwards
from evolve.fitness.executor import Threads
from evolve.fitness.statistics import rate_one
from evolve.fitness.trend import Curve
from evolve.population.genome import Genome
from evolve.runs.progress import Observer
from evolve.runs.run import Run
from tests.evolution.conftest import TINY, After, Watching, go_on, start


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
        stored = run.metadata(row.Index)[0]["rating"]
        assert stored == pytest.approx(strength.level.value), "what was known then"
        assert row.rating_low < row.rating < row.rating_high
        assert 0 < row.panel_score < 1
    ratings = run.generations["rating"]
    assert ratings.iloc[-1] == pytest.approx(stored), "the table ends with the headline"
    assert ratings.iloc[0] != run.metadata(0)[0]["rating"], "later bests say more of it"
    order = np.argsort(run.generations["panel_elo"])
    assert run.generations["panel_score"].iloc[order].is_monotonic_increasing


def test_score_of_the_fixed_panel_follows_from_its_games(tmp_path: Path) -> None:
    start(tmp_path / "run", panel="fixed", generations=3)
    run = evolve.load_run(tmp_path / "run")
    games = run.games[run.games["kind"] == "panel"]
    best = games["generation"].map(run.generations.set_index("generation")["best"])
    winners = games["black"].where(games["winner"] == "black", games["white"])
    even = (games["winner"] == "draw") | (games["black"] == games["white"])
    points = (winners == best).astype(float).where(~even, 0.5)
    by_generation = points.groupby(games["generation"])
    assert by_generation.size().tolist() == [2 * 3 * 2] * 3
    assert run.generations["panel_score"].tolist() == pytest.approx(by_generation.mean().tolist())
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


def elo_of(folder: Path) -> list[Any]:
    found = evolve.load_agent(folder).stored().provenance
    return [found[key] for key in ("elo", "elo_low", "elo_high", "elo_games")]


@pytest.mark.parametrize(
    ("rules", "place", "guess"),
    [("standard", 1, None), ("standard", 2, -1000.0), ("reversed", 0, 500.0)],
)
def test_a_rung_has_the_elo_measured(rules: Rules, place: int, guess: float | None) -> None:
    rung = Ladder(rules).rungs[place]
    ladder, watch = Ladder(rules, seed=5), Watching()
    rating = ChampionRating(ladder, rung.agent, watch, seconds=math.inf, executor=Threads(2))
    found = rating.play(8, guess)
    half = (found["elo_high"] - found["elo_low"]) / 2
    assert 20 < half < 120
    # It plays itself as well, which brings half of the points for certain; twice the interval.
    assert abs(found["elo"] - rung.elo) < 2 * half
    assert found["elo_games"] == 2 * RUNGS * _RATING_PANELS * 8
    (_, done, total), totals = watch.stages[-1], {total for *_, total in watch.stages}
    assert done == total == max(totals)


@pytest.mark.parametrize(
    ("move", "games"), [(0.0, 2 * RUNGS * _RATING_PANELS * 8), (30.0, 2 * RUNGS * 3), (90.0, None)]
)
def test_slow_agents_play_fewer_games(
    move: float, games: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a minute: as many games as fit, or none, and a line says why."""
    clock, agent, watch = [0.0], evolve.load_agent("swh"), Watching()

    def choose(self: AlphaBetaAgent, board: evolve.Board) -> int:
        clock[0] += move / 1000.0
        return board.legal_moves()[0]

    def stage(name: str, done: float, total: float) -> None:
        clock[0] = done * move / 30.0

    monkeypatch.setattr(judges.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(judges.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(AlphaBetaAgent, "choose", choose)
    monkeypatch.setattr(watch, "stage", stage)
    found = ChampionRating(Ladder("standard"), agent, watch).play(8)
    assert found.get("elo_games") == games
    assert watch.notes == [] if games else "swh takes" in watch.notes[0]


def test_ratings_are_those_of_the_seed(run: evolve.Run) -> None:
    settings = resolve({**TINY, "generations": 5, "population": 8})
    champion, guess = evolve.load_agent(run.path).stored(), run.generations["rating"].iloc[-1]

    def rated(seed: int) -> list[Any]:
        ladder, endgame = Ladder(settings.rules, seed=seed), Genome.of(settings).largest_endgame
        rating = ChampionRating(
            ladder, champion, Observer(), seconds=math.inf, largest_endgame=endgame
        )
        return [*rating.play(settings.panel_openings, guess).values()]

    elo, low, high, games = rated(TINY["seed"])
    assert [elo, low, high, games] == elo_of(run.path) != rated(6)
    assert low < elo < high
    assert games == 2 * RUNGS * _RATING_PANELS * TINY["panel_openings"]
    assert elo not in run.generations["panel_elo"].tolist()
    assert elo not in run.generations["rating"].tolist()


def test_champion_is_the_winner_of_the_playoff(run: Run) -> None:
    """The mean of the last generation plays as well."""
    champion = evolve.load_agent(run.path).stored()
    games = run.games[run.games["kind"] == "playoff"]
    points: dict[str, float] = {}
    for game in games.itertuples():
        for side in ("black", "white"):
            gain = 0.5 if game.winner == "draw" else float(game.winner == side)
            points[getattr(game, side)] = points.get(getattr(game, side), 0.0) + gain
    assert points[champion.name] == max(points.values())
    assert len(points) >= 3
    assert "mean-4" in points
    found = champion.provenance
    assert found["score"] == pytest.approx(points[champion.name] / found["games"])
    assert found["score_low"] < found["score"] < found["score_high"]
    assert (found["run"], found["seed"]) == (run.path.name, run.config["seed"])


def test_champion_of_a_stopped_run_is_the_best_so_far(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(folder, observer=After(2))
    expected = (folder / "champion.json").read_text()
    assert '"against": "panel"' in expected
    (folder / "champion.json").unlink()
    go_on(folder, observer=After(1))
    assert (folder / "champion.json").exists()


@pytest.mark.parametrize("panel", [pytest.param("fixed", marks=pytest.mark.slow), "ladder"])
def test_the_games_after_the_last_generation_are_known(tmp_path: Path, panel: str) -> None:
    expected = games_afterwards(resolve({**TINY, "panel": panel}))
    watch = Watching()
    start(tmp_path / "run", observer=watch, panel=panel)
    played = {name: max(done for one, done, _ in watch.stages if one == name) for name in expected}
    assert not [name for name, games in expected.items() if not games / 3 <= played[name] <= games]
