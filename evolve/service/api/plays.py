"""Games of people against agents, each in a small file of its own: a restart loses none."""

from __future__ import annotations

import json
import secrets
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import BaseModel, Field

from evolve.arena.person import Result, keep_game, rating_text
from evolve.engine.board.rules import Rules
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.files.atomic import write_bytes, write_text
from evolve.files.changes import remove
from evolve.parsing import parse_json, read_document
from evolve.records.moves import read_move
from evolve.service.api.agents import BLAMED, BOARDS, AgentId, MovesText, player
from evolve.service.responses import Given, ProblemError, log_errors, not_found
from evolve.service.state import Service, ServiceState

router = APIRouter()
_PlayId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
_KEPT: Final = 500  # most games that are kept


class NewPlay(Given):
    """A game of a person against an agent."""

    agent: AgentId
    rules: Rules | None = Field(
        default=None, description="those of the agent if not given, or standard"
    )
    side: Literal["black", "white"] = Field("black", description="of the person")
    moves: MovesText = Field(default="", description="to begin from")
    board: str | None = Field(default=None, max_length=2000, description=BOARDS)


class PlayMove(Given):
    """A move of a person, taking the last one back, or giving the game up."""

    move: str = Field(max_length=40, description="a square such as `f5`, `undo` or `resign`")
    ply: int | None = Field(
        default=None, ge=0, le=128, description="moves so far, so that none is made twice"
    )


class Play(BaseModel):
    """A game, running or over. `board` has 64 signs from a1 on: X black, O white, - empty."""

    id: str
    agent: str
    name: str
    rules: Rules
    side: Literal["black", "white"]
    start: str | None = Field(
        default=None, description="where it began, as OBF has it; null: the usual start"
    )
    moves: list[str]
    board: str
    to_move: Literal["black", "white"] | None = Field(description="null: the game is over")
    legal: list[str]
    discs_black: int
    discs_white: int
    result: Literal["won", "lost", "draw"] | None
    resigned: bool = Field(default=False, description="whether the person gave it up")
    rated: bool = Field(default=False, description="whether it counts for the person's rating")
    problem: str | None = Field(default=None, description="why the agent did not move")

    @property
    def position(self) -> dict[str, Any]:
        """What engine processes are asked about."""
        return {"moves": " ".join(self.moves), "rules": self.rules, "board": self.start}


def _draw(game: str) -> int:
    """The seed of a game, for an agent that plays at random: no two games have the same."""
    return int(game, 16) >> 2


@router.post("/plays", status_code=201)
async def begin_play(service: Service, request: NewPlay, response: Response) -> Play:
    """Begin a game against an agent."""
    source, name = player(service, request.agent), secrets.token_hex(8)
    places = {**BLAMED, "PositionError": "/board", "RecordError": "/moves"}
    game = request.model_dump(exclude={"agent"})
    answer = await service.search.ask(
        "play", places, source=source, move=None, draw=_draw(name), **game
    )
    whole = request.board is None and len(request.moves.strip()) <= 2
    rated = whole and "?" not in request.agent
    response.headers["location"] = f"plays/{name}"
    return _keep(
        service, Play(id=name, agent=request.agent, side=request.side, rated=rated, **answer)
    )


@router.get("/rating")
def get_rating(rules: Rules) -> dict[str, str]:
    """The person's own rating by games on the page and in a terminal, as `text`."""
    return {"text": rating_text(rules)}


@router.get("/plays/{play}")
async def get_play(service: Service, play: _PlayId) -> Play:
    """A game, running or over."""
    path = service.folders.plays / f"{play}.json"
    if not path.is_file():
        raise not_found(f"game {play}")
    try:
        return Play.model_validate(parse_json(read_document(path)))
    except (OSError, ValueError) as error:
        raise ProblemError(422, f"game {play} is damaged: it cannot be read") from error


@router.post("/plays/{play}/moves")
async def make_move(service: Service, play: _PlayId, request: PlayMove) -> Play:
    """Make a move, take the last one back, or resign; the agent answers."""
    game = await get_play(service, play)
    source = service.agents.source(game.agent)
    if request.ply is not None and request.ply != len(game.moves):
        raise ProblemError(409, f"{len(game.moves)} moves are made, not {request.ply}")
    move: str | None = _move_of(request.move)
    if move == "resign" and game.result is None:
        over = {"result": "lost", "to_move": None, "legal": list[str](), "resigned": True}
        return _keep(service, game.model_copy(update=over))
    if move not in ("undo", *game.legal):
        legal = f"legal are {', '.join(game.legal)}" if game.legal else "the game is over"
        detail = f"{move} is not a legal move; {legal}"
        raise ProblemError(409, detail, [("/move", detail)])
    if move == "undo":
        _count(service, game, None)
        game = game.model_copy(update={"rated": False})
    move = None if game.resigned else move  # then what is taken back is that
    answer = await service.search.ask(
        "play", source=source, move=move, side=game.side, draw=_draw(play), **game.position
    )
    return _keep(service, game.model_copy(update={"resigned": False, **answer}))


@router.get("/plays/{play}/game.ggf", response_class=PlainTextResponse)
async def save_play(service: Service, play: _PlayId) -> PlainTextResponse:
    """The game as a GGF record."""
    headers = {"content-disposition": f'attachment; filename="game-{play}.ggf"'}
    return PlainTextResponse(await _record(service, play), headers=headers)


@router.get("/plays/{play}/game.html", response_class=FileResponse)
async def report_play(service: Service, play: _PlayId) -> FileResponse:
    """The game as a page to send: its board move by move, with the coach's values and words."""
    text = await _record(service, play)
    record = service.folders.new_temporary(".ggf")
    try:
        write_bytes(record, text.encode())
        return await service.downloads.file(["report", str(record)], f"game-{play}.html")
    finally:
        remove(record, missing_ok=True)


def _move_of(text: str) -> str:
    """The name of the square that a text names, or `undo` or `resign`; ProblemError otherwise."""
    if (word := text.strip().lower()) in ("undo", "resign"):
        return word
    try:
        return square_name(read_move(text))
    except RecordError as error:
        detail = f"move: {error}; or undo, or resign"
        raise ProblemError(422, detail, [("/move", str(error))]) from error


async def _record(service: ServiceState, play: str) -> str:
    """A game as GGF."""
    game = await get_play(service, play)
    names: dict[str, Any] = {"black": game.name, "white": game.name, game.side: "person"}
    resigned = game.side if game.resigned else None
    return str(await service.search.ask("ggf", resigned=resigned, **names, **game.position))


def _keep(service: ServiceState, play: Play) -> Play:
    folder = service.folders.plays
    write_text(folder / f"{play.id}.json", json.dumps(play.model_dump()) + "\n")
    kept = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for old in kept[:-_KEPT]:
        remove(old, missing_ok=True)
    _count(service, play, play.result)
    return play


def _count(service: ServiceState, play: Play, result: Result | None) -> None:
    """Let a game that is over count for the person's rating, or no longer: None."""
    known = service.agents.info(play.agent).ratings if play.rated else ()
    elos = [one["elo"] for one in known if one["rules"] == play.rules]
    if elos and play.result is not None:
        with log_errors("a person's result"):
            keep_game(play.id, play.agent, elos[0], play.rules, result)
