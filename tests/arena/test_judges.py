"""Judges: what a panel says of an agent, and ratings on the ladder."""

from __future__ import annotations

import numpy as np
import pytest

import evolve
from evolve.arena.judges import Ladder, Panel
from evolve.arena.match import Match
from evolve.engine.board.rules import Rules, rule_set
from evolve.fitness.executor import Threads

NAMES = ("random", "swh", "zero")


def test_the_same_seed_gives_the_same_games() -> None:
    agent = evolve.load_agent("swh?depth=2")
    one, same, other = (Panel(NAMES, 12, "standard", seed) for seed in (3, 3, 4))
    assert one.openings.texts() == same.openings.texts() != other.openings.texts()
    assert one.judge(agent, Threads(1)) == same.judge(agent, Threads(2))


@pytest.mark.parametrize(("games", "openings"), [(1, 1), (12, 6), (13, 7)])
def test_both_colours_are_played_on_each_opening(games: int, openings: int) -> None:
    told: list[int] = []
    panel = Panel(NAMES, games, "reversed", 0)
    assert len(panel.openings) == openings
    panel.judge(evolve.load_agent("anti-swh"), Threads(1), told.append)
    assert sum(told) == len(NAMES) * 2 * openings


def test_scores_are_those_of_matches_with_each() -> None:
    agent, panel = evolve.load_agent("swh?depth=2"), Panel(NAMES, 16, "standard", 1)
    matches = [Match(agent, other, panel.openings, "standard").play() for other in panel.agents]
    judged = panel.judge(agent)
    assert judged.scores == tuple(match.score for match in matches)
    scores = [score.value for score in judged.scores]
    assert judged.score == pytest.approx(np.mean(scores))
    assert scores[0] > scores[1] >= 0.5, "random is weaker than one ply"


def test_one_that_is_not_in_the_panel_is_met_on_its_openings() -> None:
    panel = Panel((), 10, "standard", 2)
    one, other = evolve.load_agent("swh"), evolve.load_agent("swh-mobility?depth=2")
    assert panel.judge(one).scores == ()
    assert panel.against(one, one, Threads(1)) == 0.5
    score = panel.against(one, other, Threads(1))
    assert score == pytest.approx(1 - panel.against(other, one, Threads(1)))
    assert score == Panel(NAMES, 10, "standard", 2).against(one, other, Threads(1))


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_rungs_ascend_from_below_the_reference_table_which_is_0(rules: Rules) -> None:
    elo = [rung.elo for rung in Ladder(rules).rungs]
    assert elo == sorted(elo)
    assert rule_set(rules).ladder[rule_set(rules).reference] == 0
    assert elo[0] < 0 < 1000 < elo[-1]


@pytest.mark.parametrize("elo", [-5000.0, 5000.0, 400.0])
def test_nearest_rungs_are_those_around_a_rating(elo: float) -> None:
    ladder = Ladder("reversed")
    near = ladder.nearest(elo)
    assert len(near) == 4
    assert near == sorted(near, key=lambda rung: rung.elo)
    far = [rung for rung in ladder.rungs if rung not in near]
    assert max(abs(rung.elo - elo) for rung in near) <= min(abs(r.elo - elo) for r in far)


def test_ladder_score_rises_with_the_rating_and_stays_within_0_and_1() -> None:
    scores = [Ladder("standard").score(elo) for elo in (-2000, 0, 700, 3000)]
    assert scores == sorted(scores)
    assert 0 < scores[0] < 0.1 < scores[1] < scores[2] < 0.9 < scores[3] < 1


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ("standard", "champion-standard?depth=4&endgame=8"),
        pytest.param("reversed", "champion-reversed?depth=3&endgame=6", marks=pytest.mark.slow),
    ],
)
def test_rungs_are_rated_as_they_are_known(rules: Rules, name: str) -> None:
    judge = Ladder(rules, 12)
    agent = evolve.load_agent(name).with_rules(rules)
    found = judge.judge(agent, Threads(2))
    assert found.elo is not None
    assert found.elo.low < rule_set(rules).ladder[name] < found.elo.high < found.elo.low + 300
    assert found.elo.low < found.elo.value < found.elo.high
    assert found.score == judge.score(found.elo.value)
    assert 0 < found.error < 0.1
    assert found.against == "the ladder"
