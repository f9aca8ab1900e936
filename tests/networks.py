"""Networks with random weights, and the same sums once more, slowly, in numpy and float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from evolve.engine.compiled.compile import kernel
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.forward import forward, read
from evolve.engine.networks.network import Network
from tests import reference

VALUE = Architecture("canonical", ("gate", "gate", "dense 1 tanh"))
MOBILE = Architecture("mobility", ("dense 40 relu", "dense 20 tanh", "dense 1 tanh"))
DUELING = Architecture("mobility", ("dense 70 relu", "residual relu", "dueling"))
POLICY = Architecture("planes", ("conv 5 relu", "conv 17 relu", "dense 30 relu", "policy-value"))
NARROW = Architecture("planes", ("conv 4 relu", "conv 1", "dense 1 tanh"))
PLAIN = Architecture("canonical", ("dense 64 sigmoid", "residual tanh", "dense 64"))
COLOURED = Architecture("coloured", ("dense 100 sigmoid", "dense 64"))
ACTION = Architecture("coloured-move", ("dense 33 sigmoid", "gate tanh", "dense 1"))
ALL = (VALUE, MOBILE, DUELING, POLICY, NARROW, PLAIN, COLOURED, ACTION)


def random_network(architecture: Architecture, seed: int = 0, scale: float = 1.0) -> Network:
    rng = np.random.default_rng(seed)
    weights = []
    for matrix in architecture.matrices:
        shape = matrix.inputs * matrix.neighbours, matrix.outputs
        numbers = rng.normal(0, scale / np.sqrt(shape[0]), shape)
        biases = rng.normal(0, 0.3, matrix.outputs)
        weights.append((numbers.astype(np.float32), biases.astype(np.float32)))
    return Network(architecture, weights)


@kernel
def _forward_all(
    positions: np.ndarray,
    sides: np.ndarray,
    moves: np.ndarray,
    network: int,
    scratch: int,
    outputs: np.ndarray,
) -> None:
    for number in range(positions.shape[0]):
        own, opp = positions[number, 0], positions[number, 1]
        result = forward(own, opp, sides[number], moves[number], network, scratch)
        for index in range(outputs.shape[1]):
            outputs[number, index] = read(result, index)


def outputs(
    network: Network,
    positions: np.ndarray,
    sides: np.ndarray | None = None,
    moves: np.ndarray | None = None,
    scratch: np.ndarray | None = None,
) -> np.ndarray:
    """What kernels make of positions [N, 2]; sides and moves [N] where a network sees them."""
    last = network.architecture.matrices[-1].outputs
    size = 64 if network.architecture.layers[-1] == "dueling" else last
    found, ones = np.empty((len(positions), size), np.float32), np.ones(len(positions), np.int8)
    scratch = network.scratch() if scratch is None else scratch
    _forward_all(
        np.ascontiguousarray(positions),
        ones if sides is None else sides,
        ones if moves is None else moves,
        network.address,
        scratch.ctypes.data,
        found,
    )
    return found


def planes(own: int, opp: int, side: int, move: int, kind: str) -> np.ndarray:
    """What a network sees, square by square."""

    def has(bits: int, square: int) -> float:
        return float(bits >> square & 1)

    moves = reference.mask(reference.legal_moves(own, opp))
    replies = reference.mask(reference.legal_moves(opp, own))
    seen: list[Any] = []
    for square in range(64):
        mine, theirs = has(own, square), has(opp, square)
        seen.append(
            {
                "canonical": [mine - theirs],
                "planes": [mine, theirs, mine + theirs],
                "mobility": [mine, theirs, has(moves, square), has(replies, square)],
            }.get(kind, [(mine - theirs) * side])
        )
    if kind.startswith("coloured"):
        seen.append([side])
    if kind == "coloured-move":
        seen.append([move // 8 / 7, move % 8 / 7])
    return np.concatenate(seen).astype(float)


def slow_output(network: Network, seen: np.ndarray) -> np.ndarray:
    """What comes out, layer by layer as the words say."""
    arrays = iter(network.weights)
    values = seen

    def act(numbers: np.ndarray, name: str) -> np.ndarray:
        return {
            "identity": numbers,
            "relu": np.maximum(numbers, 0),
            "tanh": np.tanh(numbers),
            "sigmoid": 1 / (1 + np.exp(-numbers)),
        }[name]

    def dense(numbers: np.ndarray) -> np.ndarray:
        matrix, bias = next(arrays)
        return numbers @ matrix.astype(float) + bias

    for layer in network.architecture.parsed:
        if layer.kind == "dense":
            values = act(dense(values), layer.activation)
        elif layer.kind == "gate":
            values = values * act(dense(values), layer.activation)
        elif layer.kind == "residual":
            inner = act(dense(values), layer.activation)
            values = act(values + dense(inner), layer.activation)
        elif layer.kind == "conv":
            matrix, bias = next(arrays)
            board = np.zeros((10, 10, values.size // 64))
            board[1:9, 1:9] = values.reshape(8, 8, -1)
            parts = [board[y : y + 3, x : x + 3].ravel() for y in range(8) for x in range(8)]
            sums = np.array(parts) @ matrix.astype(float) + bias
            values = act(sums.ravel(), layer.activation)
        elif layer.kind == "dueling":
            both = dense(values)
            values = both[64] + both[:64] - both[:64].mean()
        else:
            both = dense(values)
            values = np.append(both[:64], np.tanh(both[64]))
    return values
