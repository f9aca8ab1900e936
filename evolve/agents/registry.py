"""Lists every kind of agent and every agent's name: the one place that has them all.

Classes are listed as `module:name` and loaded on request, so that names and choices load nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from evolve.errors import AgentError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from evolve.agents.agent import Agent, StoredAgent

KINDS: Final = {
    "alphabeta": "evolve.agents.alphabeta:AlphaBetaAgent",
    "mcts": "evolve.agents.mcts:MctsAgent",
    "dqn": "evolve.agents.dqn:DqnAgent",
    "patterns": "evolve.agents.patterns:PatternAgent",
}
"""Kinds in agent files: `kind` in the file, and a subclass of StoredAgent."""

PROGRAMS: Final = {
    "gtp": "evolve.agents.external:gtp_agent",
    "nboard": "evolve.agents.external:nboard_agent",
    "python": "evolve.agents.python:python_agent",
}
"""Kinds that run programs, named as `gtp:COMMAND` or `python:FILE`.
Each is a function of the text after the colon, and of the program's own folder or None. Settings
from other sources that name one are not trusted (`cli.permission`)."""

PROGRAM_FORMS: Final = ("gtp:COMMAND", "nboard:COMMAND", "python:FILE.py")
"""Forms of program names, for messages and help."""
_PROGRAM: Final = re.compile(rf"(^|[\s,;=])({'|'.join(PROGRAMS)}):")
"""Finds program names, also in a list that is still one text."""

_TABLE: Final = "evolve.agents.reference:table_agent"
_PATTERNS: Final = "evolve.agents.reference:pattern_agent"
_CHAMPION: Final = "evolve.agents.reference:champion_agent"
REFERENCES: Final = {
    "random": "evolve.agents.random:RandomAgent",
    "uct": "evolve.agents.mcts:MctsAgent",
    "zero": _TABLE,
    "swh": _TABLE,
    "swh-mobility": _TABLE,
    "positional": _TABLE,
    "anti-swh": _TABLE,
    "anti-swh-mobility": _TABLE,
    "champion-standard": _CHAMPION,
    "champion-reversed": _CHAMPION,
    "published-standard": _CHAMPION,
    "published-reversed": _CHAMPION,
    "patterns-standard": _PATTERNS,
    "patterns-reversed": _PATTERNS,
}
"""Reference agents, known by name: each is made with the name as `name=`.
A kind without a file needs only an entry here to be an AGENT of the command line, with settings."""


HAND_IN_SECONDS: Final = 4.5
"""Seconds for a move of a hand-in: contests give 5, and the move must arrive by then."""


def with_clock(source: str) -> str:
    """The name of the same agent with the clock of a hand-in.

    It drops a depth, which would limit the search.
    """
    place, _, query = source.rpartition("?")
    if "=" not in query or not place:
        place, query = source, ""
    kept = [part for part in query.split("&") if part and not part.lstrip().startswith("depth")]
    return f"{place}?{'&'.join([*kept, f'time={HAND_IN_SECONDS:g}'])}"


def stored_kind(name: object) -> type[StoredAgent]:
    """The class of this kind of agent; AgentError when there is none."""
    return cast("type[StoredAgent]", _found(KINDS, name, "kind of agent"))


def program_agent(protocol: str, command: str, folder: str | None = None) -> Agent:
    """The agent that runs a program; AgentError for an unknown protocol or invalid command.

    folder: the program's own, None for the current one.
    """
    return cast("Agent", _found(PROGRAMS, protocol, "protocol of programs")(command, folder))


def reference_agent(name: str) -> Agent:
    """The reference agent of that name; AgentError when there is none.

    Tables play at depth 1 without an exact end, champions as they were evolved, patterns as they
    were taught.
    """
    return cast("Agent", _found(REFERENCES, name, "reference agent")(name=name))


def _found(places: Mapping[str, str], name: object, what: str) -> Any:
    place = places.get(name) if isinstance(name, str) else None
    if place is None:
        raise AgentError(f"there is no {what} {name!r}; there are {', '.join(places)}")
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def programs_in(settings: BaseModel | Mapping[str, Any]) -> list[str]:
    """The programs that settings name and that would run: each once, as written there."""
    found: dict[str, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, str) and _PROGRAM.search(value):
            found[value] = None
        elif isinstance(value, Mapping):
            for key, item in value.items():
                look(key)
                look(item)
        elif isinstance(value, list | tuple):
            for item in value:
                look(item)

    look(settings if isinstance(settings, Mapping) else settings.model_dump(mode="json"))
    return list(found)
