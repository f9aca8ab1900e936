"""What moves and ends of games earn, from either side and under both rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.engine.networks import action_search
from tests import reference
from tests.engine import RULES, U, for_python
from tests.reference import REVERSED

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

    def both(kind: int) -> tuple[float, float]:
        found = [end_reward(kind, side, score, black, white, rules) for side in (1, -1)]
        return found[0], found[1]

    won = (score > 0) - (score < 0)
    good = (white, black) if rules == REVERSED else (black, white)
    assert both(action_search.NO_REWARD) == (0, 0)
    assert both(action_search.OUTCOME) == (won, -won)
    assert both(action_search.HALVES) == ((1 + won) / 2, (1 - won) / 2)
    assert both(action_search.SHARE) == (good[0] / 64, good[1] / 64)
    assert both(action_search.DIFFERENCE) == ((good[0] - good[1]) / 64, (good[1] - good[0]) / 64)
