"""What a run computes, checked from its tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.agents.reference import SWH
from evolve.arena.bradleyterry import rate_one
from evolve.arena.ladder import ladder
from evolve.engine.rules import PASS
from evolve.engine.squares import parse_moves
from evolve.evolution.ancestry import ancestry, individual_agent
from evolve.evolution.gauntlet import RUNGS_PLAYED
from evolve.evolution.loop import EvolutionEnding
from evolve.fitness.openings import Part, balanced_openings
from evolve.tables.run import Run
from tests.evolution.conftest import go_on, start


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "run"
    start(folder, generations=5, population=8)
    return evolve.load_run(folder)


def test_scores_follow_from_the_fitness_games_alone(run: Run) -> None:
    games = run.games[run.games["kind"] == "fitness"]
    points = {"black": 1.0, "draw": 0.5, "white": 0.0}
    for row in run.individuals.itertuples():
        mine = games[games["generation"] == row.generation]
        black = mine[mine["black"] == row.individual]
        white = mine[mine["white"] == row.individual]
        total = black["winner"].map(points).sum() + (1 - white["winner"].map(points)).sum()
        assert row.games == len(black) + len(white) == 2 * 7
        assert row.score == pytest.approx(total / row.games)
        discs = (black["discs_black"] - black["discs_white"]).sum()
        discs += (white["discs_white"] - white["discs_black"]).sum()
        assert row.disc_difference == pytest.approx(discs / row.games)


def test_every_game_replays_to_its_result(run: Run) -> None:
    for game in run.games.itertuples():
        board = evolve.Board.start()
        moves = parse_moves(game.moves)
        assert game.moves.startswith(game.opening)
        assert len(moves) == game.plies
        for square in moves:
            board = board.pass_move() if square == PASS else board.play(square)
        assert (board.discs("black"), board.discs("white")) == (game.discs_black, game.discs_white)
        if game.reason == "end":
            assert board.is_over()
            fewest = min(game.discs_black, game.discs_white)
            expected = (
                "draw"
                if game.discs_black == game.discs_white
                else ("black" if game.discs_black == fewest else "white")
            )
            assert game.winner == expected
        else:
            assert not board.is_over()
            assert game.winner != game.reason.split()[-1]


def test_moves_are_those_of_the_agents(run: Run) -> None:
    for game in run.games[run.games["kind"] == "fitness"].sample(6, random_state=1).itertuples():
        agents = {
            "black": individual_agent(run.path, game.black),
            "white": individual_agent(run.path, game.white),
        }
        board, book = evolve.Board.start(), len(parse_moves(game.opening))
        for ply, square in enumerate(parse_moves(game.moves)):
            if square == PASS:
                board = board.pass_move()
                continue
            if ply >= book:
                assert agents[board.side].choose(board) == square
            board = board.play(square)


def test_ids_are_unique_and_ancestry_is_known(run: Run) -> None:
    frame = run.individuals
    genes = frame[["individual", "weights", "depths"]].astype(str).drop_duplicates()
    assert genes["individual"].is_unique, "one id, one genome"
    known = set(frame["individual"])
    for row in frame.itertuples():
        assert row.born <= row.generation
        assert set(row.parents) <= known
        assert (row.origin in ("random", "newcomer")) == (not row.parents)
    assert (frame.groupby("generation").size() == 8).all()


def test_survivors_are_the_best_of_the_generation_before(run: Run) -> None:
    for generation in range(1, 5):
        before = run.individuals[run.individuals["generation"] == generation - 1]
        now = run.individuals[run.individuals["generation"] == generation]
        ranked = before.sort_values(["score", "disc_difference"], ascending=[False, True])
        assert list(now["individual"][:2]) == list(ranked["individual"][:2])


def test_rating_follows_from_the_panel_games(run: Run) -> None:
    games = run.games[run.games["kind"] == "panel"]
    known = {rung.agent.name: rung.elo for rung in ladder("reversed")}
    ratings: list[float] = []
    for row in run.generations.itertuples():
        mine = games[games["generation"] == row.generation]
        assert len(mine) == RUNGS_PLAYED * 2 * 2
        scores: dict[str, list[float]] = {}
        for game in mine.itertuples():
            rung = game.white if game.black == row.best else game.black
            points = 0.5 if game.winner == "draw" else float(getattr(game, game.winner) == row.best)
            scores.setdefault(rung, []).append(points)
        elo, error = rate_one(
            np.array([known[rung] for rung in scores]),
            np.array(list(scores.values())).reshape(RUNGS_PLAYED, 2, 2).mean(axis=2),
        )
        ratings.append(elo)
        assert row.panel_elo == pytest.approx(elo)
        assert row.panel_elo_high - row.panel_elo == pytest.approx(1.96 * error, rel=1e-4)
        assert row.rating == pytest.approx(np.mean(ratings))
        assert row.rating_low < row.rating < row.rating_high
        assert 0 < row.panel_score < 1
    order = np.argsort(run.generations["panel_elo"])
    assert run.generations["panel_score"].iloc[order].is_monotonic_increasing


def test_score_of_the_fixed_panel_follows_from_its_games(tmp_path: Path) -> None:
    start(tmp_path / "run", panel="fixed", generations=3)
    run = evolve.load_run(tmp_path / "run")
    games = run.games[run.games["kind"] == "panel"]
    for row in run.generations.itertuples():
        mine = games[games["generation"] == row.generation]
        points = [
            0.5
            if game.winner == "draw"
            else float(getattr(game, game.winner) == row.best)
            if game.black != game.white
            else 0.5
            for game in mine.itertuples()
        ]
        assert len(points) == 2 * 3 * 2
        assert row.panel_score == pytest.approx(np.mean(points))
        if row.panel_elo == row.panel_elo and row.panel_elo_low == row.panel_elo_low:
            assert row.panel_elo_low <= row.panel_elo <= row.panel_elo_high


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


def test_games_of_evolution_and_of_judgement_share_no_opening(run: Run) -> None:
    openings = {
        kind: set(run.games[run.games["kind"] == kind]["opening"])
        for kind in ("fitness", "panel", "playoff")
    }
    assert not openings["fitness"] & openings["panel"]
    assert not openings["fitness"] & openings["playoff"]
    assert not openings["panel"] & openings["playoff"]


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


def test_fixed_genes_stay_and_switched_off_terms_are_zero(tmp_path: Path) -> None:
    start(
        tmp_path / "run",
        fix={"depths": "2,1,2", "endgame": "3"},
        bounds={"depths": "1:4"},
        terms="mobility",
        tie="weights",
        phases=3,
    )
    frame = evolve.load_run(tmp_path / "run").individuals
    assert {tuple(depths) for depths in frame["depths"]} == {(2, 1, 2)}
    assert set(frame["endgame"]) == {3}
    assert {tuple(weights) for weights in frame["stability"]} == {(0, 0, 0)}
    assert {len(weights) for weights in frame["weights"]} == {10}
    agent = evolve.load_agent(tmp_path / "run")
    assert isinstance(agent, evolve.AlphaBetaAgent)
    assert agent.weights[0] == agent.weights[1] == agent.weights[2]


def test_run_starts_from_an_agent(tmp_path: Path) -> None:
    start(tmp_path / "run", start_from="swh?depth=2", rules="standard", generations=1)
    first = evolve.load_run(tmp_path / "run").individuals.iloc[0]
    assert first["origin"] == "start"
    assert first["weights"] == list(SWH) * 3


def test_patience_ends_a_run(tmp_path: Path) -> None:
    ending = start(tmp_path / "run", generations=60, patience=2)
    run = evolve.load_run(tmp_path / "run")
    assert ending is EvolutionEnding.PATIENCE
    scores = run.generations["panel_score"]
    assert len(scores) == int(scores.idxmax()) + 3 < 60
    assert (tmp_path / "run/games/playoff.parquet").exists()


def test_time_limit_ends_a_run_which_then_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert start(folder, time_limit=1e-9) is EvolutionEnding.TIME
    assert evolve.load_run(folder).generation_count == 1
    assert go_on(folder, time_limit=1.0) is EvolutionEnding.COMPLETE


def test_mean_joins_the_playoff(run: Run) -> None:
    names = set(run.games[run.games["kind"] == "playoff"]["black"])
    assert "mean-4" in names
    assert len(names) >= 3


def test_ancestry_leads_back_to_the_first_generation(run: Run) -> None:
    born_late = run.individuals[run.individuals["born"] > 0].iloc[-1]
    lines = ancestry(run, {"individual": born_late["individual"], "parents": born_late["parents"]})
    assert lines[0][:2] == (0, born_late["individual"])
    assert {name for _, name, _ in lines[1:]} >= set(born_late["parents"])


def test_held_out_openings_are_even_for_a_deeper_search() -> None:
    openings = balanced_openings(40, Part.MATCH, "standard", np.random.default_rng(0))
    judge = evolve.AlphaBetaAgent([SWH], [3], [6])
    values = []
    for row in openings.moves:
        board = evolve.Board.start()
        for square in row:
            board = board.play(int(square))
        values.append(max(judge.analyse(board).values.values()))
    assert np.median(np.abs(values)) <= 25
