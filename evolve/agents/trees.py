"""Memory for trees, and what is read out of them."""

from __future__ import annotations

import threading
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine import mcts
from evolve.engine.board import Board

MOST_NODES: Final = 1 << 25
"""More than all simulations need; by the clock a search ends early when they are used up."""


def nodes_for(simulations: int) -> int:
    """Nodes that so many simulations cannot use up, but for MOST_NODES.

    A tree that is full ends a search early, so its size must not depend on what the thread did
    before; no position has more than 33 moves.
    """
    return min(33 * simulations + 64, MOST_NODES)


class Tree:
    """Memory for a tree; see `engine.mcts`. Pages that are never used cost nothing."""

    def __init__(self, nodes: int) -> None:
        self.boards: npt.NDArray[np.uint64] = np.empty((nodes, 2), np.uint64)
        self.links: npt.NDArray[np.int32] = np.empty((nodes, mcts.LINKS), np.int32)
        self.values: npt.NDArray[np.float32] = np.empty((nodes, mcts.VALUES), np.float32)
        self.used = 0

    def plant(self, board: Board) -> None:
        """A new tree, of this root alone."""
        self.boards[mcts.ROOT] = board.own, board.opp
        self.links[mcts.ROOT, mcts.CHILDREN] = mcts.UNKNOWN
        self.links[mcts.ROOT, mcts.VISITS] = 0
        self.values[mcts.ROOT] = 0.0
        self.used = 1

    def move_to(self, board: Board) -> None:
        """Keep what is known of `board`, two plies away at most; else a new tree."""
        node = self._find(board)
        if node is None:
            self.plant(board)
        else:
            self.used = mcts.replant(node, self.used, self.boards, self.links, self.values)

    def _find(self, board: Board) -> int | None:
        if self.used == 0:
            return None
        level = [mcts.ROOT]
        for _ in range(4):  # two plies, and a pass after each
            for node in level:
                if (int(self.boards[node, 0]), int(self.boards[node, 1])) == (board.own, board.opp):
                    return node
            level = [child for node in level for child in self.children(node)]
        return None

    def children(self, node: int = mcts.ROOT) -> range:
        """The nodes of a node's children, as far as they are there."""
        first, count = self.links[node, mcts.FIRST], self.links[node, mcts.CHILDREN]
        return range(int(first), int(first) + max(0, int(count)))

    def ranked(self) -> list[int]:
        """The moves of the root, by visits, then by mean value; of equals the lowest square."""
        nodes = list(self.children())
        visits, means = self.links[nodes, mcts.VISITS], self.values[nodes, mcts.MEAN]
        order = np.lexsort((-means, -visits))
        moves: list[int] = self.links[nodes, mcts.MOVE][order].tolist()
        return moves

    def means(self) -> dict[int, float]:
        """The mean value of every move of the root for the side to move, −1 to 1."""
        nodes = list(self.children())
        moves, means = self.links[nodes, mcts.MOVE].tolist(), self.values[nodes, mcts.MEAN].tolist()
        return dict(zip(moves, means, strict=True))

    @property
    def full(self) -> bool:
        """Whether it cannot grow further."""
        return self.used + 64 > len(self.boards)


_trees = threading.local()


def thread_tree(nodes: int) -> Tree:
    """This thread's memory for at least so many nodes, kept for the next search."""
    tree: Tree | None = getattr(_trees, "tree", None)
    if tree is None or len(tree.boards) < nodes:
        tree = _trees.tree = Tree(nodes)
    return tree


def thread_scratch(size: int) -> npt.NDArray[np.float32]:
    """This thread's memory for a network's vectors, of at least so many floats."""
    scratch: npt.NDArray[np.float32] | None = getattr(_trees, "scratch", None)
    if scratch is None or len(scratch) < size:
        scratch = _trees.scratch = np.zeros(size, np.float32)
    return scratch
