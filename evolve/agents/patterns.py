"""The pattern agent: alpha-beta over tables that value the discs on shapes of squares."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Description, Limit, Setting, StoredAgent
from evolve.agents.analysis import Analysis, exact_analysis
from evolve.agents.forward_cuts import Cut, cuts_of, rows_of
from evolve.agents.mcts import MctsAgent
from evolve.agents.memory import thread_context
from evolve.agents.networks import checked
from evolve.agents.pattern_memory import GAME_TABLE_BITS, Memory, PatternSearch, thread_memory
from evolve.agents.search_schedule import Allocation, check_depth, check_probcut
from evolve.agents.timed_search import think
from evolve.agents.timing import TABLE_BITS, check_seconds, stopping_at
from evolve.config.parsing import are_boundaries
from evolve.engine import context as layout
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.patterns import DISC, Patterns
from evolve.engine.phases import MAX_PHASES
from evolve.engine.rules import DEFAULT_RULES, Rules, check_rules
from evolve.engine.shapes import ShapeSet, parse_shape, shape_text
from evolve.engine.solver import solve_move
from evolve.errors import AgentError, IllegalMoveError, OverBudgetError
from evolve.standalone.render import Clock, play_in_words, render_patterns
from evolve.tables.arrays import Arrays

DEPTH: Final = 10
ENDGAME: Final = 12
PROBCUT: Final = 1.1
"""Defaults of an agent's search."""

_PARAMETERS: Final = {"depth": int, "endgame": int, "probcut": float}
_WEIGHTS: Final = "weights"
_CUTS: Final = "cuts"
_NO_LIMIT: Final = Limit()
_C_PUCT: Final = 1.2
_FEWEST_NODES: Final = 100
_EXACT_NODES: Final = 4
"""Nodes of the exact search that take as long as one node of the pattern search."""
_MOVES: Final = 30
"""Moves of a side in a game."""
_BEFORE_EXACT: Final = 0.05
"""Share of a limit to use before the exact search.
Near the end each ply takes several times as long as the one before it, and a ply begun at a fifth
of the limit often used up all of it."""
_SETTINGS: Final = {
    "depth": Setting("depth"),
    "endgame": Setting("endgame"),
    "time": Setting("limit", float),
    "nodes": Setting("limit"),
    "probcut": Setting("probcut", float),
    "simulations": Setting("limit"),
    "c_puct": Setting("limit", float),
}
_TREE_SEARCH: Final = ("simulations", "c_puct")
"""Settings that make it a tree search with positions valued by the patterns."""


