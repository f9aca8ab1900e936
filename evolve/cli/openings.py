"""The openings that --openings and --opening-plies choose."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evolve.config.contests import RANDOM_PLIES

if TYPE_CHECKING:
    import numpy as np

    from evolve.engine.rules import Rules
    from evolve.fitness.openings import Openings


def identity_of(source: str) -> str:
    """What --openings was given; of a file, with its content."""
    path = Path(source)
    if source in ("random", "start") or not path.is_file():
        return source
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def openings_for(
    source: str,
    plies: int | None,
    pairs: int | None,
    default: int,
    rules: Rules,
    rng: np.random.Generator,
) -> Openings:
    """The openings asked for: `pairs` of them, or every one of a file, or `default`."""
    from evolve.fitness.openings import START_POSITION, Part, balanced_openings, openings_of_games

    if source == "start":
        return START_POSITION.first(pairs or default)
    if source == "random":
        return balanced_openings(pairs or default, Part.MATCH, rules, rng, plies or RANDOM_PLIES)
    if not Path(source).exists():
        raise click.BadParameter(
            f"{source!r} is neither random, start nor a file", param_hint="--openings"
        )
    from evolve.records.table import read_games

    openings = openings_of_games([record.moves for record in read_games(source)], plies)
    return openings.first(pairs or len(openings))
