"""Every model of settings: explained, without numbers that are not finite, and what is gone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from evolve.config.base import Named, Settings, form_of_model
from evolve.config.learning import MctsSettings
from evolve.config.toml import read_toml, resolve
from evolve.errors import EvolveError, SettingsError
from evolve.parsing import faults
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
    if model.__module__.startswith("evolve.config"):
        bare = {name for name, field in model.model_fields.items() if not field.description}
        assert bare <= {"kind"}


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
    taken = []
    for field in model.model_fields:
        for number in INFINITE:
            for odd in (number, [number], (number, number), {"x": number}, {"x": [number]}):
                with suppress(ValidationError):
                    found = model.model_validate({**BASES.get(command, {}), field: odd})
                    taken += [(field, odd)] * (not finite(found.model_dump()))
    assert not taken


@pytest.mark.parametrize("command", sorted(models()))
def test_no_number_is_a_truth(command: str) -> None:
    form = form_of_model(models()[command])
    given = {field.name: True for field in form if field.type in ("int", "float")}
    with pytest.raises(ValidationError) as found:
        models()[command].model_validate({**BASES.get(command, {}), **given})
    assert [one["loc"] for one in found.value.errors()] == [(name,) for name in given]


def test_names_are_what_a_face_makes_of_them_and_faults_have_their_places() -> None:
    def face(named: Named, text: str) -> str:
        if text == "gtp:sh":
            raise ValueError("not here")
        return f"runs/{text}"

    settings = {"opponents": {"self": 1, "a": 0.5}, "accept_against": "a"}
    found = MctsSettings.model_validate(settings, context=face)
    assert (found.opponents, found.accept_against) == ({"self": 1.0, "runs/a": 0.5}, ("runs/a",))
    wrong = {"opponents": {"gtp:sh": 1}, "accept_against": ["a", "gtp:sh"]}
    with pytest.raises(ValidationError) as refused:
        MctsSettings.model_validate(wrong, context=face)
    places = [fault.keys for fault in faults(refused.value)]
    assert places == [("opponents", "gtp:sh"), ("accept_against", 1)]


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


def test_a_folder_of_a_version_before_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('seed = 1\nislands = 4\n[versions]\nevolve = "0.1.0"\n')
    with pytest.raises(SettingsError, match="made by a version before"):
        read_toml(file)
    file.write_text('seed = 1\n[versions]\nevolve = "0.2.0"\n')
    assert read_toml(file) == {"seed": 1}
