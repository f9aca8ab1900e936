"""The memory of pattern searches, and a search in it."""

from __future__ import annotations

import threading
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from evolve.agents.analysis import line_from
from evolve.agents.memory import let_stop
from evolve.engine import context as layout
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.context_factory import new_context
from evolve.engine.pattern_search import MOST_VECTORS, pattern_move, pattern_values
from evolve.engine.patterns import Patterns
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set

GAME_TABLE_BITS: Final = 16
"""Table size of a game's searches: 2**16 buckets, 4 MiB."""


class Memory:
    """The memory of pattern searches: a context with a table, and vectors of positions.

    used: nodes of the game so far, for agents with a budget.
    """

    def __init__(self, table_bits: int) -> None:
        self.used = 0
        self.context = new_context(rule_set(DEFAULT_RULES).code, 0, table_bits)
        self._vectors = np.empty(0, np.int16)
        self._held: tuple[Patterns, npt.NDArray[np.int64], Rules] | None = None

    def set(self, patterns: Patterns, block: npt.NDArray[np.int64], rules: Rules) -> int:
        """Prepare the memory for an evaluation, its block and rules; return its address.

        Results of another evaluation, other cuts or other rules no longer count. The memory must
        live as long as its address is in use.
        """
        size = MOST_VECTORS * patterns.shapes.lanes
        if self._vectors.size < size:
            self._vectors = np.zeros(size, np.int16)
            self.context[layout.VECTORS] = self._vectors.ctypes.data
        if not self._holds(block, rules):
            self.context[layout.AGE] += 1
        self._held = (patterns, block, rules)  # kept alive: kernels only have addresses
        self.context[layout.PATTERNS] = block.ctypes.data
        layout.set_rules(self.context, rule_set(rules).code)
        return int(self.context.ctypes.data)

    def _holds(self, block: npt.NDArray[np.int64], rules: Rules) -> bool:
        """Whether it is prepared for these: blocks are equal where weights and cuts are."""
        if self._held is None:
            return False
        _, held, held_rules = self._held
        return held_rules == rules and np.array_equal(held, block)


_kept = threading.local()


def thread_memory(table_bits: int) -> Memory:
    """This thread's memory of that size, kept for the next search."""
    memories = cast("dict[int, Memory]", _kept.__dict__)
    memory = memories.get(table_bits)
    if memory is None:
        memory = memories[table_bits] = Memory(table_bits)
        let_stop(("patterns", table_bits), memory.context)
    return memory


class PatternSearch:
    """A search from one position, see `timed_search.Search`."""

    def __init__(self, context: layout.Cells, board: Board) -> None:
        self.context = context
        self._board = board

    def prepare(self) -> None:
        """Nothing to prepare: the table's entries stay valid."""

    def move(self, depth: int) -> int:
        """A best square by a search of `depth` plies; −1 when it was stopped."""
        return self.deepen_to(depth)[0]

    def deepen_to(self, depth: int) -> tuple[int, int]:
        """A best square and its value at `depth` plies, after searches of fewer plies."""
        return self._move(self._board, depth)

    def deepen(self, depth: int) -> tuple[int, int]:
        """A best square and its value, by searches of 1 to `depth` plies."""
        square, value = -1, 0
        for plies in range(1, depth + 1):
            square, value = self._move(self._board, plies)
        return square, value

    def values(self, depth: int) -> dict[int, int]:
        """The value of every legal move at `depth` plies."""
        values = np.zeros(64, np.int64)
        own, opp = U(self._board.own), U(self._board.opp)
        for plies in range(1, depth + 1):
            pattern_values(own, opp, plies, values, self.context.ctypes.data)
        return {square: int(values[square]) for square in self._board.legal_moves()}

    def line(self, square: int, depth: int) -> tuple[int, ...]:
        """The principal variation from `square` on."""
        return line_from(
            self._board, square, depth, lambda board, plies: self._move(board, plies)[0]
        )

    def _move(self, board: Board, depth: int) -> tuple[int, int]:
        square, value = pattern_move(U(board.own), U(board.opp), depth, self.context.ctypes.data)
        return int(square), int(value)
