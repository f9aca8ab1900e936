"""The alpha-beta agent: parameters for Python, a row of cells for the kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from evolve.engine import context as layout
from evolve.engine import game
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.entry import new_context
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.genes import GENES, TERM_NAMES
from evolve.engine.phases import MAX_PHASES, default_boundaries, phase_of
from evolve.engine.rules import DEFAULT_RULES, WIN, Rules, check_rules, rule_set
from evolve.engine.search import MAX_DEPTH
from evolve.errors import AgentError, IllegalMoveError

_CLASS_SIZES = np.bincount(CLASS_OF_SQUARE, minlength=layout.SQUARE_CLASSES)
# No difference in a term exceeds this many, whatever the position.
_LARGEST_DIFFERENCE: Final = 64

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
class AlphaBetaAgent:
    """Fixed-depth alpha-beta over weights that change with the phase of the game.

    Args:
        weights: P lists of 10 integers, one per class of squares in the order
            a1 b1 c1 d1 b2 c2 d2 c3 d3 d4; each times own − opp discs there.
        mobility, …: P integers a term of `engine.genes`, each times what the term counts, such as
            own − opp legal moves; 0 where left out.
        depths: P search depths in plies, 1 to 60; a pass costs none.
        boundaries: P − 1 ascending disc counts at which the next phase begins; by default
            they divide the game evenly.
        endgame: exact search from that many empties, 0 to 60.
        rules: the rules to play by; None (any) plays `standard` until told otherwise.
        name: what tables call the agent.
        provenance: where it comes from, kept in its file.

    Phase, depth and exact search are decided by the position at the root. Ties go to the lowest
    square. Raises AgentError.
    """

    weights: tuple[tuple[int, ...], ...]
    depths: tuple[int, ...]
    boundaries: tuple[int, ...]
    endgame: int
    rules: Rules | None
    name: str
    terms: Mapping[str, tuple[int, ...]]
    """By name the weights of each term, one a phase; `agent.mobility` is one of them."""
    provenance: Mapping[str, Any]

    def __init__(
        self,
        weights: IntLists,
        mobility: Sequence[int] | None = None,
        depths: Sequence[int] | None = None,
        boundaries: Sequence[int] | None = None,
        endgame: int = 0,
        rules: Rules | None = None,
        *,
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
        if any(a >= b for a, b in pairwise(self.boundaries)) or any(
            not 4 < boundary <= 64 for boundary in self.boundaries
        ):
            raise AgentError(f"boundaries {list(self.boundaries)} must ascend from 5 to 64")
        if any(not 1 <= depth <= MAX_DEPTH for depth in self.depths):
            raise AgentError(f"depths {list(self.depths)} must be 1 to {MAX_DEPTH}")
        if not 0 <= self.endgame <= 60:
            raise AgentError(f"endgame {self.endgame} must be 0 to 60 empties")
        for phase in range(phases):
            largest = int(_CLASS_SIZES @ np.abs(np.array(self.weights[phase], dtype=object)))
            largest += sum(abs(of[phase]) for of in self.terms.values()) * _LARGEST_DIFFERENCE
            if largest >= WIN:
                raise AgentError(
                    f"the weights of phase {phase} can add up to {largest}; they must stay under "
                    f"{WIN}, the value of a won game"
                )

    def __hash__(self) -> int:
        plain = tuple(getattr(self, field.name) for field in fields(self)[:-2])
        return hash((plain, tuple(self.terms.items())))

    if not TYPE_CHECKING:  # a type checker would take any misspelt name for a term

        def __getattr__(self, name: str) -> tuple[int, ...]:
            """The weights of a term."""
            if name in TERM_NAMES:
                return self.terms[name]
            raise AttributeError(f"an alpha-beta agent has no {name!r}", name=name, obj=self)

    @property
    def told_terms(self) -> tuple[str, ...]:
        """The terms that files and tables tell of: those of version 0.1, and others it weighs."""
        return tuple(
            term for term, values in self.terms.items() if GENES[term].early or any(values)
        )

    @property
    def phases(self) -> int:
        """Number of phases."""
        return len(self.weights)

    @property
    def table_bits(self) -> int:
        """The size of table (see `engine.context`) that its searches want."""
        return layout.table_bits_for(self.endgame, max(self.depths))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as plain lists and numbers, as agent files hold them."""
        return {
            "weights": [list(table) for table in self.weights],
            **{term: list(self.terms[term]) for term in self.told_terms},
            "depths": list(self.depths),
            "boundaries": list(self.boundaries),
            "endgame": self.endgame,
        }

    @cached_property
    def row(self) -> layout.Cells:
        """The agent as the kernels want it (see `engine.context`)."""
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
        if not board.legal_moves():
            raise IllegalMoveError(f"there is no move to choose\n{board}")
        context = self._context()
        return int(
            game.choose(U(board.own), U(board.opp), self.row.ctypes.data, context.ctypes.data)
        )

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it: none for the only legal one."""
        square = self.choose(board)
        return square, int(self._context()[layout.NODES])

    def evaluate_moves(self, board: Board) -> tuple[dict[int, int], bool]:
        """Value of every legal move for the side to move, and whether they are exact scores.

        Values that are not exact are the evaluation's; one beyond ±2^20 is a score × 2^20.
        """
        context = self._context()
        values = np.zeros(64, np.int64)
        exact = game.move_values(
            U(board.own), U(board.opp), self.row.ctypes.data, values, context.ctypes.data
        )
        return {square: int(values[square]) for square in board.legal_moves()}, bool(exact)

    def _context(self) -> layout.Cells:
        return thread_context(self.rules or DEFAULT_RULES, self.table_bits)

    def with_rules(self, rules: Rules) -> AlphaBetaAgent:
        """The agent, playing by `rules`."""
        return self.changed(rules=check_rules(rules))

    def for_game(self, seed: int) -> AlphaBetaAgent:
        """The agent itself: it draws nothing at random."""
        return self

    def at(self, depth: int | None = None, endgame: int | None = None) -> AlphaBetaAgent:
        """The agent with `depth` plies in every phase and exact search from `endgame`.

        None keeps the agent's own.
        """
        changes: dict[str, Any] = {}
        if depth is not None:
            changes["depths"] = (depth,) * self.phases
        if endgame is not None:
            changes["endgame"] = endgame
        return self.changed(**changes) if changes else self

    def changed(self, **changes: Any) -> AlphaBetaAgent:
        """A checked copy with other values for some fields."""
        return replace(self, **changes)

    def save(self, path: str | Path) -> None:
        """Write an agent file; the folder must exist."""
        from evolve.agents.files import save_agent

        save_agent(self, Path(path))


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
    code = rule_set(rules).code
    contexts = cast("dict[int, layout.Cells]", _contexts.__dict__)
    context = contexts.get(table_bits)
    if context is None:
        context = contexts[table_bits] = new_context(code, 0, table_bits)
    layout.set_rules(context, code)
    return context
