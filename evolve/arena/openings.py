"""The openings that a match or a rating is played on, as its settings choose them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from evolve.config.contests import GAMES, GAMES_OF_TEST, RANDOM_PLIES, MatchSettings
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


def openings_for(
    source: str,
    plies: int | None,
    pairs: int | None,
    default: int,
    rules: Rules,
    rng: np.random.Generator,
) -> Openings:
    """The openings asked for: `pairs` of them, or every one of a file, or `default`.

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
    from evolve.records.table import read_games  # not above: few matches have a file of openings

    # Who won the games of the file says nothing here, so nor do their rules.
    openings = openings_of_games(read_games(source, judged=False), plies)
    return openings.first(pairs or len(openings))


def match_openings(settings: MatchSettings, rules: Rules) -> Openings:
    """The openings of a match."""
    most = GAMES if settings.sprt is None else GAMES_OF_TEST
    pairs = settings.games and (settings.games + 1) // 2
    rng = np.random.default_rng(settings.seed)
    plies = settings.opening_plies
    return openings_for(settings.openings, plies, pairs, most // 2, rules, rng)
