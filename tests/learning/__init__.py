"""What tests of learning share: small trainings, an observer, architectures and positions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from evolve.engine.network import Architecture
from evolve.tables.observer import Silent
from tests import networks, reference

if TYPE_CHECKING:
    from evolve.learning.training import Training

SMALL: dict[str, Any] = {
    "games": 60,
    "games_per_iteration": 20,
    "check_every": 20,
    "panel_openings": 2,
    "batch": 32,
    "window": 600,
}
MCTS = {**SMALL, "simulations": 8, "layers": "dense 8 relu, dense 1 tanh", "check_simulations": 4}
DQN = {**SMALL, "layers": "dense 8 relu, dueling"}
ALL = [
    *networks.ALL,
    Architecture("planes", ("conv 9 relu norm", "conv 4 tanh norm dropout", "dense 64")),
    Architecture("canonical", ("dense 50 relu norm dropout", "residual relu", "dense 1 tanh")),
]


class Watcher(Silent):
    """An observer that stops after so many checks."""

    def __init__(self, checks: int = 10**9) -> None:
        self.left = checks
        self.rows: list[dict[str, Any]] = []
        self.shares: list[float] = []
        self.told: list[int] = []

    def stage(self, name: str, done: float, total: float) -> None:
        self.shares.append(done / total)
        self.told.append(int(name.removesuffix(" games")))

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))
        self.left -= 1

    def stop(self) -> bool:
        return self.left <= 0


def training(folder: Path, kind: str, jobs: int = 1, **changes: Any) -> Training:
    from evolve.learning.training import Training  # not above: some tests here need no torch

    (folder / "metrics").mkdir(parents=True, exist_ok=True)
    model: Any = MctsSettings if kind == "mcts" else DqnSettings
    presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
    options = {**(MCTS if kind == "mcts" else DQN), **changes}
    return Training(folder, resolve_as(model, presets, options), jobs)


def positions_of(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = random.Random(0)
    boards = np.array(reference.random_boards(rng, count, 0, 60), np.uint64)
    sides = np.array([rng.choice((1, -1)) for _ in boards], np.int8)
    return boards, sides, np.array([rng.randrange(64) for _ in boards], np.int8)
