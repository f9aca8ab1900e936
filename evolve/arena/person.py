"""A person's own games with agents of known Elo, and the rating that follows from them.

They are a list in `played.json` in the user's data folder (`EVOLVE_DATA_DIR` moves it): those on
the page and those in a terminal, without their moves.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from evolve.agents.calibration.ratings import ratings_of
from evolve.engine.board.rules import Rules
from evolve.engine.compiled.private import private_folder
from evolve.errors import StorageError
from evolve.files.atomic import write_bytes
from evolve.fitness.statistics import Estimate, rate_games
from evolve.number_text import elo_text
from evolve.parsing import finite_number, parse_json, read_document
from evolve.runs.agreements import data_folder
from evolve.terminal_text import count_of

Result = Literal["won", "draw", "lost"]
_POINTS: Final = {"won": 1.0, "draw": 0.5, "lost": 0.0}
_FEWEST: Final = 3
"""Games from which on a rating is told."""
_MOST: Final = 1000
"""Games that are kept: the last ones."""


class _Game(BaseModel):
    """A game that is over: with whom, the opponent's Elo then, and when, in seconds since 1970."""

    model_config = ConfigDict(allow_inf_nan=False, frozen=True)

    id: str
    opponent: str
    elo: float
    rules: Rules
    result: Result
    date: float


@dataclass(frozen=True)
class OwnRating:
    """A person's rating under some rules. elo: None before there are enough games."""

    rules: Rules
    games: int
    elo: Estimate | None

    @property
    def text(self) -> str:
        """The rating as page and terminal have it."""
        if self.elo is None:
            rest = f"{_FEWEST - self.games} more" if self.games else f"{_FEWEST}"
            return (
                f"Your rating under {self.rules} rules comes after {rest} games with rated agents."
            )
        elo = elo_text(*self.elo[:3])
        return f"Your rating under {self.rules} rules: {elo} Elo, from {self.games} games."


def elo_of_opponent(name: str, rules: Rules, agent: object = None) -> float | None:
    """The Elo of a reference agent by its name, or that in a champion's file; None if unknown."""
    if (known := ratings_of(name).get(rules)) is not None:
        return float(known.elo)
    if "?" in name or getattr(agent, "rules", None) != rules:
        return None
    return finite_number(getattr(agent, "provenance", {}).get("elo"))


def keep_game(game: str, opponent: str, elo: float, rules: Rules, result: Result) -> None:
    """Keep the result of the game of that id. StorageError where that cannot be."""
    kept = [one for one in _games() if one.id != game]
    own = _Game(id=game, opponent=opponent, elo=elo, rules=rules, result=result, date=time.time())
    _write([*kept, own][-_MOST:])


def take_back(game: str) -> None:
    """Keep nothing of that game any more. StorageError where that cannot be."""
    kept = _games()
    rest = [one for one in kept if one.id != game]
    if len(rest) < len(kept):
        _write(rest)


def own_rating(rules: Rules) -> OwnRating:
    """The rating that follows from the games that are kept; StorageError where they are damaged."""
    games = [one for one in _games() if one.rules == rules]
    points = sum(_POINTS[one.result] for one in games)
    enough = len(games) >= _FEWEST
    elo = rate_games([one.elo for one in games], points) if enough else None
    return OwnRating(rules, len(games), elo)


def _file() -> Path:
    return data_folder() / "played.json"


def _games() -> list[_Game]:
    try:
        return TypeAdapter(list[_Game]).validate_python(parse_json(read_document(_file())))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        text = f"{_file()} cannot be read: your games do not count until it is mended or removed"
        raise StorageError(text) from error


def _write(games: list[_Game]) -> None:
    try:
        private_folder(data_folder())
        content = json.dumps([one.model_dump() for one in games], indent=1)
        write_bytes(_file(), content.encode(), private=True)
    except OSError as error:
        raise StorageError(f"{_file()}: {error.strerror or error}") from error
