"""Read the folders of runs and studies: their tables as DataFrames, without a lock."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from evolve.agents.agent_file import read_header
from evolve.errors import LinkError, RunError, SettingsError
from evolve.files.changes import refuse_link
from evolve.fitness.statistics import Estimate
from evolve.parsing import finite_number, parse_toml, read_document
from evolve.runs.folder_view import FolderView, Tables
from evolve.runs.run_type import Change, RunType
from evolve.runs.run_types import champion_of, check_links, kind_of
from evolve.runs.study_spec import Member, StudySpec, read_study_spec
from evolve.tables import paths
from evolve.tables.columns import Columns, rows_with
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.individuals import INDIVIDUALS_COLUMNS, table_metadata
from evolve.tables.parquet import read_table

if TYPE_CHECKING:
    import pandas as pd


class Run(FolderView):
    """The tables of one run, as of their first use.

    individuals, games, generations, trials and metrics are pandas DataFrames; a table that the kind
    of run does not have is empty. `path` is its folder, `setting` its name in a study. Raises
    RunError for a folder that is not a run, or a damaged file, LinkError for links in it. check:
    whether to look for links, which takes 4 ms for a thousand files.
    """

    INNER = (
        *FolderView.INNER, "check_generation", "individuals_table", "games_table",
        "all_games_table", "playoff_table", "metadata",
    )  # fmt: skip
    form: Literal["run"] = "run"

    def __init__(
        self, path: str | Path, *, member: Member | None = None, check: bool = True
    ) -> None:
        self.path, self._member = Path(path), member
        self.setting = None if member is None else member.setting.name
        self._frames: dict[tuple[str, int | None], pd.DataFrame] = {}
        if check:
            check_links(self.path)
        if not (self.path / paths.CONFIG_FILE).is_file():
            known = "no such folder" if not self.path.exists() else "it has no config.toml"
            if self.path.is_file():
                known = "it is a file"
            if (self.path / paths.STUDY_FILE).is_file():
                known = "it is a study; name one of the runs in it"
            raise RunError(f"{path} is not a run: {known}")

    def __repr__(self) -> str:
        done = ""
        with suppress(RunError):  # a damaged run has a name, too
            done = f", {self.kind.unit}={self.kind.reading.progress(self).done}"
        return f"Run({str(self.path)!r}{done})"

    @property
    def generation_count(self) -> int:
        """Number of complete generations on the disk now."""
        return paths.committed_generations(self.path)

    @cached_property
    def config(self) -> dict[str, Any]:
        """config.toml as it is, unchecked."""
        path = self.path / paths.CONFIG_FILE
        try:
            return parse_toml(read_document(path))
        except OSError as error:
            raise RunError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise RunError(f"{path} is damaged: {error}") from error

    @property
    def seed(self) -> int:
        """The seed of its settings; 0 where they have none."""
        seed = self.config.get("seed") if self._member is None else self._member.seed
        return seed if isinstance(seed, int) else 0

    @property
    def command(self) -> str:
        """The command that made the run, such as `run`, `train dqn` or `sweep mcts`."""
        _ = self.kind  # RunError where the command is unknown
        return str(self.config["command"])

    @property
    def kind(self) -> RunType:
        """Its kind of run; RunError when the command is unknown."""
        return kind_of(self.config.get("command"), self.path / paths.CONFIG_FILE)

    @property
    def elo(self) -> Estimate | None:
        """The champion's Elo on the ladder, with its 95 % interval; None before it is rated."""
        file = champion_of(self.path)
        known = {} if file is None else read_header(file).provenance
        elo, low, high = (finite_number(known.get(name)) for name in ("elo", "elo_low", "elo_high"))
        if elo is None or low is None or high is None:
            return None
        return Estimate(elo, low, high, known.get("elo_games", 0))

    @property
    def changes(self) -> list[Change]:
        """The settings that may change when it resumes."""
        return self.kind.changes_of(self.command)

    @property
    def tables(self) -> Tables:
        """The tables that it has by name, the most informative first."""
        parts = {table.name: self.path / (table.part or "") for table in self.kind.tables}
        # Those whose part is a file, or a folder that is not empty.
        found = [name for name, path in parts.items() if path.is_file() or any(path.glob("*"))]
        return Tables(found, self.table)

    def table(self, name: str, generation: int | None = None) -> pd.DataFrame:
        """One of its kind's tables by name, or its rows of one generation.

        Raises RunError when it has no table of that name, or no such generation.
        """
        if self.kind.table(name) is None:
            raise RunError(
                f"{self.path} is of `evolve {self.command}` and has no {name}; it has "
                + ", ".join(self.tables)
            )
        if generation is not None:
            self.check_generation(generation)
        key = name, generation
        if key not in self._frames:
            read = self.kind.reading.tables[name].read
            table = read(self) if generation is None else read(self, generation)
            self._frames[key] = _frame(table)
        return self._frames[key]

    def generation(self, generation: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Individuals and games of one generation alone."""
        return self.table("individuals", generation), self.table("games", generation)

    def check_generation(self, generation: int) -> None:
        """Raise RunError unless the run has that generation."""
        count = self.generation_count
        if self.kind.table("generations") is None:
            raise RunError(f"{self.path} is of `evolve {self.command}`: it has no generations")
        if not 0 <= generation < count:
            known = f"0 to {count - 1}" if count else "none yet"
            raise RunError(f"{self.path} has no generation {generation}; it has {known}")

    def individuals_table(self, generation: int) -> pa.Table:
        """The individuals file of a generation."""
        return _read(paths.generation_file(self.path, generation), INDIVIDUALS_COLUMNS, generation)

    def games_table(self, generation: int) -> pa.Table:
        """The games file of a generation, without the play-off."""
        return _read(paths.games_file(self.path, generation), GAMES_COLUMNS, generation)

    def all_games_table(self, generation: int | None = None) -> pa.Table:
        """The games of a generation, or of all; of the last one with the play-off.

        RunError without that generation.
        """
        if generation is not None:
            self.check_generation(generation)
        count = self.generation_count
        numbers = range(count) if generation is None else [generation]
        tables = [GAMES_COLUMNS.schema.empty_table()] if not numbers else []
        tables += [self.games_table(number) for number in numbers]
        playoff = self.playoff_table() if generation in (None, count - 1) else None
        return joined(self.path, tables if playoff is None else [*tables, playoff])

    def playoff_table(self) -> pa.Table | None:
        """The games of the play-off; None before it."""
        path = paths.playoff_file(self.path)
        return _read(path, GAMES_COLUMNS) if path.exists() else None

    def metadata(self, generation: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The row of a generation and the checkpoint after it."""
        path = paths.generation_file(self.path, generation)
        row, checkpoint = table_metadata(read_table(path, only=()), path)
        if row.get("generation") != generation:
            raise RunError(f"{path} is of another generation: {row.get('generation')}")
        return row, checkpoint

    def find(self, individual: str) -> dict[str, Any]:
        """The row of an individual in its last generation."""
        born, _, _ = individual.partition("-")
        last: dict[str, Any] | None = None
        count = self.generation_count
        for generation in range(int(born) if re.fullmatch("[0-9]+", born) else count, count):
            table = self.individuals_table(generation)
            rows = rows_with(table, "individual", individual).to_pylist()
            if not rows:
                break
            last = rows[0]
        if last is not None:
            return last
        raise RunError(
            f"{self.path} has no individual {individual!r}; an id is the generation it was born in "
            "and a number, such as 0-12, and `evolve show RUN --table individuals` lists them"
        )


def _read(path: Path, columns: Columns, generation: int | None = None) -> pa.Table:
    """A table of a run, checked to have these columns and to be of that generation."""
    table = read_table(path, columns)
    if generation is not None and set(table["generation"].unique().to_pylist()) - {generation}:
        raise RunError(f"{path} is of another generation than its name says")
    return table


def joined(path: Path, tables: Sequence[pa.Table]) -> pa.Table:
    """The tables of a run's generations as one; RunError where their columns differ."""
    try:
        return pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    except pa.ArrowException as error:
        why = str(error).splitlines()[0]
        raise RunError(f"{path} has generations whose tables differ: {why}") from error


def _frame(table: pa.Table) -> pd.DataFrame:
    import pandas as pd

    frame: pd.DataFrame = table.to_pandas()
    for field in table.schema:
        if pa.types.is_fixed_size_list(field.type) or pa.types.is_list(field.type):
            frame[field.name] = pd.Series(table[field.name].to_pylist(), dtype=object)
    return frame


class Study(FolderView):
    """The runs of a study, and their tables with columns that identify each row's run.

    individuals, games, generations, trials and metrics are the tables of every `Run`, one below the
    other. In front are the columns `setting` (its name), one for each field in which settings
    differ, and `seed`. Raises RunError for a folder that is not a study, SettingsError where its
    study.toml is damaged.
    """

    INNER = (*FolderView.INNER, "design", "folder_of")
    form: Literal["study"] = "study"

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        self.path, self._check = Path(path), check
        if check:
            check_links(self.path)
        if not _is_study(self.path):
            raise RunError(f"{path} is not a study: it has no {paths.STUDY_FILE}")
        self.design: StudySpec = read_study_spec(self.path / paths.STUDY_FILE)

    @property
    def command(self) -> str:
        """The command of its runs."""
        return self.design.command

    @property
    def kind(self) -> RunType:
        """The kind of its runs."""
        return self.design.kind

    def __repr__(self) -> str:
        return f"Study({str(self.path)!r}, runs={len(self.runs)})"

    @property
    def config(self) -> dict[str, Any]:
        """Its design, as study.toml has it."""
        return self.design.model_dump(mode="json", exclude_defaults=True)

    @property
    def changes(self) -> list[Change]:
        """The settings that may change when it resumes."""
        more = Change("seeds", str, "Seeds to add to those it has.")
        return [*self.kind.changes_of(self.command), more]

    def folder_of(self, member: Member) -> Path:
        """The folder of one of its runs, which may not exist yet; LinkError for a link."""
        folder = self.path / member.name
        refuse_link(folder)
        return folder

    @property
    def runs(self) -> list[Run]:
        """The runs that have begun, each with its `setting` and `seed`."""
        return [run for _, run in self._begun()]

    def _begun(self) -> Iterator[tuple[Member, Run]]:
        for member in self.design.members:
            folder = self.folder_of(member)
            if (folder / paths.CONFIG_FILE).is_file():
                yield member, Run(folder, member=member, check=self._check)

    @property
    def tables(self) -> Tables:
        """The tables of its runs by name, the most informative first."""
        names = dict.fromkeys(name for run in self.runs for name in run.tables)
        return Tables(names, self.table)

    def table(self, name: str, generation: int | None = None) -> pd.DataFrame:
        """A table of all its runs by name, or only the rows of one generation.

        Skips runs without that generation. Raises RunError when such runs have no table of that
        name.
        """
        import pandas as pd  # not above: see Run

        table = self.kind.table(name)
        if table is None:
            known = ", ".join(table.name for table in self.kind.tables)
            raise RunError(f"{self.path} is of `evolve {self.command}`: it has {known}")
        frames = []
        for member, run in self._begun():
            has_rows = generation is None or 0 <= generation < run.generation_count
            if name in run.tables and has_rows:
                frame = run.table(name, generation)
                varied = {**member.setting.varied, "seed": member.seed}
                marked = frame.copy()
                for key, value in reversed([("setting", member.setting.name), *varied.items()]):
                    kind = None if isinstance(value, (int, float)) else object
                    marks = pd.Series([value] * len(frame), index=frame.index, dtype=kind)
                    # A sweep's parameter may have the name of a setting: it stays as it is.
                    marked.insert(0, f"setting.{key}" if key in frame else key, marks)
                frames.append(marked)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _is_study(path: Path) -> bool:
    return (path / paths.STUDY_FILE).is_file()


def begun_runs(folder: Path) -> int:
    """How many runs of a study would be lost with its folder."""
    return len(Study(folder).runs) if _is_study(folder) else 0


def list_all(parent: str | Path, refused: Callable[[Path, LinkError], None]) -> list[Run | Study]:
    """All runs and studies in a folder, by name; raises RunError when it is not a folder.

    Studies with a damaged study.toml are left out; opening one reports what is wrong. Links, and
    folders that a link makes a run, are left out too, and passed to `refused`.
    """
    folder = Path(parent)
    if not folder.is_dir():
        raise RunError(f"{parent} is not a folder" if folder.exists() else f"there is no {parent}")
    opened: list[Run | Study] = []
    for path in sorted(folder.iterdir()):
        try:
            refuse_link(path)
            if os.path.lexists(path / paths.CONFIG_FILE):
                opened.append(Run(path))
            if os.path.lexists(path / paths.STUDY_FILE):
                with suppress(SettingsError):
                    opened.append(Study(path))
        except LinkError as error:
            refused(path, error)
    return opened


def load_run(path: str | Path) -> Run | Study:
    """The run or study in a folder; raises RunError when it is neither.

    >>> evolve.load_run("runs/first").tables
    ('generations', 'individuals', 'games')
    """
    return Study(path) if _is_study(Path(path)) else Run(path)
