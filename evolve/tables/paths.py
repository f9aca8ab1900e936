"""Where everything lies in a run's folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from evolve.errors import RunError
from evolve.files.folder import FolderPath

CONFIG_FILE: Final = "config.toml"
STUDY_FILE: Final = "study.toml"
CHAMPION_FILE: Final = "champion.json"
LEARNED_FILE: Final = "champion.npz"
"""The same where agents have arrays: networks or patterns."""
EVALUATION_FILE: Final = "evaluation.npz"
"""Of an evolution whose individuals all have one evaluation: the agent that it is of."""
GENERATIONS: Final = "generations"
GAMES: Final = "games"
METRICS: Final = "metrics"
TRIALS: Final = "trials"
"""Of a sweep: what its trials made."""
FINAL_GAMES: Final = "final"
"""In the same folder, until the final is over: a file of games for each of its matches."""
RUNGS: Final = "rungs"
"""Of a sweep: a folder for each rung, by its number."""
RETEST: Final = "retest"
"""The last of them, where the winner and the defaults learn once more."""
TRIALS_FILE: Final = "trials.parquet"
JOURNAL_FILE: Final = "journal.log"
FINAL_FILE: Final = "final.json"
BEST_FILE: Final = "best.json"
BEST_TOML: Final = "best.toml"
CHECKPOINT_FILE: Final = "checkpoint.npz"
RATING_FILE: Final = "rating.json"
"""Of a rating: who is rated, and how."""
PLAYOFF: Final = "playoff"
LOCK_FILE: Final = ".lock"
OWNER_FILE: Final = ".agreed"
"""Marks of the user who started a run that names programs or a storage."""
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


def generation_file(folder: FolderPath, generation: int) -> FolderPath:
    """Where the individuals of a generation are."""
    return folder / GENERATIONS / f"gen-{generation:04d}.parquet"


def games_file(folder: FolderPath, generation: int) -> FolderPath:
    """Where the games of a generation are."""
    return folder / GAMES / f"gen-{generation:04d}.parquet"


def playoff_file(folder: FolderPath) -> FolderPath:
    """Where the games of the play-off are, once there was one."""
    return folder / GAMES / f"{PLAYOFF}.parquet"


def committed_generations(folder: FolderPath) -> int:
    """Number of whole generations, from gen-0000 on.

    Raises RunError when a generation is missing before another one.
    """
    numbers = {generation_of(path) for path in (folder / GENERATIONS).glob("gen-*.parquet")} - {-1}
    for number in range(len(numbers)):
        if number not in numbers:
            raise RunError(
                f"{generation_file(folder, number)} is missing, though later generations are there"
            )
    return len(numbers)


def generation_of(path: Path) -> int:
    """The generation in a file's name; −1 where there is none."""
    digits = path.stem.removeprefix("gen-")
    return int(digits) if _NUMBER.fullmatch(digits) else -1
