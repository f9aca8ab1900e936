"""Monte Carlo tree search: each simulation adds the children of one position to the tree.

A simulation has four steps, as in Browne et al. 2012, "A survey of Monte Carlo tree search
methods", section 3: it selects a leaf, expands it, evaluates it by a network or by a rollout,
and backpropagates the value to the root. A value is that of the side to move, from −1 (lost) to 1
(won); a finished game has its exact one.

A child's score is Q + bonus. Q is its mean action value, as seen by the side that moves into it; N
are the visits of its parent, n its own, and P its prior. The highest score is selected.

    UCB1   c √(ln (N + 1) / n)   every child before any again. Auer, Cesa-Bianchi and Fischer
                                 2002, "Finite-time analysis of the multiarmed bandit problem",
                                 theorem 1, where c is √2; for trees Kocsis and Szepesvári 2006,
                                 "Bandit based Monte-Carlo planning" (UCT)
    PUCT   c P √N / (1 + n)      Rosin 2011, "Multi-armed bandits with episode context", in the
                                 form of Silver et al. 2017, "Mastering the game of Go without
                                 human knowledge". P is the network's policy, or the same for
                                 every child; Q of a child without visits is 0

The part that does not depend on N is stored with the child, so its score costs a product and a sum.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.board.bits import ONE, ZERO, U, moves_of
from evolve.engine.board.rules import PASS
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import int64, load, lowest, popcount
from evolve.engine.networks.architecture import OUTPUTS
from evolve.engine.networks.forward import forward, read

UCB1: Final = 0
PUCT: Final = 1

# Columns of a node's links: its first child, their number (UNEXPANDED before it has any), the move
# that leads to it (64 a pass), its visit count.
FIRST, CHILDREN, MOVE, VISITS, LINKS = range(5)
UNEXPANDED: Final = -1
# Columns of a node's values: its mean action value Q, for the side that moves into it; the part of
# its bonus that does not depend on its parent; its prior.
Q, BONUS, PRIOR, VALUES = 0, 1, 2, 4
ROOT: Final = 0
NO_NODE: Final = -1

DEEPEST: Final = 128
MOST_CHILDREN: Final = 64
"""Size of the arrays for children of a node; no position has more than 33 moves."""
_WAITING: Final = 4 * 33 + 1
"""Nodes of four levels that `find_node` still has to check."""
_UNVISITED: Final = np.float32(1e9)
"""The UCB1 bonus of a child without visits: higher than any other score."""


class Nodes(NamedTuple):
    """The nodes of a tree of at most M nodes; the root is the first.

    boards: [M, 2] uint64, own and opp.
    links: [M, LINKS] int32: FIRST, CHILDREN, MOVE, VISITS.
    values: [M, VALUES] float32: Q, BONUS, PRIOR.

    A node's children are side by side and have higher numbers than the node. The arrays of N trees
    have an additional first axis [N].
    """

    boards: npt.NDArray[np.uint64]
    links: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]


class SearchOptions(NamedTuple):
    """How a tree is searched.

    rules: the code of the rules.
    formula: of selection, UCB1 or PUCT.
    c: the weight of the bonus, over 0.
    network: address of a network with a value (see `networks.forward`), 0 for rollouts.
    scratch: address of a thread's memory for vectors of the network, 0 for rollouts.
    """

    rules: int
    formula: int
    c: float
    network: int
    scratch: int


def empty_nodes(*shape: int) -> Nodes:
    """Memory for a tree of `shape` [M], or for N trees, [N, M]. Unused pages cost nothing."""
    return Nodes(
        np.empty((*shape, 2), np.uint64),
        np.empty((*shape, LINKS), np.int32),
        np.empty((*shape, VALUES), np.float32),
    )


@kernel
def rollout(own: U, opp: U, rules: int, state: U) -> int:
    """1, 0 or −1 for the side to move with `own`, after a random game drawn from `state`."""
    sign = int64(1)
    while True:
        moves = moves_of(own, opp)
        if moves == ZERO:
            own, opp, sign = opp, own, -sign
            moves = moves_of(own, opp)
            if moves == ZERO:
                return sign * bits.outcome(own, opp, rules)
        state += bits.GOLDEN
        square = bits.random_square(moves, state)
        own, opp = bits.after_move(square, own, opp)
        sign = -sign


@inlined
def expand(node: int, used: int, nodes: Nodes, formula: int) -> int:
    """Add a node's children, from index `used` on; return their number, 0 at the end of a game."""
    boards, links, values = nodes
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
        boards[used + count, 0], boards[used + count, 1] = bits.after_move(square, own, opp)
        links[used + count, MOVE] = square
        count += 1
    prior = np.float32(1.0) / np.float32(max(count, 1))
    for child in range(used, used + count):
        links[child, CHILDREN] = UNEXPANDED
        links[child, VISITS] = 0
        values[child, Q] = 0.0
        values[child, PRIOR] = prior
        values[child, BONUS] = _UNVISITED if formula == UCB1 else prior
    links[node, FIRST], links[node, CHILDREN] = used, count
    return count


