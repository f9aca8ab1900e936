"""Choose the openings of a match or a rating from its settings."""

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
    """Return the value of `openings`; for a file, its name and a hash of its content."""
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
    """Return `pairs` openings; without `pairs`, all openings of a file, or `default` many.

    Unreadable parts of a file are skipped and reported to `tell`; with `strict` they raise
    RecordError. Raises OptionsError if `source` is neither `random`, `start` nor a file.
    """
    if source == "start":
        return START_POSITION.first(pairs or default)
    if source == "random":
        return balanced_openings(pairs or default, Part.MATCH, rules, rng, plies or RANDOM_PLIES)
    if not Path(source).exists():
        folder = Path(source).parent
        more = "" if folder.is_dir() else f": there is no folder {folder}"
        raise OptionsError(f"openings: {source!r} is neither random, start nor a file{more}")
    from evolve.records.formats import read_games  # imported here: few matches use a file

    # The winners of the games in the file do not matter here, so neither do their rules.
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
    """Return the openings of a match; `tell` and `strict` as in `openings_for`."""
    most = GAMES if settings.sprt is None else GAMES_OF_TEST
    pairs = settings.games and (settings.games + 1) // 2
    rng = np.random.default_rng(settings.seed)
    plies = settings.opening_plies
    return openings_for(
        settings.openings, plies, pairs, most // 2, rules, rng, tell=tell, strict=strict
    )
