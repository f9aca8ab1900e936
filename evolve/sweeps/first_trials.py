"""Settings that a sweep tries first: those of a file, or the best ones of an earlier sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from evolve.config.toml import read_toml
from evolve.errors import SettingsError, reason_of
from evolve.parsing import parse_json, read_document
from evolve.sweeps.space import Space
from evolve.tables.columns import rows_with
from evolve.tables.paths import BEST_FILE, TRIALS_FILE
from evolve.tables.trials import TRIALS_COLUMNS, read_final, read_trials

START: Final = "start"
"""Origin of the trials with such settings."""
_MOST: Final = 10
"""Most settings of an earlier sweep."""
_LISTS: Final = ("settings", "parameters")
"""Keys of a file under which its settings may stand."""


def settings_to_try(
    source: str, space: Space, defaults: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return the settings of a file or an earlier sweep that fit a space, best first.

    Parameters that they do not name have their defaults; parameters that the space does not have
    are left out, and so are settings outside of its ranges and those that break a requirement.
    Raises SettingsError where none is left, and says why.
    """
    path = Path(source)
    settings = _of_sweep(path) if path.is_dir() else _of_file(path)
    fitting: list[dict[str, Any]] = []
    why = "it has no settings"
    for given in settings:
        values, fault = _fitted(given, space, defaults)
        if fault is not None:
            why = fault
        elif values == defaults:
            why = "it has only the defaults"
        elif values not in fitting:
            fitting.append(values)
    if not fitting:
        raise SettingsError(f"start_from: nothing in {source} can be tried here: {why}")
    return fitting[:_MOST]


def _fitted(
    given: Mapping[str, Any], space: Space, defaults: Mapping[str, Any] | None
) -> tuple[dict[str, Any], str | None]:
    """Return settings of the space, or why these do not fit."""
    if not any(name in given for name in space.names):
        return {}, f"it names none of the parameters {', '.join(space.names)}"
    values: dict[str, Any] = {}
    for parameter in space.parameters:
        value = given.get(parameter.name, (defaults or {}).get(parameter.name))
        taken = parameter.taken(value)
        if taken is None:
            return {}, f"{parameter.name} = {value!r} is not in {parameter.range_text}"
        values[parameter.name] = taken
    broken = space.broken(values)
    return values, f"they break {broken[0]!r}" if broken else None


def _of_sweep(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The settings of a sweep's complete trials: the final's winner first, then by their scores."""
    table = read_trials(folder)
    if table is None:
        raise SettingsError(
            f"start_from: {folder} is not a sweep with trials: it lacks {TRIALS_FILE}"
        )
    final = read_final(folder)
    winner = None if final is None else final.winner
    rows = rows_with(table, "state", "COMPLETE").to_pylist()
    rows.sort(key=lambda row: (row["number"] != winner, -(row["score"] or 0.0), row["number"]))
    for row in rows:
        yield {name: value for name, value in row.items() if name not in TRIALS_COLUMNS.names}


def _of_file(path: Path) -> list[Mapping[str, Any]]:
    """The settings of a TOML or JSON file: one, or a list of them."""
    try:
        document = (
            read_toml(path, ()) if path.suffix == ".toml" else parse_json(read_document(path))
        )
    except OSError as error:
        raise SettingsError(f"start_from: {reason_of(error, path)}") from error
    except ValueError as error:
        if isinstance(error, SettingsError):
            raise
        raise SettingsError(
            f"start_from: {path} is not a file of settings, such as a sweep's {BEST_FILE}: {error}"
        ) from error
    if isinstance(document, Mapping):
        document = next((document[key] for key in _LISTS if key in document), document)
    listed = document if isinstance(document, list) else [document]
    if not all(isinstance(settings, Mapping) for settings in listed):
        raise SettingsError(f"start_from: {path} must have settings as NAME and value, or a list")
    return listed
