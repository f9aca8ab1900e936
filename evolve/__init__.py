"""evolve: an evolutionary tuning service for Reversi agents.

Public names load on first use, so that `import evolve` and `evolve --help` stay light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolve.version import __version__

if TYPE_CHECKING:
    from evolve.agents.agent import Agent
    from evolve.agents.alphabeta import AlphaBetaAgent
    from evolve.agents.chance import RandomAgent
    from evolve.agents.dqn import DqnAgent
    from evolve.agents.mcts import MctsAgent
    from evolve.arena.call import match, rate
    from evolve.engine.board.board import Board
    from evolve.engine.search.genes import Gene
    from evolve.errors import EvolveError, IllegalMoveError
    from evolve.evolution.loop import evolve
    from evolve.learning.call import train
    from evolve.plots.call import plot
    from evolve.population.genome import Encoding
    from evolve.runs.loading import load_agent
    from evolve.runs.run import Run, Study, load_run
    from evolve.studies.call import compare, study
    from evolve.sweeps.call import sweep

_HOMES = {
    "Agent": "evolve.agents.agent",
    "AlphaBetaAgent": "evolve.agents.alphabeta",
    "Board": "evolve.engine.board.board",
    "DqnAgent": "evolve.agents.dqn",
    "Encoding": "evolve.population.genome",
    "EvolveError": "evolve.errors",
    "Gene": "evolve.engine.search.genes",
    "IllegalMoveError": "evolve.errors",
    "MctsAgent": "evolve.agents.mcts",
    "RandomAgent": "evolve.agents.chance",
    "Run": "evolve.runs.run",
    "compare": "evolve.studies.call",
    "evolve": "evolve.evolution.loop",
    "load_agent": "evolve.runs.loading",
    "Study": "evolve.runs.run",
    "load_run": "evolve.runs.run",
    "match": "evolve.arena.call",
    "plot": "evolve.plots.call",
    "rate": "evolve.arena.call",
    "study": "evolve.studies.call",
    "sweep": "evolve.sweeps.call",
    "train": "evolve.learning.call",
}

__all__ = [
    "Agent", "AlphaBetaAgent", "Board", "DqnAgent", "Encoding", "EvolveError", "Gene",
    "IllegalMoveError", "MctsAgent", "RandomAgent", "Run", "Study", "__version__", "compare",
    "evolve", "load_agent", "load_run", "match", "plot", "rate", "study",
    "sweep", "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
