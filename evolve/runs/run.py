"""Read a run's folder: its tables as DataFrames, without a lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from evolve.errors import RunError
from evolve.files.folder import FolderPath, inside
from evolve.parsing import parse_toml, read_document
from evolve.tables import paths
from evolve.tables.columns import Column, Columns, rows_with
from evolve.tables.games import GAMES_COLUMNS, with_rules
from evolve.tables.individuals import generations_frame
from evolve.tables.individuals import (
    INDIVIDUALS_COLUMNS,
    SOMETIMES,
    row_genes,
    table_metadata,
)
from evolve.tables.metrics import read_metrics
from evolve.tables.parquet import RowFiles, read_metadata, read_table
from evolve.runs.run_type import Facts, RunReading, RunTable, RunType, TableReading
from evolve.runs.run_types import kind_of
from evolve.tables.trials import TRIALS_COLUMNS, Importances, importances_of, read_trials

if TYPE_CHECKING:  # only tables need it: 30 MB and a third of a second
    import pandas as pd


class Run:
    """The tables of one run, as of their first use.

    individuals, games, generations, trials and metrics are pandas DataFrames; a table that the kind
    of run does not have is empty. Raises RunError for a folder that is not a run, or a damaged
    file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = inside(path)
        if not (self.path / paths.CONFIG_FILE).is_file():
            known = "no such folder" if not self.path.exists() else "it has no config.toml"
            if (self.path / paths.STUDY_FILE).is_file():
                known = "it is a study; name one of the runs in it"
            raise RunError(f"{path} is not a run: {known}")

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}, generations={self.generation_count})"

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

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
    def command(self) -> str:
        """The command that made the run, such as `run`, `train dqn` or `sweep mcts`."""
        command = self.config.get("command", "run")
        kind_of(command, self.path / paths.CONFIG_FILE)
        return str(command)

    @property
    def kind(self) -> RunType:
        """Its kind of run; RunError when the command is unknown."""
        return kind_of(self.config.get("command", "run"), self.path / paths.CONFIG_FILE)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that it has, the most informative first."""
        return tuple(t.name for t in self.kind.tables if t.part is None or self._has(t.part))

    def _has(self, part: str) -> bool:
        """Whether a file of that name exists, or a non-empty folder."""
        path = self.path / part
        return path.is_file() or (path.is_dir() and any(path.iterdir()))

    def table_named(self, name: str) -> RunTable:
        """The definition of one of its tables; RunError when it has none of that name."""
        table = self.kind.table(name)
        if table is None:
            raise RunError(
                f"{self.path} is of `evolve {self.command}` and has no {name}; it has "
                + ", ".join(self.tables)
            )
        return table

    def table(self, name: str, generation: int | None = None) -> pd.DataFrame:
        """One of its kind's tables by name, or its rows of one generation.

        Raises RunError when it has no table of that name, or no such generation.
        """
        self.table_named(name)
        read = self.kind.reading.tables[name].read
        if generation is None:
            frame: pd.DataFrame = read(self)
        else:
            self.check_generation(generation)
            frame = read(self, generation)
        return frame

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """A row for each check of a training; empty for other runs."""
        frame: pd.DataFrame = read_metrics(self.path).to_pandas()
        return frame

    @cached_property
    def individuals(self) -> pd.DataFrame:
        """Every individual of every generation, genes as lists."""
        tables = [self.individuals_table(g) for g in range(self.generation_count)]
        return _frame(self.path, tables)

    @cached_property
    def games(self) -> pd.DataFrame:
        """Every game, those of the play-off last."""
        tables = [self.games_table(g) for g in range(self.generation_count)]
        return _frame(self.path, tables + self._playoffs())

    @property
    def generation_rows(self) -> list[dict[str, Any]]:
        """The row of each generation, as it was written."""
        return [self.metadata(g)[0] for g in range(self.generation_count)]

    @cached_property
    def generations(self) -> pd.DataFrame:
        """One row for each generation; panel columns are NaN where it has no panel.

        Runs with the fixed panel have no columns of the ladder.
        """
        try:
            ladder = self.config.get("panel") == "ladder"
            return generations_frame(self.generation_rows, ladder)
        except (TypeError, ValueError) as error:
            raise RunError(f"{self.path}: the row of a generation is damaged: {error}") from error

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The trials of a sweep, as of their last change; empty for other runs."""
        table = read_trials(self.path)
        return _frame(self.path, [TRIALS_COLUMNS.schema.empty_table() if table is None else table])

    @cached_property
    def importances(self) -> Importances:
        """How much each parameter of a sweep matters, or why that is unknown."""
        table = read_trials(self.path)
        return Importances() if table is None else importances_of(table)

    def generation(self, generation: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Individuals and games of one generation alone."""
        return (
            _frame(self.path, [self.individuals_table(generation)]),
            _frame(self.path, [self.all_games_table(generation)]),
        )

    def check_generation(self, generation: int) -> None:
        """Raise RunError unless the run has that generation."""
        count = self.generation_count
        if self.kind.table("generations") is None:
            raise RunError(f"{self.path} is of `evolve {self.command}`: it has no generations")
        if not 0 <= generation < count:
            there = f"0 to {count - 1}" if count else "none yet"
            raise RunError(f"{self.path} has no generation {generation}; it has {there}")

    def individuals_table(self, generation: int) -> pa.Table:
        """The individuals file of a generation."""
        return _read(paths.generation_file(self.path, generation), INDIVIDUALS_COLUMNS, generation)

    def games_table(self, generation: int) -> pa.Table:
        """The games file of a generation, without the play-off."""
        return self._read_games(paths.games_file(self.path, generation), generation)

    def all_games_table(self, generation: int) -> pa.Table:
        """The games of a generation; those of the last one include the play-off.

        RunError where there is no such generation.
        """
        self.check_generation(generation)
        playoffs = self._playoffs() if generation == self.generation_count - 1 else []
        return _joined(self.path, [self.games_table(generation), *playoffs])

    def playoff_table(self) -> pa.Table | None:
        """The games of the play-off; None before it."""
        path = paths.playoff_file(self.path)
        return self._read_games(path) if path.exists() else None

    def metadata(self, generation: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The row of a generation and the checkpoint after it."""
        path = paths.generation_file(self.path, generation)
        try:
            row, checkpoint = table_metadata(read_metadata(path))
        except (LookupError, TypeError, ValueError) as error:
            raise RunError(f"{path} is damaged: {error}") from error
        if row.get("generation") != generation:
            raise RunError(f"{path} is of another generation: {row.get('generation')}")
        return row, checkpoint

    def find(self, individual: str) -> dict[str, Any]:
        """The row of an individual in its last generation."""
        born, _, _ = individual.partition("-")
        if born.isascii() and born.isdigit() and int(born) < self.generation_count:
            last: dict[str, Any] | None = None
            for generation in range(int(born), self.generation_count):
                table = self.individuals_table(generation)
                rows = rows_with(table, "individual", individual).to_pylist()
                if not rows and last is not None:
                    break
                last = rows[0] if rows else last
            if last is not None:
                return last
        raise RunError(
            f"{self.path} has no individual {individual!r}; an id is the generation it was born in "
            "and a number, such as 0-12, and `evolve show RUN --table individuals` lists them"
        )

    def genes(self, row: dict[str, Any]) -> dict[str, list[int]]:
        """The genes in a row of the individuals table."""
        return row_genes(
            row, [key for key in row if key not in (*INDIVIDUALS_COLUMNS.names, *SOMETIMES)]
        )

    def _playoffs(self) -> list[pa.Table]:
        found = self.playoff_table()
        return [] if found is None else [found]

    def _read_games(self, path: Path, generation: int | None = None) -> pa.Table:
        """A file of games, with the rules of each game."""
        rules = self.config.get("rules")
        games = _read(path, GAMES_COLUMNS, generation)
        return with_rules(games, rules if isinstance(rules, str) else None)


def folders_of_runs(parent: str | Path) -> list[FolderPath]:
    """All entries of a folder, by name; RunError when it is not a folder."""
    folder = inside(parent)
    if not folder.is_dir():
        raise RunError(f"{parent} is not a folder" if folder.exists() else f"there is no {parent}")
    return sorted(folder.iterdir())


def is_run(path: FolderPath) -> bool:
    """Whether a folder is a run's; LinkError where it or its config.toml is a link."""
    return (path / paths.CONFIG_FILE).is_file()


def _read(path: Path, columns: Columns, generation: int | None = None) -> pa.Table:
    """A table of a run, checked to have these columns and to be of that generation."""
    table = read_table(path, columns)
    if generation is not None and set(table["generation"].unique().to_pylist()) - {generation}:
        raise RunError(f"{path} is of another generation than its name says")
    return table


def _joined(path: Path, tables: Sequence[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    except pa.ArrowException as error:
        why = str(error).splitlines()[0]
        raise RunError(f"{path} has generations whose tables differ: {why}") from error


def _frame(path: Path, tables: Sequence[pa.Table]) -> pd.DataFrame:
    import pandas as pd

    if not tables:
        return pd.DataFrame(columns=GAMES_COLUMNS.names[:1])
    table = _joined(path, tables)
    frame: pd.DataFrame = table.to_pandas()
    for field in table.schema:
        if pa.types.is_fixed_size_list(field.type) or pa.types.is_list(field.type):
            frame[field.name] = pd.Series(table[field.name].to_pylist(), dtype=object)
    return frame


def row_reading(
    name: str, key: str, column: Column, make_row: Callable[[Any, int, int], Mapping[str, Any]]
) -> RunReading:
    """How runs of a `RunType.of_rows` are read; the mean of `column` compares them.

    name: of the table, its folder, and the setting that says how many rows there are in all; key:
    column with the number of a row. make_row: see `RunReading`.
    """
    rows = RowFiles(name, key, Columns((Column(key, pa.int64()), column)))

    def frame(run: Run) -> pd.DataFrame:
        read: pd.DataFrame = rows.read(run.path).to_pandas()
        return read

    def curve(run: Run) -> pd.Series[float]:
        values: pd.Series[float] = frame(run).set_index(key)[column.name]
        return values.expanding().mean()

    def figure(run: Run) -> tuple[str, float | None]:
        values = curve(run).tolist()
        return column.name, values[-1] if values else None

    def facts(run: Run) -> Facts:
        done, target, score = rows.count(run.path), run.config.get(name), figure(run)[1]
        return Facts(done, target, done == target, figures={"score": score}, so_far=score)

    tables = {name: TableReading(frame, rows.columns)}
    return RunReading(rows.count, facts, figure, curve, tables, rows=rows, make_row=make_row)
