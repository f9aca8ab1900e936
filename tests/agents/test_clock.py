"""Moves by the clock: searches end by themselves, and nothing is compiled on the way.

What counts is the CPU time of the thread that thinks: other programs of a busy machine add to the
time on the wall, and to no search. `python -m benchmarks.clock` measures that.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import evolve
from evolve.agents.alphabeta import thread_context
from evolve.agents.mcts import MctsAgent
from evolve.agents.protocol import Agent
from evolve.agents.solving import solve
from evolve.agents.timing import stopping_at, thinking_seconds
from evolve.engine import context as layout
from evolve.engine.board import Board
from evolve.engine.deepening import best_move_deep
from tests.agents.test_clocked import boards
from tests.cli import ROOT, environment
from tests.networks import POLICY, random_network

SECONDS = 0.02
LATE = 1.25
"""Of its time a move may take."""
KINDS = (
    "swh-mobility?time=0.02",
    "swh-mobility?time=0.02&endgame=30",
    "uct?time=0.02",
    "uct?time=0.02&endgame=30&reuse=1",
    "network",
)


def loaded(kind: str) -> Agent:
    if kind != "network":
        return evolve.load_agent(kind)
    return MctsAgent(network=random_network(POLICY), selection="puct", seconds=SECONDS, endgame=30)


def thought(agent: Agent, board: Board) -> float:
    """CPU seconds of this thread for a move."""
    begin = time.thread_time()
    assert agent.choose(board) in board.legal_moves()
    return time.thread_time() - begin


@contextmanager
def nobody_else_running(seconds: float) -> Iterator[None]:
    """Another thread holds the interpreter's lock, and gives it away every so many seconds."""
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            pass

    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("empties", [45, 26])
def test_a_search_ends_though_no_other_thread_gets_to_run(kind: str, empties: int) -> None:
    agent, places = loaded(kind), boards(empties, 3, empties)
    with nobody_else_running(0.1):
        spent = [thought(agent, board) for board in places]
    assert float(np.median(spent)) < LATE * SECONDS, spent


@pytest.mark.parametrize("kind", KINDS)
def test_99_of_100_moves_keep_the_time(kind: str) -> None:
    """From all parts of the game, the exact searches at their longest among them."""
    agent = loaded(kind)
    spent = [
        thought(agent, board) for empties in range(50, 10, -4) for board in boards(5, 10, empties)
    ]
    assert float(np.quantile(spent, 0.99)) < LATE * SECONDS, sorted(spent)[-5:]


FIRST_MOVES = """
import json, sys, time
from evolve.engine.board import Board
from tests.agents.test_clock import boards, loaded
places = [board for empties in (50, 27, 9) for board in boards(1, 1, empties)]
agent = loaded(sys.argv[1]).for_game(1)
spent = []
for board in places:
    begin = time.thread_time()
    agent.choose(board)
    spent.append(time.thread_time() - begin)
print(json.dumps(spent))
"""


@pytest.mark.parametrize("kind", KINDS)
def test_first_moves_do_not_pay_for_compilation(kind: str) -> None:
    """In a process of its own: there kernels are read from the cache, 0.1 s for the solver."""
    thought(loaded(kind), Board.start())  # they are in the cache
    result = subprocess.run(
        [sys.executable, "-c", FIRST_MOVES, kind],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    spent = json.loads(result.stdout)
    assert max(spent) < LATE * SECONDS + 0.01, spent


def test_nothing_of_a_deadline_is_left_behind() -> None:
    board = boards(2, 1, 30)[0]
    agent = evolve.load_agent("swh-mobility?depth=4")
    expected = agent.choose(board)
    evolve.load_agent("swh-mobility?time=0.02").choose(board)
    context = thread_context("standard", layout.GAME_TABLE_BITS)
    with stopping_at(context, time.perf_counter() - 1.0):
        square, _ = best_move_deep(
            np.uint64(board.own), np.uint64(board.opp), 8, context.ctypes.data
        )
        assert square == -1
    assert context[layout.DEADLINE] == 0
    assert context[layout.BUDGET] == layout.UNLIMITED
    assert agent.choose(board) == expected


def test_a_tree_search_plays_on_where_the_exact_search_has_no_time() -> None:
    agent = evolve.load_agent("uct?time=0.02&endgame=60")
    for board in boards(3, 3, 40):
        assert agent.choose(board) in board.legal_moves()
    proven = 0
    for board in boards(4, 10, 9):
        _, score, _ = solve(board, "standard")
        after = board.play(agent.choose(board))
        if score >= 0:
            proven += 1
            assert -solve(after, "standard")[1] == score
    assert proven >= 3


def test_what_a_move_leaves_of_its_time() -> None:
    for seconds, left in ((0.02, 0.002), (0.05, 0.005), (0.1, 0.01), (5.0, 0.01)):
        assert seconds - thinking_seconds(seconds) == pytest.approx(left)
