"""What a kind of run answers to all that other modules ask about it.

Nothing heavy is imported here. What a kind does is named as `module:function` and found on use,
for much of it stands in layers above this one.
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
    from evolve.tables.run import Run


@dataclass(frozen=True)
class RunTable:
    """A table of a kind of run.

    read: function of the Run and, where its kind has generations, of the one that is asked for;
    its answer is a DataFrame. best: column that the best rows have the most of; without one the
    rows have no order. of_last: whether the best are looked for in the last generation alone.
    unused: function of Run that names columns which it leaves empty: people are not shown them.
    show: function of Run and DataFrame that prints it for people; without one all others are.
    part: folder or file of the run that it is made of, where not every run has one.

    title: of the table on the page. columns: the `Columns` that say how the page shows it, and
    which charts it draws. key: column that tells rows apart. over: columns that charts are drawn
    over, the usual one first. arrow: function of the Run that reads it without pandas. count, rows:
    where reading all of it is dear, functions that count its rows, and that read those at some
    places alone, as an Arrow table. generations: whether it is asked for by the generation alone,
    being as large as all of them; parts: function of the Run that reads one after the other.
    of_games: whether its rows are games, which records can hold.
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
        """What is known of its columns."""
        found: Columns | None = None if self.columns is None else imported(self.columns)
        return found

    def arrow_of(self, run: Run) -> pa.Table:
        """The whole of it."""
        if self.arrow is not None:
            return imported(self.arrow)(run)
        import pyarrow as pa

        return pa.Table.from_pandas(run.table(self.name), preserve_index=False)

    def parts_of(self, run: Run) -> Iterator[pa.Table] | None:
        """Its parts one after the other; None where it is read at once."""
        found: Iterator[pa.Table] | None = None if self.parts is None else imported(self.parts)(run)
        return found

    def count_of(self, run: Run) -> int:
        """How many rows it has, without reading all of it."""
        found: int = imported(str(self.count))(run)
        return found

    def rows_of(self, run: Run, places: Sequence[int]) -> pa.Table:
        """The rows at some places, without reading the others."""
        return imported(str(self.rows))(run, places)


@dataclass(frozen=True)
class Change:
    """A setting that may change when a run goes on, as an option of `evolve resume`.

    type: int (from 1), float, bool or str. words: of the commands that it is for, all if none.
    """

    name: str
    type: type[int | float | bool | str]
    help: str
    metavar: str | None = None
    words: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """As it is written on the command line."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True)
class Variant:
    """What the second word of a command chooses: its settings model, and what it needs.

    presets: dictionary of presets, the default first; None where there are none. learns: whether
    it needs PyTorch. about: what it does, in a sentence; that of its kind if not given. runs:
    whether its settings are a command, which no service takes. check: function of its settings that
    raises an EvolveError for those that cannot be carried out, where the model does not know.
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
        """Its presets, the default first; empty where there are none."""
        found: Mapping[str, Any] = {} if self.presets is None else imported(self.presets)
        return found


@dataclass(frozen=True)
class RunType:
    """One kind of run.

    name: first word of its command, whose module and function `start` names; about: what
    `evolve --help` says of it; noun: the run in words; plural: several of them. stem: of the names
    of its folders, with {rules} and {word} for the run's own. page: its module in the page's folder
    `kinds`, which may draw more than the tables; without one the page is made of these.
    variants: by the second word of the command; "" where it has one word alone.
    tables: the one that tells most first. parts, files: what it writes into its folder beside
    config.toml, folders and files. champions: those files that its best agent may be in.
    rated: whether its champion plays the ladder at the end, so that its file has the Elo which is
    the one number of such a run; the score in that file is then told with the run alone.
    unit: what `runs` counts it by. packages: those that its results rest on, whose versions
    config.toml keeps. changes: what may change when it goes on. row_event: what `--progress` calls
    a row of its first table. modules: what its work imports beside the command's own. workers:
    whether results depend on how many work on it: that number is then a setting of it, `jobs`.

    The rest are functions. kept(folder): how much of it would be lost with its folder.
    facts(run): its `Facts`; figure(run): name and value (None where there is none yet) of the one
    that runs with different seeds are compared by; totals(run): further figures for `compare`, as
    a dictionary. view(settings): how it looks while it works. resume(run, changes, jobs,
    allow_programs): goes on, and answers with the exit code. draw(run, output): writes a picture.
    curve(run): how its figure came about, as a Series whose name and whose index's name say what
    they are.
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
    modules: tuple[str, ...] = ()
    rated: bool = False
    row_event: str = "row"
    workers: bool = False

    @property
    def commands(self) -> dict[str, Variant]:
        """Its variants by the whole of the command."""
        return {self.command(word): variant for word, variant in self.variants.items()}

    def command(self, word: str) -> str:
        """The whole of the command whose second word that is."""
        return f"{self.name} {word}".rstrip()

    def word(self, command: str) -> str:
        """The second word of one of its commands."""
        return command.removeprefix(self.name).lstrip()

    def stem_of(self, command: str, rules: str) -> str:
        """What the folder of a run of one of its commands is called, before its number."""
        return self.stem.format(name=self.name, word=self.word(command), rules=rules)

    def kept_in(self, folder: FolderPath) -> int:
        """How much of a run would be lost with its folder."""
        found: int = imported(self.kept)(folder)
        return found

    def facts_of(self, run: Run) -> Facts:
        """What it says of one of its runs in lists."""
        found: Facts = imported(self.facts)(run)
        return found

    def figure_of(self, run: Run) -> tuple[str, float | None]:
        """The one number that runs with different seeds are compared by, and its name."""
        found: tuple[str, float | None] = imported(self.figure)(run)
        return found

    def curve_of(self, run: Run) -> pd.Series[float]:
        """How that number came about."""
        found: pd.Series[float] = imported(self.curve)(run)
        return found

    def totals_of(self, run: Run) -> dict[str, Any]:
        """Further figures; empty where it has none."""
        found: dict[str, Any] = {} if self.totals is None else imported(self.totals)(run)
        return found

    def changes_of(self, command: str) -> list[Change]:
        """What may change of a run of one of its commands."""
        word = self.word(command)
        return [one for one in self.changes if not one.words or word in one.words]

    def table(self, name: str) -> RunTable | None:
        """Its table of that name, where it has one."""
        return next((table for table in self.tables if table.name == name), None)


@dataclass(frozen=True)
class Facts:
    """What a kind says of one of its runs in lists of runs.

    done, target: in the kind's unit; complete: whether nothing is left to do; crowned: whether what
    its champion's file says of its strength is what counts; last: the file that it wrote last,
    where that is no agent; figures: further ones, by their names. share: how much of the way to its
    end is done, 0 to 1, where done and target do not say so. so_far: its score before its end, 0 to
    1, where runs of the kind are not rated.
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
    """The thing that `module:name` names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
