"""Reference agents: fixed opponents that everyone knows by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.files import read_alphabeta
from evolve.agents.mcts import MctsAgent
from evolve.agents.names import CHAMPION_NAMES
from evolve.agents.names import REFERENCE_NAMES as REFERENCE_NAMES
from evolve.agents.protocol import Agent
from evolve.agents.random import RandomAgent
from evolve.engine.rules import Rules

SWH: Final = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1)
"""The classic position weights, ×100, by class of squares a1 b1 c1 d1 b2 c2 d2 c3 d3 d4
(1.00 −0.25 0.10 0.05 / −0.25 0.01 0.01 / 0.05 0.02 / 0.01)."""
ANTI_SWH: Final = tuple(-weight for weight in SWH)

POSITIONAL: Final = (100, -20, 10, 5, -50, -2, -2, 1, 1, 0)
"""The position weights that the published DQN and MCTS agents were measured against."""


def _table(
    name: str, weights: tuple[int, ...], mobility: int = 0, rules: Rules | None = None
) -> AlphaBetaAgent:
    return AlphaBetaAgent([weights], [mobility], [1], name=name, rules=rules)


_CHAMPIONS: Final = Path(__file__).with_name("champions")
"""Agent files that come with the package; their provenance says which run evolved them."""


def _champion(name: str) -> AlphaBetaAgent:
    """An evolved agent of the preset `tuned` (champion-RULES) or `published`, as it was evolved."""
    return read_alphabeta(_CHAMPIONS / f"{name}.json")


_REFERENCES: Final[dict[str, Callable[[], Agent]]] = {
    "random": RandomAgent,
    "uct": MctsAgent,
    "zero": lambda: _table("zero", (0,) * 10),
    "swh": lambda: _table("swh", SWH),
    "swh-mobility": lambda: _table("swh-mobility", SWH, 3),
    "positional": lambda: _table("positional", POSITIONAL, 5),
    "anti-swh": lambda: _table("anti-swh", ANTI_SWH, rules="reversed"),
    "anti-swh-mobility": lambda: _table("anti-swh-mobility", ANTI_SWH, 3, "reversed"),
    **{name: partial(_champion, name) for name in CHAMPION_NAMES},
}

assert tuple(_REFERENCES) == REFERENCE_NAMES


def reference_agent(name: str) -> Agent:
    """The reference agent of that name: tables at depth 1 without an exact end, champions as they
    were evolved."""
    return _REFERENCES[name]()
