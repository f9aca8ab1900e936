"""Memory that threads keep for their searches: contexts, trees, and what is read out of those."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from evolve.engine import context as layout
from evolve.engine import lockstep, mcts
from evolve.engine.bits import U
from evolve.engine.board import Board, Rules
from evolve.engine.entry import new_context


class OutOfTimeError(Exception):
    """Whoever values positions has no time left for more: the budget of a training is used up."""


Evaluate = Callable[[npt.NDArray[np.uint64]], npt.NDArray[np.float32]]
"""What comes out of a network, [B, outputs], for positions [B, 2]."""

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
        self.grown = 0
        """Simulations since its root was planted, or moved."""

    @classmethod
    def of(
        cls,
        boards: npt.NDArray[np.uint64],
        links: npt.NDArray[np.int32],
        values: npt.NDArray[np.float32],
        used: int = 0,
    ) -> Tree:
        """A tree in memory that is there."""
        tree = cls.__new__(cls)
        tree.boards, tree.links, tree.values, tree.used = boards, links, values, used
        tree.grown = 0
        return tree

    def plant(self, board: Board) -> None:
        """A new tree, of this root alone."""
        self.boards[mcts.ROOT] = board.own, board.opp
        self.links[mcts.ROOT, mcts.CHILDREN] = mcts.UNKNOWN
        self.links[mcts.ROOT, mcts.VISITS] = 0
        self.values[mcts.ROOT] = 0.0
        self.used, self.grown = 1, 0

    def move_to(self, board: Board) -> None:
        """Keep what is known of `board`; a new tree where it is not in this one."""
        node = mcts.found(U(board.own), U(board.opp), self.used, self.boards, self.links)
        if node == mcts.UNKNOWN:
            self.plant(board)
        else:
            self.used = mcts.replant(node, self.used, self.boards, self.links, self.values)
            self.grown = 0

    def children(self, node: int = mcts.ROOT) -> range:
        """The nodes of a node's children, as far as they are there."""
        first, count = self.links[node, mcts.FIRST], self.links[node, mcts.CHILDREN]
        return range(int(first), int(first) + max(0, int(count)))

    def ranked(self) -> list[int]:
        """The moves of the root, by visits, then by mean value; of equals the lowest square."""
        moves: list[int] = self.links[self._ranked(mcts.ROOT), mcts.MOVE].tolist()
        return moves

    def _ranked(self, node: int) -> npt.NDArray[np.int64]:
        """A node's children in that order."""
        nodes = np.array(self.children(node), np.int64)
        visits, means = self.links[nodes, mcts.VISITS], self.values[nodes, mcts.MEAN]
        return nodes[np.lexsort((-means, -visits))]

    def by_value(self) -> list[int]:
        """The moves of the root by mean value, for the side to move; of equals the lowest square.

        Those that no simulation went through come last: nothing is known of them.
        """
        nodes = list(self.children())
        visits, means = self.links[nodes, mcts.VISITS], self.values[nodes, mcts.MEAN]
        moves: list[int] = self.links[nodes, mcts.MOVE][np.lexsort((-means, visits == 0))].tolist()
        return moves

    def means(self) -> dict[int, float]:
        """The mean value of every move of the root for the side to move, −1 to 1."""
        nodes = list(self.children())
        moves, means = self.links[nodes, mcts.MOVE].tolist(), self.values[nodes, mcts.MEAN].tolist()
        return dict(zip(moves, means, strict=True))

    def line(self) -> tuple[int, ...]:
        """The moves that most simulations went through, from the root on; 64 is a pass."""
        moves: list[int] = []
        ranked = self._ranked(mcts.ROOT)
        while len(ranked) and self.links[ranked[0], mcts.VISITS]:
            moves.append(int(self.links[ranked[0], mcts.MOVE]))
            ranked = self._ranked(int(ranked[0]))
        return tuple(moves)

    @property
    def full(self) -> bool:
        """Whether it cannot grow further."""
        return self.used + 64 > len(self.boards)


class Forest:
    """Memory for a tree each of N games, grown side by side; the trees are planted elsewhere.

    boards [N, nodes, 2], links [N, nodes, LINKS], values [N, nodes, VALUES], used [N] nodes,
    searching [N]: whether the tree of a game is to grow.
    """

    def __init__(self, count: int, nodes: int) -> None:
        self.searching = np.ones(count, np.bool_)
        self.used = np.zeros(count, np.int64)
        self.boards = np.empty((count, nodes, 2), np.uint64)
        self.links = np.empty((count, nodes, mcts.LINKS), np.int32)
        self.values = np.empty((count, nodes, mcts.VALUES), np.float32)
        self._paths = np.empty((count, mcts.DEEPEST), np.int32)
        self._depths = np.empty(count, np.int64)
        self._leaves = np.empty((count, 2), np.uint64)

    def tree(self, number: int) -> Tree:
        """One of the trees."""
        return Tree.of(
            self.boards[number], self.links[number], self.values[number], int(self.used[number])
        )

    def plant(self, boards: Sequence[Board]) -> None:
        """New trees of these roots alone."""
        for number, board in enumerate(boards):
            self.tree(number).plant(board)
            self.used[number] = 1

    def grow(self, simulations: int, rules: int, c: float, evaluate: Evaluate) -> None:
        """Grow every tree by PUCT; `evaluate` is asked about positions of all of them at once."""
        for _ in range(simulations):
            wanted = lockstep.descend_all(
                self.searching,
                self.used,
                self.boards,
                self.links,
                self.values,
                self._paths,
                self._depths,
                self._leaves,
                rules,
                c,
            )
            if wanted:
                outputs = evaluate(self._leaves[:wanted])
                lockstep.hand_up_all(outputs, self._paths, self._depths, self.links, self.values)


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


_contexts = threading.local()


def stopper() -> Callable[[], None]:
    """A function with which other threads stop the search that this thread is in, if any.

    What that search answers is then of no use.
    """
    contexts = cast("dict[int, layout.Cells]", _contexts.__dict__)

    def stop() -> None:
        for context in list(contexts.values()):
            context[layout.STOPPED] = 1

    return stop


def thread_context(rules: Rules, table_bits: int) -> layout.Cells:
    """This thread's context for the given rules and table size, kept for the next search."""
    contexts = cast("dict[int, layout.Cells]", _contexts.__dict__)
    context = contexts.get(table_bits)
    if context is None:
        context = contexts[table_bits] = new_context(layout.REVERSED, 0, table_bits)
    context[layout.RULES] = layout.RULES_CODE[rules]
    return context
