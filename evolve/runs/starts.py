"""How a run begins or goes on where a Python call made it, and what its config.toml says."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import BaseModel

from evolve.config.toml import config_text, read_toml, rules_of_defaults
from evolve.errors import RunError, SettingsError
from evolve.extras import need
from evolve.runs import run_folder as store
from evolve.runs.agreements import agree
from evolve.runs.run_type import RunType, Variant
from evolve.tables.paths import CONFIG_FILE
from evolve.version import __version__

RUNS: Final = "runs"
"""The only parent folder that a new run creates if it is missing, as the commands do."""


class _Identified(Protocol):
    @property
    def identity(self) -> dict[str, Any]:
        """The settings that results depend on."""


def versions_of(kind: RunType, command: str) -> dict[str, str]:
    """The versions that the results of a command depend on."""
    packages = (*kind.packages, "torch") if kind.commands[command].learns else kind.packages
    return {
        "evolve": __version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def config_of(kind: RunType, command: str, settings: BaseModel) -> str:
    """The text of a run's config.toml: settings, and the versions that its results depend on."""
    return config_text(settings, versions_of(kind, command), command)


def need_extras(variant: Variant) -> None:
    """Raise ExtraError if the variant needs PyTorch and it is not installed."""
    if variant.learns:
        need("torch")


def variant_of(kind: RunType, word: str) -> Variant:
    """What a call's first argument chooses; raises SettingsError, or ExtraError without PyTorch."""
    if word not in kind.variants:
        raise SettingsError(f"kind: {word!r} is unknown; there are {', '.join(kind.variants)}")
    need_extras(kind.variants[word])
    return kind.variants[word]


def settings_below(folder: Path) -> dict[str, Any]:
    """The settings that a call's own override: the rules of its run, or those of the user.

    A run that was begun keeps its rules, whatever is usual now.
    """
    if not (folder / CONFIG_FILE).exists():
        return rules_of_defaults()
    kept = read_toml(folder / CONFIG_FILE)
    return {"rules": kept["rules"]} if "rules" in kept else {}


@contextmanager
def opened(folder: Path, stem: str) -> Iterator[tuple[Path, bool]]:
    """Give the locked folder of a call's run, and whether it is new.

    A run that fails before its config.toml leaves no folder behind. Raises RunError where the
    folder is taken, in use, or its parent folder is missing.
    """
    begun, made = (folder / CONFIG_FILE).exists(), False
    if not begun:
        folder, made = store.claimed(Path(RUNS), stem, folder)
    with store.locked(folder):
        try:
            yield folder, not begun
        except BaseException:
            if not begun and not (folder / CONFIG_FILE).exists():
                store.discard(folder, made)
            raise


def check_same(folder: Path, asked: _Identified, there: _Identified) -> None:
    """Raise RunError if a run differs from the requested settings in more than when it ends."""
    new, old = asked.identity, there.identity
    faults = [
        f"{key} was {old.get(key)}, not {new.get(key)}"
        for key in {**new, **old}
        if old.get(key) != new.get(key)
    ]
    if faults:
        raise RunError(f"{folder} is a run with other settings: {', '.join(faults)}")


def agree_to(folder: Path, things: Iterable[str]) -> None:
    """Record that this user started these programs here, so that `evolve resume` may run them.

    Where it cannot be recorded, `evolve resume` asks.
    """
    named: Mapping[str, None] = dict.fromkeys(things)
    if named:
        with suppress(OSError):
            agree(folder, named)
