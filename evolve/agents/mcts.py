"""The Monte Carlo tree search agent: it values positions by random games or by a network."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import (
    Description,
    Limit,
    Setting,
    StoredAgent,
    check_play,
    moves_to_choose,
)
from evolve.agents.agent_file import Arrays, Fields
from evolve.agents.analysis import Analysis
from evolve.agents.chance import mix
from evolve.agents.dqn import (
    NETWORK_PARAMETERS,
    NO_REWARDS,
    checked,
    described,
    description_of,
    network_of,
)
from evolve.agents.memory import (
    MOST_NODES,
    Evaluate,
    Forest,
    Tree,
    nodes_for,
    thread_context,
    thread_scratch,
    thread_tree,
)
from evolve.agents.timed_search import (
    SHORTEST,
    TABLE_BITS,
    check_seconds,
    stopping_at,
    thinking_seconds,
    touch_table,
)
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules, rule_set
from evolve.engine.networks import mcts
from evolve.engine.networks.network import Network
from evolve.engine.search import context as layout
from evolve.engine.search.solver import solve_in_order
from evolve.errors import AgentError
from evolve.standalone.render import Clock, NetworkPlay, render_network

_MOST_SIMULATIONS: Final = 2_000_000
_PARAMETERS: Final = {
    "simulations": int,
    "c": float,
    "selection": str,
    "endgame": int,
    "reuse": bool,
    "order": str,
}
"""The parameters in files, beside the network's, with their types."""
_VALUED: Final = ("value", "policy-value")
_FORMULA: Final = {"ucb1": mcts.UCB1, "puct": mcts.PUCT}


