"""Moves by the values of networks: looking ahead is minimax."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evolve.agents.dqn import Rewards
from evolve.engine.networks import action_search
from evolve.engine.networks.action_search import action_values
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
from tests import networks, reference
from tests.engine import RULES, U, for_python
from tests.engine.game_records import sign
from tests.reference import REVERSED

POSITIONAL = Rewards((1.0, -0.5, 0.2, 0.1, -0.7, 0.05, 0.0, 0.3, -0.1, 0.02), 0.8, 0.7, "turn")


@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("architecture", [networks.DUELING, networks.COLOURED, networks.ACTION])
@pytest.mark.parametrize("plies", [0, 1, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "earned",
    [Rewards(), POSITIONAL, replace(POSITIONAL, step="ply"), replace(POSITIONAL, discount=0.0)],
    ids=["nothing", "by turn", "by ply", "at once alone"],
)
def test_looking_ahead_is_minimax_over_the_networks_and_what_moves_earn(
    architecture: Any, plies: int, earned: Rewards, rules: int
) -> None:
    nets = [networks.random_network(architecture, seed) for seed in (1, 2)]
    addresses = np.array([net.address for net in nets], np.int64)
    table = [earned.squares[kind] for kind in CLASS_OF_SQUARE]

    def values_of(own: int, opp: int, side: int) -> dict[int, float]:
        legal = reference.legal_moves(own, opp)
        net = nets[0 if side == 1 else 1]
        rows = np.repeat(np.array([[own, opp]], np.uint64), len(legal), axis=0)
        sides = np.full(len(legal), side, np.int8)
        found = networks.outputs(net, rows, sides, np.array(legal, np.int8))
        column = [0] * len(legal) if found.shape[1] == 1 else legal
        return {square: float(found[i, column[i]]) for i, square in enumerate(legal)}

    def passes(own: int, opp: int) -> bool:
        return not reference.legal_moves(own, opp) and not reference.is_over(own, opp)

    def gain(own: int, opp: int, move: int) -> float:
        flips = reference.squares(reference.flips(own, opp, move))
        after = reference.play(own, opp, move)
        total = sum(table[square] for square in [move, *flips]) * (-1 if rules else 1)
        return total + earned.discs * after[0 if rules else 1].bit_count() / 64

    def later(now: int, then: int, root: int, passed: bool) -> float:
        """The discount from the turn of one side to that of another."""
        if earned.step == "ply":
            return 1.0 if passed else earned.discount
        if then == root:
            return earned.discount
        # An own turn that is no move is no step: the other side has moved in vain for it.
        return 1 / earned.discount if passed and earned.discount else 1.0

    def after(discount: float, value: float) -> float:
        return value if abs(value) > 5e5 else discount * value

    def worth(own: int, opp: int, side: int, root: int, left: int) -> float:
        if not reference.legal_moves(own, opp):
            if reference.is_over(own, opp):
                return 1e6 * sign(reference.final_score(own, opp, rules))
            return -after(later(side, -side, root, True), worth(opp, own, -side, root, left))
        if left == 0:
            return max(values_of(own, opp, side).values())
        return max(move_worth(own, opp, side, root, left).values())

    def move_worth(own: int, opp: int, side: int, root: int, left: int) -> dict[int, float]:
        discount = later(side, -side, root, False)
        return {
            move: gain(own, opp, move)
            - after(discount, worth(*reference.play(own, opp, move), -side, root, left - 1))
            for move in reference.legal_moves(own, opp)
        }

    rng = random.Random(plies)
    # Boards of few discs pass often.
    boards = [*reference.random_boards(rng, 4, 1, 6), *reference.random_boards(rng, 1, 20, 52)]
    for own, opp in boards:
        legal = reference.legal_moves(own, opp)
        side, found, scratch = rng.choice((1, -1)), np.zeros(64), nets[0].scratch()
        entered = action_values(
            *(np.uint64(own), np.uint64(opp), side, plies, addresses, earned.cells),
            *(scratch.ctypes.data, rules, found),
        )
        expected = move_worth(own, opp, side, side, plies) if plies else values_of(own, opp, side)
        if plies < 2:  # deeper, some are cut off
            passed = [passes(*reference.play(own, opp, move)) for move in legal]
            assert entered == 1 + plies * (len(legal) + sum(passed))
        assert found[legal] == pytest.approx([expected[move] for move in legal], abs=1e-5, rel=1e-9)


squares_reward = for_python(action_search.squares_reward)
discs_reward = for_python(action_search.discs_reward)
end_reward = for_python(action_search.end_reward)


def test_moves_earn_their_squares_and_discs() -> None:
    table = np.random.default_rng(0).normal(size=64)
    moves = [
        (own, opp, move)
        for own, opp in reference.random_boards(random.Random(0), 30, 5, 55)
        for move in reference.legal_moves(own, opp)
    ]
    turned = [[move, *reference.squares(reference.flips(*b, move))] for *b, move in moves]
    earned = [squares_reward(U(own), U(opp), move, table) for own, opp, move in moves]
    assert earned == pytest.approx([table[squares].sum() for squares in turned])
    after = [reference.play(*move) for move in moves]
    for_discs = [[discs_reward(U(a), U(b), m, rules) for rules in RULES] for a, b, m in moves]
    good = [[(other if r == REVERSED else mine) for r in RULES] for other, mine in after]
    assert for_discs == [[discs.bit_count() / 64 for discs in row] for row in good]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("black", "white"), [(40, 24), (24, 40), (32, 32), (13, 0), (10, 50)])
def test_ends_are_worth_as_much_to_one_side_as_they_cost_the_other(
    black: int, white: int, rules: int
) -> None:
    own, opp = (1 << black) - 1, (1 << black + white) - (1 << black)
    score = reference.final_score(own, opp, rules)

    def both(kind: int) -> tuple[float, ...]:
        return tuple(end_reward(kind, side, score, black, white, rules) for side in (1, -1))

    won = sign(score)
    good = (white, black) if rules == REVERSED else (black, white)
    assert both(action_search.NO_REWARD) == (0, 0)
    assert both(action_search.OUTCOME) == (won, -won)
    assert both(action_search.HALVES) == ((1 + won) / 2, (1 - won) / 2)
    assert both(action_search.SHARE) == (good[0] / 64, good[1] / 64)
    assert both(action_search.DIFFERENCE) == ((good[0] - good[1]) / 64, (good[1] - good[0]) / 64)
