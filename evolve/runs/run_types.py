"""Kinds of runs, one entry for each, with all that other modules ask of it.

A new kind of run is a module of its own and an entry in `RUN_TYPES`, where the command line,
`resume`, `runs`, `show`, `compare`, `plot`, the service and its page find it.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.errors import RunError
from evolve.files.changes import refuse_links
from evolve.parsing import parse_json, read_document
from evolve.runs.run_type import Change, RunTable, RunType, Variant
from evolve.tables import paths
from evolve.terminal_text import as_word

EVOLUTIONS: Final = RunType(
    works="evolutions",
    name="run",
    noun="an evolution",
    plural="evolutions",
    stem="{rules}",
    page="run",
    about="Evolve agents, generation by generation.",
    variants={
        "": Variant("evolve.config.evolution:EvolutionSettings", "evolve.config.evolution:PRESETS")
    },
    tables=(
        RunTable(
            "generations", best="panel_score", key="generation", over=("generation",), drawn=True
        ),
        RunTable("individuals", best="score", generations=True, drawn=True),
        RunTable("games", generations=True, drawn=True),
    ),
    parts=(paths.GENERATIONS, paths.GAMES),
    files=(paths.CHAMPION_FILE,),
    rated=True,
    plays_on_clusters=True,
    runs_on_clusters=True,
    unit="generations",
    row_event="generation",
    packages=("numba", "numpy", "deap", "pandas", "pyarrow", "joblib"),
    changes=(
        Change("generations", int, "Generations in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
        Change("until_rest", bool, "Stop when evolution has stopped improving, by its rating."),
        Change("time_limit", float, "Hours from now."),
    ),
    modules=("evolve.cli.evolutions",),
)

TRAININGS: Final = RunType(
    works="trainings",
    name="train",
    noun="a training",
    plural="trainings",
    stem="{word}",
    page="train",
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
            about="Teach tables of patterns by games, or evolve them by duels.",
        ),
    },
    tables=(
        RunTable(
            "metrics",
            best="score",
            title="Checks",
            key="check",
            over=("games", "cpu_seconds", "check"),
        ),
    ),
    parts=(paths.METRICS,),
    files=(paths.CHAMPION_FILE, paths.LEARNED_FILE, paths.CHECKPOINT_FILE),
    unit="games",
    row_event="check",
    changes=(
        Change("games", int, "Of a training or a program: games in all."),
        Change("budget", float, "Of a training: CPU seconds in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
    ),
)

SWEEPS: Final = RunType(
    works="sweeps",
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
            unused=target.unused,
        )
        for word, target in SWEEP_TARGETS.items()
    },
    tables=(
        RunTable("trials", best="score", key="number", over=("number",), drawn=True),
        RunTable("rungs", best="score", part=paths.RUNGS, drawn=True),
        RunTable("final", best="score", part=paths.FINAL_FILE, title="The final", drawn=True),
    ),
    parts=(paths.TRIALS, paths.RUNGS),
    files=(
        paths.CHAMPION_FILE,
        paths.LEARNED_FILE,
        paths.TRIALS_FILE,
        paths.JOURNAL_FILE,
        paths.FINAL_FILE,
        paths.BEST_FILE,
        paths.BEST_TOML,
    ),
    unit="trials",
    row_event="trial",
    workers=True,
    plays_on_clusters=True,
    packages=("numba", "numpy", "optuna", "pandas", "pyarrow"),
    changes=(
        Change("trials", int, "Of a sweep: finished trials in all."),
        Change("games", int, "Of a training or a program: games in all.", words=("program",)),
        Change("timeout", float, "Of a sweep: seconds from now."),
        Change("storage", str, "Of a sweep: its storage, with the password.", metavar="URL"),
    ),
)

RUN_TYPES: Final = (EVOLUTIONS, TRAININGS, SWEEPS)
"""All kinds, in the order in which people see them."""

PARTS: Final = tuple(dict.fromkeys(part for kind in RUN_TYPES for part in kind.parts))
"""Folders inside those of runs."""
FILES: Final = (
    paths.CONFIG_FILE,
    *dict.fromkeys(file for kind in RUN_TYPES for file in kind.files),
    paths.RATING_FILE,
    paths.STUDY_FILE,
    paths.LOCK_FILE,
    f"{paths.JOURNAL_FILE}.lock",
    paths.OWNER_FILE,
)
"""Files in runs' folders; those of ratings and studies too, because their folders lock alike."""


def kind_of(command: object, source: Path | str) -> RunType:
    """The kind of run that a command makes; RunError, which names `source`, where it is unknown."""
    known = {name: kind for kind in RUN_TYPES for name in kind.commands}
    if not isinstance(command, str) or command not in known:
        raise RunError(f"{source}: command = {command!r} is unknown; there are {', '.join(known)}")
    return known[command]


def check_links(folder: Path) -> None:
    """Raise LinkError where anything that evolve reads in the folder of a run or study is a link.

    The user's own files there are not looked at.
    """
    refuse_links(folder, (*FILES, *PARTS, paths.LOGS, paths.SETTINGS))


CHAMPIONS: Final = (paths.CHAMPION_FILE, paths.LEARNED_FILE)
"""Files that may hold a run's best agent: the second one where agents have arrays."""


def champion_of(folder: Path) -> Path | None:
    """The agent file of a run's best agent so far; None before there is one.

    Raises LinkError where it is a link.
    """
    refuse_links(folder, CHAMPIONS)
    return next((folder / name for name in CHAMPIONS if (folder / name).exists()), None)


def tuned_line(folder: Path) -> str | None:
    """The command line by which the winner of a sweep of a program plays; None in other folders."""
    file = folder / paths.BEST_FILE
    try:
        best = {} if file.is_symlink() else parse_json(read_document(file))
        # A command has no variables and no GTP commands.
        whole = not best.keys() & {"environment", "commands"}
        agent = shlex.quote(best["program"]) if whole else as_word(folder)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return f"evolve match {agent} swh --games 200"
