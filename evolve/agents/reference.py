"""Reference agents: fixed opponents with known names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.rules import Rules
from evolve.errors import AgentError

SWH: Final = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1)
"""The classic position weights, ×100, one per class of squares.
In the order a1 b1 c1 d1 b2 c2 d2 c3 d3 d4 they are 1.00 −0.25 0.10 0.05 / −0.25 0.01 0.01 /
0.05 0.02 / 0.01."""
ANTI_SWH: Final = tuple(-weight for weight in SWH)

POSITIONAL: Final = (100, -20, 10, 5, -50, -2, -2, 1, 1, 0)
"""The position weights of the opponent in measurements of the published DQN and MCTS agents."""

_TABLES: Final[dict[str, tuple[tuple[int, ...], int, Rules | None]]] = {
    "zero": ((0,) * 10, 0, None),
    "swh": (SWH, 0, None),
    "swh-mobility": (SWH, 3, None),
    "positional": (POSITIONAL, 5, None),
    "anti-swh": (ANTI_SWH, 0, "reversed"),
    "anti-swh-mobility": (ANTI_SWH, 3, "reversed"),
}
"""Weights, mobility and rules, by name."""

STRONGEST: Final[Mapping[Rules, tuple[str, int]]] = {
    "standard": ("patterns-standard", 1676),
    "reversed": ("patterns-reversed", 1530),
}
"""The strongest reference agent under these rules, and its Elo on the ladder.
It was measured once, see docs/evolution.md."""


def table_agent(name: str) -> AlphaBetaAgent:
    """The agent with one table of weights, at depth 1 without an exact end.

    AgentError for an unknown name.
    """
    if name not in _TABLES:
        raise AgentError(f"there is no table {name!r}; there are {', '.join(_TABLES)}")
    weights, mobility, rules = _TABLES[name]
    return AlphaBetaAgent([weights], [mobility], [1], name=name, rules=rules)
