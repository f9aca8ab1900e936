"""Random openings as a slow reader draws them, and whether they are balanced by minimax."""

from __future__ import annotations

import random

import numpy as np

from evolve.engine.context_factory import new_context
from evolve.engine.opening import draw_openings, mark_balanced
from tests import reference
from tests.engine import FULL_WEIGHTS, RULES, agent_row, phases_at
from tests.reference import Agent


def test_openings_are_those_of_the_draws() -> None:
    """The move of a ply is the one at the draw's share of the legal ones, from the lowest on."""
    draws = np.random.default_rng(0).random((120, 30))
    moves, positions = np.zeros((120, 30), np.int8), np.ones((120, 2), np.uint64)
    draw_openings(draws, moves, positions)
    given_up = 0
    for row, played, found in zip(draws, moves.tolist(), positions.tolist(), strict=True):
        board = reference.START
        for draw, move in zip(row, played, strict=True):
            legal = reference.legal_moves(*board)
            if not legal:
                break
            assert move == legal[int(draw * len(legal))]
            board = reference.play(*board, move)
        if not reference.legal_moves(*board):
            board = (0, 0)
            given_up += 1
        assert tuple(found) == board
    assert 0 < given_up < 60


def test_balanced_is_what_minimax_in_its_phase_says() -> None:
    boards = reference.random_boards(random.Random(1), 10, 8, 54)
    weights = (FULL_WEIGHTS, tuple(-weight for weight in FULL_WEIGHTS))
    agent = Agent(weights, (1, 1), phases_at(35))
    for rules in RULES:
        values = []
        for board in boards:
            phase = agent.phase_of[64 - reference.empties(*board)]
            values.append(reference.minimax(*board, 2, weights[phase], rules))
        # At each margin that some value is on, and one short of it, on either side.
        margins = {abs(value) - short for value in values for short in (0, 1)} - {-1}
        for margin in sorted(margins):
            balanced = np.zeros(len(boards), np.bool_)
            mark_balanced(
                np.array(boards, np.uint64),
                agent_row(agent),
                2,
                margin,
                new_context(rules),
                balanced,
            )
            assert balanced.tolist() == [abs(value) <= margin for value in values]
        assert min(values) < 0 < max(values)
