"""The table of ratings: every reference agent under the rules that it plays."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise, product

import pytest

import evolve
from evolve.agents.agent import Agent, Limit
from evolve.agents.calibration.ratings import RATINGS, beaten_by, ratings_of, rungs_of, strongest
from evolve.agents.patterns import PatternAgent
from evolve.agents.reference import _LevelAgent, level_agent
from evolve.agents.registry import LEVELS, REFERENCES
from evolve.engine.board.rules import RULE_SETS, Rules, RuleSet, rule_set
from evolve.errors import AgentError


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
    assert (agent.name, bool(rated)) == (name, True)
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
    assert rungs_of("chess") == []


def test_the_highest_rung_below_a_whole_interval() -> None:
    beaten = beaten_by("reversed", 569)
    assert beaten is not None
    assert beaten.label == "published champion, 4 plies"
    assert beaten_by("reversed", 0) == rungs_of("reversed")[0]
    assert beaten_by("reversed", -400) is None
    assert beaten_by("reversed", None) is None
    assert beaten_by(None, 500) is None


@pytest.mark.slow
@pytest.mark.parametrize("rules", RATINGS)
@pytest.mark.parametrize("name", LEVELS)
def test_a_level_is_the_agent_that_its_rating_names(name: str, rules: Rules) -> None:
    plays = RATINGS[rules][name].plays
    level, same = evolve.load_agent(name).with_rules(rules), evolve.load_agent(plays)
    assert (level.name, level.rules) == (name, rules)
    assert level.identity == same.with_rules(rules).identity


@pytest.mark.parametrize("rules", RATINGS)
def test_a_level_takes_settings_before_its_rules_are_known(rules: Rules) -> None:
    level = evolve.load_agent("level-8?depth=2&endgame=3")
    agent = level.with_rules(rules)
    assert isinstance(agent, PatternAgent)
    limit = replace(evolve.load_agent(RATINGS[rules]["level-8"].plays).limit, depth=2)
    assert (agent.limit, agent.endgame) == (limit, 3)
    assert (agent.name, agent.rules) == ("level-8?depth=2&endgame=3", rules)


def test_levels_take_limits_before_the_rules_are_known() -> None:
    limited = level_agent("level-8").limited(Limit(seconds=2))
    assert limited.with_rules("reversed").limit.seconds == 2
    with pytest.raises(AgentError, match="level-8"):
        evolve.load_agent("level-8?c=1")
    with pytest.raises(AgentError, match="77"):
        evolve.load_agent("level-8?endgame=77")
    assert pickle.loads(pickle.dumps(limited)) == limited


def test_levels_without_rules_play_by_the_default_ones() -> None:
    board = evolve.Board.start().play(19)
    level, standard = level_agent("level-8"), level_agent("level-8").with_rules("standard")
    assert level.choose_counted(board) == standard.choose_counted(board)
    assert level.rules is None
    assert level.repeats
    assert any("patterns-reversed" in line for line in level.describe().lines)
    weak = level_agent("level-1")  # its mistakes differ from game to game
    assert weak.for_game(5) == weak.with_rules("standard").for_game(5) != weak.for_game(6)


@pytest.mark.parametrize(("name", "rules"), [*product(LEVELS, RATINGS)])
def test_a_level_answers_all_that_its_agents_answer(name: str, rules: Rules) -> None:
    kind = type(level_agent(name).with_rules(rules))
    own = {member for member in vars(Agent) if not member.startswith("_")} - {"kind"}
    answered = {one for one in own if getattr(kind, one) is not getattr(Agent, one)}
    assert answered <= {*vars(_LevelAgent)}, name


def test_levels_are_not_exported_and_not_of_all_rules() -> None:
    with pytest.raises(AgentError, match="level-9"):
        level_agent("level-9").stored()
    with pytest.raises(AgentError, match="level-3"):
        level_agent("level-3").with_rules("odd")
