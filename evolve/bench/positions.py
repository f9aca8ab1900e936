"""Positions and openings that the measurements are taken on: the same on every machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import SWH, table_agent
from evolve.engine.board import Board
from evolve.engine.rules import DEFAULT_RULES, Rules, rule_set

SEED: Final = 2026


def half_random(count: int, empties: tuple[int, int], rules: Rules = DEFAULT_RULES) -> list[Board]:
    """Positions with so many empties (first to last) from games in which half the moves are random.

    The other half are those of the reference agent of the rules at depth 3. In each position
    the side to move has a choice.
    """
    player = table_agent(rule_set(rules).judge).with_rules(rules).at(depth=3)
    rng = np.random.default_rng([SEED, *empties])
    found: list[Board] = []
    while len(found) < count:
        board, wanted = Board.start(), int(rng.integers(empties[0], empties[1] + 1))
        while not board.is_over() and board.empties > wanted:
            moves = board.legal_moves()
            if not moves:
                board = board.pass_move()
                continue
            by_chance = rng.random() < 0.5
            board = board.play(int(rng.choice(moves)) if by_chance else player.choose(board))
        if board.empties == wanted and len(board.legal_moves()) > 1:
            found.append(board)
    return found


def measured_agent(all_terms: bool = False) -> AlphaBetaAgent:
    """An agent of three phases without an exact end: square table and mobility, or all terms."""
    agent = AlphaBetaAgent([SWH] * 3, [3] * 3, None, [24, 44], rules="standard")
    if not all_terms:
        return agent
    others = {"stability": 5, "x_squares": -7, "c_squares": -3, "potential_mobility": 2}
    weights = {term: (weight,) * 3 for term, weight in others.items()}
    return replace(agent, terms={**agent.terms, **weights})
