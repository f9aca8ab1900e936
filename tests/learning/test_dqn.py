"""The learner of move values: what it learns, which model goes on, and whose values count."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.mcts import MctsAgent
from evolve.arena.match import Match
from evolve.config.learning_presets import DQN_PRESETS
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.learning.learner import LearningEnding
from evolve.learning.model import Model
from tests import networks, reference
from tests.learning import MCTS, Watcher, training, whole

pytestmark = pytest.mark.learning


SHORT = {"games": 8, "games_per_iteration": 4}
FEWER = {
    "layers": "conv 4 relu norm, conv 4 relu norm, dense 16 relu norm dropout, policy-value",
    "simulations": 4,
}
"""Fewer channels: the published ones are for GPUs."""
QUICK = {"games": 4, "games_per_iteration": 2, "panel_openings": 2, "batch": 16}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        *(("dqn", name, QUICK) for name in DQN_PRESETS if name != "default"),
        ("mcts", "s4-reversiv", {**MCTS, **SHORT}),
        ("mcts", "s3-mcts", {**MCTS, **SHORT, **FEWER}),
    ],
)
def test_published_learners(kind: str, name: str, options: dict[str, Any], tmp_path: Path) -> None:
    observer = Watcher()
    whole(tmp_path, kind, preset=name, **options).run(observer)
    assert observer.rows[-1]["steps"] > 0
    agent = evolve.load_agent(tmp_path)
    assert agent.choose(evolve.Board.start()) in evolve.Board.start().legal_moves()


@pytest.mark.slow
@pytest.mark.parametrize(("both", "expected"), [(True, 4096), (False, 2048)])
def test_samples_of_a_game_of_s5(both: bool, expected: int, tmp_path: Path) -> None:
    run = training(
        tmp_path, "dqn", preset="s5-network2", both_sides=both, games=40, batch=64, window=4096,
        games_per_iteration=1, layers="dense 64 sigmoid, dense 64 sigmoid",
    )  # fmt: skip
    run.run(Watcher())
    assert run.learner.steps * 64 / 40 == pytest.approx(expected, rel=0.05)


@pytest.mark.slow
def test_reversed_rules_are_learned(tmp_path: Path) -> None:
    """Fewest discs win, so that the same rewards teach the opposite."""
    options: dict[str, Any] = {"games": 1500, "rules": "reversed", "bootstrap": "own", "steps": 60}
    run = whole(tmp_path, "dqn", 2, check_every=10**6, panel_openings=2, **options)
    run.run(Watcher())
    openings = balanced_openings(30, Part.MATCH, "reversed", np.random.default_rng(3))
    anyone = evolve.load_agent("random")
    agent = run.learner.agent()
    assert Match(agent, anyone, openings, "reversed", executor=Threads(2)).play().score.value > 0.65


def test_a_model_that_does_not_survive_takes_its_targets_along(tmp_path: Path) -> None:
    """Learning goes on from the model before, and the count of steps with it."""
    run = training(
        tmp_path, "dqn", survival=1, survival_games=2, steps=1, target_period=7, games=400
    )
    learner: Any = run.learner
    rng = np.random.default_rng(0)
    steps, rejected, other = [0], 0, []
    for _ in range(10):
        survived = learner.survived
        learner.iterate(rng, 20, lambda: 0.0, lambda games: None, lambda: math.inf)
        steps.append(learner.steps)
        if learner.survived == survived:
            rejected += 1
            model, target = learner.models[0].state(), learner.targets[0].state()
            weights = [name for name in model if name.startswith("module/")]
            other += [name for name in weights if not (model[name] == target[name]).all()]
    assert not other
    assert (np.diff(steps) > 0).all()
    assert rejected > 0


def test_a_match_for_survival_without_time_changes_nothing(tmp_path: Path) -> None:
    run = training(tmp_path, "dqn", survival=1, survival_games=40, games=400)
    learner: Any = run.learner
    rng, left = np.random.default_rng(0), iter([*[1.0] * 60, *[-1.0] * 10_000])
    steps = learner.steps
    learner.iterate(rng, 20, lambda: 0.0, lambda games: None, lambda: next(left))
    assert learner.steps > steps
    assert learner.survived == 0
    played, learned = learner.agent().networks, learner._networks()
    assert [net.digest for net in played] == [net.digest for net in learned]
    survivor = learner._survivor[0]
    assert any((survivor[name] != array).any() for name, array in learner.models[0].state().items())


def positions_with_moves(seed: int) -> np.ndarray:
    boards = reference.random_boards(random.Random(seed), 30, 10, 40)
    return np.array([board for board in boards if reference.legal_moves(*board)], np.uint64)


@pytest.mark.parametrize("number", [0, 1])
def test_each_of_two_networks_values_the_moves_that_it_plays(number: int, tmp_path: Path) -> None:
    learner: Any = training(tmp_path, "dqn", networks=2).learner
    positions = positions_with_moves(0)
    sides = np.where(np.arange(len(positions)) % 3 == 0, 1, -1).astype(np.int8)
    found = learner.best_values(number, positions, sides)
    best = []
    for board, side in zip(positions, sides, strict=True):
        values = networks.outputs(learner.targets[int(side != 1)].network(), board[None])[0]
        best.append(values[reference.legal_moves(*map(int, board))].max())
    assert found.tolist() == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("double", [False, True])
def test_the_model_chooses_and_the_target_values(double: bool, tmp_path: Path) -> None:
    """The two differ, so that who does what is seen."""
    learner: Any = training(tmp_path, "dqn", double=double).learner
    learner.targets[0] = Model(learner.settings, 5)
    positions = positions_with_moves(1)
    sides = np.ones(len(positions), np.int8)
    model, target = learner.models[0].network(), learner.targets[0].network()
    found = learner.best_values(0, positions, sides)
    differ, expected = 0, []
    for row, (own, opp) in enumerate(positions.tolist()):
        legal = reference.legal_moves(own, opp)
        board = positions[row : row + 1]
        judged, values = (networks.outputs(net, board)[0] for net in (model, target))
        chosen = max(legal, key=lambda square: (judged if double else values)[square])
        differ += max(legal, key=judged.__getitem__) != max(legal, key=values.__getitem__)
        expected.append(float(values[chosen]))
    assert found.tolist() == pytest.approx(expected, abs=1e-5)
    assert differ > 5


def test_nothing_learned_yet_is_an_agent_all_the_same(tmp_path: Path) -> None:
    observer = Watcher()
    run = training(tmp_path, "mcts", games=5, batch=4096, check_every=5)
    assert run.run(observer) is LearningEnding.GAMES
    assert [row["games"] for row in observer.rows] == [5]
    assert observer.rows[0]["steps"] == 0
    assert isinstance(evolve.load_agent(tmp_path), MctsAgent)
