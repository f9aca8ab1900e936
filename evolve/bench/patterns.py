"""Measurements of searches over patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from evolve.agents.pattern_memory import Memory
from evolve.agents.patterns import PatternAgent
from evolve.agents.reference import pattern_agent
from evolve.bench.positions import SEED, half_random
from evolve.bench.speed import Figures, timed
from evolve.engine.bits import U
from evolve.engine.context import AGE, NODES, STOPPED
from evolve.engine.pattern_search import pattern_move
from evolve.engine.patterns import Patterns
from evolve.engine.shapes import DEFAULT_SET, ShapeSet, parse_shapes

DEPTHS: Final = (1, 4, 6, 8, 10, 12)
_WITHOUT_CUTS: Final = 10
"""The deepest search without forward cuts: 400 000 nodes a position."""
_POSITIONS: Final = 40
_TABLE_BITS: Final = 16


def pattern_rows() -> list[Figures]:
    """A move by 1, 2, … plies in positions of 12 to 44 discs, with forward cuts and without; and by
    other shapes, whose weights are random."""
    agent = pattern_agent("patterns-standard")
    others = ShapeSet(parse_shapes(("lines-4", "blocks-2x2")))
    rng = np.random.default_rng(SEED)
    weights = rng.integers(-20, 21, (1, others.weights)).astype(np.int16)
    random = PatternAgent(Patterns.of_weights(others, (), weights))
    plain = replace(agent, probcut=0.0)
    rows = [_row(agent, depth, cuts=True) for depth in DEPTHS]
    rows += [_row(plain, depth, cuts=False) for depth in DEPTHS if depth <= _WITHOUT_CUTS]
    return [*rows, _row(random, 4, cuts=False)]


def _row(agent: PatternAgent, depth: int, *, cuts: bool) -> Figures:
    boards = half_random(_POSITIONS, (20, 52))
    memory = Memory(_TABLE_BITS)
    address = memory.set(agent.patterns, agent.block, "standard")
    context: Any = memory.context

    def work() -> int:
        nodes = 0
        for board in boards:
            own, opp = U(board.own), U(board.opp)
            context[NODES] = context[STOPPED] = 0
            context[AGE] += 1
            for plies in range(1, depth + 1):
                pattern_move(own, opp, plies, address)
            nodes += int(context[NODES])
        return nodes

    seconds, nodes = timed(work)
    return {
        "images": len(agent.patterns.shapes.instances),
        "shapes": "default" if agent.patterns.shapes == DEFAULT_SET else "lines-4, blocks-2x2",
        "cuts": cuts,
        "depth": depth,
        "milliseconds": seconds / len(boards) * 1e3,
        "nodes": round(nodes / len(boards)),
        "million_per_second": nodes / seconds / 1e6,
    }
