"""Agents to take as they are: reference agents, by name, and those of files."""

from __future__ import annotations

from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.agent_file import header_of, naming_file, read_agent_file
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.registry import KINDS, REFERENCES
from evolve.engine.board.rules import Rules
from evolve.errors import AgentError, AgentFileError
from evolve.extras import imported
from evolve.parsing import faults

SWH: Final = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1)
"""The classic position weights, ×100, one per class of squares.
In the order a1 b1 c1 d1 b2 c2 d2 c3 d3 d4 they are 1.00 −0.25 0.10 0.05 / −0.25 0.01 0.01 /
0.05 0.02 / 0.01."""
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
        document, arrays = read_agent_file(path)
        header = header_of(document)
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
