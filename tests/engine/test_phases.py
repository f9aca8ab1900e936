"""Phases of the game by disc count."""

from __future__ import annotations

import pytest

from evolve.engine.phases import MAX_PHASES, default_boundaries, phase_of


@pytest.mark.parametrize("phases", range(1, MAX_PHASES + 1))
def test_phases_divide_the_game_evenly(phases: int) -> None:
    boundaries = default_boundaries(phases)
    found = [phase_of(discs, boundaries) for discs in range(4, 65)]
    assert found == sorted(found)
    lengths = [found.count(phase) for phase in range(phases)]
    assert sum(lengths) == 61
    assert 0 < max(lengths) <= min(lengths) + 1


def test_a_boundary_is_the_first_disc_count_of_its_phase() -> None:
    assert [phase_of(discs, (20, 40)) for discs in (4, 19, 20, 39, 40, 64)] == [0, 0, 1, 1, 2, 2]
