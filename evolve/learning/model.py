"""Networks that learn: torch modules of the kernels' architectures, and their optimizer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from evolve.config.learning import LearningSettings
from evolve.engine.networks.architecture import INPUTS, Architecture, Layer
from evolve.engine.networks.forward import encode_all
from evolve.engine.networks.network import Network
from evolve.errors import SettingsError
from evolve.learning.learner import part_of

_LEARNING = ("norm", "dropout")
"""Words of a layer that matter only in learning: norms are folded into its weights."""
_ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "identity": nn.Identity}


class _Weighted(nn.Module):
    """A layer with weights, then its batch norm, activation and dropout."""

    def __init__(self, layer: Layer, weights: nn.Module, norm: type[nn.Module]) -> None:
        super().__init__()
        self.weights = weights
        self.norm = norm(layer.units) if layer.norm else None
        self.activation = _ACTIVATIONS[layer.activation]()
        self.dropout = nn.Dropout(0.5) if layer.dropout else None

    def forward(self, inputs: Tensor) -> Tensor:
        values: Tensor = self.weights(inputs)
        if self.norm is not None:
            values = self.norm(values)
        values = self.activation(values)
        return values if self.dropout is None else self.dropout(values)


class _Convolution(_Weighted):
    """A 3×3 convolution [B, 64, channels], the channels of a square side by side."""

    def __init__(self, channels: int, layer: Layer) -> None:
        module = nn.Conv2d(channels, layer.units, 3, padding=1)
        super().__init__(layer, module, nn.BatchNorm2d)
        self.channels = channels

    def forward(self, inputs: Tensor) -> Tensor:
        planes = inputs.view(-1, 8, 8, self.channels).permute(0, 3, 1, 2)
        return super().forward(planes).permute(0, 2, 3, 1).flatten(1)


class _Gate(nn.Linear):
    """x · act(W x + b): RevNet's block. With b = 1 it starts near the identity (assumed)."""

    def __init__(self, size: int, layer: Layer) -> None:
        super().__init__(size, size)
        nn.init.ones_(self.bias)
        self.activation = _ACTIVATIONS[layer.activation]()

    def forward(self, inputs: Tensor) -> Tensor:
        gates: Tensor = self.activation(super().forward(inputs))
        return inputs * gates


class _Residual(nn.Module):
    """act(x + W₂ act(W₁ x + b₁) + b₂); He et al. 2016, "Deep residual learning"."""

    def __init__(self, size: int, layer: Layer) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(size, size), nn.Linear(size, size)
        self.activation = _ACTIVATIONS[layer.activation]()

    def forward(self, inputs: Tensor) -> Tensor:
        inner: Tensor = self.activation(self.first(inputs))
        return self.activation(inputs + self.second(inner))


class _Dueling(nn.Linear):
    """Q = V + A − mean A over the 64 squares; Wang et al. 2016, equation 9."""

    def forward(self, inputs: Tensor) -> Tensor:
        values = super().forward(inputs)
        advantages = values[:, :64]
        return values[:, 64:] + advantages - advantages.mean(dim=1, keepdim=True)


class _PolicyValue(nn.Linear):
    """64 logits and a value."""

    def forward(self, inputs: Tensor) -> Tensor:
        values = super().forward(inputs)
        return torch.cat([values[:, :64], values[:, 64:].tanh()], dim=1)


