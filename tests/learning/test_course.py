"""A course of learning ends where its budget does, however long its iterations are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.agents.dqn import DqnAgent
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.toml import resolve_as
from evolve.learning.training import InMemoryTraining, LearningEnding, Training
from tests.learning import Watcher

pytestmark = pytest.mark.learning


def budgeted(folder: Path, kind: str, budget: float, **changes: Any) -> dict[str, Any]:
    """The last row of a training by CPU seconds."""
    quick = {"budget": budget, "games": None, "check_every": 10**6, "panel_openings": 2, **changes}
    (folder / "metrics").mkdir(parents=True)
    model: Any = MctsSettings if kind == "mcts" else DqnSettings
    presets = MCTS_PRESETS if kind == "mcts" else DQN_PRESETS
    run, observer = Training(folder, resolve_as(model, presets, quick), 2), Watcher()
    assert run.run(observer) is LearningEnding.BUDGET
    assert max(observer.told) == run.games
    return observer.rows[-1]


CONVOLUTION = {"input": "planes", "layers": "conv 4 relu, policy-value", "simulations": 200}


LONG = {"games_per_iteration": 20_000, "window": 10**6}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("mcts", {"updates": 1000.0}),
        ("mcts", LONG),
        ("mcts", {"accept": True, "accept_games": 4000, "games_per_iteration": 10}),
        ("mcts", {**CONVOLUTION, **LONG}),
        ("mcts", {**CONVOLUTION, "games_per_iteration": 20}),
        ("dqn", {"updates": 1000.0}),
        ("dqn", {"opponents": {"swh": 1.0}, **LONG}),
        ("dqn", {"survival": 1, "survival_games": 4000, "games_per_iteration": 10}),
    ],
)
def test_a_budget_ends_iterations_that_would_take_longer(
    kind: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    """The first iterations of each would take a minute and more."""
    row = budgeted(tmp_path / "run", kind, 2.0, **changes)
    assert 1.8 <= row["cpu_seconds"] <= 2.2
    assert row["steps"] > 0
    chooses = "accept" in changes or "survival" in changes
    assert (row["accept_seconds"] > 0.5) == chooses


PRESETS = [("mcts", n) for n in MCTS_PRESETS] + [("dqn", n) for n in DQN_PRESETS]


NARROW = ("conv 16 relu norm", "dense 32 relu norm dropout", "policy-value")
SMALLER: dict[str, dict[str, Any]] = {"s3-mcts": {"layers": NARROW}}
"""A step of learning takes the whole network a second: a budget of 30 seconds would have to be
kept, and takes 80 with warming up and its check. Iterations as long are in the test above."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_every_preset_keeps_its_budget(kind: str, preset: str, tmp_path: Path) -> None:
    quick = {"check_simulations": 2} if kind == "mcts" else {}
    quick |= SMALLER.get(preset, {})
    row = budgeted(tmp_path / "run", kind, 2.0, preset=preset, **quick)
    assert 1.8 <= row["cpu_seconds"] <= 2.2
    assert row["steps"] > 0


def test_the_last_iteration_is_cut_to_the_budget() -> None:
    settings = DqnSettings(budget=15, games_per_iteration=400, layers=("dense 8 relu", "dense 64"))
    course = InMemoryTraining(settings, 1)
    course.warm_up()
    course.iterate(lambda games, share: None)
    first = course.games
    course.spent = 14.9
    course.iterate(lambda games, share: None)
    assert first == 400
    assert course.games - first <= 3, "there is room for 400 / 14.9 games a second"
    assert 14.9 <= course.spent < 15.3


def test_games_end_it_and_are_its_share() -> None:
    settings = DqnSettings(games=30, games_per_iteration=20, layers=("dense 8 relu", "dense 64"))
    course, told = InMemoryTraining(settings, 1), list[tuple[int, float]]()
    shares = [course.share]
    while course.finished is None:
        course.iterate(lambda games, share: told.append((games, share)))
        shares.append(course.share)
    assert course.finished is LearningEnding.GAMES
    assert (course.games, shares) == (30, [0.0, 20 / 30, 1.0]), "the last iteration is cut"
    assert told[-1] == (30, 1.0)
    assert [games for games, _ in told] == sorted(games for games, _ in told)


def test_warming_up_teaches_nothing() -> None:
    settings = DqnSettings(games=10, layers=("dense 8 relu", "dense 64"))
    course, cold = InMemoryTraining(settings, 1), InMemoryTraining(settings, 1)
    course.warm_up()
    assert (course.games, course.spent, course.learner.steps) == (0, 0.0, 0)
    assert course.rng.random() == cold.rng.random()
    warm, other = course.learner.agent(), cold.learner.agent()
    assert isinstance(warm, DqnAgent)
    assert isinstance(other, DqnAgent)
    assert warm.networks[0].digest == other.networks[0].digest
