"""A kind of run: the facts and functions that all other modules ask it for.

Nothing heavy is imported here. A kind names its functions as `module:function`, which are imported
on use, because many of them are in layers above this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from evolve.files.folder import FolderPath

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from evolve.tables.columns import Columns
    from evolve.runs.run import Run


@dataclass(frozen=True)
class RunTable:
    """A table of a kind of run.

    read: function of the Run and, where the kind has generations, of the requested one; it returns
    a DataFrame. best: column that is highest in the best rows; without one the rows have no order.
    of_last: whether the best rows come from the last generation alone. unused: function of the Run
    that names empty columns, which people are not shown. show: function of the Run and a DataFrame
    that prints it for people; without one a general one prints it. part: folder or file of the run
    that holds it, where not every run has one.

    title: of the table on the page. columns: the `Columns` that say how the page shows it, and
    which charts it draws. key: column that identifies a row. over: columns on the x-axis of its
    charts, the usual one first. arrow: function of the Run that reads it without pandas. count,
    rows: where reading all of it is slow, functions that count its rows, and that read only the
    rows at given places, as an Arrow table. generations: whether it is read by the generation
    alone, because all of them together are large; parts: function of the Run that reads one after
    the other. of_games: whether its rows are games, which can be written as game records.
    """

    name: str
    read: str
    best: str | None = None
    of_last: bool = False
    unused: str | None = None
    show: str | None = None
    part: str | None = None
    title: str = ""
    columns: str | None = None
    key: str | None = None
    over: tuple[str, ...] = ()
    arrow: str | None = None
    count: str | None = None
    rows: str | None = None
    generations: bool = False
    parts: str | None = None
    of_games: bool = False

    def all_columns(self) -> Columns | None:
        """The definitions of its columns; None where it has none."""
        found: Columns | None = None if self.columns is None else imported(self.columns)
        return found

    def arrow_of(self, run: Run) -> pa.Table:
        """The whole table, as an Arrow table."""
        if self.arrow is not None:
            return imported(self.arrow)(run)
        import pyarrow as pa

        return pa.Table.from_pandas(run.table(self.name), preserve_index=False)

    def parts_of(self, run: Run) -> Iterator[pa.Table] | None:
        """Its parts one after the other; None where it is read as a whole."""
        found: Iterator[pa.Table] | None = None if self.parts is None else imported(self.parts)(run)
        return found

    def count_of(self, run: Run) -> int:
        """Number of its rows, without reading all of it."""
        found: int = imported(str(self.count))(run)
        return found

    def rows_of(self, run: Run, places: Sequence[int]) -> pa.Table:
        """The rows at given places, without reading the others."""
        return imported(str(self.rows))(run, places)


@dataclass(frozen=True)
class Change:
    """A setting that `evolve resume` may change, as its option.

    type: int (from 1), float, bool or str. words: second words of the commands that have it; all
    commands if empty.
    """

    name: str
    type: type[int | float | bool | str]
    help: str
    metavar: str | None = None
    words: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option on the command line."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True)
class Variant:
    """What the second word of a command chooses: its settings model, and what it needs.

    presets: dictionary of presets, the default first; None where there are none. learns: whether
    it needs PyTorch. about: what it does, in a sentence; without it, the kind's text holds. runs:
    whether its settings contain a command, which no service accepts. check: function of its
    settings that raises an EvolveError for settings that cannot run although the model accepts
    them.
    """

    settings: str
    presets: str | None = None
    learns: bool = False
    about: str | None = None
    runs: bool = False
    check: str | None = None

    def model(self) -> Any:
        """The class of its settings."""
        return imported(self.settings)

    def all_presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Its presets, the default first; empty without presets."""
        found: Mapping[str, Any] = {} if self.presets is None else imported(self.presets)
        return found


