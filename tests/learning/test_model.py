"""A network with its optimizer: it goes on from its state, and leaves torch's own as it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from evolve.config.learning import MctsSettings
from evolve.engine.networks.architecture import Architecture
from evolve.errors import SettingsError
from evolve.learning.model import Model, Module, _device_of, encoded
from tests import networks
from tests.learning import ALL, positions_of

pytestmark = pytest.mark.learning


def model(seed: int = 0) -> Model:
    architecture = ALL[-1]
    settings = MctsSettings(
        input=architecture.input, layers=architecture.layers, learning_rate=1e-2, device="cpu"
    )
    return Model(settings, seed)


def learn(one: Model, steps: int, first: int = 0) -> list[float]:
    boards, sides, moves = positions_of(64)
    inputs = encoded(one.architecture, boards, sides, moves)
    wanted = torch.linspace(-1, 1, 64)
    return [
        one.learn(inputs, lambda found: ((found[:, 0] - wanted) ** 2).mean(), step)
        for step in range(first, steps)
    ]


def test_a_model_goes_on_from_its_state_as_if_nothing_had_been() -> None:
    whole, first, second = model(), model(), model(seed=9)
    losses = learn(whole, 6)
    assert losses[-1] < losses[0]
    assert learn(first, 3) == losses[:3]
    second.load_state(first.state())
    again = losses[:3] + learn(second, 6, first=3)
    assert again == losses
    assert second.steps == 6
    assert not [
        name for name, array in whole.state().items() if not (second.state()[name] == array).all()
    ]


def test_the_global_random_state_is_left_alone() -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    learn(model(), 2)
    assert (torch.random.get_rng_state() == before).all()


def test_the_learning_rate_falls_at_the_end() -> None:
    one = model()
    rates = []
    for share in (0.0, 0.5, 0.75, 1.0):
        one.set_progress(share)
        rates.append(one.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([1e-2, 1e-2, 1e-2 * (1 - 0.95 / 2), 5e-4])


def test_a_copy_has_the_weights_and_learns_apart() -> None:
    one, other = model(), model(seed=9)
    assert one.network().digest != other.network().digest
    other.copy_from(one)
    assert one.network().digest == other.network().digest
    learn(one, 1)
    assert one.network().digest != other.network().digest


def test_steps_may_be_those_of_a_later_model() -> None:
    one = model()
    learn(one, 1)
    before = one.state()
    learn(one, 2)
    one.load_state(before, steps=one.steps)
    assert one.steps == 3
    one.load_state(before)
    assert one.steps == 1


def test_the_device_is_the_one_asked_for() -> None:
    assert _device_of("cpu").type == "cpu"
    there = torch.cuda.is_available()
    assert _device_of("auto").type == ("cuda" if there else "cpu")
    if not there:
        with pytest.raises(SettingsError, match="PyTorch"):
            _device_of("cuda")


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
    network = module.network()
    assert np.abs(networks.outputs(network, boards, sides, moves) - wanted).max() < 1e-5
    with torch.no_grad():
        played = Module.playing(network)(inputs).numpy()
    assert np.abs(played - wanted).max() < 1e-5
