"""Agents by the clock: in time, legal, and right where the search or the solver can finish."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import evolve
from evolve.agents.agent import Agent, Limit
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.analysis import solved
from evolve.agents.memory import thread_context
from evolve.agents.timed_search import TABLE_BITS, CutSearch, TimedSearch
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.engine.search import context as layout
from evolve.errors import IllegalMoveError
from tests.agents.conftest import CUTS, boards, pattern_agent


def clocked(seconds: float) -> Agent:
    return evolve.load_agent("swh-mobility", time=seconds).with_rules("standard")


@pytest.mark.parametrize("board", boards(3, 10, 35))
@pytest.mark.slow
def test_depth_bounds_the_search(board: Board) -> None:
    """With more than enough time the move is the one of a search to that depth alone.

    Weights and rules change from move to move: what the table holds of others must not count. A new
    thread has an empty table.
    """
    weights = [[[7, -3, 2, 1, -5, 0, 1, 1, 0, 0]], [[-9, 4, 0, 1, 6, -2, 0, 1, 1, 0]]]
    rules: tuple[Rules, Rules] = ("standard", "reversed")
    limit = Limit(seconds=60.0, depth=6)
    agents = [AlphaBetaAgent(w, [2], [6], rules=r, limit=limit) for w in weights for r in rules]
    expected = []
    for agent in agents:
        with ThreadPoolExecutor(1) as alone:
            expected.append(alone.submit(agent.choose, board).result())
    assert [agent.choose(board) for agent in agents] == expected


def outcomes_after(agent: Agent, places: Sequence[Board]) -> list[int]:
    """Who wins in the end after the agent's moves: 1 for its side."""
    return [-int(np.sign(solved(board.play(agent.choose(board))).score)) for board in places]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["patterns-standard", "champion-standard"])
def test_forward_cuts_do_not_hide_the_end(name: str) -> None:
    """A search that reaches the end of the board is not exact where it makes cuts."""
    agent = evolve.load_agent(f"{name}?nodes=400000")
    places = [board for empties in (8, 10, 12) for board in boards(77, 25, empties)]
    assert outcomes_after(agent, places) == [np.sign(solved(board).score) for board in places]


def test_proven_win_without_time_for_the_score() -> None:
    """From 20 empties and little time whatever is proven holds."""
    agent, places = clocked(0.15), boards(11, 4, 14)
    assert outcomes_after(agent, places) == [np.sign(solved(board).score) for board in places]


def test_threads_do_not_stop_one_another() -> None:
    agent, places = clocked(0.1), boards(5, 8, 40)
    with ThreadPoolExecutor(2) as pool:
        chosen = pool.map(agent.choose, places)
    assert all(square in board.legal_moves() for board, square in zip(places, chosen, strict=True))


@pytest.mark.parametrize("plain", [evolve.load_agent("swh"), pattern_agent()])
@pytest.mark.parametrize("seconds", [None, 86400.0])  # a thought would end the tests
def test_one_move_or_none(plain: Agent, seconds: float | None) -> None:
    agent = plain.limited(Limit(seconds))
    forced = Board.parse("XO-" + "-" * 61, side="black")
    assert agent.choose_counted(forced) == (2, 0)
    with pytest.raises(IllegalMoveError, match="move"):
        agent.choose(Board.parse("XO-" + "-" * 61, side="white"))


@pytest.mark.parametrize(
    "plain", [evolve.load_agent("swh-mobility"), pattern_agent(cuts=CUTS)], ids=lambda a: a.kind
)
def test_nodes_are_a_limit_that_repeats_on_any_machine(plain: Agent) -> None:
    agent = plain.limited(Limit(nodes=3000))
    deeper = 0
    for empties in (45, 30, 18, 10):
        for board in boards(empties, 4, empties):
            square, nodes = agent.choose_counted(board)
            evolve.load_agent("swh?nodes=50000").choose(board)  # leaves its table behind
            assert agent.choose_counted(board) == (square, nodes)
            assert 0 < nodes <= 3000 + 34  # the moves of the position where the budget ends
            deeper += square != plain.choose(board)
    assert deeper > 2


def test_nodes_and_time_hold_together() -> None:
    board = boards(9, 1, 40)[0]
    few = evolve.load_agent("swh?nodes=5000&time=600").choose_counted(board)
    assert few == evolve.load_agent("swh?nodes=5000").choose_counted(board)
    _, nodes = evolve.load_agent("swh?nodes=999999999&time=0.05").choose_counted(board)
    assert 0 < nodes < 999999999


