"""A person's own games with agents of known Elo, and the rating that follows from them.

They are a list in `played.json` in the user's data folder (`EVOLVE_DATA_DIR` moves it): those on
the page and those in a terminal, without their moves.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from evolve.agents.calibration.ratings import ratings_of
from evolve.engine.board.rules import Rules
from evolve.engine.compiled.private import private_folder
from evolve.errors import StorageError
from evolve.files.atomic import write_bytes
from evolve.fitness.statistics import rate_games
from evolve.number_text import elo_text
from evolve.parsing import finite_number, parse_json, read_document
from evolve.runs.agreements import data_folder
from evolve.terminal_text import count_of

Result = Literal["won", "draw", "lost"]
_FEWEST: Final = 3  # games that a rating needs
_MOST: Final = 1000  # games that are kept, the last ones


class _Game(BaseModel):
    """A finished game. elo: the opponent's, at that time; date: in seconds since 1970."""

    model_config = ConfigDict(allow_inf_nan=False, frozen=True)

    id: str
    opponent: str
    elo: float
    rules: Rules
    result: Result
    date: float


def elo_of_opponent(name: str, rules: Rules, agent: object) -> float | None:
    """The Elo of a reference agent by its name, or that in a champion's file; None if unknown."""
    if (known := ratings_of(name).get(rules)) is not None:
        return float(known.elo)
    own = "?" not in name and getattr(agent, "rules", None) == rules
    return finite_number(getattr(agent, "provenance", {}).get("elo")) if own else None


def keep_game(game: str, opponent: str, elo: float, rules: Rules, result: Result | None) -> None:
    """Keep the result of the game of that id; None: no longer. StorageError where that fails."""
    games = [one for one in _games() if one.id != game]
    if result is not None:
        about = {"id": game, "opponent": opponent, "elo": elo, "rules": rules}
        games.append(_Game.model_validate({**about, "result": result, "date": time.time()}))
    content = json.dumps([one.model_dump() for one in games[-_MOST:]], indent=1)
    try:
        private_folder(data_folder())
        write_bytes(_file(), content.encode(), private=True)
    except OSError as error:
        raise StorageError(f"{_file()}: {error.strerror or error}") from error


def rating_text(rules: Rules) -> str:
    """The rating by all games of these rules; StorageError where the list cannot be read."""
    games = [one for one in _games() if one.rules == rules]
    if len(games) < _FEWEST:
        more = count_of(_FEWEST - len(games), "more game" if games else "game")
        return f"Your rating under {rules} rules comes after {more} with rated agents."
    points = sum({"won": 1.0, "draw": 0.5, "lost": 0.0}[one.result] for one in games)
    elo = elo_text(*rate_games([one.elo for one in games], points)[:3])
    return f"Your rating under {rules} rules: {elo} Elo, from {len(games)} games."


def _file() -> Path:
    return data_folder() / "played.json"


def _games() -> list[_Game]:
    try:
        return TypeAdapter(list[_Game]).validate_python(parse_json(read_document(_file())))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise StorageError(f"{_file()} cannot be read: mend or remove it to be rated") from error
