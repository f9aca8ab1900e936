"""Settings of a sweep of a program's parameters."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.sweep import SweepSettings


def settings(**changes: object) -> ProgramSweepSettings:
    return ProgramSweepSettings.model_validate({"program": "gtp:./engine {x:1:9}", **changes})


def test_it_is_a_sweep_with_a_program() -> None:
    assert issubclass(ProgramSweepSettings, SweepSettings)
    assert settings().objective == "self"
    with pytest.raises(ValidationError, match="program"):
        ProgramSweepSettings.model_validate({})


def test_what_clients_of_a_service_may_not_set_are_fields() -> None:
    """They become words and files of the program."""
    assert set(ProgramSweepSettings.OF_OWNER) <= {*ProgramSweepSettings.model_fields}


@pytest.mark.parametrize(("field", "value"), [("pairs", 1), ("objective", "elsewhere")])
def test_values_that_cannot_be(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        settings(**{field: value})