@dataclass(frozen=True)
class MctsAgent(StoredAgent):
    """Plays the move with the most simulations.

    Args:
        simulations: per move, without a clock.
        c: exploration constant, over 0.
        selection: `ucb1` (plain UCT) or `puct`; the prior of `puct` is the network's policy, where
            it has one, and else the same for every move.
        endgame: exact search from that many empties; it tries the moves in the tree search's order.
            In a lost position the tree search decides: it knows which losing moves are hard to
            refute.
        seconds: time for a move; None plays by `simulations`. Only games without a clock repeat.
        seed: of the random games. The same position, seed and settings give the same move.
        rules: the rules to play by; None (any) plays `standard` by default.
        network: values positions (output `value` or `policy-value`); None: random games do.
        reuse: whether to keep a game's tree from move to move, after `for_game`. A move then
            depends on those before it. `choose_all` keeps no tree.
        order: the order of moves in the exact search, which plays the first of the best moves: by
            `visits`, or by mean `value` Q, as ReversiV does (S4 in docs/evidence/learning.md).
        evaluate: values many positions at once by the network, for `choose_all`; it may be slow
            for single positions.
        tree: of the game so far, see `reuse`.
    """

    simulations: int = 400
    c: float = 1.0
    selection: Literal["ucb1", "puct"] = "ucb1"
    endgame: int = 10
    seconds: float | None = None
    seed: int = 0
    rules: Rules | None = None
    name: str = "uct"
    network: Network | None = None
    reuse: bool = False
    order: Literal["visits", "value"] = "visits"
    evaluate: Evaluate | None = field(default=None, compare=False, repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)
    tree: Tree | None = field(default=None, compare=False, repr=False)

    kind: ClassVar[str] = "mcts"
    draws: ClassVar[bool] = True
    optional: ClassVar[tuple[str, ...]] = (*_PARAMETERS, *NETWORK_PARAMETERS)

    def __post_init__(self) -> None:
        check_play(self.rules, self.endgame)
        if not 1 <= self.simulations <= _MOST_SIMULATIONS:
            raise AgentError(f"simulations {self.simulations} must be 1 to {_MOST_SIMULATIONS}")
        if not 0 < self.c <= 1000:
            raise AgentError(f"c {self.c:g} must be over 0, and 1000 at most")
        if self.selection not in _FORMULA:
            raise AgentError(f"there is no selection {self.selection!r}; there are ucb1 and puct")
        if self.order not in ("visits", "value"):
            raise AgentError(f"there is no order {self.order!r}; there are visits and value")
        built = self.network.architecture if self.network else None
        if built and (built.output not in _VALUED or built.input.startswith("coloured")):
            raise AgentError(
                f"a tree search needs a network with a value, that sees the board from the mover, "
                f"not {built}"
            )
        if self.seconds is not None:
            check_seconds(self.seconds)
            _prepare()
        if self.evaluate is not None and (self.selection != "puct" or self.seconds is not None):
            raise AgentError("boards are searched together by puct and a number of simulations")

    def for_game(self, seed: int) -> Self:
        """The agent for one game: its random games have a new seed, from its own and `seed`."""
        kept = Tree.of_size(self._nodes) if self.reuse else None
        return replace(self, seed=mix(self.seed ^ mix(seed)), tree=kept)

    def choose(self, board: Board) -> int:
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and its nodes: one per simulation, and those of the exact search."""
        begin = time.perf_counter()
        legal = moves_to_choose(board)
        if len(legal) == 1:
            return legal[0], 0
        if self.seconds is None:
            return self._decided(board, self._search(board))
        tree, seconds = self._tree_of(board), thinking_seconds(self.seconds)
        if board.empties > self.endgame:
            self._grow_until(tree, board, begin + seconds)
            return self._decided(board, tree)
        # The exact search starts after a share of the time; the tree search gets the rest.
        self._grow_until(tree, board, begin + 0.3 * seconds)
        square, nodes = self._solved(board, tree, begin + seconds)
        if square is None:
            self._grow_until(tree, board, begin + seconds)
            square = tree.ranked()[0]
        return square, tree.simulations + nodes

    @property
    def together(self) -> bool:
        return self.evaluate is not None

    def choose_all(self, boards: Sequence[Board]) -> list[tuple[int, int]]:
        """A good square for each board, and its nodes; every board must have a move.

        With `evaluate` it searches all trees side by side, and keeps none of them.
        """
        if self.evaluate is None:
            return super().choose_all(boards)
        forest = Forest(len(boards), nodes_for(self.simulations))
        forest.reset(boards)
        rules = rule_set(self._rules).code
        forest.simulate(self.simulations, rules, self.c, self.evaluate)
        return [self._decided(board, forest.tree(n)) for n, board in enumerate(boards)]

    def analyse(self, board: Board) -> Analysis:
        """The mean value of every legal move, in the order of visits."""
        tree = self._search(board)
        return Analysis(tree.root_values(), "value", None, tree.line())

    @property
    def repeats(self) -> bool:
        """True with a network, a number of simulations and a new tree for every move."""
        return self.network is not None and self.seconds is None and not self.reuse

    @property
    def identity(self) -> Any:
        digests = [self.network.digest] if self.network else []
        timed = [] if self.seconds is None else [self.seconds]
        return [self.name, self.parameters, digests, *timed]

    def stored(self) -> Self:
        """The agent itself; AgentError where it has a time, which files cannot hold."""
        if self.seconds is not None:
            raise AgentError(f"{self.name}: files hold no limit of time; leave it out")
        return self

    @property
    def limit(self) -> Limit:
        return Limit(seconds=self.seconds, simulations=self.simulations)

    def paced(self, pace: float) -> Self:
        if self.seconds is None:
            return self
        return self._changed(seconds=max(SHORTEST, pace * self.seconds))

    def limited(self, limit: Limit) -> Self:
        """The agent, within the time of `limit`, and within its simulations without a clock."""
        kept = self.limit & limit
        return self._changed(seconds=kept.seconds, simulations=kept.simulations)

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The settings of its search; the name of c depends on the formula: `c` or `c_puct`."""
        weight = "c" if self.selection == "ucb1" else "c_puct"
        return {
            "simulations": Setting("simulations"),
            weight: Setting("c", float),
            "endgame": Setting("endgame"),
            "time": Setting("seconds", float),
            "seed": Setting("seed"),
            "reuse": Setting("reuse", bool),
        }

    @property
    def parameters(self) -> dict[str, Any]:
        own = {key: getattr(self, key) for key in _PARAMETERS}
        return own if self.network is None else {**own, **description_of(self.network)}

    @property
    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        return {} if self.network is None else self.network.arrays()

    @classmethod
    def from_parts(cls, parameters: Fields, arrays: Arrays, common: Fields) -> Self:
        own = checked(parameters, _PARAMETERS)
        has_network = any(key in parameters for key in NETWORK_PARAMETERS)
        network = network_of(parameters, arrays) if has_network else None
        return cls(**own, network=network, **common)

    def describe(self) -> Description:
        return described(self.parameters, self.network)

    def python_source(self, numba: bool = False) -> str:
        """Its stand-alone Python file, if it has a dense network.

        With a time limit the file plays by the clock. AgentError where there is no network.
        """
        if self.network is None:
            raise AgentError(f"{self.name} has no network to export")
        return render_network((self.network,), self._play, *self._about, numba)

    @property
    def play(self) -> str:
        return self._play.in_words()

    @property
    def _play(self) -> NetworkPlay:
        return NetworkPlay(
            "mcts",
            self.endgame,
            NO_REWARDS.cells,
            simulations=self.simulations,
            c=float(self.c),
            order=self.order,
            clock=None if self.seconds is None else Clock(self.seconds),
        )

    def _decided(self, board: Board, tree: Tree) -> tuple[int, int]:
        """A grown tree's move, near the end the exact one, and its nodes; 0 without a choice."""
        moves, solving = tree.ranked(), board.empties <= self.endgame
        if len(moves) == 1:
            return moves[0], 0
        square, nodes = self._solved(board, tree, None) if solving else (None, 0)
        return moves[0] if square is None else square, tree.simulations + nodes

    def _solved(self, board: Board, tree: Tree, end: float | None) -> tuple[int | None, int]:
        """The best move by exact score, None where all lose or `end` is too early; its nodes."""
        # By the clock its memory has one fixed size and is touched before.
        bits = layout.table_bits_for(board.empties) if end is None else TABLE_BITS
        context = thread_context(self._rules, bits)
        order = np.array(tree.ranked(self.order), np.int64)
        with stopping_at(context, end):
            square, score = solve_in_order(U(board.own), U(board.opp), order, context.ctypes.data)
        found = int(square) if square >= 0 and score >= 0 else None
        return found, int(context[layout.NODES])

    @property
    def _nodes(self) -> int:
        """Nodes that a search needs, those kept from the last one included."""
        if self.seconds is not None:
            # More than the fastest machine adds: a search that uses them up ends early.
            return min(MOST_NODES, int(self.seconds * 30_000_000) + 4096)
        return nodes_for(self.simulations * (2 if self.reuse else 1))

    def _search(self, board: Board) -> Tree:
        tree = self._tree_of(board)
        if self.seconds is None:
            self._grow(tree, board, self.simulations)
        else:
            self._grow_until(tree, board, time.perf_counter() + thinking_seconds(self.seconds))
        return tree

    def _tree_of(self, board: Board) -> Tree:
        if self.tree is None:
            tree = thread_tree(self._nodes)
            tree.reset(board)
        else:
            tree = self.tree
            tree.advance(board)
        return tree

    def _grow_until(self, tree: Tree, board: Board, end: float) -> None:
        """Grow a tree until `end`, by at least one simulation."""
        now, chunk, took = time.perf_counter(), 1, 0.0
        while not tree.children() or (now + took < end and not tree.full):
            self._grow(tree, board, chunk)
            before, now = now, time.perf_counter()
            took = now - before
            # Between two readings of the clock: most simulations, and seconds, roughly.
            chunk = max(1, min(1024, int(chunk * 0.0005 / took)))

    def _grow(self, tree: Tree, board: Board, simulations: int) -> None:
        seed = mix(mix(self.seed ^ board.own) ^ board.opp)
        network = self.network
        scratch = thread_scratch(network.scratch_size if network else 0)
        options = mcts.SearchOptions(
            rule_set(self._rules).code,
            _FORMULA[self.selection],
            float(self.c),
            network.address if network else 0,
            scratch.ctypes.data,
        )
        tree.simulate(simulations, options, seed)


@cache
def _prepare() -> None:
    """Load or compile the kernels, so that no move spends time on it."""
    touch_table()
    agent = MctsAgent(simulations=2, endgame=0, reuse=True).for_game(0)
    board = Board.start()
    for _ in range(2):  # the second move reuses the tree
        board = board.play(agent.choose(board))
    # A position with two moves, so that the agent must choose, and few enough empties to solve.
    MctsAgent(simulations=1, endgame=60).choose(Board(own=1 << 2, opp=1 << 1 | 1 << 3 | 1 << 63))
