"""A network's kernels against slow sums, whatever the layers and the memory they work in."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.engine.networks.architecture import Architecture
from tests import networks, reference


@pytest.mark.parametrize("architecture", networks.ALL, ids=lambda a: a.input)
def test_kernels_give_what_the_layers_say(architecture: Architecture) -> None:
    network = networks.random_network(architecture)
    rng = random.Random(1)
    boards = [*reference.random_boards(rng, 6, 0, 60), (0, 0), ((1 << 64) - 1, 0), (1, 2)]
    sides = [rng.choice((-1, 1)) for _ in boards]
    moves = [rng.randrange(64) for _ in boards]
    found = networks.outputs(
        network, np.array(boards, np.uint64), np.array(sides, np.int8), np.array(moves, np.int8)
    )
    expected = [
        networks.slow_output(network, networks.planes(*board, side, move, architecture.input))
        for board, side, move in zip(boards, sides, moves, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=2e-5, rtol=1e-5)


def test_memory_that_another_network_left_changes_nothing() -> None:
    network = networks.random_network(networks.MOBILE)
    positions = np.array(reference.random_boards(random.Random(0), 3, 5, 50), np.uint64)
    dirty = np.full(network.scratch_size, np.nan, np.float32)
    clean = networks.outputs(network, positions)
    assert (clean == networks.outputs(network, positions, scratch=dirty)).all()


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 63, 64, 65, 100, 129])
def test_layers_of_any_size(size: int) -> None:
    """Whole vectors and what is left over, in and out."""
    middle = () if size == 1 else (f"dense {size} relu", f"dense {size}")
    architecture = Architecture("mobility", (*middle, "dense 1 tanh"))
    network = networks.random_network(architecture, size)
    boards = reference.random_boards(random.Random(size), 5, 0, 60)
    found = networks.outputs(network, np.array(boards, np.uint64))
    seen = [networks.planes(*board, 1, 0, "mobility") for board in boards]
    expected = [networks.slow_output(network, planes) for planes in seen]
    np.testing.assert_allclose(found, expected, atol=2e-5, rtol=1e-5)
