"""Six alpha-beta agents of random weights, for whatever batches of games are about."""

from __future__ import annotations

from typing import Final

import numpy as np

import evolve

_RNG = np.random.default_rng(0)
AGENTS: Final = [
    evolve.AlphaBetaAgent([_RNG.integers(-50, 50, 10).tolist()], [2], [2], endgame=4, name=str(i))
    for i in range(6)
]
