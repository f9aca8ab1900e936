"""Each use and generation draws from a generator of its own, the same after any stop."""

from __future__ import annotations

from evolve.population.randomness import Use, generator


def test_every_use_and_generation_draws_its_own() -> None:
    drawn = {
        int(generator(seed, use, generation).integers(1 << 62))
        for seed in (0, 1)
        for use in Use
        for generation in range(5)
    }
    assert len(drawn) == 2 * len(Use) * 5


def test_a_generator_is_a_function_of_its_seed() -> None:
    assert generator(7, Use.BREEDING, 3).random() == generator(7, Use.BREEDING, 3).random()


def test_what_a_seed_means_is_pinned() -> None:
    """Other numbers would be other runs under the same seed."""
    assert [use.value for use in Use] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert int(generator(5, Use.BREEDING, 2).integers(1 << 30)) == 776584104
