"""The estimate of a run's time and space, which is about what is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.config.toml import resolve
from evolve.evolution.estimate import BYTES_A_GAME, estimate
from evolve.evolution.loop import Evolution
from evolve.fitness.executor import ONE_THREAD
from tests.evolution.conftest import TINY


def test_over_a_given_evaluation_a_game_costs_something(tmp_path: Path) -> None:
    options = {"evaluation": "patterns-standard", "rules": "standard", "population": 4}
    evolution = Evolution(tmp_path, resolve({**TINY, **options}), ONE_THREAD)
    assert estimate(evolution).costs.seconds_a_game > 0.0


def test_it_counts_the_games_still_to_come(tmp_path: Path) -> None:
    evolution = Evolution(
        tmp_path, resolve({**TINY, "generations": 10, "panel": "fixed"}), ONE_THREAD
    )
    games = 6 * 5 + 2 * TINY["panel_openings"] * evolution.panel.opponents
    whole = estimate(evolution)
    assert whole.bytes == 10 * games * BYTES_A_GAME
    assert whole.seconds > 0.0
    evolution.generation = 4
    half = estimate(evolution)
    assert half.bytes == pytest.approx(whole.bytes / 2)