@inlined
def set_priors(node: int, logits: int, nodes: Nodes) -> None:
    """Set the priors of a node's children, which have no visits yet, from a policy.

    The policy is the softmax of the legal moves' logits, among the 64 floats at `logits`.
    """
    links, values = nodes.links, nodes.values
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
def _best_child(node: int, scale: np.float32, nodes: Nodes) -> int:
    """The child of `node` with the highest score; the first of equal ones."""
    links, values = nodes.links, nodes.values
    first, count = int64(links[node, FIRST]), int64(links[node, CHILDREN])
    best, best_child = np.float32(-1e30), first
    for child in range(first, first + count):
        score = values[child, Q] + scale * values[child, BONUS]
        if score > best:
            best, best_child = score, child
    return best_child


@inlined
def select(path: npt.NDArray[np.int32], nodes: Nodes, formula: int, c: float) -> int:
    """Fill `path` [DEEPEST] with the nodes from the root to a leaf; return the number of steps.

    A leaf is unexpanded, or the end of a game.
    """
    links = nodes.links
    node, depth = int64(ROOT), int64(0)
    path[0] = node
    while links[node, CHILDREN] > 0:
        visits = np.float32(links[node, VISITS])
        if formula == UCB1:
            visits = np.float32(math.log(visits + np.float32(1.0)))
        scale = np.float32(c) * np.float32(math.sqrt(visits))
        node = _best_child(node, scale, nodes)
        depth += 1
        path[depth] = node
    return depth


@inlined
def backpropagate(
    path: npt.NDArray[np.int32], depth: int, value: np.float32, nodes: Nodes, formula: int
) -> None:
    """Count a visit of every node of a path, and add the leaf's value to its Q.

    `value` is for the side to move at the leaf; each node's Q is for the side that moves into it.
    """
    links, values = nodes.links, nodes.values
    while depth >= 0:
        value = -value
        node = int64(path[depth])
        visits = np.float32(links[node, VISITS] + 1)
        links[node, VISITS] += 1
        values[node, Q] += (value - values[node, Q]) / visits
        if formula == UCB1:
            values[node, BONUS] = np.float32(1.0) / np.float32(math.sqrt(visits))
        else:
            values[node, BONUS] = values[node, PRIOR] / (visits + np.float32(1.0))
        depth -= 1


