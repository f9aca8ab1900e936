"""The search of exported files: the agent's moves, and the best ones so far when time is out.

And the player as a contest wants it: its list of moves, and what it refuses.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from evolve.agents.agent import Limit
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.search.genes import TERM_NAMES
from evolve.standalone import part_board, part_search
from evolve.standalone.part_board import FULL, WIDTHS, bit_count
from evolve.standalone.part_values import final_score
from tests import reference
from tests.standalone import (
    BLACK,
    RULES,
    WHITE,
    boards_with_choice,
    chessboard,
    clock,
    color_of,
    compiled,
    differing,
    exported,
    load,
    random_agent,
    random_board,
    square_chosen,
    thought,
)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("depths", "endgame", "largest", "agents", "discs"),
    [
        ([1, 2, 1], 0, 40, 6, (4, 62)),
        ([3, 2, 4], 6, 400, 4, (4, 62)),
        ([2, 3], 3, 2700, 3, (4, 62)),
        ([2], 11, 40, 3, (53, 63)),
        pytest.param([3], 8, 1, 4, (4, 62), marks=pytest.mark.slow),
        pytest.param([5, 4], 9, 15, 2, (4, 62), marks=pytest.mark.slow),
    ],
)
def test_same_moves_as_the_agent(
    rules: Rules, depths: list[int], endgame: int, largest: int, agents: int, discs: tuple[int, int]
) -> None:
    rng, wrong = random.Random(f"{rules} {depths}"), list[Board]()
    for _ in range(agents):
        agent = random_agent(rng, rules, depths, endgame, largest)
        wrong += differing(exported(agent), agent, boards_with_choice(rng, 12, *discs))
    assert wrong == []


def test_same_moves_with_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    agent = random_agent(rng, "standard", [4], 9)
    module = exported(agent)
    monkeypatch.setattr(module, "TABLE_LIMIT", 20)
    monkeypatch.setattr(module, "MEMO_LIMIT", 50)
    assert not differing(module, agent, boards_with_choice(rng, 30))


@pytest.mark.parametrize(("discs", "endgame"), [(14, 0), (30, 0), (44, 24), (47, 17)])
@pytest.mark.parametrize(
    ("seconds", "longest"), [(0.1, math.inf), pytest.param(0.5, 0.5, marks=pytest.mark.clock)]
)
def test_endless_searches_play_in_time(
    discs: int, endgame: int, seconds: float, longest: float
) -> None:
    """A contest ends the game of who takes longer, so there is no tolerance."""
    rng = random.Random(discs)
    module = exported(random_agent(rng, "standard", [60], endgame))
    (board,) = boards_with_choice(rng, 1, discs, discs)
    assert thought(module, board, seconds) < longest


def test_a_search_cut_short_plays_the_best_move_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(6)
    deepest = 4
    agent = random_agent(rng, "standard", [deepest], 0)
    module = exported(agent)
    cut_short, worse = 0, []
    for board in boards_with_choice(rng, 12, 8, 56):
        for looks in (1, 3, 10, 20, 40, 80, 160, 320):
            monkeypatch.setattr(module, "perf_counter", clock())
            square = square_chosen(module, board, looks / module.TIME_SHARE)
            cut_short += square != agent.choose(board)
            if not best_so_far(agent, board, square, deepest):
                worse.append((board, square))
    assert not worse
    assert cut_short > 10


def best_so_far(agent: AlphaBetaAgent, board: Board, square: int, deepest: int) -> bool:
    """Whether a move is the best of a whole depth, or better than that in the next one."""
    values = [agent.at(depth).analyse(board).values for depth in range(1, deepest + 1)]
    best = [agent.at(depth).choose(board) for depth in range(1, deepest + 1)]
    return square in best or any(
        deeper[square] > deeper[known] for known, deeper in zip(best[:-1], values[1:], strict=True)
    )


def by_the_clock(agent: AlphaBetaAgent, seconds: float) -> Any:
    return exported(agent.limited(Limit(seconds=seconds)))


@pytest.mark.parametrize("rules", ["reversed", pytest.param("standard", marks=pytest.mark.slow)])
def test_by_the_clock_it_looks_deeper(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(rules)
    agent = random_agent(rng, rules, [1], 0, 400)
    module = by_the_clock(agent, 300.0)
    deeper, worse = 0, []
    for board in boards_with_choice(rng, 4, 10, 40):
        monkeypatch.setattr(module, "perf_counter", clock())  # 300 looks
        square = square_chosen(module, board)
        if not best_so_far(agent, board, square, 8):
            worse.append((board, square))
        deeper += square != agent.at(1).choose(board)
    assert not worse
    assert deeper > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_by_the_clock_the_end_is_exact(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(rules)
    agent = random_agent(rng, rules, [2], 0)
    module = by_the_clock(agent, 1.0)
    assert module.EXACT == 16
    module.SECONDS = 16_000.0  # looks, as many as there are in a second
    exact = replace(agent, endgame=14)
    found, best = [], []
    for board in boards_with_choice(rng, 4, 51, 56):
        monkeypatch.setattr(module, "perf_counter", clock())
        values = exact.analyse(board).values
        found.append(values[square_chosen(module, board, 1e9)])
        best.append(max(values.values()))
    assert found == best


@pytest.mark.slow
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


@pytest.mark.clock
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("seconds", "contest"), [(0.4, 100.0), (50.0, 0.3)])
def test_by_the_clock_it_ends_in_time(rules: Rules, seconds: float, contest: float) -> None:
    """Its own or the contest's, in 0.4 s; the rest is for a machine that does something else."""
    rng = random.Random(rules)
    module = by_the_clock(random_agent(rng, rules, [1], 0, 400), seconds)
    boards = boards_with_choice(rng, 6, 10, 40)
    assert max(thought(module, board, contest) for board in boards) < 0.6


