"""Weights of one set of shapes as weights of another, with the same values of positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.engine.patterns.shape_set import ShapeSet
from evolve.engine.patterns.shapes import shape_text
from evolve.engine.search.genes import phase_of
from evolve.errors import AgentError


def grown(weights: npt.NDArray[Any], shapes: ShapeSet, larger: ShapeSet) -> npt.NDArray[np.float64]:
    """Weights [phases, weights] of `shapes` as weights of `larger`, for the same values.

    Instances of larger shapes that hold an instance of a shape share its value equally. Raises
    AgentError where none holds one.
    """
    tables = weights[:, shapes.weight_of_entry]
    holders = [
        [number for number, (_, outer) in enumerate(larger.instances) if set(outer) >= set(inner)]
        for _, inner in shapes.instances
    ]
    for (shape, _), held_by in zip(shapes.instances, holders, strict=True):
        if not held_by:
            raise AgentError(f"no shape asked for holds {shape_text(shapes.shapes[shape])!r}")
    firsts = {shape: number for number, (shape, _) in reversed([*enumerate(larger.instances)])}
    found = np.zeros((len(weights), larger.entries))
    for (_, inner), middle, held_by in zip(shapes.instances, shapes.middles, holders, strict=True):
        for outer_shape, number in firsts.items():
            if number in held_by:
                outer = larger.instances[number][1]
                digits = np.arange(3 ** len(outer))[:, None] // 3 ** np.arange(len(outer)) % 3 - 1
                lanes = [outer.index(square) for square in inner]
                entries = middle + digits[:, lanes] @ 3 ** np.arange(len(inner))
                start = larger.starts[outer_shape]
                found[:, start : start + len(entries)] += tables[:, entries] / len(held_by)
    return found[:, larger.first_entries]


def split_phases(
    weights: npt.NDArray[Any], boundaries: Sequence[int], finer: Sequence[int]
) -> npt.NDArray[Any]:
    """Weights [phases, weights] for the phases that `finer` begins; AgentError if it joins some."""
    if not set(boundaries) <= set(finer):
        raise AgentError(
            f"its phases begin at {', '.join(map(str, boundaries))} discs, and the phases asked "
            f"for at {', '.join(map(str, finer)) or 'none'}"
        )
    begins = [0, *finer]
    chosen: npt.NDArray[Any] = weights[[phase_of(begin, boundaries) for begin in begins]]
    return chosen
