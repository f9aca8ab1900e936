"""Games of people against agents, each in a small file, so that a restart loses none."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any, Final

from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.files.atomic import write_text
from evolve.files.changes import remove
from evolve.parsing import parse_json, read_document
from evolve.records.moves import read_move
from evolve.service.agents import Agents
from evolve.service.engine_client import Search
from evolve.service.folders import Place
from evolve.service.models.agents import NewPlay, Play, PlayMove
from evolve.service.problems import ProblemError, not_found

_NAME: Final = re.compile(r"[0-9a-f]{16}")
_KEPT: Final = 500
"""How many games are kept; the oldest go first."""


def _move_of(text: str) -> str:
    """The name of the square that a text names, or `undo`; ProblemError for any other text."""
    if text.strip().lower() == "undo":
        return "undo"
    try:
        return square_name(read_move(text))
    except RecordError as error:
        raise ProblemError(422, f"move: {error}; or undo", [("/move", str(error))]) from error


class HumanGames:
    """All games of people against agents."""

    def __init__(self, place: Place, agents: Agents, search: Search) -> None:
        self._place, self._agents, self._search = place, agents, search

    async def begin(self, asked: NewPlay, source: str, places: Mapping[str, str]) -> Play:
        """Begin a game; the agent moves if it is its turn. places: see `Search.ask`."""
        known = {"moves": asked.moves, "rules": asked.rules, "side": asked.side}
        found = await self._search.ask("play", places, source=source, move=None, **known)
        name = secrets.token_hex(8)
        return self._keep(Play(id=name, agent=asked.agent, side=asked.side, **found))

    def get(self, name: str) -> Play:
        """The game of that id; ProblemError where there is none."""
        path = self._place.plays / f"{name}.json"
        if not _NAME.fullmatch(name) or not path.is_file():
            raise not_found(f"game {name[:40]}")
        try:
            return Play.model_validate(parse_json(read_document(path)))
        except (OSError, ValueError) as error:
            raise ProblemError(422, f"game {name} is damaged: it cannot be read") from error

    async def move(self, name: str, asked: PlayMove, source: str) -> Play:
        """Make a person's move and the agent's, or take the last one back."""
        play = self.get(name)
        if asked.ply is not None and asked.ply != len(play.moves):
            raise ProblemError(409, f"{len(play.moves)} moves are made, not {asked.ply}")
        move = _move_of(asked.move)
        if move not in ("undo", *play.legal):
            there = f"legal are {', '.join(play.legal)}" if play.legal else "the game is over"
            detail = f"{move} is not a legal move; {there}"
            raise ProblemError(409, detail, [("/move", detail)])
        known: dict[str, Any] = {
            "moves": " ".join(play.moves),
            "rules": play.rules,
            "side": play.side,
        }
        found = await self._search.ask("play", source=source, move=move, **known)
        return self._keep(play.model_copy(update=found))

    async def record(self, name: str) -> str:
        """The game as GGF."""
        play = self.get(name)
        names: dict[str, Any] = {play.side: "person"}
        other = "white" if play.side == "black" else "black"
        names[other] = play.name
        text: str = await self._search.ask(
            "ggf", moves=" ".join(play.moves), rules=play.rules, **names
        )
        return text

    def _keep(self, play: Play) -> Play:
        path = self._place.plays / f"{play.id}.json"
        write_text(path, json.dumps(play.model_dump()) + "\n")
        kept = [one for one in self._place.plays.glob("*.json") if not one.is_symlink()]
        kept.sort(key=lambda one: one.lstat().st_mtime)
        for old in kept[:-_KEPT]:
            remove(old, missing_ok=True)
        return play
