"""evolve: an evolutionary tuning service for Reversi agents.

Public names load on first use, so that `import evolve` and `evolve --help` stay light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolve import errors
from evolve.version import __version__

if TYPE_CHECKING:
    from evolve.agents.agent import Agent, Description, Limit, Setting, StoredAgent
    from evolve.agents.alphabeta import AlphaBetaAgent
    from evolve.agents.analysis import Analysis, Solution
    from evolve.agents.chance import RandomAgent
    from evolve.agents.dqn import DqnAgent
    from evolve.agents.mcts import MctsAgent
    from evolve.agents.patterns import PatternAgent
    from evolve.arena.call import match, rate, solve
    from evolve.arena.match import MatchResult
    from evolve.arena.result_table import ResultTable
    from evolve.engine.board.board import Board
    from evolve.engine.board.squares import parse_square as square
    from evolve.engine.board.squares import square_name
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

_NAMES = {
    "agents.agent": "Agent Description Limit Setting StoredAgent",
    "agents.alphabeta": "AlphaBetaAgent",
    "agents.analysis": "Analysis Solution",
    "agents.chance": "RandomAgent",
    "agents.dqn": "DqnAgent",
    "agents.mcts": "MctsAgent",
    "agents.patterns": "PatternAgent",
    "arena.call": "match rate solve",
    "arena.match": "MatchResult",
    "arena.result_table": "ResultTable",
    "engine.board.board": "Board",
    "engine.board.squares": "parse_square:square square_name",
    "engine.search.genes": "Gene",
    "errors": "EvolveError IllegalMoveError",
    "evolution.loop": "evolve",
    "fitness.statistics": "Estimate",
    "learning.training": "train",
    "plots.call": "plot",
    "plots.figure": "Picture",
    "population.genome": "Encoding",
    "runs.loading": "load_agent",
    "runs.progress": "Observer",
    "runs.run": "Run Study load_run",
    "studies.call": "compare study",
    "sweeps.call": "sweep",
}
"""The names of each module; OWN:PUBLIC where the public name is another."""
_HOMES = {
    name.split(":")[-1]: (f"evolve.{home}", name.split(":")[0])
    for home, names in _NAMES.items()
    for name in names.split()
}

__all__ = [
    "Agent", "AlphaBetaAgent", "Analysis", "Board", "Description", "DqnAgent", "Encoding",
    "Estimate", "EvolveError", "Gene", "IllegalMoveError", "Limit", "MatchResult", "MctsAgent",
    "Observer", "PatternAgent", "Picture", "RandomAgent", "ResultTable", "Run", "Setting",
    "Solution", "StoredAgent", "Study", "__version__", "compare", "errors", "evolve",
    "load_agent", "load_run", "match", "plot", "rate", "solve", "square", "square_name", "study",
    "sweep", "train",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own = _HOMES[name]
    return getattr(import_module(home), own)


def __dir__() -> list[str]:
    return sorted(__all__)
