"""The ladder, and a rating on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.judges import ladder, ladder_score, nearest
from evolve.arena.match import play_match
from evolve.engine.rules import Rules, rule_set
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.statistics import rate_one, score_of_elo

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
    assert result.score.value < 0.5


@pytest.mark.parametrize("rules", RULES)
def test_rating_predicts_games_with_rungs_that_it_was_not_taken_from(rules: Rules) -> None:
    champion = evolve.load_agent(DOCS / f"tuned-{rules}-1.json")
    openings = balanced_openings(40, Part.MATCH, rules, np.random.default_rng(2))
    rungs = nearest(ladder(rules), 700, 5)
    scores = np.stack([_pair_scores(champion, rung.agent, rules, openings) for rung in rungs])
    for left_out in range(len(rungs)):
        others = [k for k in range(len(rungs)) if k != left_out]
        elo = rate_one(np.array([rungs[k].elo for k in others]), scores[others])
        predicted = score_of_elo(elo.value - rungs[left_out].elo)
        assert scores[left_out].mean() == pytest.approx(predicted, abs=0.15)
        assert 15 < elo.error < 60


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
