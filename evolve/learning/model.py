"""A network with its optimizer: steps of learning, copies for play, and checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evolve.config.learning import LearningSettings
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.errors import SettingsError
from evolve.learning.modules import Module

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOWEST_RATE: Final = 0.05
_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")


def device_of(wish: str) -> torch.device:
    """Return the device that `auto`, `cpu` or `cuda` stands for."""
    there = torch.cuda.is_available()
    if wish == "cuda" and not there:
        raise SettingsError("device: there is no GPU that PyTorch can use here; take cpu or auto")
    return torch.device("cuda" if there and wish != "cpu" else "cpu")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Set torch's global random state from a seed, and restore it after the block."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


class Model:
    """A module that learns on one device, by AdamW; Loshchilov and Hutter 2019.

    The learning rate is held until the share `decay` of the training, then falls linearly.
    """

    def __init__(
        self,
        architecture: Architecture,
        seed: int,
        *,
        rate: float,
        decay: float,
        weight_decay: float,
        device: str,
    ) -> None:
        torch.set_num_threads(1)  # small networks: more threads cost more than they give
        self.architecture = architecture
        self.device = device_of(device)
        with seeded(seed):
            self.module = Module(architecture).to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.module.parameters(), lr=rate, weight_decay=weight_decay, fused=True
        )
        self._rate, self._decay = rate, decay
        self._drops = any(layer.dropout for layer in architecture.parsed)
        self.steps = 0

    @classmethod
    def of(cls, settings: LearningSettings, seed: int) -> Model:
        """Make the model of a training."""
        return cls(
            Architecture(settings.input, settings.layers),
            seed,
            rate=settings.learning_rate,
            decay=settings.decay,
            weight_decay=settings.weight_decay,
            device=settings.device,
        )

    def set_progress(self, share: float) -> None:
        """Set the learning rate for a share, 0 to 1, of the training."""
        over = max(0.0, share - self._decay) / (1.0 - self._decay) if self._decay < 1.0 else 0.0
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate * (1.0 - (1.0 - _LOWEST_RATE) * min(1.0, over))

    def learn(self, inputs: Tensor, loss_of: Callable[[Tensor], Tensor], seed: int) -> float:
        """Take one step on inputs [B, size]; `loss_of` makes the loss from the outputs.

        Returns the loss.
        """
        self.module.train()
        with seeded(seed) if self._drops else nullcontext():
            loss = loss_of(self.module(inputs.to(self.device)))
            self.optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            self.optimizer.step()
        self.steps += 1
        return float(loss.item())

    def outputs(self, inputs: Tensor) -> Tensor:
        """Return the outputs for inputs, as in play: no gradients, no dropout."""
        self.module.eval()
        with torch.no_grad():
            found: Tensor = self.module(inputs.to(self.device))
        return found

    def network(self) -> Network:
        """Return the current network for play."""
        return self.module.network()

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return weights and the optimizer's moments as arrays; `load_state` takes them back."""
        arrays = {
            f"module/{name}": tensor.detach().cpu().numpy().copy()
            for name, tensor in self.module.state_dict().items()
        }
        for number, moments in self.optimizer.state_dict()["state"].items():
            for key in _MOMENTS:
                arrays[f"adam/{number}/{key}"] = moments[key].cpu().numpy().copy()
        arrays["steps"] = np.array(self.steps)
        return arrays

    def load_state(self, arrays: Mapping[str, npt.NDArray[Any]], steps: int | None = None) -> None:
        """Continue from what `state` returned.

        Raises KeyError or RuntimeError when it belongs to another network.

        `steps` replaces the state's count, for a training that has gone back to an earlier model.
        """
        self.module.load_state_dict(
            {
                name.removeprefix("module/"): torch.from_numpy(array.copy())
                for name, array in arrays.items()
                if name.startswith("module/")
            }
        )
        stored = self.optimizer.state_dict()
        numbers = sorted({int(n.split("/")[1]) for n in arrays if n.startswith("adam/")})
        stored["state"] = {
            number: {
                key: torch.from_numpy(arrays[f"adam/{number}/{key}"].copy()) for key in _MOMENTS
            }
            for number in numbers
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            self.optimizer.load_state_dict(stored)
        self.steps = int(arrays["steps"]) if steps is None else steps

    def copy_from(self, other: Model) -> None:
        """Take the weights of another model of the same architecture."""
        self.module.load_state_dict(other.module.state_dict())
