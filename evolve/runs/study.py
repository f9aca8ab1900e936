"""Read a study's folder: the tables of its runs as one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.errors import LinkError, RunError, SettingsError
from evolve.files.folder import FolderPath, inside
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE
from evolve.runs.run import Run, folders_of_runs, is_run
from evolve.runs.study_spec import Member, StudySpec, read_study_spec

if TYPE_CHECKING:
    import pandas as pd


class Study:
    """The runs of a study, and their tables with columns that identify each row's run.

    individuals, games, generations, trials and metrics are the tables of every `Run`, one below the
    other. In front are the columns `setting` (its name), one for each field in which settings
    differ, and `seed`. Raises RunError for a folder that is not a study, SettingsError where its
    study.toml is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = inside(path)
        if not is_study(self.path):
            raise RunError(f"{path} is not a study: it has no {STUDY_FILE}")
        self.design: StudySpec = read_study_spec(self.path / STUDY_FILE)

    def __repr__(self) -> str:
        return f"Study({str(self.path)!r}, runs={len(self.runs)})"

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """All runs of the study, including those that have not begun."""
        return tuple(self.design.members)

    def folder_of(self, member: Member) -> FolderPath:
        """The folder of one of its runs, which may not exist yet."""
        return self.path / member.name

    @property
    def runs(self) -> dict[Member, Run]:
        """The runs that have begun."""
        return {
            member: Run(self.folder_of(member))
            for member in self.members
            if (self.folder_of(member) / CONFIG_FILE).is_file()
        }

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that its runs have, the most informative first."""
        return tuple(dict.fromkeys(name for run in self.runs.values() for name in run.tables))

    def table(self, name: str, generation: int | None = None) -> pd.DataFrame:
        """A table of all its runs by name, or only the rows of one generation.

        Skips runs without that generation. Raises RunError when such runs have no table of that
        name.
        """
        import pandas as pd  # not above: see Run

        table = self.design.kind.table(name)
        if table is None:
            known = ", ".join(one.name for one in self.design.kind.tables)
            raise RunError(f"{self.path} is of `evolve {self.design.command}`: it has {known}")
        frames = []
        for member, run in self.runs.items():
            there = generation is None or 0 <= generation < run.generation_count
            if name in run.tables and there:
                frames.append(self.marked(member, run.table(name, generation)))
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def marked(self, member: Member, frame: pd.DataFrame) -> pd.DataFrame:
        """A run's table, with the columns that identify the run in front."""
        import pandas as pd

        marks: dict[str, Any] = {"setting": member.setting.name}
        for field, value in member.setting.varied.items():
            # A sweep's parameter may have the name of a setting.
            marks[field if field not in frame.columns else f"setting.{field}"] = value
        marks["seed" if "seed" not in frame.columns else "setting.seed"] = member.seed
        columns = {
            name: pd.Series([value] * len(frame), index=frame.index, dtype=_type_of(value))
            for name, value in marks.items()
        }
        return pd.concat([pd.DataFrame(columns, index=frame.index), frame], axis=1)

    @cached_property
    def individuals(self) -> pd.DataFrame:
        """Every individual of every generation of every run."""
        return self.table("individuals")

    @cached_property
    def games(self) -> pd.DataFrame:
        """Every game of every run."""
        return self.table("games")

    @cached_property
    def generations(self) -> pd.DataFrame:
        """A row a generation of every run."""
        return self.table("generations")

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The trials of its sweeps."""
        return self.table("trials")

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """The checks of its trainings."""
        return self.table("metrics")


def is_study(path: FolderPath) -> bool:
    """Whether a folder is a study's."""
    return (path / STUDY_FILE).is_file()


def list_all(
    parent: str | Path, refused: Callable[[FolderPath, LinkError], None]
) -> list[Run | Study]:
    """All runs and studies in a folder, by name; raises RunError when it is not a folder.

    Studies with a damaged study.toml are left out; opening one reports what is wrong. Links, and
    folders that a link makes a run, are left out too, and passed to `refused`.
    """
    found: list[Run | Study] = []
    for path in folders_of_runs(parent):
        try:
            if is_run(path):
                found.append(Run(path))
            if is_study(path):
                with suppress(SettingsError):
                    found.append(Study(path))
        except LinkError as error:
            refused(path, error)
    return found


def load_run(path: str | Path) -> Run | Study:
    """The run or study in a folder; raises RunError when it is neither."""
    return Study(path) if is_study(inside(path)) else Run(path)


def _type_of(value: Any) -> Any:
    return None if isinstance(value, (int, float)) else object
