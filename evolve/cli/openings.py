"""Options that choose openings, and the openings they choose."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evolve.engine.limits import MAX_OPENING_PLIES

if TYPE_CHECKING:
    import numpy as np

    from evolve.engine.rules import Rules
    from evolve.fitness.openings import Openings

C = TypeVar("C", bound=Callable[..., Any])

RANDOM_PLIES = 8


def opening_options(command: C) -> C:
    """--openings and --opening-plies."""
    command = click.option(
        "--opening-plies",
        type=click.IntRange(3, MAX_OPENING_PLIES),
        help=f"Moves of an opening: {RANDOM_PLIES} random ones by default, or the first of each "
        "game in a file, all by default.",
    )(command)
    return click.option(
        "--openings",
        default="random",
        show_default=True,
        metavar="random|start|FILE",
        help="Random balanced openings that no training uses, the start position, or a file: move "
        "strings such as f5d6c4d3c2b3b4b5, one a line, or games (.ggf, .wtb, .csv, .parquet).",
    )(command)


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
