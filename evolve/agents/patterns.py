"""The pattern agent: alpha-beta over tables that value the discs on shapes of squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Description, Limit, Setting
from evolve.agents.agent_file import Arrays, Fields
from evolve.agents.analysis import Analysis, exact_analysis
from evolve.agents.dqn import checked
from evolve.agents.memory import DEPTH_TABLE_BITS, PatternMemory, thread_pattern_memory
from evolve.agents.probcut import PROBCUT, Cuts
from evolve.agents.searching import NO_LIMIT, SearchingAgent, check_boundaries, check_depth
from evolve.agents.timed_search import TABLE_BITS, CutSearch, prepare_timed_search, stopping_at
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.engine.patterns.patterns import DISC, Patterns
from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import parse_shape, shape_text
from evolve.engine.search import context as layout
from evolve.engine.search.solver import solve_move
from evolve.errors import AgentError
from evolve.number_text import percent
from evolve.standalone.render import render_patterns
from evolve.terminal_text import count_of

_PARAMETERS: Final = {"depth": int, "endgame": int, "probcut": float}


@dataclass(frozen=True)
class PatternAgent(SearchingAgent):
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
        rules: the rules to play by; None (any) plays `standard` by default.
        memory: of the game so far.

    In a game (`for_game`) a search uses the table of earlier moves' searches, so a move may depend
    on the moves before it, and on nothing else. Raises AgentError.
    """

    patterns: Patterns
    depth: int = 10
    endgame: int = 12
    probcut: float = PROBCUT
    cuts: Cuts = field(default_factory=Cuts.of)
    limit: Limit = NO_LIMIT
    rules: Rules | None = None
    name: str = "patterns"
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)
    memory: PatternMemory | None = field(default=None, compare=False, repr=False)

    kind: ClassVar[str] = "patterns"
    required: ClassVar[tuple[str, ...]] = ("shapes", "boundaries")
    optional: ClassVar[tuple[str, ...]] = tuple(_PARAMETERS)
    settings: ClassVar[Mapping[str, Setting]] = {
        **SearchingAgent.settings,
        "probcut": Setting("probcut", float),
    }

    def __post_init__(self) -> None:
        check_depth(self.depth)
        if self.probcut != 0 and not 0.1 <= self.probcut <= 10:
            raise AgentError(f"probcut {self.probcut:g} must be 0.1 to 10, or 0 for no cuts")
        self.check_search()

    def _prepare_for_clock(self) -> None:
        _prepare()

    def __getstate__(self) -> dict[str, Any]:
        """The state without block and memory, which hold addresses: a copy makes its own."""
        kept = {key: value for key, value in vars(self).items() if key != "block"}
        return {**kept, "memory": None}

    @cached_property
    def block(self) -> npt.NDArray[np.int64]:
        """The evaluation and the cuts as kernels read them, see `patterns.patterns`."""
        return self.patterns.block(self.cuts.cells(self.probcut))

    def for_game(self, seed: int) -> Self:
        """The agent for one game, with a table of its own."""
        return replace(self, memory=PatternMemory(self._table_bits))

    def _choose_to_depth(self, board: Board) -> tuple[int, int]:
        search = self._search(board)
        solving = board.empties <= self.endgame
        context = self._exact(board.empties) if solving else search.context
        with stopping_at(context, None):
            if solving:
                square, _ = solve_move(U(board.own), U(board.opp), context.ctypes.data)
            else:
                square, _ = search.deepen(self.depth)
        return int(square), int(context[layout.NODES])

    def analyse(self, board: Board) -> Analysis:
        """Values by a search to its depth, or exact ones near the end."""
        if board.empties <= self.endgame:
            return exact_analysis(board, self._rules)
        depth = min(self.limit.depth or self.depth, board.empties)
        search = replace(self, memory=None)._search(board)
        values = search.values(depth)
        ranked = sorted(values, key=lambda square: -values[square])
        forecasts = {square: values[square] / DISC for square in ranked}
        return Analysis(forecasts, "forecast", depth, search.line(ranked[0], depth))

    def values_by_depth(self, board: Board, deepest: int) -> list[int]:
        """The values of a position with moves, at 0, 1, … `deepest` plies; DISC is one disc."""
        search = replace(self, memory=None)._search(board)
        return [self.patterns.value(board), *search.values_to(deepest)]

    def value(self, board: Board, depth: int) -> float:
        """The value of a position with moves for the side to move, in discs, at `depth` plies."""
        return replace(self, memory=None)._search(board).deepen(depth)[1] / DISC

    @property
    def identity(self) -> Any:
        cuts = self.cuts.rows.tolist()
        return [self.parameters, self.patterns.digest, cuts, [*vars(self.limit).values()]]

    def _to_depth(self, depth: int) -> Self:
        return self._changed(depth=depth)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "shapes": [shape_text(squares) for squares in self.patterns.shapes.shapes],
            "boundaries": list(self.patterns.boundaries),
            **{key: getattr(self, key) for key in _PARAMETERS},
        }

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The distinct weights, the tempo, and the cuts, one per row."""
        patterns = self.patterns
        return {"weights": patterns.weights, "tempo": patterns.tempo, "cuts": self.cuts.rows}

    @classmethod
    def from_parts(cls, parameters: Fields, arrays: Arrays, common: Fields) -> Self:
        own = checked(parameters, {**_PARAMETERS, "shapes": list[str]})
        boundaries = parameters["boundaries"]
        if set(arrays) - {"tempo"} != {"weights", "cuts"}:  # without a tempo until December 2026
            raise AgentError(f"it must hold weights and cuts, and holds {', '.join(arrays)}")
        shapes = ShapeSet(tuple(map(parse_shape, own.pop("shapes"))))
        check_boundaries(boundaries, len(boundaries) + 1)
        weights, tempo = arrays["weights"], arrays.get("tempo")
        patterns = Patterns.of_weights(shapes, tuple(boundaries), weights, tempo)
        return cls(patterns, cuts=Cuts(arrays["cuts"]), **own, **common)

    def describe(self) -> Description:
        shapes, tables = self.patterns.shapes, self.patterns.tables
        facts = (*(self._limits or [f"depth {self.depth}"]), f"exact from {self.endgame} empties")
        edges, cuts = [4, *self.patterns.boundaries], ""
        if self.cuts and self.probcut:
            deepest = f"at nodes of up to {self.cuts.deepest} plies"
            cuts = f"by {self.probcut:g} standard deviations, {deepest}"
        lines = [
            f"{count_of(len(shapes.shapes), 'shape')} with "
            f"{count_of(len(shapes.instances), 'image')}, {count_of(len(tables), 'phase')} "
            f"(from {', '.join(map(str, edges))} discs), "
            f"{count_of(tables.shape[0] * shapes.weights, 'weight')}",
            f"forward cuts {cuts}" if cuts else "no forward cuts",
        ]
        if (tempo := self.patterns.tempo / DISC).any():
            lines.append(f"{tempo.min():+.1f} to {tempo.max():+.1f} discs for the side to move")
        rows, boards = [], {}
        for number, squares in enumerate(shapes.shapes):
            part = tables[:, shapes.starts[number] : shapes.starts[number + 1]]
            images = sum(1 for shape, _ in shapes.instances if shape == number)
            low, high, learned = part.min() / DISC, part.max() / DISC, np.mean(part != 0)
            text = shape_text(squares)
            rows.append([text, images, f"{low:+.1f}", f"{high:+.1f}", percent(learned)])
            boards[text] = [int(square in squares) for square in range(64)]
        columns = ("shape", "images", "least", "most", "not 0")
        return Description(facts, lines, columns, rows, boards)

    def _rendered(self, numba: bool) -> str:
        """Its stand-alone Python file, which makes no forward cuts."""
        return render_patterns(
            self.patterns, self.depth, self.endgame, *self._about, numba, self._clock
        )

    @property
    def depths(self) -> Sequence[int]:
        return (self.depth,)

    @property
    def _table_bits(self) -> int:
        """The table size: with a limit of nodes what it fills, larger with a limit of time."""
        if self.limit.nodes is not None:
            return min(max(layout.GAME_TABLE_BITS, self.limit.nodes.bit_length()), TABLE_BITS)
        return TABLE_BITS if self._is_limited else DEPTH_TABLE_BITS

    def _search(self, board: Board) -> CutSearch:
        """A search from a position, in the game's memory, or else in this thread's."""
        memory = self.memory
        if memory is None:
            memory = thread_pattern_memory(self._table_bits)
            memory.context[layout.AGE] += 1
        memory.context[layout.TABLE_BITS] = self._table_bits
        memory.set(self.patterns, self.block, self._rules)
        return CutSearch(memory.context, board, DISC if self.cuts and self.probcut else 0)

    def _exact(self, empties: int) -> layout.Cells:
        """The memory of its exact search from so many empties, whose moves the patterns order."""
        bits = layout.table_bits_for(empties)
        memory = thread_pattern_memory(min(bits, TABLE_BITS) if self._is_limited else bits, "exact")
        memory.set(self.patterns, self.block, self._rules)
        return memory.context


@cache
def _prepare() -> None:
    """Load or compile the kernels, so that no move spends time on it."""
    prepare_timed_search()
    shapes = ShapeSet((parse_shape("a1-b2"),))
    patterns = Patterns(shapes, (), np.zeros((1, shapes.entries), np.int16))
    agent = PatternAgent(patterns, depth=2, endgame=0)
    agent.choose(Board.start())
    search = agent._search(Board.start())
    search.disc = DISC
    search.near(3, 64, 0)
    for use in ("search", "exact"):
        context = thread_pattern_memory(TABLE_BITS, use).context
        context[layout.TABLE : layout.table_end(TABLE_BITS)].fill(0)
