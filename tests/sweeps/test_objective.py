"""Trials: when they are to meet the panel."""

from __future__ import annotations

from evolve.sweeps.trials import Marks


def test_a_mark_says_how_much_of_the_trial_is_done() -> None:
    marks = Marks(4)
    reached = [(share, marks.step) for share in (0.1, 0.3, 0.4, 0.8, 0.9, 1.0) if marks.due(share)]
    assert reached == [(0.3, 1), (0.8, 3)]
    assert not any(Marks(1).due(share) for share in (0.1, 0.5, 1.0))
