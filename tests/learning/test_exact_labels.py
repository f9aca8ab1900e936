"""The exact-label data set."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.engine.board.symmetry import canonical
from evolve.learning.exact_labels import accuracy, fitted, labelled_sets
from tests import networks

pytestmark = pytest.mark.learning


def test_the_label_sets_share_no_position_and_are_learned() -> None:
    train, test = labelled_sets(3000, 600, discs=56, seed=3, jobs=2)
    assert len(train) > 2900
    assert len(test) > 580
    both = np.concatenate([canonical(train.positions), canonical(test.positions)])
    assert len(np.unique(both, axis=0)) == len(both)
    discs = np.bitwise_count(both[:, 0] | both[:, 1])
    assert (discs == 56).all()
    seen: list[int] = []
    network = fitted(networks.MOBILE, train, epochs=4, progress=lambda e, _: seen.append(e))
    assert seen == [0, 1, 2, 3]
    assert accuracy(network, test) > 0.75
    assert 0.3 < accuracy(networks.random_network(networks.MOBILE), test) < 0.7
