"""Agents by the clock: in time, legal, and right where the search or the solver can finish."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.clocked import ClockedAgent
from evolve.agents.solving import solve
from evolve.engine.board import Board
from evolve.engine.rules import Rules
from evolve.errors import AgentError, IllegalMoveError


def boards(seed: int, count: int, empties: int) -> list[Board]:
    """Positions of random games with a choice of moves."""
    rng = np.random.default_rng(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board.start()
        while not board.is_over() and board.empties > empties:
            moves = board.legal_moves()
            board = board.play(int(rng.choice(moves))) if moves else board.pass_move()
        if len(board.legal_moves()) > 1:
            found.append(board)
    return found


def clocked(seconds: float, rules: Rules = "standard", **settings: int) -> ClockedAgent:
    agent = evolve.load_agent("swh-mobility", time=seconds, **settings).with_rules(rules)
    assert isinstance(agent, ClockedAgent)
    return agent


@pytest.mark.parametrize("empties", [48, 30, 21, 18])
def test_keeps_the_time(empties: int) -> None:
    """A tenth of a second over it is the other programs of a busy machine."""
    agent = clocked(0.2)
    for board in boards(empties, 3, empties):
        begin = time.perf_counter()
        assert agent.choose(board) in board.legal_moves()
        assert time.perf_counter() - begin < 0.3


def test_depth_bounds_the_search() -> None:
    """With more than enough time the move is the one of the agent at that depth.

    Weights and rules change from move to move: what the table holds of others must not count.
    """
    weights = [[[7, -3, 2, 1, -5, 0, 1, 1, 0, 0]], [[-9, 4, 0, 1, 6, -2, 0, 1, 1, 0]]]
    rules: tuple[Rules, Rules] = ("standard", "reversed")
    agents = [AlphaBetaAgent(w, [2], [6], rules=r) for w in weights for r in rules]
    for board in boards(3, 10, 35):
        for agent in agents:
            assert ClockedAgent(agent, 60.0, depth=6).choose(board) == agent.choose(board)


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_exact_near_the_end(rules: Rules) -> None:
    """A won or drawn position is played for its best score; in a lost one the move is legal."""
    agent = clocked(60.0, rules)
    held = 0
    for board in boards(8, 16, 12):
        square = agent.choose(board)
        _, score, _ = solve(board, rules)
        after = board.play(square)
        _, reply, _ = solve(after, rules)
        if score >= 0:
            held += 1
            assert -reply == score
        else:
            assert -reply < 0
    assert held >= 4


def test_proven_win_without_time_for_the_score() -> None:
    """From 20 empties and little time whatever is proven holds."""
    agent = clocked(0.15)
    for board in boards(11, 4, 14):
        _, score, _ = solve(board, "standard")
        square = agent.choose(board)
        _, reply, _ = solve(board.play(square), "standard")
        assert np.sign(-reply) == np.sign(score)


def test_threads_do_not_stop_one_another() -> None:
    agent, places = clocked(0.1), boards(5, 8, 40)
    with ThreadPoolExecutor(2) as pool:
        for board, square in zip(places, pool.map(agent.choose, places), strict=True):
            assert square in board.legal_moves()


def test_one_move_or_none() -> None:
    agent = clocked(30.0)
    forced = Board.parse("XO-" + "-" * 61, side="black")
    begin = time.perf_counter()
    assert agent.choose(forced) == 2
    assert time.perf_counter() - begin < 5
    with pytest.raises(IllegalMoveError, match="no move"):
        agent.choose(Board.parse("XO-" + "-" * 61, side="white"))


@pytest.mark.parametrize("seconds", ["0", "-1", "0.01", "86401"])
def test_times_that_cannot_be(seconds: str) -> None:
    with pytest.raises(AgentError, match=r"time .* must be 0\.02 to 86400 seconds"):
        evolve.load_agent(f"swh?time={seconds}")


def test_settings() -> None:
    agent = evolve.load_agent("swh?time=0.5&depth=4&endgame=10")
    assert isinstance(agent, ClockedAgent)
    assert (agent.seconds, agent.depth, agent.agent.endgame) == (0.5, 4, 10)
    assert agent.name == "swh?time=0.5&depth=4&endgame=10"
    with pytest.raises(AgentError, match="has no setting 'time'; it has seed"):
        evolve.load_agent("random?time=1")
    with pytest.raises(AgentError, match=r"depth=2\.5 of swh must be a whole number"):
        evolve.load_agent("swh?depth=2.5")
