"""Monte Carlo tree search: a tree grown by one position a simulation.

A simulation walks from the root by the selection rule to a position that has no children yet,
gives it its children, values it by a network or a random game, and hands the value up. A value
is that of the side to move there, from −1 (lost) to 1 (won); finished games have their exact one.

Selection, over the children of a position with N visits: the largest Q + bonus, Q being the mean
value of a child for the side that moves into it.

    UCB1     c √(ln N / n)      all children before any again; Kocsis and Szepesvári 2006
    PUCT     c P √N / (1 + n)   P the policy of the network, or the same for every child; Q of a
                                child without visits is 0; Silver 2017

What does not change with N is kept with the child: a choice costs a product and a sum for each.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, ZERO, U, flips_of, moves_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.dense import read
from evolve.engine.forward import OUTPUTS, forward
from evolve.engine.memory import int64, load, lowest, popcount
from evolve.engine.random import GOLDEN, mixed, random_square
from evolve.engine.rules import PASS
from evolve.engine.scoring import outcome

UCB1: Final = 0
PUCT: Final = 1

# Columns of a node's links: its first child, their number (UNKNOWN before it has been reached),
# the move that led there (64 a pass), its visits.
FIRST, CHILDREN, MOVE, VISITS, LINKS = range(5)
UNKNOWN: Final = -1
# Columns of a node's values: the mean for the side that moved into it, what √ of the parent's
# visits is multiplied by, the prior.
MEAN, BONUS, PRIOR, VALUES = 0, 1, 2, 4
ROOT: Final = 0

DEEPEST: Final = 128
_OPEN: Final = 4 * 33 + 1
"""Nodes of four levels that wait to be looked at; no position has more than 33 moves."""
_UNSEEN: Final = np.float32(1e9)


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
                return sign * outcome(own, opp, rules)
        state += GOLDEN
        square = random_square(moves, state)
        turned = flips_of(square, own, opp)
        own, opp, sign = opp ^ turned, own ^ turned ^ (ONE << U(square)), -sign


@inlined
def expand(
    node: int,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    formula: int,
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
    prior = np.float32(1.0) / np.float32(max(count, 1))
    for child in range(used, used + count):
        links[child, CHILDREN] = UNKNOWN
        links[child, VISITS] = 0
        values[child, MEAN] = 0.0
        values[child, PRIOR] = prior
        values[child, BONUS] = _UNSEEN if formula == UCB1 else prior
    links[node, FIRST], links[node, CHILDREN] = used, count
    return count


@inlined
def set_priors(
    node: int,
    logits: int,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> None:
    """Give the children of a node, fresh, the policy that the 64 floats at `logits` stand for."""
    first, count = int64(links[node, FIRST]), int64(links[node, CHILDREN])
    if count == 0 or links[first, MOVE] == PASS:
        return
    highest = np.float32(-1e30)
    for child in range(first, first + count):
        highest = max(highest, read(logits, int64(links[child, MOVE])))
    total = np.float32(0.0)
    for child in range(first, first + count):
        weight = np.float32(math.exp(read(logits, int64(links[child, MOVE])) - highest))
        values[child, PRIOR] = weight
        total += weight
    for child in range(first, first + count):
        values[child, PRIOR] /= total
        values[child, BONUS] = values[child, PRIOR]


@inlined
def _select(
    node: int,
    scale: np.float32,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> int:
    """The child of `node` to look at next; of equals the first."""
    first, count = int64(links[node, FIRST]), int64(links[node, CHILDREN])
    best, best_child = np.float32(-1e30), first
    for child in range(first, first + count):
        score = values[child, MEAN] + scale * values[child, BONUS]
        if score > best:
            best, best_child = score, child
    return best_child


@inlined
def descend(
    path: npt.NDArray[np.int32],
    formula: int,
    c: float,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> int:
    """Fill `path` with the nodes from the root to one without children; the number of steps."""
    node, depth = int64(ROOT), int64(0)
    path[0] = node
    while links[node, CHILDREN] > 0:
        visits = np.float32(links[node, VISITS])
        if formula == UCB1:
            visits = np.float32(math.log(visits + np.float32(1.0)))
        scale = np.float32(c) * np.float32(math.sqrt(visits))
        node = _select(node, scale, links, values)
        depth += 1
        path[depth] = node
    return depth


@inlined
def hand_up(
    path: npt.NDArray[np.int32],
    depth: int,
    value: np.float32,
    formula: int,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> None:
    """Give the nodes of a path the value of its end, each from the side that moved into it."""
    while depth >= 0:
        value = -value
        node = int64(path[depth])
        visits = np.float32(links[node, VISITS] + 1)
        links[node, VISITS] += 1
        values[node, MEAN] += (value - values[node, MEAN]) / visits
        if formula == UCB1:
            values[node, BONUS] = np.float32(1.0) / np.float32(math.sqrt(visits))
        else:
            values[node, BONUS] = values[node, PRIOR] / (visits + np.float32(1.0))
        depth -= 1


@kernel
def grow(
    simulations: int,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    rules: int,
    formula: int,
    c: float,
    seed: np.uint64,
    network: int,
    scratch: int,
) -> int:
    """Run simulations; the number of nodes in use afterwards.

    boards [nodes, 2] own and opp; links [nodes, LINKS]; values [nodes, VALUES]. Of them `used`
    nodes are the tree, the root with its board among them. `network` is the address of one with
    a value (see `engine.forward`), or 0 for random games. Ends early when a further node might
    not fit.
    """
    path = np.empty(DEEPEST, np.int32)
    for simulation in range(simulations):
        if used + 64 > boards.shape[0]:
            break
        # 1. Down to a position without children.
        depth = descend(path, formula, c, links, values)
        node = int64(path[depth])
        # 2. Its children and its value, for the side to move there.
        own, opp = boards[node, 0], boards[node, 1]
        fresh = links[node, CHILDREN] == UNKNOWN
        if fresh:
            used += expand(node, used, boards, links, values, formula)
        if links[node, CHILDREN] == 0:
            value = np.float32(outcome(own, opp, rules))
        elif network != 0:
            result = forward(own, opp, int64(1), int64(0), network, scratch)
            last = load(network, OUTPUTS) - 1
            value = read(result, last)
            if last > 0 and fresh:
                set_priors(node, result, links, values)
        else:
            state = mixed(seed + U(simulation) * GOLDEN + U(links[ROOT, VISITS]))
            value = np.float32(rollout(own, opp, rules, state))
        # 3. Up again.
        hand_up(path, depth, value, formula, links, values)
    return used


@kernel
def found(
    own: np.uint64,
    opp: np.uint64,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
) -> int:
    """The node of a position in a tree of `used` nodes; UNKNOWN where it is not there.

    It is the root, or at most two moves and the passes between them away. A look at every node
    would take 30 ms of a move by the clock.
    """
    if used == 0:
        return UNKNOWN
    discs = popcount(own | opp)
    left, depths = np.empty(_OPEN, np.int64), np.empty(_OPEN, np.int64)
    left[0], depths[0], count = ROOT, 0, int64(1)
    while count > 0:
        count -= 1
        node, depth = int64(left[count]), int64(depths[count])
        if boards[node, 0] == own and boards[node, 1] == opp:
            return node
        # Every move adds a disc, so that only a pass leads from as many to the position.
        missing = discs - popcount(boards[node, 0] | boards[node, 1])
        if depth == 4 or not 0 <= missing <= 2:
            continue
        first = int64(links[node, FIRST])
        for child in range(first, first + links[node, CHILDREN]):
            left[count], depths[count] = child, depth + 1
            count += 1
    return UNKNOWN


@kernel
def replant(
    node: int,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> int:
    """Make `node` the root, dropping all that is not below it; the number of nodes in use.

    A node's children have higher numbers than it and lie together, so that what is kept moves
    down in one pass, in its order.
    """
    places = np.full(used, UNKNOWN, np.int32)
    places[node] = ROOT
    kept = int64(0)
    for old in range(node, used):
        if places[old] == UNKNOWN:
            continue
        first, count = int64(links[old, FIRST]), int64(links[old, CHILDREN])
        for child in range(first, first + count):
            places[child] = ROOT  # wanted: its place comes when it is reached
        places[old] = kept
        boards[kept, 0], boards[kept, 1] = boards[old, 0], boards[old, 1]
        for column in range(LINKS):
            links[kept, column] = links[old, column]
        for column in range(VALUES):
            values[kept, column] = values[old, column]
        kept += 1
    for new in range(kept):
        if links[new, CHILDREN] > 0:
            links[new, FIRST] = places[links[new, FIRST]]
    return kept
