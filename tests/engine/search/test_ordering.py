"""The order of moves: every move once, with what it turns, the most promising groups first."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from evolve.engine.compiled.compile import kernel
from evolve.engine.compiled.intrinsics import load
from evolve.engine.search import context as layout
from evolve.engine.search import ordering
from tests import reference
from tests.engine import FULL_WEIGHTS, RULES, Engine, U, for_python
from tests.reference import Board, squares

FRAME = layout.FRAMES
NONE_KNOWN = 64

next_moves = for_python(ordering.next_moves)
odd_quadrants = for_python(ordering.odd_quadrants)
list_to_solve = for_python(ordering.list_fastest_first)


@kernel
def picked(frame: int, count: int, address: int, squares: np.ndarray) -> None:
    for index in range(count):
        squares[index] = ordering.pick(index, count, frame, address)


@kernel
def list_for_search(
    own: np.uint64, opp: np.uint64, moves: np.uint64, known: int, frame: int, address: int
) -> int:
    total = 0
    for square in range(64):
        weight = load(address, layout.SQUARE_WEIGHTS + square)
        total += weight * (int((own >> U(square)) & U(1)) - int((opp >> U(square)) & U(1)))
    return ordering.list_by_evaluation(own, opp, total, moves, known, frame, address)


def test_groups_go_from_corners_to_the_squares_beside_them() -> None:
    rng = random.Random(0)
    for _ in range(50):
        whole = rng.getrandbits(64) & rng.getrandbits(64)
        orders = []
        for reverse in (0, 1):
            left, groups = whole, []
            while left:
                groups.append(int(next_moves(U(left), reverse)))
                assert groups[-1] & left == groups[-1] != 0
                left &= ~groups[-1]
            orders.append(groups)
        assert orders[1] == orders[0][::-1]
        names = [{reference.CLASSES[reference.CLASS_OF[s]] for s in squares(g)} for g in orders[0]]
        for earlier, later in pairwise(names):
            assert "a1" not in later
            assert "b2" not in earlier
            assert not earlier & later


def test_odd_quadrants() -> None:
    rng = random.Random(1)
    quadrants = [
        sum(1 << 8 * (y + j) + x + i for i in range(4) for j in range(4))
        for x, y in ((0, 0), (4, 0), (0, 4), (4, 4))
    ]
    empty = [rng.getrandbits(64) & rng.getrandbits(64) for _ in range(50)]
    assert [int(odd_quadrants(U(one))) for one in empty] == [
        sum(q for q in quadrants if (one & q).bit_count() % 2) for one in empty
    ]


def order_of(lister: object, engine: Engine, board: Board, known: int) -> list[int]:
    """The moves in the order in which they are picked, their frame checked."""
    own, opp = board
    moves = reference.legal_moves(own, opp)
    arguments = (U(own), U(opp), U(reference.mask(moves)), known, FRAME, engine.address)
    assert lister(*arguments) == len(moves)  # type: ignore[operator]
    cells = engine.cells.view(np.uint64)
    for square in moves:
        turned = reference.flips(own, opp, square)
        assert int(cells[FRAME + layout.TURNED + square]) == turned
    squares = np.zeros(len(moves), np.int64)
    picked(FRAME, len(moves), engine.address, squares)
    order: list[int] = squares.tolist()
    assert sorted(order) == moves
    assert known not in moves or order[0] == known
    return order


@pytest.mark.parametrize("rules", RULES)
def test_searches_take_what_is_worth_most_at_once_first(rules: int) -> None:
    rng, engine = random.Random(2), Engine(rules)
    for board in reference.random_boards(rng, 30, 5, 55):
        children = {move: reference.play(*board, move) for move in reference.legal_moves(*board)}
        order = order_of(list_for_search, engine, board, NONE_KNOWN)
        values = {
            move: reference.evaluate(*child, FULL_WEIGHTS) for move, child in children.items()
        }
        assert order == sorted(children, key=lambda move, v=values: (v[move], move))
        order_of(list_for_search, engine, board, rng.choice(order or [NONE_KNOWN]))


@pytest.mark.parametrize("rules", RULES)
def test_solvers_take_few_replies_first(rules: int) -> None:
    """Where two moves differ in nothing but the number of replies."""
    rng, engine, compared = random.Random(3), Engine(rules), 0
    for board in reference.random_boards(rng, 60, 5, 14):
        order = order_of(list_to_solve, engine, board, NONE_KNOWN)
        replies, rest = {}, {}
        for move in order:
            after = reference.legal_moves(*reference.play(*board, move))
            turned = reference.flips(*board, move).bit_count()
            corners = sum(reply in reference.CORNERS for reply in after)
            quadrant = (move % 8 // 4, move // 32)
            replies[move] = len(after)
            rest[move] = (move in reference.CORNERS, corners, quadrant, turned)
        for earlier, later in pairwise(order):
            if rest[earlier] == rest[later]:
                assert (replies[earlier], earlier) < (replies[later], later)
                compared += 1
        order_of(list_to_solve, engine, board, rng.choice(order or [NONE_KNOWN]))
    assert compared > 5
