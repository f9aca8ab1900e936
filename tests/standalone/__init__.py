"""Exported files as modules, agents for them, and positions to ask both about."""

from __future__ import annotations

import ast
import itertools
import random
import time
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.search.genes import TERM_NAMES
from evolve.standalone.render import render

RULES: tuple[Rules, ...] = tuple(RULE_SETS)
BLACK, WHITE = -1, 1
AMPLE = 1000.0
"""Seconds a move where time must not matter."""


def random_agent(
    rng: random.Random, rules: Rules, depths: list[int], endgame: int, largest: int = 40
) -> AlphaBetaAgent:
    """All terms on, other weights in every phase; with small weights there are many ties."""
    terms: dict[str, Any] = {
        key: [rng.randint(-largest, largest) for _ in depths] for key in TERM_NAMES
    }
    return AlphaBetaAgent(
        weights=[[rng.randint(-largest, largest) for _ in range(10)] for _ in depths],
        depths=depths,
        boundaries=sorted(rng.sample(range(8, 60), len(depths) - 1)),
        endgame=endgame,
        rules=rules,
        **terms,
    )


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
    cells = np.zeros((8, 8), int)
    for square in range(64):
        if board.black >> square & 1:
            cells[square // 8, square % 8] = BLACK
        elif board.white >> square & 1:
            cells[square // 8, square % 8] = WHITE
    return cells


def color_of(board: Board) -> int:
    return BLACK if board.side == "black" else WHITE


def text_of(agent: AlphaBetaAgent, numba: bool = False, **header: Any) -> str:
    return render(
        agent.parameters,
        agent.rules or "standard",
        header.get("name", agent.name),
        header.get("provenance", {}),
        numba,
    )


def load(text: str) -> Any:
    """The module that the text makes; every call makes a new one."""
    module = ModuleType("player")
    exec(compile(text, "player.py", "exec", dont_inherit=True), module.__dict__)
    return module


def exported(agent: AlphaBetaAgent) -> Any:
    return load(text_of(agent))


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


class Clock:
    """A clock that goes one second further whenever someone looks."""

    def __init__(self) -> None:
        self.looks: Iterator[int] = itertools.count()

    def __call__(self) -> float:
        return float(next(self.looks))


def check_time(module: Any, board: Board) -> None:
    """A move takes no more than its half second."""
    for attempt in range(3):  # a busy machine may well take the processor away once
        begin = time.perf_counter()
        square_chosen(module, board, 0.5)
        if time.perf_counter() - begin < 0.5:
            break
        assert attempt < 2


def imported_by(text: str) -> set[str]:
    """The packages that an exported file imports, which any Python from 3.7 on can read."""
    tree = ast.parse(text, feature_version=(3, 7))
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def compiled(agent: Any, compiler: Any) -> Any:
    """The file's module of an agent, with its search compiled already."""
    module = load(agent.python_source(numba=True))
    module.COMPILER = compiler
    return module
