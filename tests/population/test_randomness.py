"""DEAP's draws follow our generators, and nobody else's."""

from __future__ import annotations

import random

import numpy as np

from evolve.population.randomness import deap_draws_from


def test_global_random_state_is_left_as_it_was() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # the state that must survive
    expected = (random.random(), np.random.random())  # noqa: NPY002
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    with deap_draws_from(np.random.default_rng(0)):
        first = random.random()
    assert (random.random(), np.random.random()) == expected  # noqa: NPY002
    with deap_draws_from(np.random.default_rng(0)):
        assert random.random() == first
