"""Moves by a network that values moves, at once or after one or two plies, and their rewards."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import ONE, ZERO, U, after_move, flips_of, moves_of, outcome
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import int64, load, lowest, popcount
from evolve.engine.networks.architecture import TAKES_MOVE
from evolve.engine.networks.forward import forward, read

_DECIDED: Final = 1e6
"""A finished game counts this times its outcome: more than any value of a network."""


@inlined
def _action_value(
    own: U, opp: U, side: int, square: int, seen: int, network: int, scratch: int
) -> float:
    """The network's value of a move.

    `seen` is the address of its outputs for the position, or 0 where it takes the move as well.
    """
    if seen != 0:
        return float(read(seen, square))
    return float(read(forward(own, opp, side, square, network, scratch), 0))


@inlined
def _seen(own: U, opp: U, side: int, network: int, scratch: int) -> int:
    if load(network, TAKES_MOVE) != 0:
        return int64(0)
    return forward(own, opp, side, int64(0), network, scratch)


@kernel
def best_action(
    own: U, opp: U, moves: U, side: int, network: int, scratch: int
) -> tuple[int, float]:
    """The square in `moves` with the highest value (the lowest square if equal), and its value."""
    seen = _seen(own, opp, side, network, scratch)
    # Even if a network's output is not a number, the answer is a legal move.
    best, best_square = -1e300, lowest(moves)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        value = _action_value(own, opp, side, square, seen, network, scratch)
        if value > best:
            best, best_square = value, square
    return best_square, best


class _Valuation(NamedTuple):
    """The parts of a move's value.

    networks: [2] int64, addresses of the networks that play black and white.
    rewards: [REWARD_CELLS] float64, rewards of moves that are played out, and their discounts.
    scratch: address of a thread's memory for the networks' vectors.
    rules: the code of the rules.
    entered: [1] int64, counts positions.
    """

    networks: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    scratch: int
    rules: int
    entered: npt.NDArray[np.int64]


@inlined
def _earned(own: U, opp: U, square: int, valuation: _Valuation) -> float:
    """The immediate reward of a move, counted as in the network's training."""
    rewards, rules = valuation.rewards, valuation.rules
    earned = float(DISC_SIGNS[rules]) * squares_reward(own, opp, square, rewards)
    return earned + float(rewards[DISCS]) * discs_reward(own, opp, square, rules)


@kernel
def _deep_value(
    own: U,
    opp: U,
    side: int,
    root: int,
    plies: int,
    alpha: float,
    beta: float,
    valuation: _Valuation,
) -> float:
    """Value of a search of `plies` for the side `root`, seen by the side to move with `own`.

    A pass costs no ply. Fail-soft: a value above `alpha` and below `beta` is exact.
    """
    valuation.entered[0] += 1
    rewards = valuation.rewards
    moves = moves_of(own, opp)
    if moves == ZERO:
        if moves_of(opp, own) == ZERO:
            return _DECIDED * outcome(own, opp, valuation.rules)
        discount = rewards[DISCOUNT_PASSED if side == root else DISCOUNT_PASS]
        low, high = _window(0.0, discount, alpha, beta)
        below = _deep_value(opp, own, -side, root, plies, low, high, valuation)
        return -_discounted(discount, below)
    if plies == 0:
        network = valuation.networks[0 if side > 0 else 1]
        _, value = best_action(own, opp, moves, side, network, valuation.scratch)
        return value
    best = -1e300
    discount = rewards[DISCOUNT_OTHER if side == root else DISCOUNT_OWN]
    while moves != ZERO and best < beta:
        square = lowest(moves)
        moves &= moves - ONE
        earned = _earned(own, opp, square, valuation)
        low, high = _window(earned, discount, max(alpha, best), beta)
        after, other_after = after_move(square, own, opp)
        below = _deep_value(after, other_after, -side, root, plies - 1, low, high, valuation)
        best = max(best, earned - _discounted(discount, below))
    return best


@inlined
def _discounted(discount: float, value: float) -> float:
    """A value one step later; the value of a finished game is exact and stays the same."""
    return value if abs(value) > _DECIDED / 2.0 else discount * value


