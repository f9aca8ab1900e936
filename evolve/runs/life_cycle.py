"""How a run starts and resumes in its folder: for commands, Python calls and studies alike."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from evolve import __version__
from evolve.agents.registry import programs_in
from evolve.config.toml import config_text, read_toml, resolve_as
from evolve.errors import RunError, SettingsError
from evolve.files.atomic import write_text
from evolve.files.changes import remove_folder
from evolve.runs import run_folder
from evolve.runs.agreements import agree, disagree, not_agreed
from evolve.runs.run_type import RunType, Variant
from evolve.runs.run_types import check_links
from evolve.runs.study_spec import StudySpec
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE

RUNS: Final = Path("runs")
"""The default folder of runs; the only parent folder that a new run makes if it is missing."""


def _versions_of(kind: RunType, command: str) -> dict[str, str]:
    """The versions that the results of a command depend on."""
    packages = (*kind.packages, "torch") if kind.commands[command].learns else kind.packages
    return {
        "evolve": __version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def _config_of(kind: RunType, command: str, settings: BaseModel) -> str:
    """The text of a run's config.toml: settings, and the versions that its results depend on."""
    return config_text(settings, _versions_of(kind, command), command)


def write_study(folder: Path, design: StudySpec) -> None:
    """Write study.toml: the design, the versions that its results depend on, and the machine."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    versions = {**_versions_of(design.kind, design.command), "machine": machine}
    write_text(folder / STUDY_FILE, design.text(versions))


def variant_of(kind: RunType, word: str) -> Variant:
    """What a call's first argument chooses; raises SettingsError, or ExtraError without PyTorch."""
    if word not in kind.variants:
        raise SettingsError(f"kind: {word!r} is unknown; there are {', '.join(kind.variants)}")
    kind.variants[word].need_extras()
    return kind.variants[word]


def stored_settings(
    kind: RunType, command: str, file: Path, changes: Mapping[str, Any] | None = None
) -> Any:
    """The settings in a run's config.toml, with changes."""
    # Without presets: the file has all settings.
    model, values, changes = kind.commands[command].model(), read_toml(file), changes or {}
    word = {"kind": kind.word(command)} if "kind" in model.model_fields else {}
    if "games" in changes and "trials" not in changes:
        values.pop("trials", None)  # they were as many as the games allowed
    return resolve_as(model, {}, {**word, **changes}, values, str(file))


_Undoing = Callable[[Path, BaseException], AbstractContextManager[None]]
"""Surrounds the removal of a folder after an error."""


