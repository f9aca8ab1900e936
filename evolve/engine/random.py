"""Random numbers for kernels: a stream is a 64-bit state that GOLDEN is added to (SplitMix64).

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np

from evolve.engine.bits import ONE, U
from evolve.engine.compile import inlined
from evolve.engine.memory import int64, lowest, popcount

GOLDEN = U(0x9E3779B97F4A7C15)
_S11, _S27, _S30, _S31 = U(11), U(27), U(30), U(31)
_MIX_1, _MIX_2 = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)
_LOW_32 = U(0xFFFFFFFF)


@inlined
def mixed(state: np.uint64) -> np.uint64:
    """SplitMix64's output for a state."""
    state = (state ^ (state >> _S30)) * _MIX_1
    state = (state ^ (state >> _S27)) * _MIX_2
    return state ^ (state >> _S31)


@inlined
def random_square(moves: np.uint64, state: np.uint64) -> int:
    """One of the squares of `moves`, all equally likely over states."""
    chosen = int64(((mixed(state) & _LOW_32) * U(popcount(moves))) >> U(32))
    for _ in range(chosen):
        moves &= moves - ONE
    return lowest(moves)


@inlined
def uniform(state: np.uint64) -> float:
    """A number in [0, 1) drawn from `state`."""
    return float(mixed(state) >> _S11) * 2.0**-53
