"""What learns and what plays are the same network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from evolve.engine.networks.architecture import Architecture
from evolve.learning.modules import Module, encoded
from tests import networks
from tests.learning import ALL, positions_of

pytestmark = pytest.mark.learning


@pytest.mark.parametrize("architecture", ALL, ids=str)
def test_torch_and_numba_give_the_same(architecture: Architecture) -> None:
    boards, sides, moves = positions_of(100)
    torch.manual_seed(1)
    module = Module(architecture)
    inputs = encoded(architecture, boards, sides, moves)
    module.train()
    for _ in range(3):  # batch norms get means and variances of their own
        module(inputs)
    module.eval()
    with torch.no_grad():
        wanted = module(inputs).numpy()
    assert np.abs(module.network().outputs(boards, sides, moves) - wanted).max() < 1e-5


def presets() -> list[Any]:
    found = [resolve_as(MctsSettings, MCTS_PRESETS, {"preset": name}) for name in MCTS_PRESETS]
    return [
        *found,
        *(resolve_as(DqnSettings, DQN_PRESETS, {"preset": name}) for name in DQN_PRESETS),
    ]


@pytest.mark.parametrize("settings", presets(), ids=lambda s: s.preset)
def test_the_network_of_every_preset_is_the_same(settings: Any) -> None:
    """The published convolutions of 512, 512 and 256 channels among them."""
    architecture = Architecture(settings.input, settings.layers)
    boards, sides, moves = positions_of(2)
    module = Module(architecture)
    module.eval()
    with torch.no_grad():
        wanted = module(encoded(architecture, boards, sides, moves)).numpy()
    assert np.abs(module.network().outputs(boards, sides, moves) - wanted).max() < 1e-5


def test_what_is_seen_is_what_the_squares_hold() -> None:
    boards, sides, moves = positions_of(30)
    for kind in ("canonical", "planes", "mobility", "coloured", "coloured-move"):
        architecture = Architecture(kind, ("dense 1",) if kind != "coloured" else ("dense 64",))
        inputs = encoded(architecture, boards, sides, moves).numpy()
        for row, (own, opp), side, move in zip(inputs, boards.tolist(), sides, moves, strict=True):
            assert np.allclose(row, networks.planes(own, opp, int(side), int(move), kind))


@pytest.mark.parametrize("architecture", ALL, ids=str)
def test_a_module_for_play_gives_what_the_network_gives(architecture: Architecture) -> None:
    boards, sides, moves = positions_of(50)
    network = networks.random_network(architecture)
    with torch.no_grad():
        found = Module.playing(network)(encoded(architecture, boards, sides, moves)).numpy()
    assert np.abs(network.outputs(boards, sides, moves) - found).max() < 1e-5
