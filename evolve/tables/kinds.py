"""Kinds of runs: one entry for each, which answers all that other modules ask about it.

Nothing heavy is imported here. What a kind does is named as `module:function` and found on use,
for much of it stands in layers above this one. A new kind of run is a module of its own and an
entry in `RUN_KINDS`: the command line, `resume`, `runs`, `show`, `compare` and `plot` find it
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from evolve.config.subjects import SUBJECTS
from evolve.errors import RunError
from evolve.files.folder import FolderPath
from evolve.tables.layout import (
    BEST_FILE,
    BEST_TOML,
    CHAMPION_FILE,
    CHECKPOINT_FILE,
    CONFIG_FILE,
    EVALUATION_FILE,
    FINAL_FILE,
    GAMES,
    GENERATIONS,
    JOURNAL_FILE,
    LEARNED_FILE,
    LOCK_FILE,
    METRICS,
    OWNER_FILE,
    RATING_FILE,
    RUNGS,
    STUDY_FILE,
    TRIALS,
    TRIALS_FILE,
)


@dataclass(frozen=True)
class RunTable:
    """A table of a kind of run.

    read: function of the Run and, where its kind has generations, of the one that is asked for;
    its answer is a DataFrame. best: column that the best rows have the most of; without one the
    rows have no order. of_last: whether the best are looked for in the last generation alone.
    unused: function of Run that names columns which it leaves empty: people are not shown them.
    show: function of Run and DataFrame that prints it for people; without one all others are.
    part: folder or file of the run that it is made of, where not every run has one.
    """

    name: str
    read: str
    best: str | None = None
    of_last: bool = False
    unused: str | None = None
    show: str | None = None
    part: str | None = None


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
    whether its settings are a command, which no service takes.
    """

    settings: str
    presets: str | None = None
    learns: bool = False
    about: str | None = None
    runs: bool = False

    def model(self) -> Any:
        """The class of its settings."""
        return imported(self.settings)

    def all_presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Its presets, the default first; empty where there are none."""
        found: Mapping[str, Any] = {} if self.presets is None else imported(self.presets)
        return found


@dataclass(frozen=True)
class RunKind:
    """One kind of run.

    name: first word of its command, whose module and function `start` names; about: what
    `evolve --help` says of it; noun: the run in words.
    variants: by the second word of the command; "" where it has one word alone.
    tables: the one that tells most first. parts, files: what it writes into its folder beside
    config.toml, folders and files. champions: those files that its best agent may be in.
    scored: the word between a champion's score and whom it was won against.
    unit: what `runs` counts it by. packages: those that its results rest on, whose versions
    config.toml keeps. changes: what may change when it goes on. row_event: what `--progress` calls
    a row of its first table. modules: what its work imports beside the command's own. workers:
    whether results depend on how many work on it: that number is then a setting of it, `jobs`.

    The rest are functions. kept(folder): how much of it would be lost with its folder.
    facts(run): its `Facts`; figure(run): name and value (None where there is none yet) of the one
    that runs with different seeds are compared by; totals(run): further figures for `compare`, as
    a dictionary. look(settings): how it looks while it works. resume(run, changes, jobs,
    allow_programs): goes on, and answers with the exit code. draw(run, output): writes a picture.
    curve(run): how its figure came about, as a Series whose name and whose index's name say what
    they are.
    """

    name: str
    noun: str
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
    look: str
    kept: str
    facts: str
    draw: str
    figure: str
    curve: str
    totals: str | None = None
    modules: tuple[str, ...] = ()
    scored: str = "against"
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

    def changes_of(self, command: str) -> list[Change]:
        """What may change of a run of one of its commands."""
        word = self.word(command)
        return [one for one in self.changes if not one.words or word in one.words]

    def table(self, name: str) -> RunTable | None:
        """Its table of that name, where it has one."""
        return next((table for table in self.tables if table.name == name), None)


EVOLUTIONS: Final = RunKind(
    name="run",
    noun="an evolution",
    about="Evolve agents, generation by generation.",
    variants={
        "": Variant("evolve.config.evolution:EvolutionSettings", "evolve.config.evolution:PRESETS")
    },
    tables=(
        RunTable(
            "generations",
            "evolve.tables.evolution:generations",
            best="panel_score",
            show="evolve.cli.generations:print_generations",
        ),
        RunTable("individuals", "evolve.tables.evolution:individuals", best="score", of_last=True),
        RunTable(
            "games", "evolve.tables.evolution:games", unused="evolve.tables.evolution:unused_games"
        ),
    ),
    parts=(GENERATIONS, GAMES),
    files=(CHAMPION_FILE, LEARNED_FILE, EVALUATION_FILE),
    champions=(CHAMPION_FILE, LEARNED_FILE),
    scored="in a",
    unit="generations",
    row_event="generation",
    packages=("numba", "numpy", "deap", "pandas", "pyarrow", "joblib"),
    changes=(
        Change("generations", int, "Generations in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
        Change(
            "until_rest", bool, "Stop when the rating's rise says that evolution has come to rest."
        ),
        Change("time_limit", float, "Hours from now."),
    ),
    modules=("evolve.cli.run", "evolve.evolution.loop", "evolve.evolution.estimate"),
    start="evolve.cli.run:run_command",
    resume="evolve.cli.run:resume_run",
    look="evolve.cli.generations:GenerationsLook",
    kept="evolve.tables.layout:committed_generations",
    facts="evolve.tables.evolution:evolution_facts",
    figure="evolve.tables.evolution:evolution_figure",
    totals="evolve.tables.evolution:evolution_totals",
    draw="evolve.plots.run:plot_run",
    curve="evolve.tables.evolution:evolution_curve",
)

TRAININGS: Final = RunKind(
    name="train",
    noun="a training",
    about="Train from games: networks (dqn, mcts) or patterns.",
    variants={
        "dqn": Variant(
            "evolve.config.learning:DqnSettings",
            "evolve.config.learning_presets:DQN_PRESETS",
            learns=True,
            about="Train a network by deep Q-learning.",
        ),
        "mcts": Variant(
            "evolve.config.learning:MctsSettings",
            "evolve.config.learning_presets:MCTS_PRESETS",
            learns=True,
            about="Train a network that guides a tree search, by games against itself.",
        ),
        "patterns": Variant(
            "evolve.config.pattern_training:PatternSettings",
            "evolve.config.pattern_training:PATTERN_PRESETS",
            about="Train tables of patterns by temporal differences.",
        ),
    },
    tables=(
        RunTable(
            "metrics",
            "evolve.tables.training:metrics",
            best="score",
            unused="evolve.tables.training:unused_metrics",
        ),
    ),
    parts=(METRICS,),
    files=(LEARNED_FILE, CHECKPOINT_FILE),
    champions=(LEARNED_FILE,),
    unit="games",
    row_event="check",
    packages=("numba", "numpy", "pandas", "pyarrow"),
    changes=(
        Change("games", int, "Of a training or a program: games in all."),
        Change("budget", float, "Of a training: CPU seconds in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
    ),
    start="evolve.cli.train:train_command",
    resume="evolve.cli.train:resume_training",
    look="evolve.cli.checks:ChecksLook",
    kept="evolve.tables.training:kept_checks",
    facts="evolve.tables.training:training_facts",
    figure="evolve.tables.training:training_figure",
    totals="evolve.tables.training:training_totals",
    draw="evolve.plots.training:plot_training",
    curve="evolve.tables.training:training_curve",
)

SWEEPS: Final = RunKind(
    name="sweep",
    noun="a sweep",
    about=f"Search hyperparameters: {', '.join(SUBJECTS)}.",
    variants={
        word: Variant(
            subject.model, learns=subject.learns, about=subject.about, runs=word == "program"
        )
        for word, subject in SUBJECTS.items()
    },
    tables=(
        RunTable(
            "trials",
            "evolve.tables.sweep:trials",
            best="score",
            show="evolve.cli.trials:print_trials",
        ),
        RunTable(
            "rungs",
            "evolve.tables.sweep:rungs",
            best="score",
            show="evolve.cli.trials:print_rungs",
            part=RUNGS,
        ),
        RunTable(
            "final",
            "evolve.tables.sweep:final",
            best="score",
            show="evolve.cli.trials:print_final",
            part=FINAL_FILE,
        ),
    ),
    parts=(TRIALS, RUNGS),
    files=(
        CHAMPION_FILE,
        LEARNED_FILE,
        TRIALS_FILE,
        JOURNAL_FILE,
        FINAL_FILE,
        BEST_FILE,
        BEST_TOML,
    ),
    champions=(CHAMPION_FILE, LEARNED_FILE),
    unit="trials",
    row_event="trial",
    workers=True,
    packages=("numba", "numpy", "optuna", "pandas", "pyarrow"),
    changes=(
        Change("trials", int, "Of a sweep: finished trials in all."),
        Change("games", int, "Of a training or a program: games in all.", words=("program",)),
        Change("timeout", float, "Of a sweep: seconds from now."),
        Change("storage", str, "Of a sweep: its storage, with the password.", metavar="URL"),
    ),
    start="evolve.cli.sweep:sweep_command",
    resume="evolve.cli.sweep:resume_sweep",
    look="evolve.cli.trials:TrialsLook",
    kept="evolve.tables.sweep:kept_trials",
    facts="evolve.tables.sweep:sweep_facts",
    figure="evolve.tables.sweep:sweep_figure",
    draw="evolve.plots.sweep:plot_sweep",
    curve="evolve.tables.sweep:sweep_curve",
)

RUN_KINDS: Final = (EVOLUTIONS, TRAININGS, SWEEPS)
"""All of them, in the order in which people meet them."""

PARTS: Final = tuple(dict.fromkeys(part for kind in RUN_KINDS for part in kind.parts))
"""Folders inside those of runs."""
FILES: Final = (
    CONFIG_FILE,
    *dict.fromkeys(file for kind in RUN_KINDS for file in kind.files),
    RATING_FILE,
    STUDY_FILE,
    LOCK_FILE,
    OWNER_FILE,
)
"""Files beside them, those of ratings and studies included, whose folders are locked alike."""


@dataclass(frozen=True)
class Facts:
    """What a kind says of one of its runs in lists of runs.

    done, target: in the kind's unit; complete: whether nothing is left to do; crowned: whether its
    champion's score is the one that counts; last: the file that it wrote last, where that is no
    agent; figures: further ones, by their names.
    """

    done: int
    target: Any
    complete: bool
    crowned: bool = True
    last: FolderPath | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)


def kind_of(command: object, place: Path) -> RunKind:
    """The kind of run that a command makes; RunError, naming `place`, where it is unknown."""
    known = {name: kind for kind in RUN_KINDS for name in kind.commands}
    if not isinstance(command, str) or command not in known:
        raise RunError(f"{place}: command = {command!r} is unknown; there are {', '.join(known)}")
    return known[command]


def imported(name: str) -> Any:
    """The thing that `module:name` names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def champion_of(folder: FolderPath) -> FolderPath | None:
    """The agent file of a run's best agent so far; None when there is none yet."""
    names = dict.fromkeys(name for kind in RUN_KINDS for name in kind.champions)
    return next((folder / name for name in names if (folder / name).exists()), None)
