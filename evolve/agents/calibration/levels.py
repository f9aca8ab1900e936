"""Levels: twelve agents of rising strength under each rules, for people who play against them.

`level-7` names the agent that `agents.calibration.ratings` has for the rules of the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final, NoReturn, Self, cast

from evolve.agents.agent import Agent, Description, Limit
from evolve.agents.calibration.ratings import RATINGS
from evolve.agents.chance import delegated
from evolve.agents.names import parse_name
from evolve.agents.reference import reference_agent
from evolve.engine.board.rules import DEFAULT_RULES, Rules
from evolve.errors import AgentError

_NO_LIMIT: Final = Limit()


@dataclass(frozen=True)
class _LevelAgent(Agent):
    """A level before the rules are known; until then it plays by the default ones.

    level: its name in the ratings; values: the settings after the question mark; most: see
    `limited`.
    """

    level: str
    name: str
    values: tuple[tuple[str, Any], ...] = ()
    most: Limit = _NO_LIMIT

    def with_rules(self, rules: Rules) -> Any:
        """The agent that the level is under these rules; AgentError where they have no levels."""
        agent = _level(self.level, rules)
        if self.values:
            agent = agent.with_settings(dict(self.values), self.name)
        return agent if self.most == _NO_LIMIT else agent.limited(self.most)

    @cached_property
    def _agent(self) -> Agent:
        return cast("Agent", self.with_rules(DEFAULT_RULES))

    @property
    def rules(self) -> None:
        return None

    # All else is what its agent under the default rules answers; in a game of many, that agent.
    choose = delegated("_agent", "choose")
    choose_counted = delegated("_agent", "choose_counted")
    analyse = delegated("_agent", "analyse")
    repeats = delegated("_agent", "repeats")
    identity = delegated("_agent", "identity")
    limit = delegated("_agent", "limit")
    for_game = delegated("_agent", "for_game")
    settings = delegated("_agent", "settings")
    prepare = delegated("_agent", "prepare")

    def limited(self, limit: Limit) -> Self:
        return replace(self, most=self.most & limit)

    def with_settings(self, values: Mapping[str, Any], name: str) -> Self:
        changed = replace(self, values=tuple({**dict(self.values), **values}.items()), name=name)
        changed._agent.settings  # noqa: B018 - raises an error for an invalid value
        return changed

    def describe(self) -> Description:
        """What it is under each rules, and a description of its agent under the default ones."""
        about = self._agent.describe()
        lines = [f"{rules}: {rated[self.level].plays}" for rules, rated in RATINGS.items()]
        return replace(about, lines=(*lines, *about.lines))

    def stored(self) -> NoReturn:
        """AgentError, which names the agent that a file could hold."""
        plays = RATINGS[DEFAULT_RULES][self.level].plays
        raise AgentError(
            f"{self.name} is {plays}; files hold no limit of nodes and no mistakes, but "
            f"{parse_name(plays).base}"
        )


@cache
def _level(level: str, rules: Rules) -> Agent:
    """The agent that a level is under some rules, with the level's name."""
    rating = RATINGS.get(rules, {}).get(level)
    if rating is None:
        raise AgentError(f"there is no {level} for the rules {rules!r}")
    named = parse_name(rating.plays)
    agent = reference_agent(named.base).with_rules(rules)
    return agent.with_settings(named.settings or {}, level)


def level_agent(name: str) -> _LevelAgent:
    """The level of that name."""
    return _LevelAgent(name, name)
