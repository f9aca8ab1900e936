"""Exported files as modules, agents for them, and positions to ask both about."""

from __future__ import annotations

import ast
import itertools
import random
import time
from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.search.genes import TERM_NAMES

RULES: tuple[Rules, ...] = tuple(RULE_SETS)
BLACK, WHITE = -1, 1
AMPLE = 1000.0
"""Seconds a move where time must not matter."""


def random_agent(
    rng: random.Random, rules: Rules, depths: list[int], endgame: int, largest: int = 40
) -> AlphaBetaAgent:
    """All terms on, other weights in every phase; with small weights there are many ties."""
    terms = {key: [rng.randint(-largest, largest) for _ in depths] for key in TERM_NAMES}
    weights = [[rng.randint(-largest, largest) for _ in range(10)] for _ in depths]
    boundaries = sorted(rng.sample(range(8, 60), len(depths) - 1))
    return AlphaBetaAgent(weights, None, depths, boundaries, endgame, rules, terms=terms)


def random_board(rng: random.Random, discs: int) -> Board:
    """A position with that many discs, met in random play, or the end of a shorter game."""
    board = Board.start()
    while board.disc_count < discs and not board.is_over():
        moves = board.legal_moves()
        board = board.play(rng.choice(moves)) if moves else board.pass_move()
    return board


def boards_with_choice(rng: random.Random, count: int, low: int = 4, high: int = 62) -> list[Board]:
    """Positions with two moves or more; the disc counts go evenly from `low` to `high`."""
    boards: list[Board] = []
    while len(boards) < count:
        board = random_board(rng, low + (high - low) * len(boards) // count)
        if len(board.legal_moves()) > 1:
            boards.append(board)
    return boards


def chessboard(board: Board) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The board as the contest's server hands it over."""
    cells = [BLACK * (board.black >> i & 1) + WHITE * (board.white >> i & 1) for i in range(64)]
    return np.array(cells).reshape(8, 8)


def color_of(board: Board) -> int:
    return BLACK if board.side == "black" else WHITE


def load(text: str) -> Any:
    """The module that the text makes; every call makes a new one."""
    module = ModuleType("player")
    exec(compile(text, "player.py", "exec", dont_inherit=True), module.__dict__)
    return module


def exported(agent: StoredAgent) -> Any:
    return load(agent.python_source())


def square_chosen(module: Any, board: Board, seconds: float = AMPLE) -> int:
    """The move that a file plays; it lists all legal moves before it."""
    player = module.AI(8, color_of(board), seconds)
    player.go(chessboard(board))
    *moves, square = (8 * row + column for row, column in player.candidate_list)
    assert moves == board.legal_moves()
    return int(square)


def differing(module: Any, agent: Agent, boards: Iterable[Board]) -> list[Board]:
    """Where a file plays another move than its agent."""
    return [board for board in boards if square_chosen(module, board) != agent.choose(board)]


def clock() -> Callable[[], float]:
    """A clock that goes one second further whenever someone looks."""
    return partial(next, itertools.count(0.0))


def thought(module: Any, board: Board, seconds: float) -> float:
    """How long a file takes for a legal move."""
    begin = time.perf_counter()
    assert square_chosen(module, board, seconds) in board.legal_moves()
    return time.perf_counter() - begin


def check_time(module: Any, board: Board) -> None:
    """A move takes no more than its half second; a busy machine may take the processor away."""
    assert any(thought(module, board, 0.5) < 0.5 for _ in range(3))


def imported_by(text: str) -> set[str]:
    """The packages that an exported file imports, which any Python from 3.7 on can read."""
    nodes = [*ast.walk(ast.parse(text, feature_version=(3, 7)))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def compiled(agent: Any, compiler: Any) -> Any:
    """The file's module of an agent, with its search compiled already."""
    module = load(agent.python_source(numba=True))
    module.COMPILER = compiler
    return module
