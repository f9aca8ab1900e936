"""The search of exported files: the agent's moves, and the best ones so far when time is out."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.limit import Limit
from evolve.engine.rules import Rules
from tests.standalone import (
    RULES,
    Clock,
    boards_with_choice,
    chessboard,
    color_of,
    exported,
    load,
    random_agent,
    square_chosen,
)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("depths", "endgame", "largest", "agents"),
    [
        ([1, 2, 1], 0, 40, 6),
        ([3, 2, 4], 6, 400, 4),
        pytest.param([3], 8, 1, 4, marks=pytest.mark.slow),
        pytest.param([5, 4], 9, 15, 2, marks=pytest.mark.slow),
    ],
)
def test_same_moves_as_the_agent(
    rules: Rules, depths: list[int], endgame: int, largest: int, agents: int
) -> None:
    rng = random.Random(f"{rules} {depths}")
    for _ in range(agents):
        agent = random_agent(rng, rules, depths, endgame, largest)
        module = exported(agent)
        for board in boards_with_choice(rng, 24):
            assert square_chosen(module, board) == agent.choose(board), board


def test_same_moves_with_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    agent = random_agent(rng, "standard", [4], 9)
    module = exported(agent)
    monkeypatch.setattr(module, "TABLE_LIMIT", 20)
    monkeypatch.setattr(module, "MEMO_LIMIT", 50)
    for board in boards_with_choice(rng, 30):
        assert square_chosen(module, board) == agent.choose(board), board


@pytest.mark.parametrize(("discs", "endgame"), [(14, 0), (30, 0), (44, 24), (47, 17)])
def test_a_search_without_end_stays_in_time(discs: int, endgame: int) -> None:
    rng = random.Random(discs)
    module = exported(random_agent(rng, "standard", [60], endgame))
    (board,) = boards_with_choice(rng, 1, discs, discs)
    cells = chessboard(board)
    player = module.AI(8, color_of(board), 0.5)
    seconds = []
    for _ in range(3):  # a busy machine may well take the processor away once
        start = time.perf_counter()
        player.go(cells)
        seconds.append(time.perf_counter() - start)
        if seconds[-1] < 0.5:
            break
    assert seconds[-1] < 0.5
    assert [8 * row + column for row, column in player.candidate_list[:-1]] == board.legal_moves()
    assert player.candidate_list[-1] in player.candidate_list[:-1]


def test_a_search_cut_short_plays_the_best_move_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(6)
    deepest = 4
    agent = random_agent(rng, "standard", [deepest], 0)
    module = exported(agent)
    cut_short = 0
    for board in boards_with_choice(rng, 12, 8, 56):
        values = [agent.at(depth).analyse(board).values for depth in range(1, deepest + 1)]
        best = [agent.at(depth).choose(board) for depth in range(1, deepest + 1)]
        for looks in (1, 3, 10, 20, 40, 80, 160, 320):
            monkeypatch.setattr(module, "perf_counter", Clock())
            square = square_chosen(module, board, looks / module.TIME_SHARE)
            cut_short += square != best[-1]
            # The best of a whole depth, or better than that in the next one.
            assert square in best or any(
                deeper[square] > deeper[known]
                for known, deeper in zip(best[:-1], values[1:], strict=True)
            )
    assert cut_short > 10


def by_the_clock(agent: AlphaBetaAgent, seconds: float) -> Any:
    return load(replace(agent, limit=Limit(seconds=seconds)).python_source())


@pytest.mark.parametrize("rules", RULES)
def test_by_the_clock_it_looks_deeper_than_its_depths(rules: Rules) -> None:
    rng = random.Random(rules)
    agent = random_agent(rng, rules, [1], 0, 400)
    module = by_the_clock(agent, 0.4)
    deeper = 0
    for board in boards_with_choice(rng, 6, 10, 40):
        start = time.perf_counter()
        square = square_chosen(module, board, 100.0)
        assert time.perf_counter() - start < 0.9
        moves = {depth: agent.at(depth).choose(board) for depth in range(1, 9)}
        assert square in moves.values()
        deeper += square != moves[1]
    assert deeper > 0


@pytest.mark.parametrize("rules", RULES)
def test_by_the_clock_it_plays_the_end_exactly(rules: Rules) -> None:
    rng = random.Random(rules)
    agent = random_agent(rng, rules, [2], 0)
    module = by_the_clock(agent, 1.0)
    assert module.EXACT == 16
    exact = replace(agent, endgame=14)
    for board in boards_with_choice(rng, 4, 51, 56):
        values = exact.analyse(board).values
        assert values[square_chosen(module, board)] == max(values.values())


def test_who_wins_is_known_before_by_how_much() -> None:
    rng = random.Random(3)
    agent = random_agent(rng, "standard", [1], 0)
    module = by_the_clock(agent, 1000.0)
    proven = 0
    for board in boards_with_choice(rng, 8, 50, 52):
        values = replace(agent, endgame=14).analyse(board).values
        search = module.Search(board.own | board.opp << 64, 0, module.INFINITY)
        children = search.deepen(module.INFINITY, 1)
        square = search.solve_root(children, module.INFINITY, -1, 1)
        best = max(values.values())
        assert np.sign(search.score) == np.sign(best)
        assert values[square] >= 0 or best < 0
        assert (values[square] > 0) == (best > 0)
        proven += values[square] > 0
    assert 0 < proven < 8


def test_the_contests_time_counts_where_it_is_less() -> None:
    rng = random.Random(8)
    module = by_the_clock(random_agent(rng, "standard", [1], 0), 50.0)
    (board,) = boards_with_choice(rng, 1, 20, 20)
    start = time.perf_counter()
    square_chosen(module, board, 0.3)
    assert time.perf_counter() - start < 0.6