@pytest.mark.clock
def test_the_time_holds_where_nodes_would_take_minutes() -> None:
    """0.05 s and a start; a machine that searches 100 000 nodes a second has 5000 in that.

    What a search may cut is measured before, when the agent is loaded.
    """
    board = boards(9, 1, 40)[0]
    agent = evolve.load_agent("swh?nodes=999999999&time=0.05")
    begin = time.perf_counter()
    _, nodes = agent.choose_counted(board)
    assert time.perf_counter() - begin < 0.2
    assert nodes > 5000


class Scripted(CutSearch):
    """A search whose moves are made up: by depth the square, and the nodes that it takes."""

    def __init__(
        self, moves: Callable[[int], tuple[int, int]], value: int = 0, outcome: int = -1
    ) -> None:
        super().__init__(thread_context("standard", TABLE_BITS), Board.start(), disc=1)
        self.depths = list[int]()
        self._moves, self._value, self._outcome = moves, value, outcome

    def near(self, depth: int, *_: int) -> tuple[int, int]:
        """What is made up; beyond the budget it is stopped."""
        self.depths.append(depth)
        square, nodes = self._moves(depth)
        self.context[layout.NODES] += nodes
        self.context[layout.STOPPED] = self.context[layout.NODES] > self.context[layout.BUDGET]
        return square, self._value

    def outcome_move(self, first: int) -> int:
        return self._outcome

    def think(self, limit: Limit, board: Board | None = None, doubt: int = 0) -> tuple[int, int]:
        """The square that a thought finds on a board, or at the start, and its nodes."""
        self.exact_nodes, self.before_exact, self.doubt = 1, 0.2, doubt
        how = limit, time.perf_counter(), self, self.context, 0
        return TimedSearch(board or Board.start(), *how).choose_counted()


@pytest.mark.parametrize(
    ("depth", "depths"), [(6, [2, 4, 6]), (5, [1, 3, 5]), (1, [1]), (None, [2, 4, 6, 8])]
)
def test_searches_deepen_by_two(depth: int | None, depths: list[int]) -> None:
    """To a depth that is asked for by searches of its parity."""
    search = Scripted(lambda plies: (19, 1000 if plies == 8 else 1))
    search.think(Limit(nodes=2300, depth=depth))
    assert search.depths == depths


def test_the_next_search_begins_while_enough_is_left() -> None:
    search = Scripted(lambda _: (19, 100))
    search.think(Limit(nodes=1200))
    assert search.depths[-1] == 10


@pytest.mark.parametrize(("last", "expected"), [(26, 26), (-1, 19)])
def test_a_stopped_search_may_have_a_move(last: int, expected: int) -> None:
    """That it is better than the one before it is for the search to say."""
    search = Scripted(lambda plies: (19, 100) if plies < 6 else (last, 5000))
    assert search.think(Limit(nodes=1000)) == (expected, 5200)
    assert search.depths == [2, 4, 6]


def test_a_losing_move_in_doubt_is_left_where_there_is_time_to_refute_it() -> None:
    """Also where the outcome takes several times the limit, and then seldom a winning one."""
    limit, left = Limit(nodes=2000), 0
    for board in boards(3, 50, 14):
        scores = {move: -solved(board.play(move)).score for move in board.legal_moves()}
        worst = min(scores, key=scores.__getitem__)
        chosen = [
            Scripted(lambda _, worst=worst: (worst, 100), value).think(limit, board, doubt)[0]
            for value, doubt in ((20, 20), (-20, 20), (20, 19), (-20, 19), (0, 0))
        ]
        assert chosen[0] == chosen[1]
        assert chosen[2:] == [worst] * 3
        if chosen[0] != worst:
            assert scores[worst] < 0
            left += 1
    assert left >= 10


@pytest.mark.parametrize(
    ("outcome", "value", "nodes", "expected"),
    [
        (26, 20, 100_000, 26),
        (26, -20, 100_000, 26),
        (26, 21, 100_000, 19),
        (-1, 20, 100_000, 19),
        (26, 20, 20_000, 19),
    ],
)
def test_doubts_are_searched_to_the_end(
    outcome: int, value: int, nodes: int, expected: int
) -> None:
    """Where it takes a part of the limit; what it finds is taken though there is no proof."""
    (board,) = boards(5, 1, 20)
    search = Scripted(lambda _: (19, 10_000), value, outcome)
    assert search.think(Limit(nodes=nodes), board, 20)[0] == expected