class Module(nn.Module):
    """The network of an architecture, for learning: [B, input size] to [B, outputs]."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        parts: list[Any] = []
        size, channels = architecture.input_size, architecture.channels
        for layer in architecture.parsed:
            if layer.kind == "conv":
                parts.append(_Convolution(channels, layer))
                channels, size = layer.units, 64 * layer.units
            elif layer.kind == "dense":
                parts.append(_Weighted(layer, nn.Linear(size, layer.units), nn.BatchNorm1d))
                size = layer.units
            elif layer.kind == "gate":
                parts.append(_Gate(size, layer))
            elif layer.kind == "residual":
                parts.append(_Residual(size, layer))
            else:
                parts.append((_Dueling if layer.kind == "dueling" else _PolicyValue)(size, 65))
        self.parts = nn.ModuleList(parts)

    def forward(self, inputs: Tensor) -> Tensor:
        for part in self.parts:
            inputs = part(inputs)
        return inputs

    @classmethod
    def playing(cls, network: Network) -> Module:
        """Make a module with the outputs of `network`, for many positions at a time."""
        seen = network.architecture
        words = [" ".join(w for w in text.split() if w not in _LEARNING) for text in seen.layers]
        module = cls(Architecture(seen.input, tuple(words)))
        pairs = iter(network.weights)
        with torch.no_grad():
            for layer, _ in module._layers():
                matrix, bias = (torch.from_numpy(array) for array in next(pairs))
                if isinstance(layer, nn.Conv2d):
                    matrix = matrix.view(3, 3, -1, matrix.shape[1]).permute(3, 2, 0, 1)
                else:
                    matrix = matrix.T
                layer.weight.copy_(matrix)
                layer.bias.copy_(bias)
        return module.eval()

    def network(self) -> Network:
        """Return the network as the kernels play it: batch norms folded in, no dropout."""
        pairs = []
        with torch.no_grad():
            for layer, norm in self._layers():
                weight, bias = _folded(layer, norm)
                turned = weight.permute(2, 3, 1, 0) if weight.dim() == 4 else weight.T
                pairs.append((_array(turned.reshape(-1, len(weight))), _array(bias)))
        return Network(self.architecture, pairs)

    def _layers(self) -> Iterator[tuple[Any, Any]]:
        """The layers with weights in their order, each with the batch norm behind it, if any."""
        for part in self.parts:
            for layer in part.modules():
                if isinstance(layer, nn.Linear | nn.Conv2d):
                    yield layer, getattr(part, "norm", None)


def _folded(layer: Any, norm: Any) -> tuple[Tensor, Tensor]:
    """Return weights (outputs first) and biases that include the batch norm behind them."""
    weight, bias = layer.weight, layer.bias
    if norm is None:
        return weight, bias
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    wide = scale.view(-1, *(1,) * (weight.dim() - 1))
    return weight * wide, (bias - norm.running_mean) * scale + norm.bias


def _array(tensor: Tensor) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), np.float32)


def encoded(
    architecture: Architecture,
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int8] | None = None,
) -> Tensor:
    """Encode positions [B, 2] as a network's inputs, float32 [B, input size]."""
    inputs = np.empty((len(positions), architecture.input_size), np.float32)
    nowhere = np.zeros(len(positions), np.int8)
    kind = INPUTS.index(architecture.input)
    encode_all(positions, sides, nowhere if moves is None else moves, kind, inputs)
    return torch.from_numpy(inputs)


_MOMENTS: Final = ("step", "exp_avg", "exp_avg_sq")


def _device_of(name: str) -> torch.device:
    """Return the device that `auto`, `cpu` or `cuda` stands for."""
    has_gpu = torch.cuda.is_available()
    if name == "cuda" and not has_gpu:
        raise SettingsError("device: no GPU that PyTorch can use; take cpu or auto")
    return torch.device("cuda" if has_gpu and name != "cpu" else "cpu")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Set torch's global random state from a seed, and restore it after the block."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


class Model:
    """A module that learns on one device, by AdamW; Loshchilov and Hutter 2019.

    The learning rate is held until the share `decay` of the training, then falls linearly.
    """

    def __init__(self, settings: LearningSettings, seed: int) -> None:
        torch.set_num_threads(1)  # small networks: more threads cost more than they give
        self.architecture = Architecture(settings.input, settings.layers)
        self.device = _device_of(settings.device)
        with _seeded(seed):
            self.module = Module(self.architecture).to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.module.parameters(),
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        self._rate, self._decay = settings.learning_rate, settings.decay
        self._drops = any(layer.dropout for layer in self.architecture.parsed)
        self.steps = 0

    def set_progress(self, share: float) -> None:
        """Set the learning rate for a share, 0 to 1, of the training."""
        over = max(0.0, share - self._decay) / (1.0 - self._decay) if self._decay < 1.0 else 0.0
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate * (1.0 - (1.0 - 0.05) * min(1.0, over))

    def learn(self, inputs: Tensor, loss_of: Callable[[Tensor], Tensor], seed: int) -> float:
        """Take one step on inputs [B, size]; `loss_of` makes the loss from the outputs.

        Returns the loss.
        """
        self.module.train()
        with _seeded(seed) if self._drops else nullcontext():
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
            return self.module(inputs.to(self.device))

    def network(self) -> Network:
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
        own = part_of(arrays, "module/")
        self.module.load_state_dict({n: torch.from_numpy(a.copy()) for n, a in own.items()})
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
