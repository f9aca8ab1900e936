"""The default rules of a project or a user, for all commands.

`EVOLVE_RULES` sets them, or `rules = "standard"` in an `evolve.toml`: that of the current folder,
else that of the user's settings folder (`EVOLVE_CONFIG_DIR` moves it). They apply to new work
without rules of its own: a command's option, its `--config`, agents and the content of a folder
come first.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import platformdirs

from evolve.config.base import Settings
from evolve.config.toml import read_toml, resolve_as
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.errors import SettingsError

FILE: Final = "evolve.toml"
VARIABLE: Final = "EVOLVE_RULES"


class _Defaults(Settings):
    """What the file may set."""

    rules: Rules | None = None


def default_rules() -> Rules | None:
    """The rules of this project or user; None where nothing sets any.

    Raises SettingsError for a wrong value.
    """
    asked = os.environ.get(VARIABLE)
    if asked:
        found = next((rules for rules in RULE_SETS if rules == asked), None)
        if found is None:
            raise SettingsError(f"{VARIABLE}={asked!r}: it must be {' or '.join(RULE_SETS)}")
        return found
    for folder in (Path(), _user_folder()):
        rules = _rules_in(folder / FILE)
        if rules is not None:
            return rules
    return None


def rules_of_defaults() -> dict[str, Any]:
    """The default rules as the lowest layer of settings."""
    rules = default_rules()
    return {} if rules is None else {"rules": rules}


def _user_folder() -> Path:
    return Path(os.environ.get("EVOLVE_CONFIG_DIR") or platformdirs.user_config_dir("evolve"))


def _rules_in(path: Path) -> Rules | None:
    if not os.path.lexists(path):
        return None
    if not path.is_file():
        raise SettingsError(f"{path} is not a file: it says by which rules new work plays")
    values = read_toml(path)
    for name in values:
        if name != "rules":
            raise SettingsError(
                f"{path}: {name}: there is no such setting; it says rules alone, and settings of a "
                "command are in a file of another name for --config"
            )
    return resolve_as(_Defaults, {}, {}, values, str(path)).rules
