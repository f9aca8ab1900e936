"""Memory that searches and their threads keep: contexts, trees, and what patterns need."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, cast

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.compiled.compile import address_of
from evolve.engine.compiled.intrinsics import LISTING_TYPES
from evolve.engine.games import mcts_games
from evolve.engine.games.game import new_context
from evolve.engine.networks import mcts
from evolve.engine.patterns.pattern_search import list_to_solve
from evolve.engine.patterns.patterns import MOST_VECTORS, Patterns
from evolve.engine.search import context as layout


class OutOfTimeError(Exception):
    """`evaluate` has no time left for more positions: a training's budget is used up."""


Evaluate = Callable[[npt.NDArray[np.uint64]], npt.NDArray[np.float32]]
"""The outputs of a network, [B, outputs], for positions [B, 2]."""

DEPTH_TABLE_BITS: Final = 16
"""Table size of searches to a depth: 2**16 buckets, 4 MiB."""
MOST_NODES: Final = 1 << 25
"""More than all simulations need; a search by the clock ends early when it uses them up."""


def nodes_for(simulations: int) -> int:
    """Enough nodes for so many simulations; MOST_NODES at most.

    A full tree ends a search early, so the tree's size must not depend on the thread's earlier
    searches. No position has more than 33 moves.
    """
    return min(33 * simulations + 64, MOST_NODES)


class Tree:
    """A tree in memory of a fixed number of nodes; see `networks.mcts`."""

    def __init__(self, nodes: mcts.Nodes, used: int = 0) -> None:
        self.nodes = nodes
        self.used = used  # nodes in use
        self._visits_before = 0  # visits of the root when it was set or moved

    @classmethod
    def of_size(cls, size: int) -> Tree:
        """An empty tree with room for `size` nodes."""
        return cls(mcts.empty_nodes(size))

    @property
    def size(self) -> int:
        """The number of nodes it has room for."""
        return len(self.nodes.boards)

    @property
    def full(self) -> bool:
        """Whether the children of one more node might not fit."""
        return self.used + mcts.MOST_CHILDREN > self.size

    @property
    def simulations(self) -> int:
        """Simulations since the root was set or moved: fewer than asked for in a full tree."""
        return self._visits - self._visits_before

    @property
    def _visits(self) -> int:
        return int(self.nodes.links[mcts.ROOT, mcts.VISITS])

    def reset(self, board: Board) -> None:
        """Start a new tree with this root alone."""
        self.used = mcts.reset_tree(U(board.own), U(board.opp), self.nodes)
        self._visits_before = 0

    def advance(self, board: Board) -> None:
        """Make `board` the root and keep its subtree; a new tree where it is not in the tree."""
        self.used = mcts.advance_root(U(board.own), U(board.opp), self.used, self.nodes)
        self._visits_before = self._visits

    def simulate(self, simulations: int, options: mcts.SearchOptions, seed: int) -> None:
        """Run simulations; fewer when the tree becomes full."""
        self.used = mcts.simulate(simulations, self.used, self.nodes, options, U(seed))

    def children(self, node: int = mcts.ROOT) -> range:
        """The numbers of a node's children; empty where it has none yet."""
        links = self.nodes.links
        first, count = links[node, mcts.FIRST], links[node, mcts.CHILDREN]
        return range(int(first), int(first) + max(0, int(count)))

    def ranked(self, order: Literal["visits", "value"] = "visits") -> list[int]:
        """The moves of the root, by visits, then by Q; among equals the lowest square first.

        By value: by Q for the side to move; moves without visits, of unknown value, come last.
        """
        moves, visits, values = self._moves()
        first = -visits if order == "visits" else visits == 0
        return cast("list[int]", moves[np.lexsort((-values, first))].tolist())

    def root_values(self) -> dict[int, float]:
        """Q of every move of the root, as ranked: its mean value for the side to move, −1 to 1."""
        moves, _, values = self._moves()
        known = dict(zip(moves.tolist(), values.tolist(), strict=True))
        return {square: known[square] for square in self.ranked()}

    def line(self) -> tuple[int, ...]:
        """The most visited moves, from the root on; 64 is a pass."""
        line: list[int] = []
        node = mcts.ROOT
        while True:
            moves, visits, values = self._moves(node)
            if not visits.any():
                return tuple(line)
            best = int(np.lexsort((-values, -visits))[0])
            line.append(int(moves[best]))
            node = self.children(node)[best]

    def _moves(self, node: int = mcts.ROOT) -> tuple[npt.NDArray[Any], ...]:
        """Square, visits and Q of every move of a node."""
        children = self.children(node)
        some = slice(children.start, children.stop)
        links, values = self.nodes.links[some], self.nodes.values[some]
        return links[:, mcts.MOVE], links[:, mcts.VISITS], values[:, mcts.Q]