class Work:
    """What does the work of a run in its locked folder."""

    def __init__(self, folder: Path, settings: Any, jobs: int) -> None:
        self.folder, self.settings, self.jobs = folder, settings, jobs

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do."""
        return False

    def restore(self) -> None:
        """Restore the state after the last step that the folder has."""


@dataclass(frozen=True)
class Begun:
    """A run in its locked folder; before: its settings so far, None of a new one."""

    kind: RunType
    command: str
    folder: Path
    settings: Any
    before: Any = None

    def restore(self, work: Work) -> bool:
        """Restore the work of a run that is resumed; return whether any is left.

        Its settings are stored then, so that an interrupted run keeps its new end.
        """
        if self.before is None:
            return True
        work.restore()
        if not work.is_over:
            self.store()
        return not work.is_over

    def store(self) -> None:
        """Store the settings of a run that is resumed, where they have changed."""
        if self.before not in (None, self.settings):
            write_text(
                self.folder / CONFIG_FILE, _config_of(self.kind, self.command, self.settings)
            )


@contextmanager
def begun(
    kind: RunType,
    command: str,
    folder: str | Path | None,
    settings: Any,
    jobs: int,
    undoing: _Undoing = lambda folder, reason: nullcontext(),
) -> Iterator[Begun]:
    """Begin a run in a new folder: the given one, or the next runs/STEM-NNN; see `new_folder`."""
    stem = kind.stem_of(command, settings.rules)
    with new_folder(kind.reading.kept, stem, folder, undoing) as made:
        settings = _with_workers(kind, settings, jobs)
        agree_to_programs(made, settings)
        run_folder.create(made, _config_of(kind, command, settings), kind.parts)
        yield Begun(kind, command, made, settings)


@contextmanager
def resumed(
    kind: RunType, command: str, folder: Path, settings_of: Callable[[Any], Any], jobs: int
) -> Iterator[Begun]:
    """Resume the run in a folder, with the settings that `settings_of` returns for its own."""
    check_links(folder)
    with run_folder.locked(folder):
        before = stored_settings(kind, command, folder / CONFIG_FILE)
        settings = _with_workers(kind, settings_of(before), jobs, before)
        run_folder.sweep_orphans(folder, kind.parts)
        yield Begun(kind, command, folder, settings, before)


def _with_workers(kind: RunType, settings: Any, jobs: int, before: Any = None) -> Any:
    """The settings with a number of workers, where results depend on it: by default as before."""
    if not kind.workers:
        return settings
    stored = None if before is None else before.jobs
    return settings.model_copy(update={"jobs": settings.jobs or stored or jobs})


def opened(
    kind: RunType, command: str, folder: Path, settings: Any
) -> AbstractContextManager[Begun]:
    """Begin a run in a folder, or resume the one that is there.

    Raises RunError where it has a run whose settings differ in more than when it ends.
    """

    def same(before: Any) -> Any:
        check_same(folder, settings.identity, before.identity)
        return settings

    if (folder / CONFIG_FILE).exists():
        return resumed(kind, command, folder, same, 1)
    return begun(kind, command, folder, settings, 1)


def check_same(folder: Path, requested: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Raise RunError if stored settings, without those of its end, are not the requested ones."""
    faults = [
        f"{key} was {stored.get(key)}, not {requested.get(key)}"
        for key in {**requested, **stored}
        if stored.get(key) != requested.get(key)
    ]
    if faults:
        raise RunError(f"{folder} is a run with other settings: {', '.join(faults)}")


@contextmanager
def new_folder(
    kept: Callable[[Path], int],
    stem: str,
    requested: str | Path | None,
    undoing: _Undoing = lambda folder, reason: nullcontext(),
) -> Iterator[Path]:
    """Make and lock the folder of a new run: the requested one, or the next runs/STEM-NNN.

    kept(folder) says how much would be lost with the folder. If the block fails while that is 0,
    the folder is undone, because it would be in the way. Raises RunError if the requested folder is
    taken, or its parent folder is missing.
    """
    made_runs = not RUNS.exists()
    folder, made = run_folder.claimed(RUNS, stem, requested)
    with run_folder.locked(folder):
        try:
            yield folder
        except BaseException as reason:
            if kept(folder) == 0:
                with undoing(folder, reason):
                    run_folder.discard(folder, made)
                    if made_runs and RUNS.is_dir() and not any(RUNS.iterdir()):
                        remove_folder(RUNS)
            raise


def agree_to_programs(folder: Path, *settings: BaseModel) -> None:
    """Record that this user starts a run with the programs of its settings.

    For a study, record those of all its runs. Call this before writing config.toml, or a run killed
    between the two could not be resumed. Where that fails, warn that `evolve resume` will ask.
    """
    programs = _programs(settings)
    try:
        if not programs:  # drop the record of one that was killed here before its config.toml
            disagree(folder)
            return
        agree(folder, programs)
    except OSError as error:
        warnings.warn(
            f"it cannot be recorded that you started {folder} ({error.strerror}): "
            "evolve resume will want --allow-programs",
            RuntimeWarning,
            stacklevel=2,
        )


def check_programs(file: Path, folder: Path, *settings: BaseModel, allowed: bool) -> None:
    """Raise RunError if a run or a study names programs that this user has not agreed to.

    file: has the settings; those of a study are those of all its runs. allowed: agrees to them.
    """
    unknown = not_agreed(folder, _programs(settings))
    if unknown and not allowed:
        raise RunError(
            f"{file} names programs that you did not start in this folder: "
            f"{', '.join(unknown)}; if you trust them, add --allow-programs"
        )
    if unknown:
        agree_to_programs(folder, *settings)


def _programs(all_settings: Sequence[BaseModel]) -> list[str]:
    return list(dict.fromkeys(name for settings in all_settings for name in programs_in(settings)))