@kernel
def simulate(simulations: int, used: int, nodes: Nodes, options: SearchOptions, seed: U) -> int:
    """Run simulations in a tree of `used` nodes; return the number of nodes in use afterwards.

    The root must be set. Rollouts are drawn from `seed` and the root's visits. Ends early when the
    children of one more node might not fit.
    """
    rules, formula, c, network, scratch = options
    boards, links = nodes.boards, nodes.links
    path = np.empty(DEEPEST, np.int32)
    for simulation in range(simulations):
        if used + MOST_CHILDREN > boards.shape[0]:
            break
        # 1. Select a leaf.
        depth = select(path, nodes, formula, c)
        node = int64(path[depth])
        # 2. Expand it.
        own, opp = boards[node, 0], boards[node, 1]
        fresh = links[node, CHILDREN] == UNEXPANDED
        if fresh:
            used += expand(node, used, nodes, formula)
        # 3. Evaluate it, for the side to move there.
        if links[node, CHILDREN] == 0:
            value = np.float32(bits.outcome(own, opp, rules))
        elif network != 0:
            result = forward(own, opp, int64(1), int64(0), network, scratch)
            last = load(network, OUTPUTS) - 1
            value = read(result, last)
            if last > 0 and fresh:
                set_priors(node, result, nodes)
        else:
            state = bits.mixed(seed + U(simulation) * bits.GOLDEN + U(links[ROOT, VISITS]))
            value = np.float32(rollout(own, opp, rules, state))
        # 4. Backpropagate the value.
        backpropagate(path, depth, value, nodes, formula)
    return used


@kernel
def find_node(own: U, opp: U, used: int, nodes: Nodes) -> int:
    """The node of a position in a tree of `used` nodes; NO_NODE where the tree does not have it.

    It is the root, or at most two moves, with passes between, away from it. Checking every node
    would take 30 ms of a timed move.
    """
    if used == 0:
        return NO_NODE
    boards, links = nodes.boards, nodes.links
    discs = popcount(own | opp)
    waiting, depths = np.empty(_WAITING, np.int64), np.empty(_WAITING, np.int64)
    waiting[0], depths[0], count = ROOT, 0, int64(1)
    while count > 0:
        count -= 1
        node, depth = int64(waiting[count]), int64(depths[count])
        if boards[node, 0] == own and boards[node, 1] == opp:
            return node
        # Every move adds a disc: only a pass leads from the same number to the position.
        missing = discs - popcount(boards[node, 0] | boards[node, 1])
        if depth == 4 or not 0 <= missing <= 2:
            continue
        first = int64(links[node, FIRST])
        for child in range(first, first + links[node, CHILDREN]):
            waiting[count], depths[count] = child, depth + 1
            count += 1
    return NO_NODE


@kernel
def reroot(node: int, used: int, nodes: Nodes) -> int:
    """Make `node` the root, drop everything outside its subtree; return the nodes in use.

    A node's children are together and have higher numbers than the node, so one pass moves the
    subtree to the front and keeps its order.
    """
    boards, links, values = nodes
    places = np.full(used, NO_NODE, np.int32)
    places[node] = ROOT
    kept = int64(0)
    for old in range(node, used):
        if places[old] == NO_NODE:
            continue
        first, count = int64(links[old, FIRST]), int64(links[old, CHILDREN])
        for child in range(first, first + count):
            places[child] = ROOT  # to be kept: it gets its place when it is reached
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


@kernel
def reset_tree(own: U, opp: U, nodes: Nodes) -> int:
    """Make a tree of this root alone; return the number of nodes in use: 1."""
    boards, links, values = nodes
    boards[ROOT, 0], boards[ROOT, 1] = own, opp
    links[ROOT, CHILDREN], links[ROOT, VISITS] = UNEXPANDED, 0
    values[ROOT, Q] = values[ROOT, BONUS] = values[ROOT, PRIOR] = 0.0
    return int64(1)


@kernel
def advance_root(own: U, opp: U, used: int, nodes: Nodes) -> int:
    """Make the position the root, and keep its subtree of the tree of `used` nodes.

    Returns the number of nodes in use. A tree of 0 nodes, or without the position, is reset.
    """
    node = find_node(own, opp, used, nodes)
    if node != NO_NODE:
        return reroot(node, used, nodes)
    return reset_tree(own, opp, nodes)
