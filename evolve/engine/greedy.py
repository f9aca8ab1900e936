"""Moves by a network that values moves: the best at once, or after one or two plies."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, ZERO, U, flips_of, moves_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.dense import read
from evolve.engine.forward import TAKES_MOVE, forward
from evolve.engine.mcts import outcome
from evolve.engine.memory import int64, load, lowest

_DECIDED: Final = 1e6
"""A finished game is worth this times its outcome: more than any network says."""


@inlined
def _action_value(
    own: np.uint64, opp: np.uint64, side: int, square: int, seen: int, network: int, scratch: int
) -> float:
    """The network's value of a move; `seen` is what came out for the position, where that is all
    there is to ask, and 0 where the network takes the move."""
    if seen != 0:
        return float(read(seen, square))
    return float(read(forward(own, opp, side, square, network, scratch), 0))


@inlined
def _seen(own: np.uint64, opp: np.uint64, side: int, network: int, scratch: int) -> int:
    if load(network, TAKES_MOVE) != 0:
        return int64(0)
    return forward(own, opp, side, int64(0), network, scratch)


@kernel
def best_action(
    own: np.uint64, opp: np.uint64, side: int, network: int, scratch: int
) -> tuple[int, float]:
    """The legal move that the network values most, and its value; of equals the lowest square."""
    moves = moves_of(own, opp)
    seen = _seen(own, opp, side, network, scratch)
    # Whatever a network says, also when it is no number, a legal move comes out.
    best, best_square = -1e300, lowest(moves)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        value = _action_value(own, opp, side, square, seen, network, scratch)
        if value > best:
            best, best_square = value, square
    return best_square, best


@kernel
def _deep_value(
    own: np.uint64,
    opp: np.uint64,
    side: int,
    plies: int,
    alpha: float,
    beta: float,
    networks: npt.NDArray[np.int64],
    scratch: int,
    rules: int,
) -> float:
    """Value for the side with `own`, to move, of a search of `plies`; a pass costs none."""
    moves = moves_of(own, opp)
    if moves == ZERO:
        if moves_of(opp, own) == ZERO:
            return _DECIDED * outcome(own, opp, rules)
        return -_deep_value(opp, own, -side, plies, -beta, -alpha, networks, scratch, rules)
    if plies == 0:
        _, value = best_action(own, opp, side, networks[0 if side > 0 else 1], scratch)
        return value
    best = -1e300
    while moves != ZERO and best < beta:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        value = -_deep_value(
            opp ^ turned,
            own ^ turned ^ (ONE << U(square)),
            -side,
            plies - 1,
            -beta,
            -max(alpha, best),
            networks,
            scratch,
            rules,
        )
        best = max(best, value)
    return best


@kernel
def action_values(
    own: np.uint64,
    opp: np.uint64,
    side: int,
    lookahead: int,
    networks: npt.NDArray[np.int64],
    scratch: int,
    rules: int,
    values: npt.NDArray[np.float64],
) -> None:
    """Fill `values` [64] of every legal move of the side with `own`.

    side: 1 black, −1 white; networks [2]: addresses of those that play black and white;
    lookahead: plies played out before the networks are asked, 0 to ask them about the move.
    """
    moves = moves_of(own, opp)
    network = networks[0 if side > 0 else 1]
    seen = int64(0)
    if lookahead == 0:
        seen = _seen(own, opp, side, network, scratch)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        if lookahead == 0:
            values[square] = _action_value(own, opp, side, square, seen, network, scratch)
        else:
            turned = flips_of(square, own, opp)
            values[square] = -_deep_value(
                opp ^ turned,
                own ^ turned ^ (ONE << U(square)),
                -side,
                lookahead - 1,
                -1e300,
                1e300,
                networks,
                scratch,
                rules,
            )
