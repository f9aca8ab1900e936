"""What agents think of moves: values of every one, their unit, and the line that they expect."""

from __future__ import annotations

import pytest

import evolve
from evolve.agents.agent import Limit
from evolve.agents.analysis import Analysis, solve
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, Rules
from tests.agents.conftest import dqn_agent, mcts_agent
from tests.agents.test_searching import boards


def after(board: Board, line: tuple[int, ...]) -> Board:
    for square in line:
        board = board.pass_move() if square == PASS else board.play(square)
    return board


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_the_line_of_a_search_ends_in_its_value(rules: Rules) -> None:
    agent = evolve.AlphaBetaAgent([[9, -3, 2, 1, -5, 1, 1, 2, 1, 1]], [2], [4], rules=rules)
    for board in boards(2, 10, 30):
        analysis = agent.analyse(board)
        best = analysis.line[0]
        assert (analysis.unit, analysis.depth) == ("evaluation", 4)
        assert best == agent.choose(board) == next(iter(analysis.values))
        assert sorted(analysis.values) == board.legal_moves()
        plies = [square for square in analysis.line if square != PASS]
        end = after(board, analysis.line)
        assert len(plies) == 4 or end.is_over()
        # A shallower look at the position after a ply sees the same value.
        child = after(board, analysis.line[:1])
        if child.legal_moves():
            deeper = agent.at(depth=3).analyse(child)
            assert max(deeper.values.values()) == -analysis.values[best]


def test_exact_lines_are_games_to_the_end() -> None:
    agent = evolve.AlphaBetaAgent([[0] * 10], endgame=10)
    for board in boards(4, 10, 9):
        analysis = agent.analyse(board)
        assert analysis.exact
        end = after(board, analysis.line)
        assert end.is_over()
        sign = 1 if end.side == board.side else -1
        assert sign * end.score("standard") == solve(board)[1] == max(analysis.values.values())
        assert analysis.discs(analysis.line[0]) == max(analysis.values.values())


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


@pytest.mark.parametrize("agent", [dqn_agent(), mcts_agent()], ids=lambda agent: agent.kind)
def test_networks_and_trees_have_values_and_no_discs(agent: evolve.MctsAgent) -> None:
    for board in boards(6, 5, 40):
        analysis = agent.analyse(board)
        assert (analysis.unit, analysis.depth) == ("value", None)
        assert sorted(analysis.values) == board.legal_moves()
        assert analysis.discs(analysis.line[0]) is None
        after(board, analysis.line)
        assert analysis.line[0] == next(iter(analysis.values))


def test_who_has_no_opinion_says_none() -> None:
    assert evolve.load_agent("random").analyse(Board.start()) is None


def test_texts_for_people() -> None:
    analysis = Analysis({19: 120, 26: -3 << 20, 37: 5 << 20}, "evaluation", 3, (19,))
    assert [analysis.text(square) for square in (19, 26, 37)] == ["+120", "loses by 3", "wins by 5"]
    assert [analysis.discs(square) for square in (19, 26, 37)] == [None, -3.0, 5.0]
