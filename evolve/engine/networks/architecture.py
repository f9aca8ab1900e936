"""Networks as data: what they see, their layers as text, and the same in the form for kernels.

One description serves all code that must agree: the kernels that play, the modules that learn,
agent files, settings, and the stand-alone file. No kernel is loaded here.

For kernels a network is a block of int64 cells: a head (INPUT, WIDTH, STEPS, WEIGHTS …), then a row
of STEP_CELLS for each step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, get_args

from evolve.errors import AgentError

Input = Literal["canonical", "planes", "mobility", "coloured", "coloured-move"]
INPUTS: Final[tuple[str, ...]] = get_args(Input)
"""Inputs in the order of their numbers in kernels."""
ACTIVATIONS: Final = ("identity", "relu", "tanh", "sigmoid")
"""Activations in the order of their numbers in kernels."""

Output = Literal["value", "actions", "action", "policy-value"]
"""One number for a position; one for each square; one for a move; logits and a value."""

_LAYER: Final = re.compile(
    r"(dense|conv|gate|residual|dueling|policy-value)(?: (\d{1,4}))?"
    rf"(?: ({'|'.join(ACTIVATIONS)}))?( norm)?( dropout)?"
)
_SIZED: Final = ("dense", "conv")
_LAST: Final = ("dueling", "policy-value")
_MOST_LAYERS: Final = 64
_MOST_UNITS: Final = 4096
MOST_WEIGHTS: Final = 50_000_000
"""Most weights of a network: 200 MB."""

CHUNK: Final = 64
"""Inputs that are checked together, one bit of a mask each."""
WIDE: Final = 64
NARROW: Final = 16
"""Outputs summed together: as many as fit the registers of AVX2; narrower groups for the rest."""

# Cells of the head: kind of input, floats of the longest vector, number of steps, address of the
# weights, number of outputs, whether the input holds a move.
INPUT, WIDTH, STEPS, WEIGHTS, OUTPUTS, TAKES_MOVE, HEAD_CELLS = 0, 1, 2, 3, 4, 5, 8

# Kinds of input, by the numbers that they show of a position:
#     CANONICAL       64: 1 own disc, −1 the other side's, 0 none
#     PLANES          192: own discs, the other side's, both; by square, three numbers each
#     MOBILITY        256: own discs, the other side's, own moves, the other side's; four each
#     COLOURED        65: 1 black, −1 white, 0 empty; then the side to move, 1 or −1
#     COLOURED_MOVE   67: those of COLOURED; then the row and the column of a move, 0 to 1
CANONICAL, PLANES, MOBILITY, COLOURED, COLOURED_MOVE = range(5)
_INPUT_SIZES: Final = (64, 192, 256, 65, 67)

# Cells of a step.
KIND, SIZE_IN, SIZE_OUT, ACTIVATION, OFFSET, STEP_CELLS = 0, 1, 2, 3, 4, 6
# Kinds of step.
DENSE, GATE, SAVE, ADD, DUEL, CONVOLVE, SQUASH_LAST = range(7)
# Activations.
IDENTITY, RELU, TANH, SIGMOID = range(4)


def padded(size: int, to: int = NARROW) -> int:
    """The smallest multiple of `to` that is at least `size`."""
    return -(-size // to) * to


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a network.

        dense N         N sums of all inputs
        gate            as many sums as inputs, each multiplied by its input: RevNet's block
        residual        two dense layers of the same size, added to what went in
        conv N          3×3 convolution to N channels, the border padded with zeros
        dueling         value + advantage of each square − mean advantage
        policy-value    a logit for each square, and a value through tanh

    An activation may follow (relu, tanh, sigmoid), then `norm` (batch norm, before it) and
    `dropout` (one half, when learning).
    """

    kind: str
    units: int
    activation: str
    norm: bool
    dropout: bool

    @classmethod
    def parse(cls, text: str) -> Layer:
        """The layer that a text like `dense 128 relu` describes; raises AgentError."""
        found = _LAYER.fullmatch(" ".join(text.split()))
        if found:
            kind, units, activation, norm, dropout = found.groups("")
            sized = kind in _SIZED
            fits = 1 <= int(units or 0) <= _MOST_UNITS if sized else not (units or norm or dropout)
            if fits and not (activation and kind in _LAST):
                return cls(
                    kind, int(units or 0), activation or "identity", bool(norm), bool(dropout)
                )
        raise AgentError(
            f"{text!r} is not a layer; there are dense N and conv N, N from 1 to {_MOST_UNITS}, "
            "gate and residual, dueling and policy-value; relu, tanh or sigmoid may follow the "
            "first four, then norm and dropout the first two"
        )


@dataclass(frozen=True, slots=True)
class Matrix:
    """The weights and biases of a dense or convolutional step, float32.

    Their shapes are [inputs, outputs] and [outputs].

    A convolution's inputs are its nine neighbours, row by row from the upper left, each with all
    its channels.
    """

    inputs: int
    outputs: int
    neighbours: int = 1


