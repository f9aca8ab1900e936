"""An agent with every term in use."""

from __future__ import annotations

import evolve


def sample_agent() -> evolve.AlphaBetaAgent:
    return evolve.AlphaBetaAgent(
        weights=[[100, -25, 10, 5, -25, 1, 1, 5, 2, 1], [90] * 10, [-3, 7] * 5],
        mobility=[3, -2, 1],
        depths=[2, 3, 1],
        boundaries=[20, 40],
        endgame=6,
        rules="reversed",
        stability=[10, 20, -30],
        x_squares=[-40, -30, 5],
        c_squares=[-10, -20, 6],
        potential_mobility=[2, 1, -1],
        name="sample",
        provenance={"run": "none"},
    )