class Forest:
    """One tree for each of N games, searched side by side by PUCT; see `games.mcts_games`."""

    def __init__(self, count: int, size: int) -> None:
        self.trees = mcts_games.empty_trees(count, size)
        self._leaves = mcts_games.empty_leaves(count)

    def tree(self, number: int) -> Tree:
        nodes = mcts.Nodes._make(array[number] for array in self.trees.nodes)
        return Tree(nodes, int(self.trees.used[number]))

    def reset(self, boards: Sequence[Board]) -> None:
        """Start new trees with these roots alone."""
        for number, board in enumerate(boards):
            self.tree(number).reset(board)
            self.trees.used[number] = 1

    def simulate(self, simulations: int, rules: int, c: float, evaluate: Evaluate) -> None:
        """Run simulations in every tree; `evaluate` values the leaves of all trees at once."""
        for _ in range(simulations):
            wanted = mcts_games.select_all(self.trees, self._leaves, rules, c)
            if wanted:
                outputs = evaluate(self._leaves.boards[:wanted])
                mcts_games.backpropagate_all(outputs, self.trees, self._leaves)


class _ThreadMemory(threading.local):
    def __init__(self) -> None:
        self.tree = Tree.of_size(0)
        self.scratch = np.zeros(0, np.float32)
        self.contexts: dict[Any, layout.Cells] = {}
        self.addresses: dict[Any, int] = {}
        self.patterns: dict[str, PatternMemory] = {}


_own = _ThreadMemory()


def thread_tree(nodes: int) -> Tree:
    """This thread's tree, with at least so many nodes, kept for the next search."""
    if _own.tree.size < nodes:
        _own.tree = Tree.of_size(nodes)
    return _own.tree


def thread_scratch(size: int) -> npt.NDArray[np.float32]:
    """This thread's memory for a network's vectors: at least `size` floats."""
    if len(_own.scratch) < size:
        _own.scratch = np.zeros(size, np.float32)
    return _own.scratch


def stopper() -> Callable[[], None]:
    """A function that stops this thread's current search, if any, from another thread.

    The result of a stopped search is invalid.
    """
    contexts = _own.contexts

    def stop() -> None:
        for context in list(contexts.values()):
            context[layout.STOPPED] = 1

    return stop


def thread_context(rules: Rules, table_bits: int) -> layout.Cells:
    """This thread's context for the given rules and table size, kept for the next search."""
    key = rule_set(rules).code, table_bits
    if key not in _own.contexts:
        _own.contexts[key] = new_context(key[0], 0, table_bits)
    return _own.contexts[key]


def thread_context_address(rules: Rules, table_bits: int) -> int:
    """The address of `thread_context`, looked up in a tenth of the time that numpy takes for it."""
    addresses = _own.addresses
    address = addresses.get((rules, table_bits))
    if address is None:
        address = addresses[rules, table_bits] = thread_context(rules, table_bits).ctypes.data
    return address


class PatternMemory:
    """The memory of pattern searches: a context with a table, and vectors of positions.

    Tables are as large as any search may need; one that needs less sets TABLE_BITS, and stays in
    the processor's caches. Those of games that ended serve the next ones: the first use of memory
    takes as long as 10 000 nodes.
    """

    _unused: Final[list[layout.Cells]] = []

    def __init__(self, table_bits: int, use: str = "search") -> None:
        self._use = use
        try:
            self.context = self._unused.pop()
        except IndexError:
            self.context = new_context(rule_set(DEFAULT_RULES).code, 0, layout.MOST_TABLE_BITS)
            self.context[layout.LISTING] = address_of(list_to_solve, LISTING_TYPES)
        self.context[layout.TABLE_BITS] = table_bits
        self.context[layout.AGE] += 1
        self.context[layout.NODES] = self.context[layout.STOPPED] = 0
        layout.clear_deadline(self.context)
        weakref.finalize(self, self._unused.append, self.context).atexit = False
        self._vectors = np.empty(0, np.int16)
        self._held: tuple[Patterns, npt.NDArray[np.int64], Rules] | None = None

    def set(self, patterns: Patterns, block: npt.NDArray[np.int64], rules: Rules) -> int:
        """Prepare the memory for an evaluation, its block and rules; return its address.

        Results of another evaluation, other cuts or other rules no longer count, nor does a stop
        that came after the last search. The memory must live as long as its address is in use.
        """
        self.context[layout.STOPPED] = 0
        size = MOST_VECTORS * patterns.shapes.lanes
        if self._vectors.size < size:
            self._vectors = layout.zeros_in_lines(size, np.int16)
            self.context[layout.VECTORS] = self._vectors.ctypes.data
        held = self._held  # blocks are equal where weights and cuts are
        if not (held and held[2] == rules and (held[1] is block or np.array_equal(held[1], block))):
            self.context[layout.AGE] += 1
        self._held = (patterns, block, rules)  # kept alive: kernels only have addresses
        _own.contexts[self._use] = self.context  # a `stopper` of this thread stops it
        self.context[layout.PATTERNS] = block.ctypes.data
        layout.set_rules(self.context, rule_set(rules).code)
        return int(self.context.ctypes.data)


def thread_pattern_memory(table_bits: int, use: str = "search") -> PatternMemory:
    """This thread's memory for that use, of which a search uses a table of that size."""
    if use not in _own.patterns:
        _own.patterns[use] = PatternMemory(table_bits, use)
    memory = _own.patterns[use]
    memory.context[layout.TABLE_BITS] = table_bits
    return memory
