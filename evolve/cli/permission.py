"""Programs and storages that a run's settings name, and whether the user agreed to them."""

from __future__ import annotations

import warnings
from pathlib import Path

from pydantic import BaseModel

from evolve.agents.registry import programs_in
from evolve.errors import RunError
from evolve.files.changes import remove
from evolve.files.folder import FolderPath
from evolve.runs.run_folder import agree, not_agreed
from evolve.tables.paths import CONFIG_FILE, OWNER_FILE, STUDY_FILE


def agree_to_programs(folder: FolderPath, *settings: BaseModel) -> None:
    """Record that this user starts a run with the programs and the storage of its settings.

    For a study, record those of all its runs. Call this before writing config.toml, which makes a
    folder a run: a run killed between the two could otherwise not be resumed like others. If the
    record cannot be written, warn that `evolve resume` will ask.
    """
    things = list(dict.fromkeys(thing for one in settings for thing in _things(one)))
    try:
        if not things:  # drop the record of one that was killed here before its config.toml
            remove(folder / OWNER_FILE, missing_ok=True)
            return
        agree(folder, things)
    except OSError as error:
        warnings.warn(
            f"it cannot be recorded that you started {folder} ({error.strerror}): "
            "evolve resume will want --allow-programs",
            RuntimeWarning,
            stacklevel=2,
        )


def check_programs(
    folder: FolderPath, settings: BaseModel, *, allowed: bool, storage: bool
) -> None:
    """Raise RunError if a folder names programs or a storage that this user has not agreed to.

    `allowed` agrees to the programs; `storage` says that the user gave the storage.
    """
    strange = not_agreed(folder, _things(settings))
    config, place = folder / CONFIG_FILE, getattr(settings, "storage", None)
    _refuse([one for one in strange if one != place], config, allowed)
    if place in strange and not storage:
        raise RunError(
            f"{config} names a storage that you did not start a study in from this folder; where "
            f"you know it, add --storage {place}"
        )
    if strange:
        agree_to_programs(folder, settings)


def check_programs_of_study(folder: FolderPath, *settings: BaseModel, allowed: bool) -> None:
    """The same for a study, with the settings of all its runs."""
    strange = [one for each in settings for one in not_agreed(folder, _things(each))]
    _refuse(list(dict.fromkeys(strange)), folder / STUDY_FILE, allowed)
    if strange:
        agree_to_programs(folder, *settings)


def _refuse(programs: list[str], file: Path, allowed: bool) -> None:
    if programs and not allowed:
        raise RunError(
            f"{file} names programs that you did not start in this folder: "
            f"{', '.join(programs)}; where you know them, add --allow-programs"
        )


def _things(settings: BaseModel) -> list[str]:
    place = getattr(settings, "storage", None)
    return programs_in(settings) + ([] if place is None else [place])
