"""Settings from presets, TOML files and options; an error names every wrong field at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
from pydantic import BaseModel, ValidationError

from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.errors import OptionsError, SettingsError, reason_of
from evolve.parsing import faults, laid_over, parse_toml, read_document

_M = TypeVar("_M", bound=BaseModel)
Presets = Mapping[str, Mapping[str, Any]]


def read_toml(path: Path, but: Collection[str] = ("versions", "command")) -> dict[str, Any]:
    """The settings in a TOML file without the keys in `but`, unchecked; raises SettingsError.

    By default without those of a config.toml that describe how the run was made.
    """
    try:
        values = parse_toml(read_document(path))
    except OSError as error:
        raise SettingsError(reason_of(error, path)) from error
    except ValueError as error:
        raise SettingsError(f"{path} is not a TOML file: {error}") from error
    versions = values.get("versions")
    if isinstance(versions, dict) and str(versions.get("evolve")).startswith("0.1."):
        raise SettingsError(f"{path}: made by a version before 0.2")
    return {key: value for key, value in values.items() if key not in but}


def resolve(
    options: Mapping[str, Any], file: Mapping[str, Any] | None = None, source: str = "file"
) -> EvolutionSettings:
    """Settings from a preset, changed by a file's values, then by options.

    Dictionaries (bounds, fix) are merged gene by gene. Raises SettingsError with every wrong field
    and its value, those of the file under its name `source`; OptionsError when options are wrong.
    """
    settings = resolve_as(EvolutionSettings, PRESETS, options, file, source)
    # Only for options: presets and a run's config.toml also have ranges of terms that are off.
    off = [gene for gene in options.get("bounds", {}) if settings.is_off(gene)]
    if off:
        faults_of_terms = (f"bounds.{gene}: the term is not among the terms in use" for gene in off)
        raise OptionsError("; ".join(faults_of_terms))
    return settings


def resolve_as(
    model: type[_M],
    presets: Presets,
    options: Mapping[str, Any],
    file: Mapping[str, Any] | None = None,
    source: str = "file",
) -> _M:
    """Like `resolve`, for any model; the first of its presets, if any, is the default."""
    file = file or {}
    try:
        return model.model_validate(merged(presets, options, file))
    except ValidationError as error:
        of_file: list[str] = []
        of_options: list[str] = []
        for fault in faults(error, model):
            field = str(fault.keys[0]) if fault.keys else None
            blamed = of_file if field in file and field not in options else of_options
            # A contradiction names no field: without options, the file is at fault.
            (blamed if field is not None or options else of_file).append(fault.text)
        messages = ([f"{source}: " + "; ".join(of_file)] if of_file else []) + of_options
        kind = OptionsError if of_options else SettingsError
        raise kind("; ".join(messages)) from error


def merged(presets: Presets, options: Mapping[str, Any], file: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a preset, changed by a file's, then by options; unchecked."""
    if not presets:
        return laid_over(file, options)
    preset = options.get("preset", file.get("preset", next(iter(presets))))
    return laid_over({"preset": preset}, presets.get(str(preset), {}), file, options)


def config_text(settings: BaseModel, versions: Mapping[str, str], command: str = "run") -> str:
    """The text of a run's config.toml; `resolve` reads it back to the same settings.

    SettingsError for a character that is none, as in a file name of another encoding.
    """
    values = settings.model_dump(mode="json", exclude_none=True)
    text = tomli_w.dumps({"command": command, **values, "versions": dict(versions)})
    try:
        text.encode()
    except UnicodeEncodeError as error:
        name = text[: error.start].rpartition("\n")[2].partition("=")[0].strip()
        raise SettingsError(f"{name}: it has a character that no text file can hold") from error
    return text
