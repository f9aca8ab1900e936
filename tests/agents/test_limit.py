"""Limits of a move: of two, each counts in what it says less of."""

from __future__ import annotations

from dataclasses import astuple

from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.agents.agent import Limit

quick = settings(max_examples=100, deadline=None, derandomize=True)
counts = st.none() | st.integers(1, 10**9)
limits = st.builds(Limit, st.none() | st.floats(0.02, 86400.0), counts, counts, counts)


@quick
@given(limits, limits)
def test_both_of_two_limits_hold(one: Limit, other: Limit) -> None:
    both = one & other
    for least, first, second in zip(*map(astuple, (both, one, other)), strict=True):
        known = {value for value in (first, second) if value is not None}
        assert least == (min(known) if known else None)
    assert both == other & one == both & one
    assert one & Limit() == one
