"""The alpha-beta agent: parameters for Python, a row of cells for the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from evolve.agents.agent import Description, Limit, Setting, StoredAgent
from evolve.agents.analysis import Analysis, line_of_search
from evolve.agents.memory import thread_context
from evolve.agents.timed_search import choose_limited, prepare
from evolve.agents.timing import check_seconds
from evolve.config.parsing import are_boundaries
from evolve.engine import context as layout
from evolve.engine import game
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.genes import GENES, TERM_NAMES
from evolve.engine.phases import MAX_PHASES, default_boundaries, phase_of
from evolve.engine.rules import DEFAULT_RULES, WIN, Rules, check_rules
from evolve.errors import AgentError, IllegalMoveError
from evolve.standalone.render import Clock, play_in_words, render
from evolve.tables.arrays import Arrays

_CLASS_SIZES = np.bincount(CLASS_OF_SQUARE, minlength=layout.SQUARE_CLASSES)
# No difference in a term exceeds this, in any position.
_LARGEST_DIFFERENCE: Final = 64

_FEWEST_NODES: Final = 100
"""The smallest node limit: enough to search every move of any position."""
_NO_LIMIT: Final = Limit()

IntLists = Sequence[Sequence[int]]


def _ints(values: Any, what: str) -> tuple[int, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise AgentError(f"{what} must be a list of whole numbers, not {values!r}")
    numbers = tuple(values)
    for value in numbers:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise AgentError(f"{what} must hold whole numbers, and {value!r} is none")
    return tuple(int(value) for value in numbers)


@dataclass(frozen=True, init=False)
class AlphaBetaAgent(StoredAgent):
    """Alpha-beta over weights that change with the phase of the game.

    Args:
        weights: P lists of 10 integers, one per class of squares in the order
            a1 b1 c1 d1 b2 c2 d2 c3 d3 d4; each times own − opp discs there.
        mobility, …: P integers per term of `engine.genes`, each times the term's count, such as
            own − opp legal moves; 0 by default.
        depths: P search depths in plies, 1 to 60; a pass does not count.
        boundaries: P − 1 ascending disc counts at which the next phase begins; by default
            they divide the game evenly.
        endgame: exact search from that many empties, 0 to 60.
        rules: the rules to play by; None (any) plays `standard` by default.
        limit: seconds, 0.02 to 86400, or nodes, 100 or more, for each move in place of the depths:
            it searches as deep as they allow, to `limit.depth` plies at most. Files do not hold it.
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
    limit: Limit = _NO_LIMIT

    kind: ClassVar[str] = "alphabeta"
    required: ClassVar[tuple[str, ...]] = ("weights", "depths")
    optional: ClassVar[tuple[str, ...]] = (*TERM_NAMES, "boundaries", "endgame")

    def __init__(
        self,
        weights: IntLists,
        mobility: Sequence[int] | None = None,
        depths: Sequence[int] | None = None,
        boundaries: Sequence[int] | None = None,
        endgame: int = 0,
        rules: Rules | None = None,
        *,
        limit: Limit = _NO_LIMIT,
        name: str = "alphabeta",
        provenance: Mapping[str, Any] | None = None,
        terms: Mapping[str, Sequence[int]] | None = None,
        **others: Sequence[int] | None,
    ) -> None:
        if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
            raise AgentError(f"weights must be a list of 10 numbers for every phase: {weights!r}")
        tables = tuple(_ints(table, "weights") for table in weights)
        phases = len(tables)
        if not 1 <= phases <= MAX_PHASES:
            raise AgentError(f"weights has {phases} phases; there may be 1 to {MAX_PHASES}")
        unknown = [term for term in (*(terms or ()), *others) if term not in TERM_NAMES]
        if unknown:
            raise AgentError(f"there is no term {unknown[0]!r}; there are {', '.join(TERM_NAMES)}")
        given = {**(terms or {}), **others}
        if mobility is not None:
            given["mobility"] = mobility
        zero = (0,) * phases
        weights_of = {
            term: zero if (values := given.get(term)) is None else _ints(values, term)
            for term in TERM_NAMES
        }
        if boundaries is None:
            boundaries = default_boundaries(phases)
        fields_of: dict[str, Any] = {
            "weights": tables,
            "depths": (1,) * phases if depths is None else _ints(depths, "depths"),
            "boundaries": _ints(boundaries, "boundaries"),
            "endgame": _ints((endgame,), "endgame")[0],
            "rules": None if rules is None else check_rules(rules),
            "limit": limit,
            "name": str(name),
            "terms": weights_of,
            "provenance": dict(provenance or {}),
        }
        for key, value in fields_of.items():
            object.__setattr__(self, key, value)
        self._check()

    def _check(self) -> None:
        phases = len(self.weights)
        for table in self.weights:
            if len(table) != layout.SQUARE_CLASSES:
                raise AgentError(f"weights needs 10 numbers a phase, and {list(table)} are not")
        for key, values in (*self.terms.items(), ("depths", self.depths)):
            if len(values) != phases:
                raise AgentError(f"{key} has {len(values)} numbers, and weights {phases} phases")
        if len(self.boundaries) != phases - 1:
            raise AgentError(
                f"{phases} phases need {phases - 1} boundaries, not {list(self.boundaries)}"
            )
        if not are_boundaries(self.boundaries):
            raise AgentError(f"boundaries {list(self.boundaries)} must ascend from 5 to 64")
        if any(not 1 <= depth <= layout.MAX_DEPTH for depth in self.depths):
            raise AgentError(f"depths {list(self.depths)} must be 1 to {layout.MAX_DEPTH}")
        if not 0 <= self.endgame <= 60:
            raise AgentError(f"endgame {self.endgame} must be 0 to 60 empties")
        self._check_limit()
        for phase in range(phases):
            largest = int(_CLASS_SIZES @ np.abs(np.array(self.weights[phase], dtype=object)))
            largest += sum(abs(of[phase]) for of in self.terms.values()) * _LARGEST_DIFFERENCE
            if largest >= WIN:
                raise AgentError(
                    f"the weights of phase {phase} can add up to {largest}; they must stay under "
                    f"{WIN}, the value of a won game"
                )

    def _check_limit(self) -> None:
        seconds, nodes, depth = self.limit.seconds, self.limit.nodes, self.limit.depth
        if nodes is not None and nodes < _FEWEST_NODES:
            raise AgentError(f"nodes {nodes} must be {_FEWEST_NODES} or more")
        if depth is not None and not 1 <= depth <= layout.MAX_DEPTH:
            raise AgentError(f"depth {depth} must be 1 to {layout.MAX_DEPTH}")
        if seconds is not None:
            check_seconds(seconds)
        if self._timed:
            prepare()

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
    def told_terms(self) -> tuple[str, ...]:
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
        """The table size (see `engine.context`) that its searches need."""
        return layout.table_bits_for(self.endgame, max(self.depths))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as in agent files: plain lists and numbers."""
        return {
            "weights": [list(table) for table in self.weights],
            **{term: list(self.terms[term]) for term in self.told_terms},
            "depths": list(self.depths),
            "boundaries": list(self.boundaries),
            "endgame": self.endgame,
        }

    @cached_property
    def cells(self) -> layout.Cells:
        """The agent as kernels read it: a row of cells (see `engine.context`)."""
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
        """The best square for the side to move; raises IllegalMoveError when it has none."""
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it: 0 for the only legal one."""
        legal = board.legal_moves()
        if not legal:
            raise IllegalMoveError(f"there is no move to choose\n{board}")
        if self._timed:
            if len(legal) == 1:
                return legal[0], 0
            return choose_limited(self.cells, self._rules, self.limit, board)
        context = self._context()
        square = game.choose(
            U(board.own), U(board.opp), self.cells.ctypes.data, context.ctypes.data
        )
        return int(square), int(context[layout.NODES])

    def analyse(self, board: Board) -> Analysis:
        """Values by a search to its depth, or exact ones near the end."""
        player = self if self.limit.depth is None else self.at(self.limit.depth)
        context = player._context()
        values = np.zeros(64, np.int64)
        exact = game.move_values(
            U(board.own), U(board.opp), player.cells.ctypes.data, values, context.ctypes.data
        )
        ranked = sorted(board.legal_moves(), key=lambda square: -values[square])
        depth = (
            board.empties
            if exact
            else player.depths[phase_of(64 - board.empties, player.boundaries)]
        )
        return Analysis(
            {square: int(values[square]) for square in ranked},
            "discs" if exact else "evaluation",
            depth,
            line_of_search(board, ranked[0], depth, bool(exact), context),
        )

    def _context(self) -> layout.Cells:
        return thread_context(self._rules, self.table_bits)

    @property
    def _rules(self) -> Rules:
        return self.rules or DEFAULT_RULES

    @property
    def _timed(self) -> bool:
        """Whether it plays by a limit, not by its depths."""
        return self.limit.seconds is not None or self.limit.nodes is not None

    def at(self, depth: int | None = None, endgame: int | None = None) -> Self:
        """The agent with `depth` plies in every phase, and exact search from `endgame` empties.

        None keeps the agent's own.
        """
        changes: dict[str, Any] = {}
        if depth is not None:
            changes["depths"] = (depth,) * self.phases
        if endgame is not None:
            changes["endgame"] = endgame
        return self._changed(**changes) if changes else self

    @property
    def repeats(self) -> bool:
        """True unless it plays by the clock."""
        return self.limit.seconds is None

    @property
    def identity(self) -> Any:
        """Its parameters, and its limit where it has one."""
        if not self._timed:
            return self.parameters
        depth = layout.MAX_DEPTH if self.limit.depth is None else self.limit.depth
        nodes = () if self.limit.nodes is None else (self.limit.nodes,)
        return [self.limit.seconds, depth, self.parameters, *nodes]

    def limited(self, limit: Limit) -> Self:
        """The agent, also within the seconds and nodes of `limit`.

        `limit.depth` replaces its depth in every phase, even where it is greater; for an agent with
        a time or node limit it is the maximum.
        """
        kept = self.limit & replace(limit, depth=None, simulations=None)
        limited = self._changed(limit=kept)
        if limit.depth is None:
            return limited
        if limited._timed:
            return limited._changed(limit=replace(kept, depth=limit.depth))
        return limited.at(limit.depth)

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Its depth for every phase, its exact search, and its limits."""
        return _SETTINGS

    def with_settings(self, values: Mapping[str, float], name: str) -> Self:
        """The agent with these settings, and a new name."""
        whole = {key: int(value) for key, value in values.items() if key != "time"}
        limit = Limit(values.get("time"), whole.get("nodes"))
        made = self.at(None, whole.get("endgame"))._changed(limit=self.limit & limit, name=name)
        depth = whole.get("depth")
        return made if depth is None else made.at(depth).limited(Limit(depth=depth))

    @property
    def row(self) -> layout.Cells | None:
        """Its cells, unless it plays by a limit."""
        return None if self._timed else self.cells

    @classmethod
    def from_parts(
        cls, parameters: Mapping[str, Any], arrays: Arrays, common: Mapping[str, Any]
    ) -> Self:
        """The agent of a file's parameters; it has no arrays."""
        return cls(**parameters, **common)

    def stored(self) -> Self:
        """The agent itself; AgentError where it plays by a limit, which files cannot hold."""
        if self._timed:
            raise AgentError(f"{self.name}: files hold no limit of time or nodes; leave it out")
        return self

    def describe(self) -> Description:
        """Its depths and terms by phase, and its weights as boards."""
        edges = [4, *self.boundaries, 65]
        spans = [f"{low}–{high - 1}" for low, high in pairwise(edges)]
        told = self.told_terms
        rows = [
            [phase, span, self.depths[phase], *(self.terms[term][phase] for term in told)]
            for phase, span in enumerate(spans)
        ]
        boards = {
            f"weights, {span} discs": [table[CLASS_OF_SQUARE[square]] for square in range(64)]
            for span, table in zip(spans, self.weights, strict=True)
        }
        facts = (f"exact from {self.endgame} empties",)
        return Description(facts, (), ("phase", "discs", "depth", *told), rows, boards)

    def python_source(self, numba: bool = False) -> str:
        """Its stand-alone Python file; with a time limit, a file that plays by the clock."""
        if self.limit.nodes is not None:
            raise AgentError(f"{self.name}: a Python file counts no nodes; give it a time")
        about = self._rules, self.name, {"plays": self.play, **self.provenance}
        return render(self.parameters, *about, numba, self._clock)

    @property
    def play(self) -> str:
        return play_in_words(self.depths, self.endgame, self._clock)

    @property
    def _clock(self) -> Clock | None:
        """The clock of its Python file, in place of the depths; None where it plays by depth."""
        seconds = self.limit.seconds
        return None if seconds is None else Clock(seconds, self.limit.depth)


_SETTINGS: Final = {
    "depth": Setting("depths"),
    "endgame": Setting("endgame"),
    "time": Setting("limit", float),
    "nodes": Setting("limit"),
}
