"""Dense layers of every size against slow sums."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.engine.networks.architecture import Architecture
from tests import networks, reference


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 63, 64, 65, 100, 129])
def test_layers_of_any_size(size: int) -> None:
    """Whole vectors and what is left over, in and out."""
    middle = () if size == 1 else (f"dense {size} relu", f"dense {size}")
    architecture = Architecture("mobility", (*middle, "dense 1 tanh"))
    network = networks.random_network(architecture, size)
    boards = reference.random_boards(random.Random(size), 5, 0, 60)
    found = network.outputs(np.array(boards, np.uint64))
    for row, board in zip(found, boards, strict=True):
        seen = networks.planes(*board, 1, 0, "mobility")
        assert np.allclose(row, networks.slow_output(network, seen), atol=2e-5)
