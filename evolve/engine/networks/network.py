"""A network's weights, as arrays and as the kernels read them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.engine.networks import architecture as layout
from evolve.engine.networks.architecture import Architecture, Matrix, packed_size
from evolve.errors import AgentError


class Network:
    """An architecture with weights, ready for play. It does not change.

    weights: for each of `architecture.matrices` a pair of float32 arrays: [inputs, outputs] (for a
    convolution [9 inputs, outputs]) and biases [outputs]. Raises AgentError when they do not fit or
    are not finite.
    """

    def __init__(
        self,
        architecture: Architecture,
        weights: Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]],
    ) -> None:
        self.architecture = architecture
        matrices = architecture.matrices
        for number, (matrix, pair) in enumerate(zip(matrices, weights, strict=True)):
            shapes = ((matrix.inputs * matrix.neighbours, matrix.outputs), (matrix.outputs,))
            for array, shape in zip(pair, shapes, strict=True):
                if array.shape != shape or array.dtype != np.float32:
                    raise AgentError(
                        f"weights {number} are {array.dtype} {list(array.shape)}, not float32 "
                        f"{list(shape)}"
                    )
                if not np.isfinite(array).all():
                    raise AgentError(f"weights {number} are not all finite")
        self.weights = [(matrix.copy(), bias.copy()) for matrix, bias in weights]
        self._packed = np.concatenate(
            [_packed(shape, *pair) for shape, pair in zip(matrices, self.weights, strict=True)]
            + [np.zeros(layout.CHUNK, np.float32)]
        )
        self._program = np.array(architecture.program(), np.int64)
        self._program[layout.WEIGHTS] = self._packed.ctypes.data
        self._program.flags.writeable = self._packed.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are rebuilt: the kernels find the weights by their address."""
        return Network, (self.architecture, self.weights)

    @property
    def address(self) -> int:
        """Address of the network for kernels, valid as long as this object lives."""
        return self._program.ctypes.data

    @cached_property
    def digest(self) -> str:
        """A short text that differs when the weights differ."""
        return hashlib.sha256(self._packed.tobytes()).hexdigest()[:16]

    @property
    def scratch_size(self) -> int:
        """Floats of memory that the kernels need for one thread; they must start at zero."""
        return 3 * int(self._program[layout.WIDTH])

    def scratch(self) -> npt.NDArray[np.float32]:
        """Memory for the kernels, for one thread."""
        return np.zeros(self.scratch_size, np.float32)

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights by name, as in files."""
        named = {}
        for number, (matrix, bias) in enumerate(self.weights):
            named[f"weights-{number:02d}"] = matrix
            named[f"biases-{number:02d}"] = bias
        return named

    @classmethod
    def from_arrays(
        cls, architecture: Architecture, arrays: Mapping[str, npt.NDArray[np.float32]]
    ) -> Network:
        """The network with these `arrays`; raises AgentError when one is missing."""
        pairs = []
        for number in range(len(architecture.matrices)):
            names = f"weights-{number:02d}", f"biases-{number:02d}"
            missing = [name for name in names if name not in arrays]
            if missing:
                raise AgentError(f"array {missing[0]} is missing")
            pairs.append((arrays[names[0]], arrays[names[1]]))
        return cls(architecture, pairs)


def _packed(
    shape: Matrix, matrix: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """One matrix and its biases in the layout of the kernels."""
    packed = np.zeros(packed_size(shape), np.float32)
    inputs = len(matrix)
    if shape.outputs == 1 and shape.neighbours == 1:
        packed[:inputs], packed[-1] = matrix[:, 0], bias[0]
    else:
        rows = packed.reshape(inputs + 1, -1)
        rows[:inputs, : shape.outputs], rows[inputs, : shape.outputs] = matrix, bias
    return packed
