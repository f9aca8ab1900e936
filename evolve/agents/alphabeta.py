"""The alpha-beta agent: parameters for Python, a row of cells for the kernels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from evolve.agents.agent import Description, Limit, moves_to_choose
from evolve.agents.agent_file import Arrays, Fields
from evolve.agents.analysis import Analysis, row_analysis
from evolve.agents.memory import thread_context, thread_context_address
from evolve.agents.probcut import PROBCUT, cuts_from, measured_values
from evolve.agents.searching import NO_LIMIT, SearchingAgent, check_boundaries
from evolve.agents.timed_search import TABLE_BITS, CutSearch
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import WIN, Rules
from evolve.engine.games import game
from evolve.engine.patterns.patterns import square_block
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
from evolve.engine.search.genes import GENES, MAX_PHASES, TERM_NAMES, default_boundaries, phase_of
from evolve.engine.search.search import INFINITY
from evolve.engine.search.search import search as value_of
from evolve.errors import AgentError
from evolve.standalone.render import render

_CLASS_SIZES = np.bincount(CLASS_OF_SQUARE, minlength=layout.SQUARE_CLASSES)


def _ints(values: Any, what: str) -> tuple[int, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise AgentError(f"{what} must be a list of whole numbers, not {values!r}")
    numbers = tuple(values)
    for value in numbers:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise AgentError(f"{what} must hold whole numbers, and {value!r} is none")
    return tuple(int(value) for value in numbers)


@dataclass(frozen=True, init=False)
class AlphaBetaAgent(SearchingAgent):
    """Alpha-beta over weights that change with the phase of the game.

    Args:
        weights: P lists of 10 integers, one per class of squares in the order
            a1 b1 c1 d1 b2 c2 d2 c3 d3 d4; each times own − opp discs there.
        mobility, …: P integers per term of `search.genes`, each times the term's count, such as
            own − opp legal moves; 0 by default.
        depths: P search depths in plies, 1 to 60; a pass does not count.
        boundaries: P − 1 ascending disc counts at which the next phase begins; by default
            they divide the game evenly.
        endgame: exact search from that many empties, 0 to 60.
        rules: the rules to play by; None (any) plays `standard` by default.
        limit: seconds, 0.02 to 86400, or nodes, 100 or more, for each move in place of the depths:
            it searches as deep as they allow, to `limit.depth` plies at most, with forward cuts.
            Files do not hold it.
        name: the agent's name in tables.
        provenance: the agent's origin, kept in its file.

    The root position decides phase, depth and exact search. Ties go to the lowest square. Raises
    AgentError.
    """

    weights: tuple[tuple[int, ...], ...]
    depths: tuple[int, ...]
    boundaries: tuple[int, ...]
    endgame: int
    rules: Rules | None
    name: str
    terms: Mapping[str, tuple[int, ...]]
    """The weights of each term by name, one per phase; `agent.mobility` is one of them."""
    provenance: Mapping[str, Any]
    limit: Limit = NO_LIMIT

    kind: ClassVar[str] = "alphabeta"
    required: ClassVar[tuple[str, ...]] = ("weights", "depths")
    optional: ClassVar[tuple[str, ...]] = (*TERM_NAMES, "boundaries", "endgame")

    def __init__(
        self,
        weights: Sequence[Sequence[int]],
        mobility: Sequence[int] | None = None,
        depths: Sequence[int] | None = None,
        boundaries: Sequence[int] | None = None,
        endgame: int = 0,
        rules: Rules | None = None,
        *,  # more than 8 parameters, for a public constructor says which there are
        limit: Limit = NO_LIMIT,
        name: str = "alphabeta",
        provenance: Mapping[str, Any] | None = None,
        terms: Mapping[str, Sequence[int]] | None = None,
        **others: Sequence[int] | None,
    ) -> None:
        given = {**(terms or {}), **others}
        if mobility is not None:
            given["mobility"] = mobility
        if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
            raise AgentError(f"weights must be a list of 10 numbers for every phase: {weights!r}")
        tables = tuple(_ints(table, "weights") for table in weights)
        phases = len(tables)
        if not 1 <= phases <= MAX_PHASES:
            raise AgentError(f"weights has {phases} phases; there may be 1 to {MAX_PHASES}")
        unknown = [term for term in given if term not in TERM_NAMES]
        if unknown:
            raise AgentError(f"there is no term {unknown[0]!r}; there are {', '.join(TERM_NAMES)}")
        weights_of = {
            term: (0,) * phases if (values := given.get(term)) is None else _ints(values, term)
            for term in TERM_NAMES
        }
        if boundaries is None:
            boundaries = default_boundaries(phases)
        vars(self).update(
            weights=tables,
            depths=(1,) * phases if depths is None else _ints(depths, "depths"),
            boundaries=_ints(boundaries, "boundaries"),
            endgame=_ints((endgame,), "endgame")[0],
            rules=rules,
            limit=limit,
            name=str(name),
            terms=weights_of,
            provenance=dict(provenance or {}),
        )
        self._check()

    def _check(self) -> None:
        phases = len(self.weights)
        for table in self.weights:
            if len(table) != layout.SQUARE_CLASSES:
                raise AgentError(f"weights needs 10 numbers a phase, and {list(table)} are not")
        for key, values in (*self.terms.items(), ("depths", self.depths)):
            if len(values) != phases:
                raise AgentError(f"{key} has {len(values)} numbers, and weights {phases} phases")
        check_boundaries(self.boundaries, phases)
        if any(not 1 <= depth <= layout.MAX_DEPTH for depth in self.depths):
            raise AgentError(f"depths {list(self.depths)} must be 1 to {layout.MAX_DEPTH}")
        self.check_search()
        for phase in range(phases):
            largest = int(_CLASS_SIZES @ np.abs(np.array(self.weights[phase], dtype=object)))
            # No difference in a term exceeds 64, in any position.
            largest += 64 * sum(abs(of[phase]) for of in self.terms.values())
            if largest >= WIN:
                raise AgentError(
                    f"the weights of phase {phase} can add up to {largest}; they must stay under "
                    f"{WIN}, the value of a won game"
                )

    def __hash__(self) -> int:
        own = (f.name for f in fields(self) if f.name not in ("terms", "provenance"))
        return hash((*(getattr(self, name) for name in own), tuple(self.terms.items())))

    if not TYPE_CHECKING:  # a type checker would take any misspelt name for a term

        def __getattr__(self, name: str) -> tuple[int, ...]:
            """The weights of a term."""
            if name in TERM_NAMES:
                return self.terms[name]
            raise AttributeError(f"an alpha-beta agent has no {name!r}", name=name, obj=self)

    @property
    def named_terms(self) -> tuple[str, ...]:
        """The terms in files and tables: those on by default, and others with a weight."""
        return tuple(
            term for term, values in self.terms.items() if GENES[term].early or any(values)
        )

    @property
    def phases(self) -> int:
        """Number of phases."""
        return len(self.weights)

    @property
    def table_bits(self) -> int:
        return layout.table_bits_for(self.endgame, max(self.depths))

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "weights": [list(table) for table in self.weights],
            **{term: list(self.terms[term]) for term in self.named_terms},
            "depths": list(self.depths),
            "boundaries": list(self.boundaries),
            "endgame": self.endgame,
        }

    @cached_property
    def cells(self) -> layout.Cells:
        """The agent as kernels read it: a row of cells (see `search.context`)."""
        row = np.zeros(layout.PHASES + self.phases * layout.PHASE_CELLS, np.int64)
        row[layout.ENDGAME] = self.endgame
        for disc_count in range(65):
            row[layout.PHASE_OF + disc_count] = phase_of(disc_count, self.boundaries)
        for phase in range(self.phases):
            start = layout.PHASES + phase * layout.PHASE_CELLS
            row[start : start + layout.SQUARE_CLASSES] = self.weights[phase]
            terms = [self.terms[term][phase] for term in TERM_NAMES]
            row[start + layout.SQUARE_CLASSES : start + layout.TERMS] = terms
            row[start + layout.DEPTH] = self.depths[phase]
        return row

    def choose(self, board: Board) -> int:
        """A best square for the side to move; raises IllegalMoveError when it has none.

        Without a limit nothing is asked for but the move: the legal moves as a list, addresses of
        arrays and the agent's settings took 10 of 22 microseconds at 4 plies.
        """
        rules, table_bits = self._memory_key
        if table_bits == 0:
            return super().choose(board)
        address = thread_context_address(rules, table_bits)
        square = int(game.choose(U(board.own), U(board.opp), self._address, address))
        if square > 63:
            moves_to_choose(board)  # raises: there is none
        return square

    @cached_property
    def _memory_key(self) -> tuple[Rules, int]:
        """Rules and table size of its searches; a size of 0 where it plays by a limit."""
        return self._rules, 0 if self._is_limited else self.table_bits

    @cached_property
    def _address(self) -> int:
        return int(self.cells.ctypes.data)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the address of its cells: a copy has cells of its own."""
        return {key: value for key, value in vars(self).items() if key != "_address"}

    def _choose_to_depth(self, board: Board) -> tuple[int, int]:
        context = thread_context(self._rules, self.table_bits)
        square = game.choose(U(board.own), U(board.opp), self._address, context.ctypes.data)
        return int(square), int(context[layout.NODES])

    def _search(self, board: Board) -> CutSearch:
        return _SquareSearch(self.cells, *self._block, board, self._rules)

    def _prepare_for_clock(self) -> None:
        super()._prepare_for_clock()
        search = self._search(Board.start())
        search.prepare()
        search.move(2)
        search.near(3, 64, 0)

    @property
    def _block(self) -> tuple[layout.Cells, int]:
        """Cuts and disc of its searches by a limit, measured once for all with its weights."""
        plain = self._changed(limit=NO_LIMIT, rules=self._rules, name="", provenance={}, endgame=0)
        return _measured_block(plain.at(depth=1))

    def values_by_depth(self, board: Board, deepest: int) -> list[int]:
        search = _SquareSearch(self.cells, _UNCUT, 0, board, self._rules)
        search.prepare()
        address = search.context.ctypes.data
        static = value_of(U(board.own), U(board.opp), -INFINITY, INFINITY, 0, address)
        return [int(static), *search.values_to(deepest)]

    def analyse(self, board: Board) -> Analysis:
        """Values by a search to its depth, or exact ones near the end."""
        player = self if self.limit.depth is None else self.at(self.limit.depth)
        depth = player.depths[phase_of(64 - board.empties, player.boundaries)]
        context = thread_context(self._rules, player.table_bits)
        return row_analysis(board, player.cells, depth, context)

    def _to_depth(self, depth: int) -> Self:
        return self._changed(depths=(depth,) * self.phases)

    @property
    def identity(self) -> Any:
        if not self._is_limited:
            return self.parameters
        depth = layout.MAX_DEPTH if self.limit.depth is None else self.limit.depth
        nodes = () if self.limit.nodes is None else (self.limit.nodes,)
        return [self.limit.seconds, depth, self.parameters, *nodes]

    def with_settings(self, values: Mapping[str, Any], name: str) -> Any:
        depth = values.get("depth")  # with a limit its own depths change as well
        return super(AlphaBetaAgent, self.at(depth)).with_settings(values, name)

    @property
    def row(self) -> layout.Cells | None:
        return None if self._is_limited else self.cells

    @classmethod
    def from_parts(cls, parameters: Fields, arrays: Arrays, common: Fields) -> Self:
        return cls(**parameters, **common)

    def describe(self) -> Description:
        edges = [4, *self.boundaries, 65]
        spans = [f"{low}–{high - 1}" for low, high in pairwise(edges)]
        terms = self.named_terms
        rows = [
            [phase, span, self.depths[phase], *(self.terms[term][phase] for term in terms)]
            for phase, span in enumerate(spans)
        ]
        boards = {
            f"weights, {span} discs": [table[CLASS_OF_SQUARE[square]] for square in range(64)]
            for span, table in zip(spans, self.weights, strict=True)
        }
        facts = (*self._limits, f"exact from {self.endgame} empties")
        return Description(facts, (), ("phase", "discs", "depth", *terms), rows, boards)

    def _rendered(self, numba: bool) -> str:
        return render(self.parameters, *self._about, numba, self._clock)


