"""The ladder, and a rating on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.bradleyterry import rate, rate_one
from evolve.arena.ladder import ladder, ladder_score, nearest
from evolve.arena.match import play_match
from evolve.engine.rules import Rules, rule_set
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.score import elo_of, score_of_elo

DOCS = Path(__file__).parents[2] / "docs" / "evolution"
RULES: tuple[Rules, ...] = ("standard", "reversed")


@pytest.mark.parametrize("rules", RULES)
def test_rungs_ascend_from_below_the_reference_table_which_is_0(rules: Rules) -> None:
    elo = [rung.elo for rung in ladder(rules)]
    assert elo == sorted(elo)
    assert rule_set(rules).ladder[rule_set(rules).reference] == 0
    assert elo[0] < 0 < 1000 < elo[-1]


@pytest.mark.parametrize("rules", RULES)
def test_no_champion_of_a_default_run_climbs_the_ladder(rules: Rules) -> None:
    champion = evolve.load_agent(DOCS / f"tuned-{rules}-0.json")
    openings = balanced_openings(12, Part.MATCH, rules, np.random.default_rng(1))
    result, _ = play_match(champion, ladder(rules)[-1].agent, openings, rules)
    assert result.score.score < 0.5


@pytest.mark.parametrize("rules", RULES)
def test_rating_predicts_games_with_rungs_that_it_was_not_taken_from(rules: Rules) -> None:
    champion = evolve.load_agent(DOCS / f"tuned-{rules}-1.json")
    openings = balanced_openings(40, Part.MATCH, rules, np.random.default_rng(2))
    rungs = nearest(ladder(rules), 700, 5)
    scores = np.stack([_pair_scores(champion, rung.agent, rules, openings) for rung in rungs])
    for left_out in range(len(rungs)):
        others = [k for k in range(len(rungs)) if k != left_out]
        elo, error = rate_one(np.array([rungs[k].elo for k in others]), scores[others])
        predicted = score_of_elo(elo - rungs[left_out].elo)
        assert scores[left_out].mean() == pytest.approx(predicted, abs=0.15)
        assert 15 < error < 60


def _pair_scores(
    one: Agent, other: Agent, rules: Rules, openings: Openings
) -> npt.NDArray[np.float64]:
    _, games = play_match(one, other, openings, rules)
    points = (games.winner.astype(float) + 1) / 2
    points[1::2] = 1 - points[1::2]
    return points.reshape(-1, 2).mean(axis=1)


def test_nearest_rungs_are_those_around_a_rating() -> None:
    rungs = ladder("reversed")
    for count, elo in ((4, -5000.0), (4, 5000.0), (5, 400.0)):
        near = nearest(rungs, elo, count)
        assert len(near) == count
        assert near == sorted(near, key=lambda rung: rung.elo)
        far = [rung for rung in rungs if rung not in near]
        assert max(abs(rung.elo - elo) for rung in near) <= min(abs(r.elo - elo) for r in far)


def test_ladder_score_rises_with_the_rating_and_stays_within_0_and_1() -> None:
    scores = [ladder_score(ladder("standard"), elo) for elo in (-2000, 0, 700, 3000)]
    assert scores == sorted(scores)
    assert 0 < scores[0] < 0.1 < scores[1] < scores[2] < 0.9 < scores[3] < 1


def test_rating_by_one_opponent_is_the_elo_of_the_score() -> None:
    scores = np.array([[1.0, 0.5, 0.75, 0.0, 1.0, 0.5]])
    elo, _ = rate_one(np.array([130.0]), scores)
    assert elo - 130 == pytest.approx(elo_of(scores.mean()))


def test_rating_agrees_with_the_one_of_all_players_together() -> None:
    rng = np.random.default_rng(3)
    scores = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], (3, 500))
    apart = 400
    known = np.array([0.0, 60.0, -80.0])
    # Many games among the three hold them where they are known to be.
    meetings = [(i, 3, 1 - scores[i]) for i in range(3)]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        meetings.append((i, j, np.full(apart * 1000, score_of_elo(known[i] - known[j]))))
    together = rate(4, meetings)
    elo, error = rate_one(known, scores)
    assert elo == pytest.approx(together.elo[3] - together.elo[:3].mean() + known.mean(), abs=0.5)
    assert error == pytest.approx(np.sqrt(16 / 9) * together.error[3], rel=0.25)


@pytest.mark.parametrize(("value", "sign"), [(0.0, -1), (1.0, 1)])
def test_rating_of_who_won_or_lost_everything_is_finite_and_outside(
    value: float, sign: int
) -> None:
    elo, error = rate_one(np.array([-100.0, 100.0]), np.full((2, 24), value))
    assert 300 < sign * elo < 2000
    assert 50 < error < 1000


def test_intervals_of_ratings_cover_the_truth() -> None:
    rng = np.random.default_rng(4)
    known, truth, hit = np.array([-300.0, -50.0, 0.0, 250.0]), 70.0, 0
    chance = np.array([score_of_elo(truth - elo) for elo in known])[:, None, None]
    for _ in range(400):
        scores = (rng.random((4, 24, 2)) < chance).mean(axis=2)
        elo, error = rate_one(known, scores)
        hit += abs(elo - truth) < 1.96 * error
    assert 0.92 <= hit / 400 <= 0.98
