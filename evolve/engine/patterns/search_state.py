"""The state of a position in a search: the address of its vector, or its sum of square weights."""

from __future__ import annotations

import numpy as np

from evolve.engine.board.bits import ZERO, final_score, moves_of
from evolve.engine.board.rules import PASS
from evolve.engine.compiled.compile import inlined
from evolve.engine.compiled.intrinsics import (
    load,
)
from evolve.engine.patterns.patterns import (
    BY_SQUARES,
    SCORE,
    evaluate_vector,
    follow_move,
    read_vector,
    vector_size,
)
from evolve.engine.search.context import (
    MAX_DEPTH,
    PATTERNS,
    RULES,
    VECTORS,
)
from evolve.engine.search.evaluation import evaluate, square_sum, squares_after

MOST_VECTORS = 2 * MAX_DEPTH + 4
"""Vectors of a search.

For each depth one of a child and one after a pass; one to look at a move; and the root's.
"""


@inlined
def _vector_at(slot: int, context: int) -> int:
    """Address of one of the context's vectors."""
    return load(context, VECTORS) + slot * vector_size(load(context, PATTERNS))


@inlined
def state_after(state: int, square: int, turned: np.uint64, slot: int, context: int) -> int:
    """The state after a move, for the other side; a vector is written to a slot of the context."""
    patterns = load(context, PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return squares_after(state, square, turned, context)
    target = _vector_at(slot, context)
    follow_move(state, target, square, turned, patterns)
    return target


@inlined
def state_passed(state: int, slot: int, context: int) -> int:
    """The state after a pass, as in `state_after`."""
    patterns = load(context, PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return -state
    target = _vector_at(slot, context)
    follow_move(state, target, PASS, ZERO, patterns)
    return target


@inlined
def state_of(own: np.uint64, opp: np.uint64, context: int) -> int:
    """The state of the root."""
    patterns = load(context, PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return square_sum(own, context) - square_sum(opp, context)
    vector = _vector_at(MOST_VECTORS - 1, context)
    read_vector(own, opp, vector, patterns)
    return vector


@inlined
def static_value(own: np.uint64, opp: np.uint64, state: int, discs: int, context: int) -> int:
    """Value of a position without a search, for the side with `own`."""
    patterns = load(context, PATTERNS)
    if load(patterns, BY_SQUARES) != 0:
        return evaluate(own, opp, state, moves_of(own, opp), moves_of(opp, own), context)
    return evaluate_vector(state, discs, patterns)


@inlined
def ended_value(own: np.uint64, opp: np.uint64, context: int) -> int:
    """Value of a finished game."""
    return final_score(own, opp, load(context, RULES)) * load(load(context, PATTERNS), SCORE)


@inlined
def leaf_value(own: np.uint64, opp: np.uint64, state: int, discs: int, context: int) -> int:
    """Value of a leaf without further search; its node is already entered."""
    if moves_of(own, opp) == ZERO and moves_of(opp, own) == ZERO:
        return ended_value(own, opp, context)
    return static_value(own, opp, state, discs, context)
