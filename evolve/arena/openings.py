"""The openings that a match or a rating is played on, as its settings choose them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from evolve.config.matches import GAMES, GAMES_OF_TEST, RANDOM_PLIES, MatchSettings
from evolve.engine.rules import Rules
from evolve.errors import OptionsError
from evolve.fitness.openings import (
    START_POSITION,
    Openings,
    Part,
    balanced_openings,
    openings_of_games,
)


def identity_of(source: str) -> str:
    """What `openings` was given; of a file, with its content."""
    path = Path(source)
    if source in ("random", "start") or not path.is_file():
        return source
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def openings_for(
    source: str,
    plies: int | None,
    pairs: int | None,
    default: int,
    rules: Rules,
    rng: np.random.Generator,
    *,
    tell: Callable[[str], None] = _warn,
    strict: bool = False,
) -> Openings:
    """The openings asked for: `pairs` of them, or every one of a file, or `default`.

    What of a file cannot be read is left out, and told; if `strict` it is a RecordError. Raises
    OptionsError where `source` is neither a word for openings nor a file.
    """
    if source == "start":
        return START_POSITION.first(pairs or default)
    if source == "random":
        return balanced_openings(pairs or default, Part.MATCH, rules, rng, plies or RANDOM_PLIES)
    if not Path(source).exists():
        folder = Path(source).parent
        more = "" if folder.is_dir() else f": there is no folder {folder}"
        raise OptionsError(f"openings: {source!r} is neither random, start nor a file{more}")
    from evolve.records.formats import read_games  # not above: few matches have such a file

    # Who won the games of the file says nothing here, so nor do their rules.
    reading = read_games(source, judged=False, strict=strict)
    for line in reading.told(Path(source)):
        tell(line)
    openings = openings_of_games(reading.records, plies)
    return openings.first(pairs or len(openings))


def match_openings(
    settings: MatchSettings,
    rules: Rules,
    *,
    tell: Callable[[str], None] = _warn,
    strict: bool = False,
) -> Openings:
    """The openings of a match; `tell` and `strict` as of `openings_for`."""
    most = GAMES if settings.sprt is None else GAMES_OF_TEST
    pairs = settings.games and (settings.games + 1) // 2
    rng = np.random.default_rng(settings.seed)
    plies = settings.opening_plies
    return openings_for(
        settings.openings, plies, pairs, most // 2, rules, rng, tell=tell, strict=strict
    )
