"""evolve: an evolutionary tuning service for Reversi agents.

Public names load on first use, so that `import evolve` and `evolve --help` stay light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolve.version import __version__

if TYPE_CHECKING:
    from evolve.agents.agent import Agent, Description, Limit, Setting, StoredAgent
    from evolve.agents.alphabeta import AlphaBetaAgent
    from evolve.agents.analysis import Analysis
    from evolve.agents.chance import RandomAgent
    from evolve.agents.dqn import DqnAgent
    from evolve.agents.mcts import MctsAgent
    from evolve.arena.call import match, rate
    from evolve.arena.match import MatchResult
    from evolve.arena.result_table import ResultTable
    from evolve.engine.board.board import Board
    from evolve.engine.search.genes import Gene
    from evolve.errors import EvolveError, IllegalMoveError
    from evolve.evolution.loop import evolve
    from evolve.fitness.statistics import Estimate
    from evolve.learning.training import train
    from evolve.plots.call import plot
    from evolve.plots.figure import Picture
    from evolve.population.genome import Encoding
    from evolve.runs.loading import load_agent
    from evolve.runs.progress import Observer
    from evolve.runs.run import Run, Study, load_run
    from evolve.studies.call import compare, study
    from evolve.sweeps.call import sweep

_HOMES = {
    "Agent": "evolve.agents.agent",
    "AlphaBetaAgent": "evolve.agents.alphabeta",
    "Analysis": "evolve.agents.analysis",
    "Board": "evolve.engine.board.board",
    "compare": "evolve.studies.call",
    "Description": "evolve.agents.agent",
    "DqnAgent": "evolve.agents.dqn",
    "Encoding": "evolve.population.genome",
    "Estimate": "evolve.fitness.statistics",
    "evolve": "evolve.evolution.loop",
    "EvolveError": "evolve.errors",
    "Gene": "evolve.engine.search.genes",
    "IllegalMoveError": "evolve.errors",
    "Limit": "evolve.agents.agent",
    "load_agent": "evolve.runs.loading",
    "load_run": "evolve.runs.run",
    "match": "evolve.arena.call",
    "MatchResult": "evolve.arena.match",
    "MctsAgent": "evolve.agents.mcts",
    "Observer": "evolve.runs.progress",
    "Picture": "evolve.plots.figure",
    "plot": "evolve.plots.call",
    "RandomAgent": "evolve.agents.chance",
    "rate": "evolve.arena.call",
    "ResultTable": "evolve.arena.result_table",
    "Run": "evolve.runs.run",
    "Setting": "evolve.agents.agent",
    "StoredAgent": "evolve.agents.agent",
    "Study": "evolve.runs.run",
    "study": "evolve.studies.call",
    "sweep": "evolve.sweeps.call",
    "train": "evolve.learning.training",
}

__all__ = [
    "Agent", "AlphaBetaAgent", "Analysis", "Board", "Description", "DqnAgent", "Encoding",
    "Estimate", "EvolveError", "Gene", "IllegalMoveError", "Limit", "MatchResult", "MctsAgent",
    "Observer", "Picture", "RandomAgent", "ResultTable", "Run", "Setting", "StoredAgent",
    "Study", "__version__", "compare", "evolve", "load_agent", "load_run", "match", "plot",
    "rate", "study", "sweep", "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
