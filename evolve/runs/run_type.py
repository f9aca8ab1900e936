"""A kind of run: what all other modules ask it for.

An entry is light: names, texts and settings models. How runs of the kind are read is in another
module of its package, which is imported on use, because tables need pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evolve.extras import call, imported, need

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from evolve.fitness.statistics import Estimate
    from evolve.tables.columns import Columns


@dataclass(frozen=True)
class RunTable:
    """A table of a kind of run; `TableReading` says how it is read.

    best: column that is highest in the best rows; without one the rows have no order. part: folder
    or file of the run that holds it, where not every run has one. title: of the table on the page.
    key: column that identifies a row. over: columns on the x-axis of its charts, the usual one
    first. generations: whether it is large and read by the generation; then the best rows come from
    the last one. drawn: whether the kind's own page shows it; it shows all other tables as they
    are.
    """

    name: str
    best: str | None = None
    part: str | None = None
    title: str = ""
    key: str | None = None
    over: tuple[str, ...] = ()
    generations: bool = False
    drawn: bool = False


@dataclass(frozen=True)
class TableReading:
    """How a table of a run is read; all functions take the Run.

    read: also takes the generation where the kind has them. columns: how the page shows it, and
    which charts it draws. unused: names columns that may be empty, which people are not shown then.
    of_games: whether its rows are games, which can be written as game records. count, rows: where
    reading all of it is slow, its number of rows, and the rows at given places.
    """

    read: Callable[..., pa.Table]
    columns: Columns | None = None
    unused: Callable[[Any], Sequence[str]] | None = None
    of_games: bool = False
    count: Callable[[Any], int] | None = None
    rows: Callable[[Any, Sequence[int]], pa.Table] | None = None


@dataclass(frozen=True)
class RunReading:
    """How runs of a kind are read; all functions but `kept` take the Run.

    kept(folder): how much of the run would be lost with its folder. progress: how far it is.
    compared_by: numbers of its summary or metrics that compare runs without Elo, the best first.
    curve: the course of its strength, as a Series; its name and its index's name say what they are.
    curve_at: where reading the whole curve is slow, its values at some rows of the first table.
    gain: how much better its champion is than the defaults, in Elo; None where that is unknown.
    metrics: further ones for `compare`.
    tables: by name. added: columns of the first table that hold each row's share, so that their
    sum is what was played or taken so far; others hold that sum themselves. curve_over: what the
    curve is drawn over, where that is not the usual of the first table.
    """

    kept: Callable[[Path], int]
    progress: Callable[[Any], RunProgress]
    compared_by: Sequence[str]
    curve: Callable[[Any], pd.Series[float]]
    tables: Mapping[str, TableReading]
    metrics: Callable[[Any], dict[str, Any]] = lambda run: {}
    curve_at: Callable[[Any, Sequence[int]], list[float | None]] | None = None
    added: Sequence[str] = ()
    gain: Callable[[Any], Estimate | None] | None = None
    curve_over: Callable[[Any], str | None] = lambda run: None


@dataclass(frozen=True)
class Change:
    """A setting that `evolve resume` may change, as its option.

    type: int (from 1), float, bool or str. words: second words of the commands that have it; all
    commands if empty.
    """

    name: str
    type: type[int | float | bool | str]
    help: str
    words: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True)
class Variant:
    """What the second word of a command chooses: its settings model, and what it needs.

    presets: dictionary of presets, the default first; None where there are none. learns: whether
    it needs PyTorch. about: what it does, in a sentence; without it, the kind's text holds. runs:
    whether its settings contain a command, which a service takes only from its owner. check:
    function of its settings that raises an EvolveError for settings that cannot run although the
    model accepts them. champion: function of a run's folder that makes the best agent where no
    agent file has it. unused: settings that mean nothing here, and are not offered.
    """

    settings: str
    presets: str | None = None
    learns: bool = False
    about: str | None = None
    runs: bool = False
    check: str | None = None
    champion: str | None = None
    unused: tuple[str, ...] = ()

    def model(self) -> Any:
        return imported(self.settings)

    def need_extras(self) -> None:
        """Raise ExtraError without the PyTorch that it needs, EvolveError if nothing compiles."""
        call("evolve.engine.compiled.compile:require_compiling")
        if self.learns:
            need("torch")

    def all_presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Its presets, the default first; empty without presets."""
        return {} if self.presets is None else imported(self.presets)


@dataclass(frozen=True)
class RunType:
    """One kind of run.

    module: `__name__` of the module `kind` of its package, with this entry; beside it are `tables`
    with its READING and, where `evolve.cli` has nothing for it, `work` with its WORK, a
    `life_cycle.Work`. name: first word of its command. about: its text in `evolve --help`. noun:
    the run in words; plural: several of them. stem: of the names of its folders, with {name},
    {rules} and {word} for the run's own. page: its module in the page's folder `kinds`, which may
    draw more than the tables; without one the page is made of these. variants: by the second word
    of the command; "" where the command has one word. tables: the most informative first. parts,
    files: folders and files that it writes into its folder beside config.toml. rated: whether its
    champion plays the ladder at the end, so that its file has the Elo, the one number of such a
    run; the score in that file is then shown with the run alone. unit: what `runs` counts.
    packages: packages that its results depend on; config.toml keeps their versions. changes:
    settings that may change when it resumes. row_event: name of a row of its first table in
    `--progress`. workers: whether results depend on the number of workers, which is then its
    setting `jobs`. plays_on_clusters: whether some of its commands let a cluster play their games.
    runs_on_clusters: whether the runs of a study may be handed to a cluster whole.
    """

    module: str
    name: str
    noun: str
    plural: str
    about: str
    variants: Mapping[str, Variant]
    tables: tuple[RunTable, ...]
    parts: tuple[str, ...]
    unit: str
    changes: tuple[Change, ...]
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ("numba", "numpy", "pandas", "pyarrow")
    stem: str = "{name}"
    page: str | None = None
    rated: bool = False
    row_event: str = "row"
    workers: bool = False
    plays_on_clusters: bool = False
    runs_on_clusters: bool = False

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

    @property
    def reading(self) -> RunReading:
        return cast("RunReading", self.part("tables").READING)

    def part(self, name: str) -> Any:
        """A module of its package."""
        return import_module(f"{self.module.rpartition('.')[0]}.{name}")

    def changes_of(self, command: str) -> list[Change]:
        """The settings that may change in a run of one of its commands."""
        word = self.word(command)
        return [change for change in self.changes if not change.words or word in change.words]

    def table(self, name: str) -> RunTable | None:
        """Its table of that name; None if it has none."""
        return next((table for table in self.tables if table.name == name), None)


@dataclass(frozen=True)
class RunProgress:
    """The summary of a run in lists of runs.

    done, target: in the kind's unit. complete: whether nothing is left to do. crowned: whether the
    strength in its champion's file counts. metrics: numbers by name. share: share of the run that
    is done, 0 to 1, where done and target do not show it. so_far: its score before its end, 0 to 1,
    where runs of the kind are not rated.
    """

    done: int
    target: Any
    complete: bool
    crowned: bool = True
    metrics: Mapping[str, Any] = field(default_factory=dict)
    share: float | None = None
    so_far: float | None = None

    @property
    def part(self) -> float | None:
        """The share of the run that is done, 0 to 1; None where that is unknown."""
        if isinstance(self.target, int | float) and self.target:
            return min(1.0, self.done / self.target)
        return None if self.share is None else min(1.0, self.share)
