"""Find the rules that agents agree on before they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.agents.agent import Agent
from evolve.config.defaults import default_rules
from evolve.engine.board.rules import DEFAULT_RULES, Rules, check_rules
from evolve.errors import AgentError


@dataclass(frozen=True)
class Agreed:
    """The rules of a game between agents.

    assumed: whether no agent, option or setting specifies them. The text form is used in headings:
    `reversed`, `standard assumed`.
    """

    rules: Rules
    assumed: bool = False

    def __str__(self) -> str:
        return f"{self.rules} assumed" if self.assumed else self.rules


def agree_on(
    agents: Sequence[Agent], asked: Rules | None = None, kept: Rules | None = None
) -> Agreed:
    """Return the rules for all agents.

    In order of priority: the rules `asked` for, the agents' own, those of games already `kept`,
    the default of the project or the user, `standard`. Raises AgentError if agents differ and no
    rules were asked for, EngineError if a program that is asked for its rules cannot be used.
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
    said = next(iter(found), None) or default_rules()
    # A resumed match reports the same about its rules as before.
    return Agreed((None if found else kept) or said or DEFAULT_RULES, assumed=said is None)
