"""Trainings as a kind of run: its entry among all kinds, which loads nothing heavy."""

from typing import Final

from evolve.runs.run_type import Change, RunTable, RunType, Variant
from evolve.tables import paths

KIND: Final = RunType(
    module=__name__,
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
    runs_on_clusters=True,
    unit="games",
    row_event="check",
    changes=(
        Change("games", int, "Of a training or a program: games in all."),
        Change("budget", float, "Of a training: CPU seconds in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
    ),
)
