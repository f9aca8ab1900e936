"""Networks that learn: torch modules made from the same description as the kernels' networks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from evolve.engine.networks.architecture import INPUTS, Architecture, Layer
from evolve.engine.networks.forward import encode_all
from evolve.engine.networks.network import Network

_LEARNING = ("norm", "dropout")
"""Words of a layer that matter only in learning: norms are folded into its weights."""
_ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "identity": nn.Identity}


class _Dense(nn.Module):
    """A dense layer, its batch norm, activation and dropout."""

    def __init__(self, size: int, layer: Layer) -> None:
        super().__init__()
        self.linear = nn.Linear(size, layer.units)
        self.norm = nn.BatchNorm1d(layer.units) if layer.norm else None
        self.activation = _ACTIVATIONS[layer.activation]()
        self.dropout = nn.Dropout(0.5) if layer.dropout else None

    def forward(self, inputs: Tensor) -> Tensor:
        values: Tensor = self.linear(inputs)
        if self.norm is not None:
            values = self.norm(values)
        values = self.activation(values)
        return values if self.dropout is None else self.dropout(values)

    def matrices(self) -> list[tuple[Tensor, Tensor]]:
        weight, bias = _folded(self.linear.weight, self.linear.bias, self.norm)
        return [(weight.T, bias)]

    def layers(self) -> list[nn.Module]:
        return [self.linear]


class _Convolution(nn.Module):
    """A 3×3 convolution [B, 64, channels], the channels of a square side by side."""

    def __init__(self, channels: int, layer: Layer) -> None:
        super().__init__()
        self.channels = channels
        self.units = layer.units
        self.convolution = nn.Conv2d(channels, layer.units, 3, padding=1)
        self.norm = nn.BatchNorm2d(layer.units) if layer.norm else None
        self.activation = _ACTIVATIONS[layer.activation]()
        self.dropout = nn.Dropout(0.5) if layer.dropout else None

    def forward(self, inputs: Tensor) -> Tensor:
        planes = inputs.view(-1, 8, 8, self.channels).permute(0, 3, 1, 2)
        values: Tensor = self.convolution(planes)
        if self.norm is not None:
            values = self.norm(values)
        values = self.activation(values)
        if self.dropout is not None:
            values = self.dropout(values)
        return values.permute(0, 2, 3, 1).flatten(1)

    def matrices(self) -> list[tuple[Tensor, Tensor]]:
        convolution = self.convolution
        assert convolution.bias is not None
        weight, bias = _folded(convolution.weight, convolution.bias, self.norm)
        return [(weight.permute(2, 3, 1, 0).reshape(-1, self.units), bias)]

    def layers(self) -> list[nn.Module]:
        return [self.convolution]


class _Gate(nn.Module):
    """x · act(W x + b): RevNet's block. With b = 1 it starts near the identity (assumed)."""

    def __init__(self, size: int, layer: Layer) -> None:
        super().__init__()
        self.linear = nn.Linear(size, size)
        nn.init.ones_(self.linear.bias)
        self.activation = _ACTIVATIONS[layer.activation]()

    def forward(self, inputs: Tensor) -> Tensor:
        gates: Tensor = self.activation(self.linear(inputs))
        return inputs * gates

    def matrices(self) -> list[tuple[Tensor, Tensor]]:
        return [(self.linear.weight.T, self.linear.bias)]

    def layers(self) -> list[nn.Module]:
        return [self.linear]


class _Residual(nn.Module):
    """act(x + W₂ act(W₁ x + b₁) + b₂); He et al. 2016, "Deep residual learning"."""

    def __init__(self, size: int, layer: Layer) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(size, size), nn.Linear(size, size)
        self.activation = _ACTIVATIONS[layer.activation]()

    def forward(self, inputs: Tensor) -> Tensor:
        inner: Tensor = self.activation(self.first(inputs))
        outer: Tensor = self.activation(inputs + self.second(inner))
        return outer

    def matrices(self) -> list[tuple[Tensor, Tensor]]:
        return [(part.weight.T, part.bias) for part in (self.first, self.second)]

    def layers(self) -> list[nn.Module]:
        return [self.first, self.second]


class _Dueling(nn.Module):
    """Q = V + A − mean A over the 64 squares; Wang et al. 2016, equation 9."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear = nn.Linear(size, 65)

    def forward(self, inputs: Tensor) -> Tensor:
        values: Tensor = self.linear(inputs)
        advantages = values[:, :64]
        return values[:, 64:] + advantages - advantages.mean(dim=1, keepdim=True)

    def matrices(self) -> list[tuple[Tensor, Tensor]]:
        return [(self.linear.weight.T, self.linear.bias)]

    def layers(self) -> list[nn.Module]:
        return [self.linear]


class _PolicyValue(nn.Module):
    """64 logits and a value."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear = nn.Linear(size, 65)

    def forward(self, inputs: Tensor) -> Tensor:
        values: Tensor = self.linear(inputs)
        return torch.cat([values[:, :64], values[:, 64:].tanh()], dim=1)

    def matrices(self) -> list[tuple[Tensor, Tensor]]:
        return [(self.linear.weight.T, self.linear.bias)]

    def layers(self) -> list[nn.Module]:
        return [self.linear]


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
                parts.append(_Dense(size, layer))
                size = layer.units
            elif layer.kind == "gate":
                parts.append(_Gate(size, layer))
            elif layer.kind == "residual":
                parts.append(_Residual(size, layer))
            else:
                parts.append(_Dueling(size) if layer.kind == "dueling" else _PolicyValue(size))
        self.parts = nn.ModuleList(parts)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the outputs."""
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
            for part in module.parts:
                layers: Any = part.layers
                for layer in layers():
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
            for part in self.parts:
                matrices: Any = part.matrices
                for weight, bias in matrices():
                    pairs.append((_array(weight), _array(bias)))
        return Network(self.architecture, pairs)


def _folded(weight: Tensor, bias: Tensor, norm: Any) -> tuple[Tensor, Tensor]:
    """Return weights (outputs first) and biases that include the batch norm behind them."""
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
