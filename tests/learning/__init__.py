"""What tests of learning share: small trainings, an observer, architectures and positions."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import evolve
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.pattern_training import PATTERN_PRESETS, PatternSettings
from evolve.config.toml import resolve_as
from evolve.engine.networks.architecture import Architecture
from evolve.learning.tables import CHECKS
from evolve.learning.training import Training
from evolve.runs.progress import Observer
from tests import networks, reference

SMALL: dict[str, Any] = {
    "games": 60, "games_per_iteration": 20, "check_every": 20, "panel_openings": 2, "batch": 32,
    "window": 600,
}  # fmt: skip
MCTS = {
    **SMALL, "simulations": 8, "layers": "dense 8 relu, dense 1 tanh", "check_simulations": 4,
    "play_simulations": 8, "endgame": 4,
}  # fmt: skip
DQN = {**SMALL, "layers": "dense 8 relu, dueling"}
PATTERNS = {
    "games": 600, "shapes": "a1-b2, a1-d1", "checks": 2, "panel_openings": 2,
    "depth": 3, "endgame": 6, "search_depth": 2, "probcut_positions": 50,
}  # fmt: skip
SETTINGS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "mcts": (MctsSettings, MCTS_PRESETS, MCTS),
    "dqn": (DqnSettings, DQN_PRESETS, DQN),
    "patterns": (PatternSettings, PATTERN_PRESETS, PATTERNS),
}
"""Of each kind its model, its presets and what makes a training a small one."""
ALL = [
    *networks.ALL,
    Architecture("planes", ("conv 9 relu norm", "conv 4 tanh norm dropout", "dense 64")),
    Architecture("canonical", ("dense 50 relu norm dropout", "residual relu", "dense 1 tanh")),
]


class Watcher(Observer):
    """An observer that stops after so many checks."""

    def __init__(self, checks: int = 10**9) -> None:
        self.left = checks
        self.rows: list[dict[str, Any]] = []
        self.shares: list[float] = []
        self.games: list[int] = []

    def stage(self, name: str, done: float, total: float) -> None:
        if name.endswith(" games"):
            self.shares.append(done / total)
            self.games.append(int(name.removesuffix(" games")))

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))
        self.left -= 1

    def stop(self) -> bool:
        return self.left <= 0


def training(folder: Path, kind: str, jobs: int = 1, **changes: Any) -> Training:
    (folder / "metrics").mkdir(parents=True, exist_ok=True)
    return Training(folder, small(kind, **changes), jobs)


def whole(folder: Path, kind: str, jobs: int = 1, **options: Any) -> Training:
    """A training with the defaults of its kind but for these options."""
    model, presets, _ = SETTINGS[kind]
    (folder / "metrics").mkdir(parents=True, exist_ok=True)
    return Training(folder, resolve_as(model, presets, options), jobs)


def small(kind: str, **changes: Any) -> Any:
    """The settings of a small training."""
    model, presets, options = SETTINGS[kind]
    return resolve_as(model, presets, {**options, **changes})


def content(folder: Path) -> Any:
    """The metrics without times, and the champion: its weights byte for byte, and its rating."""
    table = CHECKS.read(folder).to_pandas()
    kept = table[[name for name in table if not name.endswith("seconds")]]
    agent = evolve.load_agent(folder).stored()
    arrays = {name: array.tobytes() for name, array in agent.arrays.items()}
    provenance = {key: value for key, value in agent.provenance.items() if key != "run"}
    return json.loads(kept.to_json(orient="records", double_precision=15)), arrays, provenance


def positions_of(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = random.Random(0)
    boards = np.array(reference.random_boards(rng, count, 0, 60), np.uint64)
    sides = np.array([rng.choice((1, -1)) for _ in boards], np.int8)
    return boards, sides, np.array([rng.randrange(64) for _ in boards], np.int8)