@dataclass(frozen=True)
class RunType:
    """One kind of run.

    name: first word of its command; `start` names the module and function of that command. about:
    its text in `evolve --help`. noun: the run in words; plural: several of them. stem: of the names
    of its folders, with {rules} and {word} for the run's own. page: its module in the page's folder
    `kinds`, which may draw more than the tables; without one the page is made of these.
    variants: by the second word of the command; "" where the command has one word.
    tables: the most informative first. parts, files: folders and files that it writes into its
    folder beside config.toml. champions: those files that may hold its best agent.
    rated: whether its champion plays the ladder at the end, so that its file has the Elo, the one
    number of such a run; the score in that file is then shown with the run alone.
    unit: what `runs` counts. packages: packages that its results depend on; config.toml keeps their
    versions. changes: settings that may change when it resumes. row_event: name of a row of its
    first table in `--progress`. modules: further modules that its work imports, beside the
    command's own. workers: whether results depend on the number of workers, which is then its
    setting `jobs`.

    curve_at: where reading the whole curve is expensive, a function of the Run and of places in its
    first table: the curve at these alone.

    The rest are functions. kept(folder): how much of the run would be lost with its folder.
    facts(run): its `Facts`. figure(run): name and value of the one number that compares runs with
    different seeds; the value is None before it exists. totals(run): further figures for `compare`,
    as a dictionary. view(settings): its display during the work. resume(run, changes, jobs,
    allow_programs): resumes it and returns the exit code. draw(run, output): writes a picture.
    curve(run): the course of its figure, as a Series; its name and its index's name say what they
    are.
    """

    name: str
    noun: str
    plural: str
    about: str
    variants: Mapping[str, Variant]
    tables: tuple[RunTable, ...]
    parts: tuple[str, ...]
    files: tuple[str, ...]
    champions: tuple[str, ...]
    unit: str
    packages: tuple[str, ...]
    changes: tuple[Change, ...]
    start: str
    resume: str
    view: str
    kept: str
    facts: str
    draw: str
    figure: str
    curve: str
    totals: str | None = None
    stem: str = "{name}"
    page: str | None = None
    curve_at: str | None = None
    modules: tuple[str, ...] = ()
    rated: bool = False
    row_event: str = "row"
    workers: bool = False

    @property
    def commands(self) -> dict[str, Variant]:
        """Its variants by complete command."""
        return {self.command(word): variant for word, variant in self.variants.items()}

    def command(self, word: str) -> str:
        """The complete command with that second word."""
        return f"{self.name} {word}".rstrip()

    def word(self, command: str) -> str:
        """The second word of one of its commands."""
        return command.removeprefix(self.name).lstrip()

    def stem_of(self, command: str, rules: str) -> str:
        """The name of a run's folder, without its number."""
        return self.stem.format(name=self.name, word=self.word(command), rules=rules)

    def kept_in(self, folder: FolderPath) -> int:
        """How much of a run would be lost with its folder."""
        found: int = imported(self.kept)(folder)
        return found

    def facts_of(self, run: Run) -> Facts:
        """The summary of one of its runs, for lists of runs."""
        found: Facts = imported(self.facts)(run)
        return found

    def figure_of(self, run: Run) -> tuple[str, float | None]:
        """Name and value of the one number that compares runs with different seeds."""
        found: tuple[str, float | None] = imported(self.figure)(run)
        return found

    def curve_of(self, run: Run) -> pd.Series[float]:
        """The course of that number."""
        found: pd.Series[float] = imported(self.curve)(run)
        return found

    def curve_at_places(self, run: Run, places: Sequence[int]) -> list[float | None]:
        """The curve at some rows of its first table; only where the kind has `curve_at`."""
        found: list[float | None] = imported(str(self.curve_at))(run, places)
        return found

    def totals_of(self, run: Run) -> dict[str, Any]:
        """Further figures; empty if the kind has none."""
        found: dict[str, Any] = {} if self.totals is None else imported(self.totals)(run)
        return found

    def changes_of(self, command: str) -> list[Change]:
        """The settings that may change in a run of one of its commands."""
        word = self.word(command)
        return [one for one in self.changes if not one.words or word in one.words]

    def table(self, name: str) -> RunTable | None:
        """Its table of that name; None if it has none."""
        return next((table for table in self.tables if table.name == name), None)


@dataclass(frozen=True)
class Facts:
    """The summary of a run in lists of runs.

    done, target: in the kind's unit. complete: whether nothing is left to do. crowned: whether the
    strength in its champion's file counts. last: the file that it wrote last, where that is not an
    agent. figures: further figures, by name. share: share of the run that is done, 0 to 1, where
    done and target do not show it. so_far: its score before its end, 0 to 1, where runs of the kind
    are not rated.
    """

    done: int
    target: Any
    complete: bool
    crowned: bool = True
    last: FolderPath | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    share: float | None = None
    so_far: float | None = None


def imported(name: str) -> Any:
    """The object that `module:name` names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