def test_the_list_holds_the_legal_moves_and_then_the_choice() -> None:
    rng = random.Random(1)
    module = exported(random_agent(rng, "standard", [2], 4))
    player = {color: module.AI(8, color, 5) for color in (BLACK, WHITE)}
    without_moves = 0
    for number in range(150):
        board = random_board(rng, rng.randint(4, 64))
        for side in (board, Board(board.opp, board.own, board.other_side)):
            listed = player[color_of(side)].candidate_list
            cells = chessboard(side).astype([np.int64, np.int8, float][number % 3])
            before = cells.copy()
            player[color_of(side)].go(cells)
            moves = [(square // 8, square % 8) for square in side.legal_moves()]
            without_moves += not moves
            assert player[color_of(side)].candidate_list is listed
            assert listed[:-1] == moves
            assert listed[-1:] == [] if not moves else listed[-1] in moves
            assert all(type(number) is int for move in listed for number in move)
            assert (cells == before).all()
    assert without_moves > 5


def test_the_start_position_is_the_right_way_up() -> None:
    player = exported(AlphaBetaAgent([[0] * 10])).AI(8, BLACK, 5)
    cells = np.zeros((8, 8), int)
    cells[3, 3] = cells[4, 4] = WHITE
    cells[3, 4] = cells[4, 3] = BLACK
    player.go(cells)
    assert player.candidate_list == [(2, 3), (3, 2), (4, 5), (5, 4), (2, 3)]


def test_the_template_runs_as_it_stands() -> None:
    template = cast(Any, part_board)
    agent = AlphaBetaAgent(
        weights=template.WEIGHTS, depths=template.DEPTHS, endgame=template.ENDGAME, **template.TERMS
    )
    assert not differing(cast(Any, part_search), agent, boards_with_choice(random.Random(5), 12))


@pytest.fixture(scope="module")
def compiler() -> Any:
    """The search that a file compiled, for all: it knows nothing of the agent."""
    agent = random_agent(random.Random(34), "reversed", [3], 6)
    made = load(agent.python_source(numba=True)).COMPILER
    made.work()
    return made


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_the_compiled_search_plays_the_same_moves(rules: Rules, compiler: Any) -> None:
    rng = random.Random(31)
    agent = random_agent(rng, rules, [4, 2, 5], 12)
    small = replace(agent, weights=((0,) * 10, (1,) * 10, (0, 1) * 5))  # ties
    boards = boards_with_choice(rng, 60)
    wrong = [differing(compiled(one, compiler), one, boards) for one in (agent, small)]
    assert wrong == [[], []]


@pytest.mark.clock
def test_the_compiled_search_stops_in_time_with_a_legal_move(compiler: Any) -> None:
    """A contest ends the game of who takes longer, so there is no tolerance."""
    module = compiled(random_agent(random.Random(32), "standard", [40], 60), compiler)
    boards = boards_with_choice(random.Random(33), 3, 4, 30)
    assert max(thought(module, board, 0.5) for board in boards) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_an_exact_search_cut_short_is_no_worse_than_the_fallback(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(7)
    agent = random_agent(rng, rules, [3], 12)
    module = exported(agent)
    better = 0
    for board in boards_with_choice(rng, 8, 52, 54):
        assert square_chosen(module, board) == agent.choose(board)
        exact = agent.analyse(board).values
        search = module.Search(board.own | board.opp << 64, 0, module.INFINITY)
        children = search.deepen(module.INFINITY, 2)
        assert children[0].square == agent.at(2, 0).choose(board)
        for looks in (0, 10, 40, 160, 640):
            monkeypatch.setattr(module, "perf_counter", clock())
            search.solved[0].clear()
            search.solved[1].clear()
            square = search.solve_root(children, looks)
            assert exact[square] >= exact[children[0].square]
            better += exact[square] > exact[children[0].square]
        monkeypatch.undo()
    assert better > 0


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_scores_are_those_of_the_rules(rules: Rules) -> None:
    """Of any discs on the board, for the compiled search counts them in the same function."""
    rng = random.Random(8)
    code = RULE_SETS[rules].code
    boards = [reference.scattered_board(rng, rng.random(), rng.random()) for _ in range(300)]
    expected = [reference.final_score(*board, code) for board in boards]
    assert [final_score(*board, code, bit_count) for board in boards] == expected
    with pytest.raises(ValueError, match="score"):
        final_score(1, 2, 9, bit_count)


@pytest.mark.parametrize("phase", [0, 1])
def test_many_boards_at_once_are_worth_what_each_of_them_is(phase: int) -> None:
    rng = random.Random(9)
    agent = random_agent(rng, "standard", [2, 2], 4)
    module = exported(agent)
    boards = [board for board in boards_with_choice(rng, 20) if not board.is_over()]
    words = [board.own | board.opp << 64 for board in boards]
    evaluation = module.Evaluation(phase)
    totals = [evaluation.square_sum(word) for word in words]
    corners = [evaluation.corner_value[word & module.CORNER_AREA] for word in words]
    values, _, _ = evaluation.of_boards(words, totals, corners, 0, module.WIDTHS[len(words)])
    weights = [*agent.weights[phase], *(agent.terms[name][phase] for name in TERM_NAMES)]
    assert values == [reference.evaluate(b.own, b.opp, weights) for b in boards]


@pytest.mark.parametrize("count", [1, 2, 17])
def test_lanes_do_not_disturb_one_another(count: int) -> None:
    """Positions out of games, and discs strewn anyhow, which reach every border."""
    rng = random.Random(count)
    strewn = [reference.scattered_board(rng, rng.random() / 2, 0.5) for _ in range(count)]
    boards = [*reference.random_boards(rng, count, 4, 63), *strewn]
    width = WIDTHS[len(boards)]
    wide = part_board.side_by_side([int(own) | int(opp) << 64 for own, opp in boards])

    def lanes(bits: int) -> list[int]:
        return [bits >> 64 * lane & FULL for lane in range(2 * len(boards))]

    def expected(found: Callable[[int, int], int]) -> list[int]:
        return [found(*lane) for own, opp in boards for lane in ((own, opp), (opp, own))]

    assert lanes(wide) == expected(lambda own, opp: own)
    reach, empty = part_board.moves_of(wide, width)
    assert lanes(reach) == expected(lambda *board: reference.mask(reference.legal_moves(*board)))
    assert lanes(empty) == expected(lambda own, opp: FULL & ~(own | opp))
    counts = part_board.count_of(wide, width)
    assert lanes(counts) == expected(lambda own, opp: own.bit_count())
    beside = part_board.neighbours_of(wide, width) & empty
    assert lanes(beside) == expected(lambda own, opp: reference.beside(own) & ~(own | opp))
    assert lanes(part_board.stable_of(wide, empty, 0, width)) == expected(reference.stable)
