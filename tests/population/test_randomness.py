"""DEAP's draws follow our generators, and nobody else's."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from deap import cma, tools

from evolve.population.randomness import Use, drawing_from, generator


def drawn(seed: int) -> list[list[float]]:
    """What operators of each module make of a seed; those that call others among them."""
    rng = np.random.default_rng(seed)
    one, other = [0.0] * 2000, [1.0] * 2000
    drawing_from(rng, tools.cxUniform)(one, other, indpb=0.5)
    chosen = drawing_from(rng, tools.selRandom)([*map(float, range(2000))], 2000)
    strategy = cma.Strategy(centroid=[0.5] * 30, sigma=0.3, lambda_=40)
    points = drawing_from(rng, cma.Strategy.generate)(strategy, list)
    return [one, chosen, *points]


class Ranked(float):
    @property
    def fitness(self) -> float:
        return float(self)


def test_global_random_state_is_left_as_it_was() -> None:
    before = random.getstate(), str(np.random.get_state())  # noqa: NPY002  # which must survive
    drawn(0)
    assert (random.getstate(), str(np.random.get_state())) == before  # noqa: NPY002


def test_what_others_draw_changes_nothing() -> None:
    """Threads that draw from global state all the time."""
    ended = threading.Event()

    def draw(_: int) -> None:
        while not ended.is_set():
            random.random()
            np.random.random()  # noqa: NPY002  # the state that others use

    with ThreadPoolExecutor(2) as others:
        others.map(draw, range(2))
        try:
            *same, other = [drawn(seed) for seed in [3] * 10 + [4]]
        finally:
            ended.set()
    assert same == same[:1] * 10
    assert other not in same


def test_draws_are_those_of_the_operator_with_the_same_seeds() -> None:
    def seeded(operator: Callable[..., object], *given: object, **options: object) -> object:
        rng = np.random.default_rng(7)
        random.seed(int(rng.integers(1 << 63)))
        return operator(*given, **options)

    candidates = [Ranked(number) for number in range(50)]
    expected = seeded(tools.selTournament, candidates, 30, tournsize=3)
    mine = drawing_from(np.random.default_rng(7), tools.selTournament)
    assert mine(candidates, 30, tournsize=3) == expected
    assert len(set(mine(candidates, 30, tournsize=3))) > 5


def test_every_use_and_generation_draws_its_own() -> None:
    keys = [*itertools.product((0, 1), Use, range(5))]
    assert len({int(generator(*key).integers(1 << 62)) for key in keys}) == len(keys)


def test_what_a_seed_means_is_pinned() -> None:
    """Other numbers would be other runs under the same seed."""
    assert [use.value for use in Use] == [0, 1, 2, 3, 4, 6, 7]  # 5: no longer used
    assert int(generator(5, Use.BREEDING, 2).integers(1 << 30)) == 776584104
