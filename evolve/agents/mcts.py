"""The agent that plays by Monte Carlo tree search with random games for values: UCT."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import thread_context
from evolve.agents.random import mix
from evolve.agents.timing import check_seconds
from evolve.engine import context as layout
from evolve.engine import mcts
from evolve.engine.bits import U
from evolve.engine.board import Board, Rules
from evolve.engine.solver import solve_move
from evolve.errors import AgentError, IllegalMoveError

Selection = Literal["ucb1", "puct"]

MOST_SIMULATIONS: Final = 2_000_000
_NODES_A_SIMULATION: Final = 12
"""Children of a position in the mean, with some to spare."""
_MOST_NODES: Final = 1 << 25
"""More than all simulations need; by the clock a search ends early when they are used up."""
_CHUNK: Final = 128
"""Simulations between two looks at the clock: half a millisecond."""
_RESERVE: Final = 0.015
"""Seconds that the last of them and the way back may take."""
_FORMULA: Final = {"ucb1": mcts.UCB1, "puct": mcts.PUCT}


@dataclass(frozen=True)
class MctsAgent:
    """Plays the move that most simulations went through.

    Args:
        simulations: of a move, when there is no clock.
        c: weight of what is unexplored, over 0.
        selection: `ucb1` (plain UCT) or `puct` with the same prior for every move.
        endgame: exact search from that many empties; a lost position is left to the search,
            which knows which of the losing moves are hard to refute.
        seconds: time for a move; None plays by `simulations`. Only these games repeat.
        seed: of the random games. The same position, seed and settings give the same move.
        rules: the rules to play by; None (any) plays `standard` until told otherwise.
    """

    simulations: int = 400
    c: float = 1.0
    selection: Selection = "ucb1"
    endgame: int = 10
    seconds: float | None = None
    seed: int = 0
    rules: Rules | None = None
    name: str = "uct"

    def __post_init__(self) -> None:
        if not 1 <= self.simulations <= MOST_SIMULATIONS:
            raise AgentError(f"simulations {self.simulations} must be 1 to {MOST_SIMULATIONS}")
        if not 0 < self.c <= 1000:
            raise AgentError(f"c {self.c:g} must be over 0, and 1000 at most")
        if self.selection not in _FORMULA:
            raise AgentError(f"there is no selection {self.selection!r}; there are ucb1 and puct")
        if not 0 <= self.endgame <= 60:
            raise AgentError(f"endgame {self.endgame} must be 0 to 60 empties")
        if self.seconds is not None:
            check_seconds(self.seconds)
            _prepare()

    def with_rules(self, rules: Rules) -> MctsAgent:
        """The agent, playing by `rules`."""
        return replace(self, rules=rules)

    def for_game(self, seed: int) -> MctsAgent:
        """The agent with random games of its own for a game, from its seed and `seed`."""
        return replace(self, seed=mix(self.seed ^ mix(seed)))

    def choose(self, board: Board) -> int:
        """A good square; raises IllegalMoveError when there is none."""
        legal = board.legal_moves()
        if not legal:
            raise IllegalMoveError(f"there is no move to choose\n{board}")
        if len(legal) == 1:
            return legal[0]
        if board.empties <= self.endgame:
            square = self._proven(board)
            if square is not None:
                return square
        tree = self._search(board)
        first, count = tree.links[mcts.ROOT, mcts.FIRST], tree.links[mcts.ROOT, mcts.CHILDREN]
        children = tree.links[first : first + count]
        return int(children[np.argmax(children[:, mcts.VISITS]), mcts.MOVE])

    def chances(self, board: Board) -> dict[int, float]:
        """The mean value of every legal move, −1 (lost) to 1 (won), for the side to move."""
        tree = self._search(board)
        first, count = tree.links[mcts.ROOT, mcts.FIRST], tree.links[mcts.ROOT, mcts.CHILDREN]
        return {
            int(tree.links[child, mcts.MOVE]): float(
                tree.values[child] / max(1, tree.links[child, mcts.VISITS])
            )
            for child in range(first, first + count)
        }

    def _proven(self, board: Board) -> int | None:
        """The best move by exact score; None where all moves lose."""
        context = thread_context(self._rules, layout.table_bits_for(board.empties))
        context[layout.NODES] = context[layout.STOPPED] = 0
        square, score = solve_move(U(board.own), U(board.opp), context.ctypes.data)
        return int(square) if score >= 0 else None

    @property
    def _rules(self) -> Rules:
        return self.rules or "standard"

    def _search(self, board: Board) -> _Tree:
        if self.seconds is None:
            tree = _tree(self.simulations * _NODES_A_SIMULATION)
            tree.plant(board)
            self._grow(tree, board, self.simulations)
            return tree
        end = time.perf_counter() + self.seconds - _RESERVE
        tree = _tree(_MOST_NODES)
        tree.plant(board)
        while time.perf_counter() < end and not tree.full:
            self._grow(tree, board, _CHUNK)
        return tree

    def _grow(self, tree: _Tree, board: Board, simulations: int) -> None:
        seed = mix(mix(self.seed ^ board.own) ^ board.opp)
        tree.used = mcts.grow(
            simulations,
            tree.used,
            tree.boards,
            tree.links,
            tree.values,
            layout.RULES_CODE[self._rules],
            _FORMULA[self.selection],
            self.c,
            U(seed),
        )


@cache
def _prepare() -> None:
    """Load or compile the kernels, so that no move's time goes there."""
    MctsAgent(simulations=1, endgame=0).choose(Board.start())
    MctsAgent(simulations=1, endgame=60).choose(Board(own=0b10, opp=0b100100))


class _Tree:
    """Memory for a tree; see `engine.mcts`. Pages that are never used cost nothing."""

    def __init__(self, nodes: int) -> None:
        self.boards: npt.NDArray[np.uint64] = np.empty((nodes, 2), np.uint64)
        self.links: npt.NDArray[np.int32] = np.empty((nodes, mcts.LINKS), np.int32)
        self.values: npt.NDArray[np.float64] = np.empty(nodes, np.float64)
        self.used = 0

    def plant(self, board: Board) -> None:
        """A new tree, of this root alone."""
        self.boards[mcts.ROOT] = board.own, board.opp
        self.links[mcts.ROOT, mcts.CHILDREN] = mcts.UNKNOWN
        self.links[mcts.ROOT, mcts.VISITS] = 0
        self.values[mcts.ROOT] = 0.0
        self.used = 1

    @property
    def full(self) -> bool:
        """Whether it cannot grow further."""
        return self.used + 64 > len(self.boards)


_trees = threading.local()


def _tree(nodes: int) -> _Tree:
    """This thread's memory for at least so many nodes, kept for the next search."""
    nodes = min(nodes + 64, _MOST_NODES)
    tree: _Tree | None = getattr(_trees, "tree", None)
    if tree is None or len(tree.boards) < nodes:
        tree = _trees.tree = _Tree(nodes)
    return tree
