"""Paths of everything in a run's folder, and the endings of pictures of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from evolve.errors import RunError

PICTURES: Final = (".png", ".svg", ".pdf")
CONFIG_FILE: Final = "config.toml"
STUDY_FILE: Final = "study.toml"
CHAMPION_FILE: Final = "champion.json"
LEARNED_FILE: Final = "champion.npz"
"""The champion where agents have arrays: networks or patterns."""
GENERATIONS: Final = "generations"
GAMES: Final = "games"
METRICS: Final = "metrics"
TRIALS: Final = "trials"
"""Folder of a sweep: files of its trials."""
MATCHES: Final = "matches"
"""Folder inside that one, until the final is over: a file of games for each of its matches."""
TRIALS_FILE: Final = "trials.parquet"
RETEST_FILE: Final = "retest.parquet"
LOGS: Final = "logs"
SETTINGS: Final = "settings"
"""Folders of a study: outputs of its runs, and settings of those to come."""
JOURNAL_FILE: Final = "journal.log"
FINAL_FILE: Final = "final.json"
BEST_FILE: Final = "best.json"
BEST_TOML: Final = "best.toml"
CHECKPOINT_FILE: Final = "checkpoint.npz"
RATING_FILE: Final = "rating.json"
"""File of a rating: its agents and its settings."""
LOCK_FILE: Final = ".lock"
OWNER_FILE: Final = ".agreed"
"""A random text that `runs.agreements` knows, where a run or a job may start something."""


def generation_file(folder: Path, generation: int) -> Path:
    """Path of the individuals of a generation."""
    return folder / GENERATIONS / f"gen-{generation:04d}.parquet"


def games_file(folder: Path, generation: int) -> Path:
    """Path of the games of a generation."""
    return folder / GAMES / f"gen-{generation:04d}.parquet"


def playoff_file(folder: Path) -> Path:
    """Path of the games of the play-off; the file may not exist yet."""
    return folder / GAMES / "playoff.parquet"


def committed_generations(folder: Path) -> int:
    """Number of complete generations, from gen-0000 on; RunError where one is missing."""
    return count_of_files(folder / GENERATIONS, "gen")


def count_of_files(folder: Path, key: str) -> int:
    """Number of files KEY-NUMBER.parquet, from 0 on; RunError where one of these is missing."""
    numbers = {number_of(path, key) for path in folder.glob(f"{key}-*.parquet")} - {-1}
    for number in range(len(numbers)):
        if number not in numbers:
            missing = folder / f"{key}-{number:04d}.parquet"
            raise RunError(f"{missing} is missing, though later ones are there")
    return len(numbers)


def number_of(path: Path, key: str) -> int:
    """The number in the name of such a file; −1 where the name has none."""
    digits = path.stem.removeprefix(f"{key}-")
    return int(digits) if re.fullmatch(r"[0-9]{1,9}", digits) else -1
