"""What was left out of a file of games, said on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evolve.cli.terminal import complain

if TYPE_CHECKING:
    from evolve.records.reading import Reading


def complain_of(reading: Reading, path: Path) -> None:
    """Say how many games were left out, and the first reasons."""
    for line in reading.told(path):
        complain(line)
