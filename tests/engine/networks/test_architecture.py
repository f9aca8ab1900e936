"""Descriptions of networks, and what makes none."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.errors import AgentError
from tests import networks, reference


@pytest.mark.parametrize(
    ("seen", "layers", "words"),
    [
        ("everything", ["dense 1"], "no input 'everything'"),
        ("canonical", [], "0 layers"),
        ("canonical", ["dense"], "is not a layer"),
        ("canonical", ["gate 5"], "is not a layer"),
        ("canonical", ["dense 5000"], "is not a layer"),
        ("canonical", ["dense 1 relu tanh"], "is not a layer"),
        ("canonical", ["dense 1 softplus"], "is not a layer"),
        ("canonical", ["gate norm", "dense 1"], "is not a layer"),
        ("canonical", ["attention 3"], "is not a layer"),
        ("canonical", ["dueling relu"], "is not a layer"),
        ("canonical", ["dueling", "dense 1"], "must be the last"),
        ("canonical", ["dense 2"], "must give 1 value or 64"),
        ("planes", ["conv 1"], "must give 1 value or 64"),
        ("coloured", ["conv 8", "dense 1"], "must follow an input by squares"),
        ("canonical", ["dense 4096"] * 5 + ["dense 1"], "weights are more than"),
    ],
)
def test_what_is_no_network(seen: str, layers: list[str], words: str) -> None:
    with pytest.raises(AgentError, match=words):
        Architecture(seen, tuple(layers))


def test_weights_that_do_not_fit() -> None:
    good = networks.random_network(networks.VALUE).weights
    with pytest.raises(AgentError, match=r"float64"):
        Network(networks.VALUE, [(good[0][0].astype(float), good[0][1]), *good[1:]])
    with pytest.raises(AgentError, match="finite"):
        Network(networks.VALUE, [(good[0][0] * np.float32(np.inf), good[0][1]), *good[1:]])
    arrays = networks.random_network(networks.VALUE).arrays()
    del arrays["biases-02"]
    with pytest.raises(AgentError, match="biases-02"):
        Network.from_arrays(networks.VALUE, arrays)


SIZES = (1, 2, 15, 16, 17, 63, 64, 65, 100, 129)
"""Of layers: whole vectors and what is left over, in and out."""


@pytest.mark.parametrize(
    "architecture",
    [
        *networks.ALL,
        *(Architecture("mobility", (f"dense {n} relu", f"dense {n}", "dense 1")) for n in SIZES),
        Architecture("mobility", ("dense 1 tanh",)),
    ],
    ids=lambda one: " ".join((one.input, *one.layers)),
)
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
