"""Levels: names that stand for an agent of the game's rules."""

from __future__ import annotations

import pickle

import pytest

import evolve
from evolve.agents.levels import level_agent
from evolve.agents.patterns import PatternAgent
from evolve.agents.ratings import RATINGS
from evolve.agents.registry import LEVELS
from evolve.engine.board.rules import Rules
from evolve.errors import AgentError


@pytest.mark.parametrize("rules", RATINGS)
@pytest.mark.parametrize("name", LEVELS)
def test_a_level_is_the_agent_that_its_rating_names(name: str, rules: Rules) -> None:
    plays = RATINGS[rules][name].plays
    level, same = evolve.load_agent(name).with_rules(rules), evolve.load_agent(plays)
    assert (level.name, level.rules) == (name, rules)
    assert level.identity == same.with_rules(rules).identity


def test_levels_take_settings_and_limits_before_the_rules_are_known() -> None:
    level = evolve.load_agent("level-8?depth=2&endgame=3")
    for rules in RATINGS:
        agent = level.with_rules(rules)
        assert isinstance(agent, PatternAgent)
        assert (agent.depth, agent.endgame, agent.name) == (2, 3, "level-8?depth=2&endgame=3")
    limited = level_agent("level-8").limited(evolve.load_agent("swh?depth=1&time=2").limit)
    assert limited.with_rules("reversed").limit.seconds == 2
    with pytest.raises(AgentError, match="level-8 has no setting 'c'"):
        evolve.load_agent("level-8?c=1")
    with pytest.raises(AgentError, match="endgame 77 must be 0 to 60"):
        evolve.load_agent("level-8?endgame=77")
    assert pickle.loads(pickle.dumps(level)) == level


def test_levels_without_rules_play_by_the_default_ones() -> None:
    board = evolve.Board.start().play(19)
    level, standard = level_agent("level-8"), level_agent("level-8").with_rules("standard")
    assert level.choose_counted(board) == standard.choose_counted(board)
    assert level.rules is None
    assert level.repeats
    assert any("patterns-reversed" in line for line in level.describe().lines)


def test_only_levels_that_files_can_hold_are_exported() -> None:
    assert level_agent("level-3").python_source().startswith("#")
    assert level_agent("level-3").stored().kind == "alphabeta"
    with pytest.raises(AgentError, match="level-1 cannot be written as a Python file"):
        level_agent("level-1").python_source()
    with pytest.raises(AgentError, match="level-1 is not an agent that a file could hold"):
        level_agent("level-1").stored()
    with pytest.raises(AgentError, match="level-12: files hold no limit of time or nodes"):
        level_agent("level-12").stored()


def test_rules_without_levels_are_an_error() -> None:
    with pytest.raises(AgentError, match="there is no level-3 for the rules 'odd'"):
        level_agent("level-3").with_rules("odd")
