"""Settings of matches and ratings: what follows from others, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from evolve.config.matches import MatchSettings, RateSettings
from tests.cli import misused

TWO = {"a": "swh", "b": "zero"}


def test_balanced_openings_are_the_default_unless_they_have_a_length() -> None:
    assert MatchSettings.model_validate(TWO).openings == "balanced"
    assert MatchSettings.model_validate({**TWO, "opening_plies": 6}).openings == "random"
    said = misused("match", "swh", "zero", "--openings", "balanced", "--opening-plies", 6)
    assert "balanced openings have 8 moves" in said


def test_agents_of_a_rating_may_be_one_text() -> None:
    assert RateSettings.model_validate({"agents": "swh zero"}).agents == ("swh", "zero")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"openings": "random", "opening_plies": 2}, "random openings have 3 moves or more"),
        ({"opening_plies": 61}, "opening_plies"),
        ({"games": 1}, "games"),
        ({"sprt": (20, 0)}, "the first must be under the second"),
        ({"sprt": (0, 3000)}, "the first must be under the second"),
        ({"alpha": 0.5}, "alpha"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_contradictions_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        MatchSettings.model_validate({**TWO, **settings})
