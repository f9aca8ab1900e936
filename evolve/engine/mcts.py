"""Monte Carlo tree search: a tree grown by one position a simulation.

A simulation walks from the root by the selection rule to a position that has no children yet,
gives it its children, values it, and hands the value up. A value is that of the side to move
there, from −1 (lost) to 1 (won); finished games have their exact one.

Selection, over the children of a position with N visits: the largest Q + bonus, Q being the mean
value of a child for the side that moves into it (0 before its first visit).

    UCB1     c √(ln N / n)             all children before any again; Kocsis and Szepesvári 2006
    PUCT     c P √N / (1 + n)          P = 1 / number of children: there is no policy; Silver 2017
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, ZERO, U, flips_of, moves_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.evaluation import final_score
from evolve.engine.memory import int64, lowest, popcount

UCB1: Final = 0
PUCT: Final = 1

# Columns of a node's links: its first child, their number (UNKNOWN before it has been reached),
# the move that led there (64 a pass), its visits.
FIRST, CHILDREN, MOVE, VISITS, LINKS = range(5)
UNKNOWN: Final = -1
PASS: Final = 64
ROOT: Final = 0

_DEEPEST: Final = 128
_S30, _S27, _S31 = U(30), U(27), U(31)
_MIX_1, _MIX_2 = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)
_GOLDEN = U(0x9E3779B97F4A7C15)
_LOW_32 = U(0xFFFFFFFF)


@inlined
def mixed(state: np.uint64) -> np.uint64:
    """SplitMix64's output for a state."""
    state = (state ^ (state >> _S30)) * _MIX_1
    state = (state ^ (state >> _S27)) * _MIX_2
    return state ^ (state >> _S31)


@inlined
def _outcome(own: np.uint64, opp: np.uint64, rules: int) -> int:
    """1, 0 or −1: how a finished game ended for the side with `own`."""
    score = final_score(own, opp, rules)
    return int64(score > 0) - int64(score < 0)


@kernel
def rollout(own: np.uint64, opp: np.uint64, rules: int, state: np.uint64) -> int:
    """1, 0 or −1 for the side with `own`, to move, after a random game drawn from `state`."""
    sign = int64(1)
    while True:
        moves = moves_of(own, opp)
        if moves == ZERO:
            own, opp, sign = opp, own, -sign
            moves = moves_of(own, opp)
            if moves == ZERO:
                return sign * _outcome(own, opp, rules)
        state += _GOLDEN
        chosen = int64(((mixed(state) & _LOW_32) * U(popcount(moves))) >> U(32))
        for _ in range(chosen):
            moves &= moves - ONE
        square = lowest(moves)
        turned = flips_of(square, own, opp)
        own, opp, sign = opp ^ turned, own ^ turned ^ (ONE << U(square)), -sign


@inlined
def _expand(
    node: int,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
) -> int:
    """Give a node its children, from `used` on; how many there are: none at the end of a game."""
    own, opp = boards[node, 0], boards[node, 1]
    moves = moves_of(own, opp)
    count = int64(0)
    if moves == ZERO and moves_of(opp, own) != ZERO:
        boards[used, 0], boards[used, 1] = opp, own
        links[used, MOVE] = PASS
        count = int64(1)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        boards[used + count, 0] = opp ^ turned
        boards[used + count, 1] = own ^ turned ^ (ONE << U(square))
        links[used + count, MOVE] = square
        count += 1
    for child in range(used, used + count):
        links[child, CHILDREN] = UNKNOWN
        links[child, VISITS] = 0
        values[child] = 0.0
    links[node, FIRST], links[node, CHILDREN] = used, count
    return count


@inlined
def _select(
    node: int,
    formula: int,
    c: float,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
) -> int:
    """The child of `node` to look at next; of equals the first."""
    first, count = int64(links[node, FIRST]), int64(links[node, CHILDREN])
    visits = float(links[node, VISITS])
    scale = (
        c
        * math.sqrt(math.log(visits + 1.0) if formula == UCB1 else visits)
        / (1.0 if formula == UCB1 else float(count))
    )
    best, best_child = -1e300, first
    for child in range(first, first + count):
        n = float(links[child, VISITS])
        if n == 0.0:
            score = 1e9 if formula == UCB1 else scale
        elif formula == UCB1:
            score = values[child] / n + scale / math.sqrt(n)
        else:
            score = values[child] / n + scale / (1.0 + n)
        if score > best:
            best, best_child = score, child
    return best_child


@kernel
def grow(
    simulations: int,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    rules: int,
    formula: int,
    c: float,
    seed: np.uint64,
) -> int:
    """Run simulations with random games for values; the number of nodes in use afterwards.

    boards [nodes, 2] own and opp; links [nodes, LINKS]; values [nodes] the sum of values for the
    side that moved into the node. Of them `used` nodes are the tree, the root with its board
    among them. Ends early when a further node might not fit.
    """
    path = np.empty(_DEEPEST, np.int64)
    for simulation in range(simulations):
        if used + 64 > boards.shape[0]:
            break
        # 1. Down to a position without children.
        node, depth = int64(ROOT), int64(0)
        path[0] = node
        while links[node, CHILDREN] > 0:
            node = _select(node, formula, c, links, values)
            depth += 1
            path[depth] = node
        # 2. Its children and its value, for the side to move there.
        own, opp = boards[node, 0], boards[node, 1]
        if links[node, CHILDREN] == UNKNOWN:
            used += _expand(node, used, boards, links, values)
        if links[node, CHILDREN] == 0:
            value = float(_outcome(own, opp, rules))
        else:
            state = mixed(seed + U(simulation) * _GOLDEN + U(links[ROOT, VISITS]))
            value = float(rollout(own, opp, rules, state))
        # 3. Up again, each node from the side that moved into it.
        while depth >= 0:
            value = -value
            links[path[depth], VISITS] += 1
            values[path[depth]] += value
            depth -= 1
    return used
