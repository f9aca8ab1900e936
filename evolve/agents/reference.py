"""Agents to take as they are: those of files, reference agents by name, and the levels among them.

Levels are twelve agents of rising strength under each rules, for people who play against them:
`level-7` names the agent that `agents.calibration.ratings` has for the rules of the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NoReturn, Self, cast

from pydantic import ValidationError

from evolve.agents.agent import Agent, Description, Limit, StoredAgent
from evolve.agents.agent_file import naming_file, read_agent_file
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.calibration.ratings import RATINGS
from evolve.agents.chance import delegated
from evolve.agents.registry import KINDS, REFERENCES, parse_name
from evolve.agents.searching import NO_LIMIT
from evolve.engine.board.rules import DEFAULT_RULES, Rules
from evolve.errors import AgentError, AgentFileError
from evolve.extras import imported
from evolve.parsing import faults

SWH: Final = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1)
"""The classic position weights, ×100, one per class of squares. In the order a1 b1 c1 d1 b2 c2 d2
c3 d3 d4 they are 1.00 −0.25 0.10 0.05 / −0.25 0.01 0.01 / 0.05 0.02 / 0.01."""
_ANTI_SWH: Final = tuple(-weight for weight in SWH)

POSITIONAL: Final = (100, -20, 10, 5, -50, -2, -2, 1, 1, 0)
"""The position weights of the opponent in measurements of the published DQN and MCTS agents."""

_TABLES: Final[dict[str, tuple[tuple[int, ...], int, Rules | None]]] = {
    "zero": ((0,) * 10, 0, None),
    "swh": (SWH, 0, None),
    "swh-mobility": (SWH, 3, None),
    "positional": (POSITIONAL, 5, None),
    "anti-swh": (_ANTI_SWH, 0, "reversed"),
    "anti-swh-mobility": (_ANTI_SWH, 3, "reversed"),
}
"""Weights, mobility and rules, by name."""


def table_agent(name: str) -> AlphaBetaAgent:
    """The agent with one table of weights, at depth 1 without an exact end."""
    weights, mobility, rules = _TABLES[name]
    return AlphaBetaAgent([weights], [mobility], [1], name=name, rules=rules)


def read_agent(path: Path) -> StoredAgent:
    """The agent of a file; raises AgentFileError with the file's name and the fault."""
    with naming_file(path):
        header, arrays = read_agent_file(path)
        made = cast("type[StoredAgent]", imported(KINDS[header.kind]))
        given, known = header.parameters, (*made.required, *made.optional)
        wrong = [f"parameter {key} is missing" for key in made.required if key not in given]
        wrong += [f"parameter {key} is unknown" for key in given if key not in known]
        if wrong:
            raise AgentFileError("; ".join(wrong))
        common = {"rules": header.rules, "name": header.name, "provenance": header.provenance}
        try:
            return made.from_parts(header.parameters, arrays, common)
        except ValidationError as error:
            raise AgentFileError("; ".join(fault.text for fault in faults(error))) from error
        except (AgentError, ValueError, TypeError) as error:
            raise AgentFileError(str(error)) from error


def reference_agent(name: str) -> Agent:
    """The reference agent of that name.

    Tables play at depth 1 without an exact end, champions as they were evolved, patterns as they
    were taught.
    """
    source = REFERENCES[name]
    if source.startswith("champions/"):
        return read_agent(Path(__file__).with_name("champions") / source.removeprefix("champions/"))
    return cast("Agent", imported(source)(name=name))


@dataclass(frozen=True)
class _LevelAgent(Agent):
    """A level before the rules are known; until then it plays by the default ones.

    level: its name in the ratings; values: the settings after the question mark; most: see
    `limited`.
    """

    level: str
    name: str
    values: tuple[tuple[str, Any], ...] = ()
    most: Limit = NO_LIMIT

    def with_rules(self, rules: Rules) -> Any:
        """The agent that the level is under these rules; AgentError where they have no levels."""
        agent = _level(self.level, rules)
        if self.values:
            agent = agent.with_settings(dict(self.values), self.name)
        return agent if self.most == NO_LIMIT else agent.limited(self.most)

    @cached_property
    def _agent(self) -> Agent:
        return cast("Agent", self.with_rules(DEFAULT_RULES))

    # All else is what its agent under the default rules answers; in a game of many, that agent.
    choose = delegated("_agent", "choose")
    choose_counted = delegated("_agent", "choose_counted")
    analyse = delegated("_agent", "analyse")
    repeats = delegated("_agent", "repeats")
    identity = delegated("_agent", "identity")
    limit = delegated("_agent", "limit")
    for_game = delegated("_agent", "for_game")
    settings = delegated("_agent", "settings")
    paced = delegated("_agent", "paced")
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
    rating = RATINGS.get(rules, {}).get(level)
    if rating is None:
        raise AgentError(f"there is no {level} for the rules {rules!r}")
    named = parse_name(rating.plays)
    agent = reference_agent(named.base).with_rules(rules)
    return agent.with_settings(named.settings, level)


def level_agent(name: str) -> _LevelAgent:
    """The level of that name."""
    return _LevelAgent(name, name)
