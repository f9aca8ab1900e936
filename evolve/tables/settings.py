"""Check a run's config.toml, for lists of many runs: whether its values have the right types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from evolve.config.toml import faults, merged
from evolve.errors import RunError
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.run import Run

_ALWAYS: Final = ("rules", "seed")
"""Settings that every version writes for every kind of run."""
_NOT_SETTINGS: Final = ("command", "versions")
_MOST: Final = 5
"""Most wrong values that a message names."""


def check_config(run: Run) -> None:
    """Raise RunError where config.toml is damaged: missing, empty, or with a value of a wrong type.

    Unknown settings and contradictions, such as from another version, are no damage: the tables of
    such a run are still valid. `evolve resume` checks more.
    """
    file, config, kind = run.path / CONFIG_FILE, run.config, run.kind
    missing = [name for name in _ALWAYS if name not in config]
    if missing:
        raise RunError(f"{file} is damaged: it has no {', '.join(missing)}")
    if not isinstance(config.get("versions", {}), Mapping):
        raise RunError(f"{file} is damaged: versions = {config['versions']!r} is not a table")
    model = kind.commands[run.command].model()
    given: dict[str, Any] = {key: one for key, one in config.items() if key not in _NOT_SETTINGS}
    if "kind" in model.model_fields:
        given["kind"] = kind.word(run.command)
    presets = kind.commands[run.command].all_presets()
    try:
        model.model_validate(merged(presets, {}, given))
    except ValidationError as error:
        unknown = {detail["loc"] for detail in error.errors() if detail["type"] == _UNKNOWN}
        wrong = [
            fault.text for fault in faults(error) if fault.place and fault.place not in unknown
        ]
        if wrong:
            raise RunError(f"{file} is damaged: {'; '.join(wrong[:_MOST])}") from error


_UNKNOWN: Final = "extra_forbidden"