@dataclass(frozen=True)
class PatternAgent(StoredAgent):
    """Alpha-beta over an evaluation by patterns.

    Args:
        patterns: the evaluation.
        depth: plies, 1 to 60.
        endgame: exact search from that many empties, 0 to 60.
        probcut: makes forward cuts where the expected deep value is outside of the window by so
            many standard deviations, 0.1 to 10; 0 for no cuts.
        cuts: the measured relations of shallow and deep searches.
        limit: seconds, 0.02 to 86400, or nodes, 100 or more, for each move in place of the depth:
            it searches as deep as they allow, to `limit.depth` plies at most. Four nodes of the
            exact search count as one. Files do not hold it.
        allocation: plies and cuts of every phase, in place of `depth` and `probcut`.
        budget: nodes of a whole game (`for_game`), beyond which it raises OverBudgetError. 0 for
            no budget; nodes count as for a limit. Files do not hold it.
        rules: the rules to play by; None (any) plays `standard` by default.

    In a game (`for_game`) a search uses the table of earlier moves' searches, so a move may depend
    on the moves before it, and on nothing else. Raises AgentError.
    """

    patterns: Patterns
    depth: int = DEPTH
    endgame: int = ENDGAME
    probcut: float = PROBCUT
    cuts: tuple[Cut, ...] = ()
    limit: Limit = _NO_LIMIT
    allocation: Allocation | None = None
    budget: int = 0
    rules: Rules | None = None
    name: str = "patterns"
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)
    _memory: Memory | None = field(default=None, compare=False, repr=False)

    kind: ClassVar[str] = "patterns"
    required: ClassVar[tuple[str, ...]] = ("shapes", "boundaries")
    optional: ClassVar[tuple[str, ...]] = (*_PARAMETERS, "allocation")

    def __post_init__(self) -> None:
        if self.rules is not None:
            check_rules(self.rules)
        check_depth(self.depth)
        check_probcut(self.probcut)
        if not 0 <= self.endgame <= 60:
            raise AgentError(f"endgame {self.endgame} must be 0 to 60 empties")
        seconds, nodes, depth = self.limit.seconds, self.limit.nodes, self.limit.depth
        if nodes is not None and nodes < _FEWEST_NODES:
            raise AgentError(f"nodes {nodes} must be {_FEWEST_NODES} or more")
        if depth is not None:
            check_depth(depth)
        if seconds is not None:
            check_seconds(seconds)
            prepare()

    def __getstate__(self) -> dict[str, Any]:
        """The state without block and memory, which hold addresses: a copy makes its own."""
        kept = {key: value for key, value in vars(self).items() if key != "block"}
        return {**kept, "_memory": None}

    @cached_property
    def block(self) -> npt.NDArray[np.int64]:
        """The evaluation and the cuts as kernels read them, see `engine.patterns`."""
        found = {}
        for cut in self.cuts:
            margin = self._probcut_at(cut.discs)
            if margin > 0:
                found[cut.depth, cut.group] = (
                    cut.shallow,
                    round(cut.mean * DISC),
                    round(margin * cut.deviation * DISC),
                )
        return self.patterns.block(found)

    def for_game(self, seed: int) -> Self:
        """The agent for one game, with a table of its own."""
        return replace(self, _memory=Memory(self._table_bits))

    def choose(self, board: Board) -> int:
        """A best square for the side to move; raises IllegalMoveError when it has none."""
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it: 0 for the only legal one."""
        begin = time.perf_counter()
        legal = board.legal_moves()
        if not legal:
            raise IllegalMoveError(f"there is no move to choose\n{board}")
        if len(legal) == 1:
            return legal[0], 0
        search = self._search(board)
        if self._limited:
            exact = thread_context(self._rules, TABLE_BITS)
            limit, endgame = self.limit, self.endgame
            return think(board, limit, begin, endgame, search, exact, _EXACT_NODES, _BEFORE_EXACT)
        square, nodes, counted = self._searched(board, search)
        if self._memory is not None:
            self._memory.used += counted
        return square, nodes

    def _searched(self, board: Board, search: PatternSearch) -> tuple[int, int, int]:
        """A best square, the nodes searched for it, and how many nodes count for the budget."""
        left = 0
        if self.budget:
            used = 0 if self._memory is None else self._memory.used
            left = max(1, self.budget - used)
        solving = board.empties <= self.endgame
        context, cost = search.context, 1
        if solving:
            bits = layout.table_bits_for(board.empties)
            context, cost = thread_context(self._rules, bits), _EXACT_NODES
        with stopping_at(context, None, cost * left):
            if solving:
                square, _ = solve_move(U(board.own), U(board.opp), context.ctypes.data)
            else:
                square, _ = search.deepen(self._depth_at(board))
        if self.budget and context[layout.STOPPED]:
            raise OverBudgetError(f"{self.name} needs more than {self.budget} nodes for a game")
        nodes = int(context[layout.NODES])
        return int(square), nodes, -(-nodes // cost)

    def analyse(self, board: Board) -> Analysis:
        """Values by a search to its depth, or exact ones near the end."""
        if board.empties <= self.endgame:
            return exact_analysis(board, self._rules)
        depth = min(self.limit.depth or self._depth_at(board), board.empties)
        search = replace(self, _memory=None)._search(board)
        search.context[layout.STOPPED] = 0
        values = search.values(depth)
        ranked = sorted(values, key=lambda square: -values[square])
        forecasts = {square: values[square] / DISC for square in ranked}
        return Analysis(forecasts, "forecast", depth, search.line(ranked[0], depth))

    def values_by_depth(self, board: Board, deepest: int) -> list[int]:
        """The values of a position with moves, at 1, 2, … `deepest` plies; DISC is one disc."""
        search = replace(self, _memory=None)._search(board)
        search.context[layout.STOPPED] = 0
        return [search.deepen_to(plies)[1] for plies in range(1, deepest + 1)]

    @property
    def repeats(self) -> bool:
        """True unless it plays by the clock."""
        return self.limit.seconds is None

    @property
    def identity(self) -> Any:
        """All in its file that determines how it plays, and its limit."""
        cuts = rows_of(self.cuts).tolist()
        limits = [*vars(self.limit).values(), self.budget]
        return [self.parameters, self.patterns.digest, cuts, limits]

    def limited(self, limit: Limit) -> Self:
        """The agent, also within the seconds and nodes of `limit`.

        `limit.depth` replaces its depth; for an agent with a time or node limit it is the maximum.
        """
        kept = self.limit & replace(limit, depth=None, simulations=None)
        if limit.depth is None:
            return self._changed(limit=kept)
        if kept.seconds is None and kept.nodes is None:
            allocation = self.allocation
            if allocation is not None:
                depths = (limit.depth,) * len(allocation.depths)
                allocation = replace(allocation, depths=depths)
            return self._changed(depth=limit.depth, allocation=allocation)
        return self._changed(limit=replace(kept, depth=limit.depth))

    def within(self, nodes: int) -> Self:
        """The agent with a budget of 30 times `nodes`, shared by a game's moves; see Agent."""
        return self._changed(budget=_MOVES * nodes)

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Its depth, its exact search, its limits and its cuts; or those of a tree search."""
        return _SETTINGS

    def with_settings(self, values: Mapping[str, float], name: str) -> Any:
        """The agent with these settings, and a new name. Raises AgentError.

        With `simulations` or `c_puct` it is a tree search over the agent's patterns.
        """
        if any(key in values for key in _TREE_SEARCH):
            tree = self._tree_search()
            wrong = [key for key in values if key not in tree.settings]
            if wrong:
                raise AgentError(
                    f"{name}: a tree search has no setting {wrong[0]!r}; it has "
                    f"{', '.join(key for key in tree.settings if key in _SETTINGS)}"
                )
            return tree.with_settings(values, name)
        whole: dict[str, Any] = dict(values)
        changes: dict[str, Any] = {
            key: whole[key] for key in ("endgame", "probcut") if key in whole
        }
        if self.allocation is not None and "probcut" in whole:
            margins = (float(whole["probcut"]),) * len(self.allocation.probcuts)
            changes["allocation"] = replace(self.allocation, probcuts=margins)
        made = self._changed(**changes, name=name)
        seconds, nodes, depth = (whole.get(key) for key in ("time", "nodes", "depth"))
        return made.limited(Limit(seconds, nodes, depth))

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters in the document, without the weights and cuts."""
        return {
            "shapes": [shape_text(squares) for squares in self.patterns.shapes.shapes],
            "boundaries": list(self.patterns.boundaries),
            **{key: getattr(self, key) for key in _PARAMETERS},
            **({} if self.allocation is None else {"allocation": self.allocation.parameters}),
        }

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The distinct weights, and the cuts, one per row."""
        return {_WEIGHTS: self.patterns.weights, _CUTS: rows_of(self.cuts)}

    @classmethod
    def from_parts(
        cls, parameters: Mapping[str, Any], arrays: Arrays, common: Mapping[str, Any]
    ) -> Self:
        """The agent of a file's parameters and weights."""
        own = checked(parameters, _PARAMETERS)
        texts, boundaries = parameters["shapes"], parameters["boundaries"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise AgentError(f"shapes must be a list of texts, not {texts!r}")
        if set(arrays) != {_WEIGHTS, _CUTS}:
            raise AgentError(f"it must hold {_WEIGHTS} and {_CUTS}, and holds {', '.join(arrays)}")
        shapes = ShapeSet(tuple(parse_shape(text) for text in texts))
        patterns = Patterns.of_weights(shapes, _boundaries(boundaries), arrays[_WEIGHTS])
        if "allocation" in parameters:
            own["allocation"] = Allocation.from_parameters(parameters["allocation"])
        return cls(patterns, cuts=cuts_of(arrays[_CUTS]), **own, **common)

    def stored(self) -> Self:
        """The agent itself; AgentError where it plays by a limit, which files cannot hold."""
        if self._limited:
            raise AgentError(f"{self.name}: files hold no limit of time or nodes; leave it out")
        return replace(self, budget=0)

    def describe(self) -> Description:
        """How it plays, and its shapes with the range of their weights."""
        shapes, tables = self.patterns.shapes, self.patterns.tables
        search = self.allocation
        depths = f"depth {self.depth}" if search is None else f"depths {list(search.depths)}"
        facts = (depths, f"exact from {self.endgame} empties")
        edges = [4, *self.patterns.boundaries, 65]
        lines = [
            f"{len(shapes.shapes)} shapes with {len(shapes.instances)} images, {len(tables)} "
            f"phases (from {', '.join(map(str, edges[:-1]))} discs), "
            f"{tables.shape[0] * shapes.weights} weights",
            self._cuts_in_words,
        ]
        if search is not None and search.boundaries:
            lines.append(f"searched by phases from {', '.join(map(str, search.boundaries))} discs")
        rows, boards = [], {}
        for number, squares in enumerate(shapes.shapes):
            part = tables[:, shapes.starts[number] : shapes.starts[number + 1]]
            images = sum(1 for shape, _ in shapes.instances if shape == number)
            low, high, learned = part.min() / DISC, part.max() / DISC, np.mean(part != 0)
            text = shape_text(squares)
            rows.append([text, images, f"{low:+.1f}", f"{high:+.1f}", f"{learned:.0%}"])
            boards[text] = [int(square in squares) for square in range(64)]
        columns = ("shape", "images", "least", "most", "not 0")
        return Description(facts, lines, columns, rows, boards)

    def python_source(self, numba: bool = False) -> str:
        """Its stand-alone Python file, which makes no forward cuts.

        With a time limit the file plays by the clock. AgentError for a limit of nodes.
        """
        if self.limit.nodes is not None:
            raise AgentError(f"{self.name}: a Python file counts no nodes; give it a time")
        return render_patterns(
            self.patterns,
            self._allocation.depths,
            self._allocation.boundaries,
            self.endgame,
            self._rules,
            self.name,
            {"plays": self.play, **self.provenance},
            numba,
            self._clock,
        )

    @property
    def play(self) -> str:
        return play_in_words(self._allocation.depths, self.endgame, self._clock)

    @property
    def _allocation(self) -> Allocation:
        return self.allocation or Allocation((), (self.depth,), (self.probcut,))

    @property
    def _clock(self) -> Clock | None:
        """The clock of its Python file, in place of the depths; None where it plays by depth."""
        seconds = self.limit.seconds
        return None if seconds is None else Clock(seconds, self.limit.depth)

    @property
    def _rules(self) -> Rules:
        return self.rules or DEFAULT_RULES

    @property
    def _cuts_in_words(self) -> str:
        margins = (self.probcut,) if self.allocation is None else self.allocation.probcuts
        if not self.cuts or not any(margins):
            return "no forward cuts"
        by = ", ".join(f"{margin:g}" for margin in margins)
        return f"cuts by {by} standard deviations, at {len(self.cuts)} depths and stages"

    def _depth_at(self, board: Board) -> int:
        if self.allocation is None:
            return self.depth
        return self.allocation.depth(64 - board.empties)

    def _probcut_at(self, discs: int) -> float:
        return self.probcut if self.allocation is None else self.allocation.probcut(discs)

    @property
    def _limited(self) -> bool:
        return self.limit.seconds is not None or self.limit.nodes is not None

    @property
    def _table_bits(self) -> int:
        """The table size: larger with a limit of time or nodes."""
        return TABLE_BITS if self._limited else GAME_TABLE_BITS

    def _tree_search(self) -> MctsAgent:
        return MctsAgent(
            selection="puct",
            c=_C_PUCT,
            endgame=self.endgame,
            rules=self.rules,
            name=self.name,
            patterns=self.patterns,
        )

    def _search(self, board: Board) -> PatternSearch:
        """A search from a position, in the game's memory, or else in this thread's."""
        memory = self._memory
        if memory is None:
            memory = thread_memory(self._table_bits)
            memory.context[layout.AGE] += 1
        memory.set(self.patterns, self.block, self._rules)
        return PatternSearch(memory.context, board)


@cache
def prepare() -> None:
    """Load or compile the kernels, so that no move spends time on it."""
    from evolve.agents import timed_search

    timed_search.prepare()
    shapes = ShapeSet((parse_shape("a1-b2"),))
    patterns = Patterns(shapes, (), np.zeros((1, shapes.entries), np.int16))
    agent = PatternAgent(patterns, depth=2, endgame=0)
    agent.choose(Board.start())
    thread_memory(TABLE_BITS).context[layout.TABLE :].fill(0)


def _boundaries(values: Any) -> tuple[int, ...]:
    """The boundaries of a document; AgentError where they are invalid."""
    if (
        not isinstance(values, Sequence)
        or len(values) >= MAX_PHASES
        or not all(type(value) is int for value in values)
        or not are_boundaries(values)
    ):
        raise AgentError(f"boundaries {values} must ascend from 5 to 64")
    return tuple(values)
