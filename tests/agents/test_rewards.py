"""What moves earn: its document and back, its cells, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.agents.rewards import NO_REWARDS, Rewards
from evolve.engine import rewards as cells_of
from evolve.errors import AgentError
from tests import reference

quick = settings(max_examples=100, deadline=None, derandomize=True)
numbers = st.floats(-10, 10)
earned = st.builds(
    Rewards,
    st.tuples(*[numbers] * 10),
    numbers,
    st.floats(0.0, 1.0),
    st.sampled_from(("ply", "turn")),
)


@quick
@given(earned)
def test_a_document_is_read_again(rewards: Rewards) -> None:
    assert Rewards.of(json.loads(json.dumps(rewards.document()))) == rewards


@quick
@given(earned)
def test_cells_are_by_square(rewards: Rewards) -> None:
    for square in range(64):
        assert rewards.cells[square] == rewards.squares[reference.CLASS_OF[square]]
    assert rewards.cells[cells_of.DISCS] == rewards.discs


@pytest.mark.parametrize(
    ("step", "discount", "expected"),
    [("ply", 0.5, (0.5, 1, 0.5, 1)), ("turn", 0.5, (0.5, 0.5, 1, 2)), ("turn", 0.0, (0, 0, 1, 1))],
)
def test_a_round_of_both_sides_is_two_plies_or_one_turn(
    step: Any, discount: float, expected: tuple[float, ...]
) -> None:
    cells = Rewards(discount=discount, step=step).cells
    places = (
        cells_of.DISCOUNT_OWN,
        cells_of.DISCOUNT_PASS,
        cells_of.DISCOUNT_OTHER,
        cells_of.DISCOUNT_PASSED,
    )
    assert tuple(cells[[*places]].tolist()) == expected


def test_what_a_document_leaves_out_is_as_without_rewards() -> None:
    """Files of before 0.2 have none."""
    assert Rewards.of({}) == NO_REWARDS
    assert Rewards.of({"discs": 1}) == Rewards(discs=1.0)


@pytest.mark.parametrize(
    "document",
    [[], None, {"x": 1}, {"discs": True}, {"discs": float("nan")}, {"squares": [1.0] * 9},
     {"squares": ["1"] * 10}, {"discount": 1.1}, {"discount": "1"}, {"step": None}],
)  # fmt: skip
def test_what_is_none_is_refused(document: Any) -> None:
    with pytest.raises(AgentError, match="rewards"):
        Rewards.of(document)