@dataclass(frozen=True)
class Architecture:
    """A network's input and its layers, first to last; raises AgentError when they do not fit."""

    input: str
    layers: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.input not in INPUTS:
            raise AgentError(f"there is no input {self.input!r}; there are {', '.join(INPUTS)}")
        if not 1 <= len(self.layers) <= _MOST_LAYERS:
            raise AgentError(f"{len(self.layers)} layers: a network has 1 to {_MOST_LAYERS}")
        weights = sum(m.inputs * m.neighbours * m.outputs for m in self.matrices)
        if weights > MOST_WEIGHTS:
            raise AgentError(f"{weights} weights are more than {MOST_WEIGHTS}")
        assert self.output  # raises when the outputs have no use

    @cached_property
    def parsed(self) -> tuple[Layer, ...]:
        """The layers."""
        return tuple(map(Layer.parse, self.layers))

    @property
    def input_size(self) -> int:
        """Numbers in the input."""
        return _INPUT_SIZES[INPUTS.index(self.input)]

    @property
    def channels(self) -> int:
        """Numbers per square in the input; 0 where the input is not by square alone."""
        return {"canonical": 1, "planes": 3, "mobility": 4}.get(self.input, 0)

    @cached_property
    def output(self) -> Output:
        """The kind of its outputs: `value`, `policy-value`, `actions` or `action`."""
        last = self.parsed[-1]
        if last.kind == "policy-value":
            return "policy-value"
        size = 64 if last.kind == "dueling" else self.matrices[-1].outputs
        if last.kind in ("dense", "dueling", "residual", "gate"):
            if size == 64:
                return "actions"
            if size == 1:
                return "action" if self.input == "coloured-move" else "value"
        raise AgentError(
            f"the last layer, {self.layers[-1]!r}, must give 1 value or 64 (dense 1, dense 64, "
            "dueling, policy-value)"
        )

    @cached_property
    def matrices(self) -> tuple[Matrix, ...]:
        """The weights of the steps that have weights, in order."""
        return tuple(matrix for _, _, matrix in self._steps if matrix)

    @cached_property
    def _steps(self) -> tuple[tuple[int, int, Matrix | None], ...]:
        """Kind of step and activation as the kernels know them, and its weights."""
        steps: list[tuple[int, int, Matrix | None]] = []
        size, channels = self.input_size, self.channels
        for number, (text, layer) in enumerate(zip(self.layers, self.parsed, strict=True)):
            act = ACTIVATIONS.index(layer.activation)
            if layer.kind in _LAST and number != len(self.layers) - 1:
                raise AgentError(f"{text!r} must be the last layer")
            if layer.kind == "conv":
                if not channels:
                    raise AgentError(
                        f"{text!r} must follow an input by squares or another convolution"
                    )
                steps.append((CONVOLVE, act, Matrix(channels, layer.units, 9)))
                channels, size = layer.units, 64 * layer.units
                continue
            channels = 0
            square = Matrix(size, size)
            if layer.kind == "gate":
                steps.append((GATE, act, square))
            elif layer.kind == "residual":
                steps.append((SAVE, 0, None))
                steps.append((DENSE, act, square))
                steps.append((DENSE, 0, square))
                steps.append((ADD, act, None))
            elif layer.kind == "dense":
                steps.append((DENSE, act, Matrix(size, layer.units)))
                size = layer.units
            else:
                steps.append((DENSE, 0, Matrix(size, 65)))
                last = DUEL if layer.kind == "dueling" else SQUASH_LAST
                steps.append((last, 0, None))
                size = 65
        return tuple(steps)

    def program(self) -> list[int]:
        """The cells for the kernels; the address of the weights is left open."""
        cells: list[int] = []
        offset, size, width = 0, self.input_size, self.input_size
        for kind, activation, matrix in self._steps:
            if matrix is None:
                size_out = 64 if kind == DUEL else size
                cells += [kind, size, size_out, activation, 0, 0]
                continue
            cells += [kind, matrix.inputs, matrix.outputs, activation, offset, 0]
            offset += packed_size(matrix)
            size = matrix.outputs
            if kind == CONVOLVE:
                width = max(width, 64 * size + padded(size))
                size *= 64
            width = max(width, size)
        head = [0] * HEAD_CELLS
        head[INPUT] = INPUTS.index(self.input)
        head[WIDTH] = padded(width, CHUNK) + CHUNK
        head[STEPS] = len(self._steps)
        head[OUTPUTS] = {"value": 1, "action": 1, "actions": 64, "policy-value": 65}[self.output]
        head[TAKES_MOVE] = int(self.output == "action")
        return head + cells


def packed_size(matrix: Matrix) -> int:
    """Floats of a matrix and its biases in the layout of the kernels."""
    inputs = matrix.inputs * matrix.neighbours
    if matrix.outputs == 1 and matrix.neighbours == 1:
        return padded(inputs, CHUNK) + 1
    return (inputs + 1) * padded(matrix.outputs, NARROW)