@inlined
def _window(earned: float, discount: float, alpha: float, beta: float) -> tuple[float, float]:
    """The bounds of a child's value v within which earned − discount · v is in (alpha, beta)."""
    if discount == 0.0:
        return -1e300, 1e300
    return (earned - beta) / discount, (earned - alpha) / discount


@kernel
def action_values(
    own: U,
    opp: U,
    side: int,
    lookahead: int,
    networks: npt.NDArray[np.int64],
    rewards: npt.NDArray[np.float64],
    scratch: int,
    rules: int,
    values: npt.NDArray[np.float64],
) -> int:
    """Fill `values` [64] for every legal move of the side with `own`; return the positions counted.

    side: 1 black, −1 white; networks [2]: addresses of the networks that play black and white;
    lookahead: plies played out before the networks value a position, 0 to value the move itself;
    rewards [REWARD_CELLS]: rewards of moves on those plies, and their discounts.

    The arguments are not a structure: numba takes 2 µs to unpack one from Python, 5 % of a move
    without lookahead.
    """
    moves = moves_of(own, opp)
    network = networks[0 if side > 0 else 1]
    valuation = _Valuation(networks, rewards, scratch, rules, np.ones(1, np.int64))
    seen = int64(0)
    if lookahead == 0:
        seen = _seen(own, opp, side, network, scratch)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        if lookahead == 0:
            values[square] = _action_value(own, opp, side, square, seen, network, scratch)
        else:
            after, other_after = after_move(square, own, opp)
            below = _deep_value(
                after, other_after, -side, side, lookahead - 1, -1e300, 1e300, valuation
            )
            earned = _earned(own, opp, square, valuation)
            values[square] = earned - _discounted(rewards[DISCOUNT_OTHER], below)
    return int(valuation.entered[0])


# Kinds of reward for the end of a game, for a side: nothing; 1, 0, −1; 1, ½, 0; its discs / 64;
# the difference / 64.
NO_REWARD, OUTCOME, HALVES, SHARE, DIFFERENCE = range(5)

# Cells of the rewards in a search: V of every square; the weight of own discs / 64; the discounts
# when the turn returns to the side that searches, by a move and by a pass, and when it goes to the
# other side, by a move and by a pass.
DISCS, DISCOUNT_OWN, DISCOUNT_PASS, DISCOUNT_OTHER, DISCOUNT_PASSED, REWARD_CELLS = range(64, 70)

DISC_SIGNS: Final = np.zeros(1 + max(rules.code for rules in RULE_SETS.values()))
"""By code of the rules: 1 where discs are good, −1 where they are bad, 0 where neither."""
for _rules in RULE_SETS.values():
    DISC_SIGNS[_rules.code] = _rules.discs


@inlined
def squares_reward(own: U, opp: U, square: int, table: npt.NDArray[np.floating[Any]]) -> float:
    """R(p) = V(p) + V(flips) of a move, from the values V [64] of squares; S2."""
    flips = flips_of(square, own, opp)
    total = float(table[square])
    while flips != ZERO:
        total += table[lowest(flips)]
        flips &= flips - ONE
    return total


@inlined
def discs_reward(own: U, opp: U, square: int, rules: int) -> float:
    """The discs / 64, after a move, of the side that they are good for."""
    turned = flips_of(square, own, opp)
    if DISC_SIGNS[rules] < 0.0:
        return float(popcount(opp) - popcount(turned)) / 64.0
    if DISC_SIGNS[rules] > 0.0:
        return float(popcount(own) + popcount(turned) + 1) / 64.0
    return 0.0


@inlined
def end_reward(kind: int, side: int, score: int, black: int, white: int, rules: int) -> float:
    """The reward of the end of a game for a side; `score` is black's, by the rules."""
    good = DISC_SIGNS[rules]
    own, opp = (black, white) if (side > 0) == (good > 0.0) else (white, black)
    score = score * side
    sign = float(int64(score > 0) - int64(score < 0))
    if kind == OUTCOME:
        return sign
    if kind == HALVES:
        return 0.5 + 0.5 * sign
    if kind == SHARE:
        return float(abs(good) * own) / 64.0
    if kind == DIFFERENCE:
        return float(abs(good) * (own - opp)) / 64.0
    return 0.0
