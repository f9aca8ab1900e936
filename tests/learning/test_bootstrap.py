"""What the best move is worth: by whose network, and by which of two when learning doubly."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.learning.dqn import Bootstrap
from evolve.learning.model import Model
from tests import reference
from tests.learning import training

pytestmark = pytest.mark.learning


@pytest.mark.parametrize("number", [0, 1])
def test_with_two_networks_each_move_is_valued_by_the_one_that_plays_it(
    number: int, tmp_path: Path
) -> None:
    learner: Any = training(tmp_path, "dqn", networks=2).learner
    boards = reference.random_boards(random.Random(0), 30, 10, 40)
    positions = np.array([b for b in boards if reference.legal_moves(*b)], np.uint64)
    sides = np.where(np.arange(len(positions)) % 3 == 0, 1, -1).astype(np.int8)
    found = learner._bootstrap.best(number, positions, sides)
    for row, (own, opp) in enumerate(positions.tolist()):
        target = learner.targets[0 if sides[row] == 1 else 1].network()
        values = target.outputs(positions[row : row + 1])[0]
        best = max(values[square] for square in reference.legal_moves(own, opp))
        assert float(found[row]) == pytest.approx(float(best), abs=1e-5)


@pytest.mark.parametrize("double", [False, True])
def test_the_model_chooses_and_the_target_network_values_when_learning_doubly(
    double: bool, tmp_path: Path
) -> None:
    """The two differ, so that who does what is seen."""
    learner: Any = training(tmp_path, "dqn", double=double).learner
    learner.targets[0] = Model.of(learner.settings, 5)
    boards = reference.random_boards(random.Random(1), 30, 10, 40)
    positions = np.array([b for b in boards if reference.legal_moves(*b)], np.uint64)
    sides = np.ones(len(positions), np.int8)
    model, target = learner.models[0].network(), learner.targets[0].network()
    bootstrap = Bootstrap(learner.settings, learner.models, learner.targets)
    found = bootstrap.best(0, positions, sides)
    differ = 0
    for row, (own, opp) in enumerate(positions.tolist()):
        legal = reference.legal_moves(own, opp)
        judged, values = (net.outputs(positions[row : row + 1])[0] for net in (model, target))
        chosen = max(legal, key=lambda square: (judged if double else values)[square])
        differ += max(legal, key=judged.__getitem__) != max(legal, key=values.__getitem__)
        assert float(found[row]) == pytest.approx(float(values[chosen]), abs=1e-5)
    assert differ > 5
