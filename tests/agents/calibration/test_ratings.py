"""The table of ratings: every reference agent under the rules that it plays."""

from __future__ import annotations

from itertools import pairwise

import pytest

import evolve
from evolve.agents.calibration.ratings import RATINGS, beaten_by, ratings_of, rungs_of, strongest
from evolve.agents.registry import LEVELS, REFERENCES
from evolve.engine.board.rules import RULE_SETS, Rules, RuleSet, rule_set


@pytest.mark.parametrize("rules", RATINGS)
def test_levels_rise_by_60_to_200(rules: Rules) -> None:
    """Within the error of the step: games with the last level cost half a minute each."""
    levels = [RATINGS[rules][name] for name in LEVELS]
    assert levels[0].step == 0
    assert all(60 <= level.step <= 200 for level in levels[1:-1])
    assert 60 - levels[-1].step_error <= levels[-1].step <= 200
    assert all(lower.elo < higher.elo for lower, higher in pairwise(levels))


@pytest.mark.parametrize("name", REFERENCES)
def test_every_reference_agent_has_its_elo(name: str) -> None:
    agent = evolve.load_agent(name)
    rated = ratings_of(name)
    assert rated
    assert agent.rules is None or [*rated] == [agent.rules]


def test_the_zero_is_that_of_the_ladder_and_the_strongest_is_no_level() -> None:
    assert {RATINGS[rules][rule_set(rules).reference].elo for rules in RATINGS} == {0}
    best = [found[0] for rules in RATINGS if (found := strongest(rules))]
    assert best == [f"patterns-{rules}" for rules in RATINGS]
    assert strongest("odd") is None


@pytest.mark.parametrize(("rules", "found"), RULE_SETS.items())
def test_every_rung_has_words(rules: str, found: RuleSet) -> None:
    rungs = rungs_of(rules)
    assert [(one.agent, one.elo) for one in rungs] == list(found.ladder.items())
    kinds = {"no weights", "weight table", "shipped champion", "published champion"}
    assert {one.label.split(", ")[0] for one in rungs} <= kinds


def test_unknown_rules_have_no_rungs() -> None:
    assert rungs_of("chess") == []


def test_the_highest_rung_below_a_whole_interval() -> None:
    beaten = beaten_by("reversed", 569)
    assert beaten is not None
    assert beaten.label == "published champion, 4 plies"
    assert beaten_by("reversed", 0) == rungs_of("reversed")[0]
    assert beaten_by("reversed", -400) is None
    assert beaten_by("reversed", None) is None
    assert beaten_by(None, 500) is None
