"""What agents think of moves: values of every one, their unit, and the line that they expect."""

from __future__ import annotations

import random

import pytest

import evolve
from evolve.agents.agent import Limit
from evolve.agents.analysis import Analysis, solved
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules
from evolve.records.record import play_moves
from tests import reference
from tests.agents.conftest import boards


@pytest.mark.parametrize("board", boards(2, 10, 30))
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_line_of_a_search_ends_in_its_value(rules: Rules, board: Board) -> None:
    agent = evolve.AlphaBetaAgent([[9, -3, 2, 1, -5, 1, 1, 2, 1, 1]], [2], [4], rules=rules)
    analysis = agent.analyse(board)
    best = analysis.line[0]
    assert (analysis.unit, analysis.depth, best) == ("evaluation", 4, agent.choose(board))
    plies = [square for square in analysis.line if square != PASS]
    end = play_moves(board, analysis.line)
    assert len(plies) == 4 or end.is_over()
    # A shallower look at the position after a ply sees the same value.
    child = play_moves(board, analysis.line[:1])
    if child.legal_moves():
        deeper = agent.at(depth=3).analyse(child)
        assert max(deeper.values.values()) == -analysis.values[best]


@pytest.mark.parametrize("board", boards(4, 10, 9))
def test_exact_lines_are_games_to_the_end(board: Board) -> None:
    agent = evolve.AlphaBetaAgent([[0] * 10], endgame=10)
    analysis = agent.analyse(board)
    assert analysis.exact
    end = play_moves(board, analysis.line)
    assert end.is_over()
    sign = 1 if end.side == board.side else -1
    assert sign * end.score("standard") == solved(board)[1] == max(analysis.values.values())


def test_limits_of_depth_count_and_the_clock_does_not() -> None:
    board = boards(1, 1, 40)[0]
    agent = evolve.load_agent("swh?time=0.02")
    plain = evolve.load_agent("swh?depth=3")
    assert agent.limited(Limit(depth=3)).analyse(board) == plain.analyse(board)


@pytest.mark.parametrize("name", ["swh?depth=60", "patterns-standard?depth=60&endgame=0"])
def test_a_search_is_no_deeper_than_the_game(name: str) -> None:
    board = boards(1, 1, 6)[0]
    analysis = evolve.load_agent(name).analyse(board)
    assert analysis is not None
    assert (analysis.unit != "discs", analysis.depth) == (True, 6)


def test_texts_for_people() -> None:
    analysis = Analysis({19: 120, 26: -3 << 20, 37: 5 << 20}, "evaluation", 3, (19,))
    assert [analysis.text(square) for square in (19, 26, 37)] == ["+120", "loses by 3", "wins by 5"]
    assert [analysis.discs(square) for square in (19, 26, 37)] == [None, -3.0, 5.0]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_as_trying_everything(rules: Rules) -> None:
    rng, code = random.Random(4), RULE_SETS[rules].code
    ends = [reference.random_game(rng)[1][-1] for _ in range(5)]
    places = [*ends, *reference.random_boards(rng, 60, 1, 7)]
    found = [solved(Board(*place), rules) for place in places]
    expected = []
    for place in places:
        values, over = reference.exact_values(*place, code), reference.is_over(*place)
        square = reference.best_of(values)[0] if values else None if over else PASS
        expected.append((square, reference.exact(*place, code), not over))
    assert [(one.move, one.score, one.nodes > 0) for one in found] == expected
    assert {PASS, None} < {one.move for one in found}


def test_nodes_repeat_whatever_was_solved_before() -> None:
    boards = [Board(*board) for board in reference.random_boards(random.Random(5), 6, 9, 11)]
    found = [solved(board) for board in boards]
    assert [solved(board) for board in boards[::-1]] == found[::-1]
