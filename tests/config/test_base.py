"""Every model of settings: explained, without numbers that are not finite, and what is gone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ValidationError

from evolve.config.base import Settings
from evolve.config.toml import read_toml, resolve, resolve_as
from evolve.errors import EvolveError, SettingsError
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import StudySpec
from evolve.service.forms import forms
from tests.cli import misused
from tests.service.test_values import BASES, INFINITE


def models() -> dict[str, type[BaseModel]]:
    """Every settings model of a command, by it."""
    of_kinds = {
        kind.command(word): variant.model()
        for kind in RUN_TYPES
        for word, variant in kind.variants.items()
        if not variant.runs
    }
    return of_kinds | {name: form.model for name, form in forms().items()}


def _unbounded(schema: Any, path: str = "") -> list[str]:
    """Where a schema has a number with no bound below or none above."""
    if isinstance(schema, list):
        return [found for n, part in enumerate(schema) for found in _unbounded(part, f"{path}/{n}")]
    if not isinstance(schema, dict):
        return []
    ends = ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"})
    number = schema.get("type") in ("integer", "number")
    faulty = number and not all(schema.keys() & end for end in ends)
    within = (found for key, part in schema.items() for found in _unbounded(part, f"{path}/{key}"))
    return [path, *within] if faulty else [*within]


@pytest.mark.parametrize("command", sorted(models()))
def test_every_number_has_bounds(command: str) -> None:
    schema = models()[command].model_json_schema()
    assert "integer" in str(schema)
    assert _unbounded(schema) == []


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--jobs"),
        ("run", "--move-budget"),
        ("run", "--panel-openings"),
        ("run", "--fix", "mobility="),
        ("run", "--bounds", "mobility=0:"),
        ("train", "mcts", "--opponents", "swh="),
        ("resume", "nowhere", "--generations"),
        ("resume", "nowhere", "--jobs"),
        ("show", "nowhere", "--top"),
        ("match", "swh", "swh", "--jobs"),
        ("compare", "nowhere", "--games"),
    ],
)
def test_huge_numbers_are_wrong_usage(words: tuple[str, ...]) -> None:
    option, name = words[-2:] if words[-1].endswith(("=", ":")) else (words[-1], "")
    huge = f"{option}={name}{10**17}"
    rest = words[:-2] if name else words[:-1]
    assert option.strip("-").replace("-", "_") in misused(*rest, huge).replace("-", "_")


@pytest.mark.parametrize("command", sorted(models()))
def test_every_field_has_a_line_of_documentation(command: str) -> None:
    model = models()[command]
    for name, field in model.model_fields.items():
        own = model.__module__.startswith("evolve.config")
        assert field.description or name == "kind" or not own, name


def finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(finite, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.parametrize("command", sorted(models()))
def test_no_settings_model_takes_a_number_that_is_not_finite(command: str) -> None:
    model = models()[command]
    assert issubclass(model, Settings)
    for field in model.model_fields:
        for number in INFINITE:
            for odd in (number, [number], (number, number), {"x": number}, {"x": [number]}):
                try:
                    found = model.model_validate({**BASES.get(command, {}), field: odd})
                except ValidationError:
                    continue
                assert finite(found.model_dump()), (field, odd)


def test_a_study_takes_none_either() -> None:
    right = {"command": "run", "seeds": [0]}
    StudySpec.model_validate(right)
    for more in (
        {"settings": {"time_limit": math.inf}},
        {"grid": {"time_limit": [1.0, math.nan]}},
        {"variants": {"a": {"time_limit": math.inf}}},
    ):
        with pytest.raises(ValidationError):
            StudySpec.model_validate({**right, **more})


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_file_of_settings_with_such_a_number(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"time_limit = {text}\npopulation = {text}\n")
    with pytest.raises(EvolveError) as told:
        resolve({}, read_toml(file), str(file))
    assert isinstance(told.value, SettingsError)
    assert "time_limit" in str(told.value)
    assert "population" in str(told.value)


class Reduced(Settings):
    """A model that has lost a setting, a value and a setting without effect."""

    REMOVED: ClassVar = {
        "size": "there is one size; leave it out",
        "way=old": "use new",
        "note": None,
    }

    way: str = "new"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"size": 3}, "old.toml: size = 3: there is one size; leave it out"),
        ({"way": "old"}, "old.toml: way = 'old': use new"),
        ({"size": 3, "note": 1, "way": "old"}, "old.toml: size = 3: there .*; way = 'old': use"),
    ],
)
def test_a_removed_setting_is_one_clear_line(values: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        resolve_as(Reduced, {}, {}, values, "old.toml")
    assert resolve_as(Reduced, {}, {}, {"note": 1, "way": "other"}) == Reduced(way="other")
