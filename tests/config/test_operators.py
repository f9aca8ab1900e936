"""Operators by name: those that settings know, and those of a caller's own."""

from __future__ import annotations

import pytest

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS, OWNABLE, check_operator

EVERY = [(kind, name) for kind, names in OPERATORS.items() for name in names]


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_settings_take_every_operator(kind: str, name: str) -> None:
    assert check_operator(kind, name) == name
    assert getattr(EvolutionSettings(**{kind: name}), kind) == name


@pytest.mark.parametrize("kind", OPERATORS)
def test_the_default_is_one_of_them(kind: str) -> None:
    assert EvolutionSettings.model_fields[kind].default in OPERATORS[kind]


@pytest.mark.parametrize("kind", OPERATORS)
def test_what_is_none_is_told_with_those_there_are(kind: str) -> None:
    words = f"no such {kind.replace('_', ' ')}; there are {', '.join(OPERATORS[kind])}"
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        check_operator(kind, "magic")
    if kind in OWNABLE:
        assert check_operator(kind, "own:mine") == "own:mine"
    else:
        with pytest.raises(ValueError, match="no such"):
            check_operator(kind, "own:mine")
