"""The exact search of exported files: the agent's moves, and no worse than the fallback."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.search.genes import TERM_NAMES
from evolve.standalone.part_board import (
    FULL,
    WIDTHS,
    bit_count,
    class_of,
    count_of,
    moves_of,
    neighbours_of,
    side_by_side,
    squares_of,
    stable_of,
)
from evolve.standalone.part_values import final_score
from tests import reference
from tests.standalone import (
    AMPLE,
    RULES,
    Clock,
    boards_with_choice,
    exported,
    random_agent,
    square_chosen,
)


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
        search = module.Search(board.own | board.opp << 64, 0, AMPLE)
        children = search.deepen(time.perf_counter() + AMPLE, 2)
        assert children[0].square == agent.at(2, 0).choose(board)
        for looks in (0, 10, 40, 160, 640):
            monkeypatch.setattr(module, "perf_counter", Clock())
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


@pytest.mark.parametrize("term", ["weights", *TERM_NAMES])
def test_same_moves_with_a_single_term(term: str) -> None:
    rng = random.Random(term)
    values: dict[str, Any] = {"weights": [[0] * 10], term: [rng.choice((-3, 7))]}
    if term == "weights":
        values = {"weights": [list(range(10))]}
    agent = AlphaBetaAgent(depths=[2], **values)
    module = exported(agent)
    boards = boards_with_choice(rng, 30)
    assert [square_chosen(module, board) for board in boards] == [
        agent.choose(board) for board in boards
    ]


@pytest.mark.parametrize("phase", [0, 1])
def test_many_boards_at_once_are_worth_what_each_of_them_is(phase: int) -> None:
    rng = random.Random(9)
    agent = random_agent(rng, "standard", [2, 2], 4)
    module = exported(agent)
    boards = [board for board in boards_with_choice(rng, 20) if not board.is_over()]
    words = [board.own | board.opp << 64 for board in boards]
    evaluation = module.Evaluation(phase)
    values, _, _ = evaluation.of_boards(
        words,
        [evaluation.square_sum(word) for word in words],
        [evaluation.corner_value[word & module.CORNER_AREA] for word in words],
        0,
        module.WIDTHS[len(words)],
    )
    terms = [agent.terms[name][phase] for name in TERM_NAMES]
    weights = [*agent.weights[phase], *terms]
    assert values == [reference.evaluate(b.own, b.opp, weights) for b in boards]


def boards_of(count: int) -> list[tuple[int, int]]:
    """Positions out of games, and discs strewn anyhow, which reach every border."""
    rng = random.Random(count)
    met = reference.random_boards(rng, count, 4, 63)
    strewn = [reference.scattered_board(rng, rng.random() / 2, 0.5) for _ in range(count)]
    return [(int(own), int(opp)) for own, opp in [*met, *strewn]]


def lanes_of(wide: int, count: int) -> list[tuple[int, int]]:
    """The two lanes of each board."""
    slots = [wide >> 128 * number & (1 << 128) - 1 for number in range(count)]
    return [(slot & FULL, slot >> 64) for slot in slots]


@pytest.mark.parametrize("count", [1, 2, 17])
def test_lanes_do_not_disturb_one_another(count: int) -> None:
    boards = boards_of(count)
    width = WIDTHS[len(boards)]
    wide = side_by_side([own | opp << 64 for own, opp in boards])
    assert lanes_of(wide, len(boards)) == boards
    reach, empty = moves_of(wide, width)
    assert lanes_of(reach, len(boards)) == [
        (reference.mask(reference.legal_moves(*b)), reference.mask(reference.legal_moves(*b[::-1])))
        for b in boards
    ]
    assert lanes_of(empty, len(boards)) == [(FULL & ~(own | opp),) * 2 for own, opp in boards]
    assert lanes_of(count_of(wide, width), len(boards)) == [
        (own.bit_count(), opp.bit_count()) for own, opp in boards
    ]
    beside = lanes_of(neighbours_of(wide, width) & empty, len(boards))
    expected = [
        (reference.beside(own) & free[0], reference.beside(opp) & free[1])
        for (own, opp), free in zip(boards, lanes_of(empty, len(boards)), strict=True)
    ]
    assert beside == expected
    assert lanes_of(stable_of(wide, empty, 0, width), len(boards)) == [
        (reference.stable(own, opp), reference.stable(opp, own)) for own, opp in boards
    ]


def test_squares_are_of_the_class_of_their_images() -> None:
    bits = [1 << reference.square_of(name) for name in reference.CLASSES]
    images = [
        squares_of(reference.transform(bit, symmetry)) for bit in bits for symmetry in range(8)
    ]
    assert [class_of(image) for (image,) in images] == [
        k for k in range(len(bits)) for _ in range(8)
    ]
