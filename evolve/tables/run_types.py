"""Kinds of runs, one entry for each: see `run_type` for the fields of an entry.

A new kind of run is a module of its own and an entry in `RUN_TYPES`, where the command line,
`resume`, `runs`, `show`, `compare`, `plot`, the service and its page find it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.errors import RunError
from evolve.files.folder import FolderPath
from evolve.tables.paths import (
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
from evolve.tables.run_type import Change, RunTable, RunType, Variant

EVOLUTIONS: Final = RunType(
    name="run",
    noun="an evolution",
    plural="evolutions",
    stem="{rules}",
    page="run",
    curve_at="evolve.tables.evolution:evolution_curve_at",
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
            columns="evolve.tables.generations:GENERATIONS_COLUMNS",
            key="generation",
            over=("generation",),
            count="evolve.tables.evolution:generation_count",
            rows="evolve.tables.evolution:generation_rows",
        ),
        RunTable(
            "individuals",
            "evolve.tables.evolution:individuals",
            best="score",
            of_last=True,
            generations=True,
        ),
        RunTable(
            "games",
            "evolve.tables.evolution:games",
            unused="evolve.tables.evolution:unused_games",
            generations=True,
            parts="evolve.tables.evolution:games_parts",
            of_games=True,
        ),
    ),
    parts=(GENERATIONS, GAMES),
    files=(CHAMPION_FILE, LEARNED_FILE, EVALUATION_FILE),
    champions=(CHAMPION_FILE, LEARNED_FILE),
    rated=True,
    unit="generations",
    row_event="generation",
    packages=("numba", "numpy", "deap", "pandas", "pyarrow", "joblib"),
    changes=(
        Change("generations", int, "Generations in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
        Change(
            "until_rest", bool, "Stop when the rating's rise says that evolution has come to rest."
        ),
        Change(
            "stop_when_uniform", int, "Stop after so many generations whose individuals play alike."
        ),
        Change("time_limit", float, "Hours from now."),
    ),
    modules=("evolve.cli.run", "evolve.evolution.loop", "evolve.evolution.estimate"),
    start="evolve.cli.run:run_command",
    resume="evolve.cli.run:resume_run",
    view="evolve.cli.generations:GenerationsView",
    kept="evolve.tables.paths:committed_generations",
    facts="evolve.tables.evolution:evolution_facts",
    figure="evolve.agents.run_summary:champion_elo",
    totals="evolve.tables.evolution:evolution_totals",
    draw="evolve.plots.run:plot_run",
    curve="evolve.tables.evolution:evolution_curve",
)

TRAININGS: Final = RunType(
    name="train",
    noun="a training",
    plural="trainings",
    stem="{word}",
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
            title="Checks",
            columns="evolve.tables.metrics:METRICS_COLUMNS",
            key="check",
            over=("games", "cpu_seconds", "check"),
            arrow="evolve.tables.training:metrics_table",
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
    view="evolve.cli.checks:ChecksView",
    kept="evolve.tables.training:kept_checks",
    facts="evolve.tables.training:training_facts",
    figure="evolve.tables.training:training_figure",
    totals="evolve.tables.training:training_totals",
    draw="evolve.plots.training:plot_training",
    curve="evolve.tables.training:training_curve",
)

SWEEPS: Final = RunType(
    name="sweep",
    noun="a sweep",
    plural="sweeps",
    stem="sweep-{word}",
    page="sweep",
    about=f"Search hyperparameters: {', '.join(SWEEP_TARGETS)}.",
    variants={
        word: Variant(
            target.model,
            learns=target.learns,
            about=target.about,
            runs=word == "program",
            check="evolve.sweeps.plan:check_settings",
        )
        for word, target in SWEEP_TARGETS.items()
    },
    tables=(
        RunTable(
            "trials",
            "evolve.tables.sweep:trials",
            best="score",
            show="evolve.cli.trials:print_trials",
            columns="evolve.tables.trials:TRIALS_COLUMNS",
            key="number",
            over=("number",),
            arrow="evolve.tables.sweep:trials_table",
        ),
        RunTable(
            "rungs",
            "evolve.tables.sweep:rungs",
            best="score",
            show="evolve.cli.trials:print_rungs",
            part=RUNGS,
            arrow="evolve.tables.sweep:rungs_of",
        ),
        RunTable(
            "final",
            "evolve.tables.sweep:final",
            best="score",
            show="evolve.cli.trials:print_final",
            part=FINAL_FILE,
            title="The final",
            arrow="evolve.tables.sweep:final_of",
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
    view="evolve.cli.trials:TrialsView",
    kept="evolve.tables.sweep:kept_trials",
    facts="evolve.tables.sweep:sweep_facts",
    figure="evolve.tables.sweep:sweep_figure",
    draw="evolve.plots.sweep:plot_sweep",
    curve="evolve.tables.sweep:sweep_curve",
)

RUN_TYPES: Final = (EVOLUTIONS, TRAININGS, SWEEPS)
"""All kinds, in the order in which people see them."""

PARTS: Final = tuple(dict.fromkeys(part for kind in RUN_TYPES for part in kind.parts))
"""Folders inside those of runs."""
FILES: Final = (
    CONFIG_FILE,
    *dict.fromkeys(file for kind in RUN_TYPES for file in kind.files),
    RATING_FILE,
    STUDY_FILE,
    LOCK_FILE,
    OWNER_FILE,
)
"""Files in runs' folders; those of ratings and studies too, because their folders lock alike."""


def kind_of(command: object, place: Path) -> RunType:
    """The kind of run that a command makes; RunError, which names `place`, where it is unknown."""
    known = {name: kind for kind in RUN_TYPES for name in kind.commands}
    if not isinstance(command, str) or command not in known:
        raise RunError(f"{place}: command = {command!r} is unknown; there are {', '.join(known)}")
    return known[command]


def champion_of(folder: FolderPath) -> FolderPath | None:
    """The agent file of a run's best agent so far; None before there is one."""
    names = dict.fromkeys(name for kind in RUN_TYPES for name in kind.champions)
    return next((folder / name for name in names if (folder / name).exists()), None)
