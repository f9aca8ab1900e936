"""The exact-label data set: positions near the end of random games, labelled by the solver.

It is the set of the value-network paper: positions with 54 discs, each with its eight images. Train
and test positions come from different games, and no test position is an image of a train position.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evolve.agents.memory import thread_context
from evolve.config.learning import MctsSettings
from evolve.engine.board.bits import (
    GOLDEN,
    START_OPP,
    START_OWN,
    ZERO,
    after_move,
    canonical,
    images_of,
    mixed,
    random_square,
)
from evolve.engine.board.rules import DEFAULT_RULES, Rules
from evolve.engine.compiled.compile import kernel
from evolve.engine.compiled.intrinsics import int64, popcount
from evolve.engine.games.training_games import solved_outcome, to_move
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.engine.search.context import table_bits_for
from evolve.fitness.games import in_batches
from evolve.learning.model import Model, Module, encoded

DISCS: Final = 54
TRAIN_GAMES: Final = 12_500
"""One position each; with their images the paper's 100 000."""
TEST_GAMES: Final = 5_000
EPOCHS: Final = 20
_BATCH: Final = 256


@kernel
def draw_positions(
    seeds: npt.NDArray[np.uint64], discs: int, positions: npt.NDArray[np.uint64]
) -> None:
    """Fill positions [N, 2] with a position of a random game for each of `seeds` [N].

    It is the position with `discs` discs, in which the side to move has a move; 0, 0 where the game
    ends before, or neither side can move there.
    """
    for number in range(seeds.shape[0]):
        own, opp, state = START_OWN, START_OPP, mixed(seeds[number])
        positions[number, 0] = positions[number, 1] = ZERO
        while True:
            own, opp, _, moves = to_move(own, opp, int64(1))
            if moves == ZERO:
                break
            if popcount(own | opp) >= discs:
                positions[number, 0], positions[number, 1] = own, opp
                break
            state += GOLDEN
            own, opp = after_move(random_square(moves, state), own, opp)


@kernel
def solve_outcomes(
    positions: npt.NDArray[np.uint64],
    memory: npt.NDArray[np.int64],
    outcomes: npt.NDArray[np.int8],
) -> None:
    """Fill outcomes [N]: 1, 0 or −1 for the side to move in positions [N, 2], by the solver."""
    context = int64(memory.ctypes.data)
    for number in range(positions.shape[0]):
        outcomes[number] = solved_outcome(positions[number, 0], positions[number, 1], context)


@dataclass(frozen=True)
class Labelled:
    """N positions [N, 2], own and opp, and their outcomes [N]: 1, 0 or −1 for the side to move."""

    positions: npt.NDArray[np.uint64]
    outcomes: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.positions)


def labelled_sets(
    train: int = TRAIN_GAMES,
    test: int = TEST_GAMES,
    *,
    discs: int = DISCS,
    rules: Rules = DEFAULT_RULES,
    seed: int = 0,
    jobs: int = 1,
) -> tuple[Labelled, Labelled]:
    """Make a train set and a test set, of about `train` and `test` games.

    No two positions, of either set, are images of one another.
    """
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, 2**64, train + test, dtype=np.uint64)
    positions = np.zeros((train + test, 2), np.uint64)
    draw_positions(seeds, discs, positions)
    _, first = np.unique(canonical(positions), axis=0, return_index=True)
    first = np.sort(first)
    first = first[positions[first].any(axis=1)]
    outcomes = np.zeros(len(positions), np.int8)
    bits = table_bits_for(64 - discs)

    def label(part: slice) -> None:
        solve_outcomes(positions[part], thread_context(rules, bits), outcomes[part])

    in_batches(len(positions), label, jobs, batch=256)
    parts = first[first < train], first[first >= train]
    known, unknown = (Labelled(positions[part], outcomes[part]) for part in parts)
    return known, unknown


def accuracy(network: Network, examples: Labelled) -> float:
    """Return the share of won and lost positions where value and outcome have the same sign."""
    decided = examples.outcomes != 0
    sides = np.zeros(int(decided.sum()), np.int8)
    with torch.no_grad():
        inputs = encoded(network.architecture, examples.positions[decided], sides)
        values = Module.playing(network)(inputs)[:, -1].numpy()
    return float(np.mean((values > 0) == (examples.outcomes[decided] > 0)))


def fitted(
    architecture: Architecture,
    examples: Labelled,
    *,
    epochs: int = EPOCHS,
    seed: int = 0,
    rate: float = 2e-3,
    progress: Callable[[int, Network], None] | None = None,
) -> Network:
    """Fit a value network to the outcomes; an epoch has all eight images of each position."""
    shape = {"input": architecture.input, "layers": architecture.layers}
    settings = MctsSettings.model_validate({**shape, "learning_rate": rate, "device": "cpu"})
    model = Model(settings, seed)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    count = 8 * len(examples)
    targets = examples.outcomes.astype(np.float32)
    for epoch in range(epochs):
        order = rng.permutation(count)
        model.set_progress((epoch + 1) / epochs)
        for start in range(0, count - _BATCH + 1, _BATCH):
            chosen = order[start : start + _BATCH]
            turned = images_of(examples.positions[chosen // 8], (chosen % 8).astype(np.int8))
            inputs = encoded(architecture, turned, np.zeros(_BATCH, np.int8))
            wanted = torch.from_numpy(targets[chosen // 8])

            def loss_of(outputs: Tensor, wanted: Tensor = wanted) -> Tensor:
                return ((outputs[:, -1] - wanted) ** 2).mean()

            model.learn(inputs, loss_of, int(rng.integers(2**31)))
        if progress is not None:
            progress(epoch, model.network())
    return model.network()
