"""Where everything lies in a run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CONFIG_FILE: Final = "config.toml"
CHAMPION_FILE: Final = "champion.json"
GENERATIONS: Final = "generations"
GAMES: Final = "games"
PLAYOFF: Final = "playoff"
LOCK_FILE: Final = ".lock"


def generation_file(folder: Path, generation: int) -> Path:
    """Where the individuals of a generation are."""
    return folder / GENERATIONS / f"gen-{generation:04d}.parquet"


def games_file(folder: Path, generation: int) -> Path:
    """Where the games of a generation are."""
    return folder / GAMES / f"gen-{generation:04d}.parquet"


def playoff_file(folder: Path) -> Path:
    """Where the games of the play-off are, once there was one."""
    return folder / GAMES / f"{PLAYOFF}.parquet"


def committed_generations(folder: Path) -> int:
    """Number of whole generations: gen-0000 and on without a gap."""
    count = 0
    while generation_file(folder, count).exists():
        count += 1
    return count
