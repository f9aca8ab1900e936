"""The genes of individuals: the one table of them, and phases. No numba is loaded here.

Among them are the terms of the evaluation. `evaluation.other_terms` counts the terms, and
`standalone/part_values.py` counts them in exported files; everything else about a term is in
the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

SQUARE_CLASSES: Final = 10
MAX_DEPTH: Final = 60
"""Deepest search, in plies without passes: the board has no more empty squares."""
MAX_PHASES: Final = 61
"""One phase of the game for every disc count from 4 to 64."""


@dataclass(frozen=True)
class Gene:
    """A gene: whole numbers that are drawn, crossed and mutated.

    bounds: its default range.
    about: what it is; for a term, what its weight multiplies, which is −64 to 64.
    limits: the range for any agent; None where only the sum of all weights is bounded.
    numbers: how many numbers it has, in a phase.
    phased: whether every phase has its own.
    steps: whether nearby values are alike: it mutates by single steps. All others are weights.
    term: whether it is the weight of a term, which settings switch on and off.
    early: whether version 0.1 had it. Such a term is on by default, is in every table and agent
        file, and is drawn even where it is off, so that old seeds keep their meaning. A later term
        is off by default; where it is off, nothing is drawn or written.
    """

    bounds: tuple[int, int]
    about: str
    limits: tuple[int, int] | None = None
    numbers: int = 1
    phased: bool = True
    steps: bool = False
    term: bool = False
    early: bool = False


GENES: Final[Mapping[str, Gene]] = {
    "weights": Gene(
        (-200, 200),
        "own − opp discs on the squares of a class, in the order a1 b1 c1 d1 b2 c2 d2 c3 d3 d4",
        numbers=SQUARE_CLASSES,
        early=True,
    ),
    "mobility": Gene((-100, 100), "own − opp legal moves", term=True, early=True),
    "stability": Gene(
        (-200, 200), "own − opp discs that can never turn again", term=True, early=True
    ),
    "x_squares": Gene(
        (-200, 200), "own − opp discs diagonally beside an empty corner", term=True, early=True
    ),
    "c_squares": Gene(
        (-200, 200), "own − opp discs beside an empty corner on the border", term=True, early=True
    ),
    "potential_mobility": Gene(
        (-100, 100),
        "own − opp potential moves (empty squares beside a disc of the other side)",
        term=True,
        early=True,
    ),
    "depths": Gene((2, 6), "plies of search", limits=(1, MAX_DEPTH), steps=True, early=True),
    "endgame": Gene(
        (0, 12),
        "empties from which it searches to the end",
        limits=(0, 60),
        phased=False,
        steps=True,
        early=True,
    ),
}
"""All genes by name, in the order of a genome."""

TERM_NAMES: Final = tuple(name for name, gene in GENES.items() if gene.term)
"""The terms other than squares, in the order of their weights in a phase."""
DEFAULT_TERMS: Final = tuple(name for name in TERM_NAMES if GENES[name].early)
"""The terms that are on by default."""

if TYPE_CHECKING:
    Term: TypeAlias = str  # type checkers do not read the table
else:
    Term = Literal[TERM_NAMES]
    """The name of a term: settings and options take their choices from it."""


def place_of(term: Term) -> int:
    """The position of a term's weight among the weights of a phase."""
    return SQUARE_CLASSES + TERM_NAMES.index(term)


def default_boundaries(phases: int) -> tuple[int, ...]:
    """Disc counts that divide 4..64 into `phases` parts as equal as possible."""
    return tuple(4 + round(61 * phase / phases) for phase in range(1, phases))


def phase_of(disc_count: int, boundaries: Sequence[int]) -> int:
    """Phase of a position: the number of boundaries that its disc count has reached."""
    return sum(disc_count >= boundary for boundary in boundaries)
