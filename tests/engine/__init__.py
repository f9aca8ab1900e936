"""Tests of the compiled engine against `tests.reference`; here what they share.

Wrappers that give the kernels their own types and return Python ints, and hypothesis
strategies for positions.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from evolve.engine.board.bits import legal_moves
from evolve.engine.compiled.compile import kernel
from evolve.engine.games.game import new_context
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import set_weights
from evolve.engine.search.search import INFINITY, best_move, best_move_deep
from evolve.engine.search.search import search as search_to
from evolve.engine.search.solver import solve_deep, solve_move, solve_outcome_move
from tests import reference
from tests.reference import Agent, Board

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no such modes")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)

U = np.uint64
RULES = (reference.STANDARD, reference.REVERSED)

SWH = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1, 3)
FULL_WEIGHTS = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1, 7, 20, -15, -8, 3)


def for_python(function: Any) -> Any:
    """A function that only kernels may call, compiled for Python."""
    return kernel(function.py_func)


class Budgeted:
    """A context, by its cells, and what searches in it count, from 0 at every call."""

    cells: layout.Cells
    address: int

    @property
    def nodes(self) -> int:
        return int(self.cells[layout.NODES])

    @property
    def stopped(self) -> bool:
        return bool(self.cells[layout.STOPPED])

    @property
    def budget(self) -> int:
        return int(self.cells[layout.BUDGET])

    @budget.setter
    def budget(self, nodes: int) -> None:
        self.cells[layout.BUDGET] = nodes or layout.UNLIMITED

    def forget(self) -> None:
        """Nothing that was found counts any more."""
        self.cells[layout.AGE] += 1

    def _run(self, kernel: Any, board: Board, *arguments: Any) -> Any:
        self.cells[layout.NODES] = self.cells[layout.STOPPED] = 0
        return kernel(U(board[0]), U(board[1]), *arguments, self.address)


class Engine(Budgeted):
    """One context and the kernels that work in it."""

    def __init__(
        self,
        rules: int,
        weights: Sequence[int] = FULL_WEIGHTS,
        budget: int = 0,
        table_bits: int = layout.GAME_TABLE_BITS,
    ) -> None:
        self.cells = new_context(rules, budget, table_bits)
        self.address = self.cells.ctypes.data
        self.set_weights(weights)

    def set_weights(self, weights: Sequence[int]) -> None:
        row = np.zeros(layout.TERMS, np.int64)
        row[: len(weights)] = weights  # terms that the reference does not know weigh nothing
        set_weights(row.ctypes.data, self.address)

    def search(self, board: Board, depth: int, alpha: int = -INFINITY, beta: int = INFINITY) -> int:
        return int(self._run(search_to, board, alpha, beta, depth))

    def best_move(self, board: Board, depth: int) -> tuple[int, int]:
        square, value = self._run(best_move, board, depth)
        return int(square), int(value)

    def deep_move(self, board: Board, depth: int) -> tuple[int, int]:
        square, value = self._run(best_move_deep, board, depth)
        return int(square), int(value)

    def solve_deep(self, board: Board, alpha: int = -64, beta: int = 64) -> int:
        return int(self._run(solve_deep, board, alpha, beta))

    def solve_outcome(self, board: Board, first: int) -> tuple[int, int]:
        square, bound = self._run(solve_outcome_move, board, first)
        return int(square), int(bound)

    def solve_move(self, board: Board) -> tuple[int, int]:
        square, score = self._run(solve_move, board)
        return int(square), int(score)


def check_budgets(engine: Budgeted, search: Callable[[], Any]) -> None:
    """With enough nodes nothing changes. With fewer a search stops on the last one, chooses no
    square, and leaves nothing behind that does harm."""
    answer, needed = search(), engine.nodes
    for budget in sorted({1, 2, 3, needed // 2, needed - 1, needed, needed + 1} - {0}):
        engine.budget = budget
        limited = search()
        assert engine.stopped == (needed > budget)
        assert engine.nodes == min(needed, budget)
        if not engine.stopped:
            assert limited == answer
        elif isinstance(answer, tuple):
            assert limited[0] == -1
        engine.budget = 0
        assert search() == answer
        assert not engine.stopped


def check_fail_soft(value: int, alpha: int, beta: int, exact: int) -> None:
    """A value ≤ alpha is an upper bound, ≥ beta a lower one, else exact."""
    if value <= alpha:
        assert exact <= value
    elif value >= beta:
        assert exact >= value
    else:
        assert value == exact


def passes(rng: random.Random) -> Iterator[tuple[Board, Board]]:
    """Positions of random games in which a side must pass, each behind the one before it."""
    while True:
        moves, boards = reference.random_game(rng)
        for ply, move in enumerate(moves):
            if move == reference.PASS:
                yield boards[ply - 1], boards[ply]


def kernel_moves(board: Board) -> int:
    """Legal moves by the kernel, as a bitboard."""
    return int(legal_moves(U(board[0]), U(board[1])))


def agent_row(agent: Agent) -> layout.Cells:
    """The cells of an agent, as the layout in `evolve.engine.search.context` says."""
    row = np.zeros(layout.PHASES + len(agent.depths) * layout.PHASE_CELLS, np.int64)
    row[layout.ENDGAME] = agent.endgame
    row[layout.PHASE_OF : layout.PHASE_OF + 65] = agent.phase_of
    for phase, (weights, depth) in enumerate(zip(agent.weights, agent.depths, strict=True)):
        base = layout.PHASES + phase * layout.PHASE_CELLS
        row[base : base + len(weights)] = weights
        row[base + layout.DEPTH] = depth
    return row


def phases_at(*boundaries: int) -> tuple[int, ...]:
    """Phase by disc count: one more from each boundary on."""
    return tuple(sum(discs >= boundary for boundary in boundaries) for discs in range(65))


def random_weights(rng: random.Random, spread: int = 60) -> tuple[int, ...]:
    """Weights of either sign, some of them zero, and at times only a few that are not."""
    share = rng.choice((0.2, 0.5, 0.9))
    return tuple(
        rng.randint(-spread, spread) if rng.random() < share else 0 for _ in range(reference.TERMS)
    )


seeds = st.integers(0, 2**32 - 1)
reachable_boards = st.builds(
    lambda seed, ply: [*islice(reference.random_game(random.Random(seed))[1], ply + 1)][-1],
    seeds,
    st.integers(0, 62),
)
"""Positions of random games: the last ones of a game are over, some are passes."""

bitboards = st.integers(0, reference.FULL)
raw_boards = st.builds(lambda own, opp: (own & ~opp, opp), bitboards, bitboards)
scattered_boards = st.builds(
    lambda seed, empty, share: reference.scattered_board(random.Random(seed), empty, share),
    seeds,
    st.sampled_from((0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 1.0)),
    st.sampled_from((0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)),
)
"""From full boards to empty ones, from one side's wipe-out to the other's."""

any_boards = st.one_of(reachable_boards, scattered_boards, raw_boards)
weights_of_any_sign = st.builds(lambda seed: random_weights(random.Random(seed)), seeds)
