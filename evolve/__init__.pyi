"""The public names, and where each is defined."""

from evolve import errors as errors
from evolve.agents.agent import Agent as Agent
from evolve.agents.agent import Description as Description
from evolve.agents.agent import Limit as Limit
from evolve.agents.agent import Setting as Setting
from evolve.agents.agent import StoredAgent as StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent as AlphaBetaAgent
from evolve.agents.analysis import Analysis as Analysis
from evolve.agents.analysis import Solution as Solution
from evolve.agents.chance import RandomAgent as RandomAgent
from evolve.agents.dqn import DqnAgent as DqnAgent
from evolve.agents.mcts import MctsAgent as MctsAgent
from evolve.agents.patterns import PatternAgent as PatternAgent
from evolve.arena.call import match as match
from evolve.arena.call import rate as rate
from evolve.arena.call import solve as solve
from evolve.arena.match import MatchResult as MatchResult
from evolve.arena.result_table import ResultTable as ResultTable
from evolve.engine.board.board import Board as Board
from evolve.engine.board.squares import square_name as square_name
from evolve.engine.search.genes import Gene as Gene
from evolve.errors import EvolveError as EvolveError
from evolve.errors import IllegalMoveError as IllegalMoveError
from evolve.evolution.loop import evolve as evolve
from evolve.fitness.statistics import Estimate as Estimate
from evolve.learning.training import train as train
from evolve.plots.call import plot as plot
from evolve.plots.figure import Picture as Picture
from evolve.population.genome import Encoding as Encoding
from evolve.runs.loading import load_agent as load_agent
from evolve.runs.progress import Observer as Observer
from evolve.runs.run import Run as Run
from evolve.runs.run import Study as Study
from evolve.runs.run import load_run as load_run
from evolve.runs.summary import RunSummary as RunSummary
from evolve.runs.summary import summary as summary
from evolve.studies.call import compare as compare
from evolve.studies.call import study as study
from evolve.sweeps.sweep import sweep as sweep

__version__: str

def square(text: str) -> int: ...
