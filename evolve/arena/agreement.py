"""The rules that agents agree on before they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.agents.agent import Agent
from evolve.engine.rules import DEFAULT_RULES, Rules, check_rules
from evolve.errors import AgentError


@dataclass(frozen=True)
class Agreed:
    """The rules of a game between agents; assumed: whether none of them has any of its own, and
    nobody said some. As text it is what heads say: `reversed`, `standard assumed`."""

    rules: Rules
    assumed: bool = False

    def __str__(self) -> str:
        return f"{self.rules} assumed" if self.assumed else self.rules


def agree_on(agents: Sequence[Agent], asked: Rules | None = None) -> Agreed:
    """The rules that all agents play by; those asked for come first, `standard` last.

    Raises AgentError when agents differ and nothing was asked for, EngineError where a program that
    is asked for its rules cannot be used.
    """
    if asked is not None:
        return Agreed(check_rules(asked))
    found: dict[Rules, str] = {}
    for agent in agents:
        own = agent.own_rules()
        if own is not None:
            found.setdefault(own, agent.name)
    if len(found) > 1:
        parts = " and ".join(f"{name} plays {rules}" for rules, name in found.items())
        raise AgentError(f"{parts}: agents of different rules; choose with --rules")
    return Agreed(next(iter(found), DEFAULT_RULES), assumed=not found)