class _SquareSearch(CutSearch):
    exact_nodes, before_exact, doubt = 1, 0.2, 0

    def __init__(
        self, row: layout.Cells, block: layout.Cells, disc: int, board: Board, rules: Rules
    ) -> None:
        super().__init__(thread_context(rules, TABLE_BITS), board, disc)
        self._row, self._block = row, block
        self.context[layout.PATTERNS] = block.ctypes.data

    def prepare(self) -> None:
        """Set the weights; table entries of others, or of other rules, no longer count."""
        self.context[layout.AGE] += 1
        own, opp = U(self._board.own), U(self._board.opp)
        game.set_phase(own, opp, self._row.ctypes.data, self.context.ctypes.data)


_UNCUT: Final = square_block()


@lru_cache(maxsize=64)
def _measured_block(agent: AlphaBetaAgent) -> tuple[layout.Cells, int]:
    """The block of an agent's search by a limit, see `patterns.square_block`, and its disc.

    Its cuts come from 600 positions of its own games, in half a second. They are fitted as those of
    patterns are, as if its values had their spread in discs: a standard deviation of about 12.
    """
    discs, values = measured_values(agent, 0, 600, 6, lambda: math.inf)
    static = values[np.abs(values[:, 0]) < WIN, 0]
    unit = max(1.0, float(np.sqrt(np.mean(static**2))) / 12.0 if static.size else 1.0)
    return square_block(cuts_from(discs, values / unit).cells(PROBCUT, unit)), round(unit)
