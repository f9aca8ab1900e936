"""The one place where DEAP, which draws from global random state, meets our generators."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def deap_draws_from(rng: np.random.Generator) -> Iterator[None]:
    """Within the block, Python's and numpy's global generators follow `rng`; then as before."""
    python_state, numpy_state = random.getstate(), np.random.get_state()
    random.seed(int(rng.integers(1 << 63)))
    np.random.seed(rng.integers(1 << 32, size=8, dtype=np.uint64).astype(np.uint32))
    try:
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
