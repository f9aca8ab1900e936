"""What the best move of a position is worth by the networks: what targets of learning build on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evolve.config.learning import DqnSettings
from evolve.engine.bits import legal_moves_of_all
from evolve.learning.model import Model
from evolve.learning.modules import encoded


class Bootstrap:
    """Values of best moves, by target networks: of both colours, or one for each.

    With double learning the model chooses the move and the target network values it; van Hasselt,
    Guez and Silver 2016, "Deep reinforcement learning with double Q-learning".
    """

    def __init__(
        self, settings: DqnSettings, models: Sequence[Model], targets: Sequence[Model]
    ) -> None:
        self._settings = settings
        self._models = models
        self._targets = targets

    def best(
        self, number: int, positions: npt.NDArray[np.uint64], sides: npt.NDArray[np.int8]
    ) -> Tensor:
        """[B], what the best moves of positions [B, 2] are worth, for learning by one network.

        It is the network of the side to move that says so: after a pass, or an odd number of
        plies, that is the other colour's.
        """
        best = self._by(number, positions, sides)
        if len(self._models) == 1:
            return best
        others = torch.from_numpy(sides == (-1 if number == 0 else 1)).to(best.device)
        return torch.where(others, self._by(1 - number, positions, sides), best)

    def _by(
        self, number: int, positions: npt.NDArray[np.uint64], sides: npt.NDArray[np.int8]
    ) -> Tensor:
        """The same by one of the networks for all positions."""
        settings = self._settings
        positions = np.ascontiguousarray(positions)
        target, model = self._targets[number], self._models[number]
        legal = _legal(positions)
        if settings.input == "coloured-move":
            values = _each_move(target, positions, sides, legal)
            judged = _each_move(model, positions, sides, legal) if settings.double else values
        else:
            inputs = encoded(target.architecture, positions, sides)
            values = target.outputs(inputs)
            judged = model.outputs(inputs) if settings.double else values
        if settings.legal:
            judged = judged.masked_fill(~torch.from_numpy(legal).to(judged.device), -torch.inf)
        return values.gather(1, judged.argmax(dim=1, keepdim=True))[:, 0]


def _each_move(
    model: Model,
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    legal: npt.NDArray[np.bool_],
) -> Tensor:
    """Values [B, 64] by a network that takes the move, of legal ones."""
    row, square = np.nonzero(legal)
    inputs = encoded(model.architecture, positions[row], sides[row], square.astype(np.int8))
    values = torch.zeros(legal.shape, device=model.device)
    values[torch.from_numpy(row), torch.from_numpy(square)] = model.outputs(inputs)[:, 0]
    return values


def _legal(positions: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Legal moves of positions [B, 2] as flags [B, 64]."""
    bits = np.empty(len(positions), np.uint64)
    legal_moves_of_all(positions, bits)
    flags = np.unpackbits(bits.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return flags.astype(np.bool_)
