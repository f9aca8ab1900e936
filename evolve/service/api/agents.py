"""Agents, their evaluations of positions, and games against them."""

from __future__ import annotations

from pathlib import Path as File
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse, PlainTextResponse

from evolve.agents.registry import COACH
from evolve.arena.person import rating_text
from evolve.engine.board.rules import Rules
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.service.folders import AGENT_SUFFIXES
from evolve.service.models import agents as models
from evolve.service.models.meta import AGENT_ID, Page
from evolve.service.responses import Paged, ProblemError
from evolve.service.state import Service, ServiceState

router = APIRouter()
_AgentPath = Annotated[str, Path(pattern=AGENT_ID)]
_NO_PLAY: Final = "programs play matches and ratings, and nothing else"
_BLAMED: Final = {"AgentError": "/agent", "AgentFileError": "/agent", "EngineError": "/agent"}
_PLACES: Final = {**_BLAMED, "PositionError": "/position/board", "RecordError": "/position/moves"}
_PlayId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


@router.get("/agents")
def list_agents(
    service: Service, page: Paged, q: Annotated[str | None, Query(max_length=200)] = None
) -> Page[models.AgentInfo]:
    """Reference agents, champions of runs, uploads, and the programs that may play."""
    names = service.agents.ids(service.index.names())
    if q is not None:
        names = [name for name in names if q.lower() in name.lower()]
    return page.page(names, service.agents.info)


@router.post("/agents", status_code=201)
async def upload_agent(
    service: Service, upload: models.Upload, response: Response
) -> models.AgentInfo:
    """Upload an agent file; it is checked by letting it play."""
    suffix = File(upload.name).suffix.lower()
    if suffix not in AGENT_SUFFIXES:
        detail = f"agent files end in {' or '.join(AGENT_SUFFIXES)}"
        raise ProblemError(422, f"name: {detail}", [("/name", detail)])
    path = service.folders.new_temporary(suffix)
    try:
        write_bytes(path, upload.data)
        agent = await service.search.ask("check_file", path=str(path))
    except ProblemError as error:
        detail = error.detail.replace(str(path), upload.name)
        raise ProblemError(error.status, f"data: {detail}", [("/data", detail)]) from error
    finally:
        remove(path, missing_ok=True)
    name = service.agents.keep_upload(upload.data, suffix)
    response.headers["location"] = f"agents/{name}"
    about = f"{agent['kind']}, {agent['rules'] or 'any rules'}"
    return models.AgentInfo(id=name, origin="upload", about=about, **agent)


@router.get("/agents/{agent}")
async def get_agent(service: Service, agent: _AgentPath) -> models.AgentDetail:
    """The description of an agent."""
    return await described(service, agent)


async def described(service: ServiceState, agent: str) -> models.AgentDetail:
    """An agent as lists have it, with what its engine process says of it."""
    source = service.agents.source(agent)
    if agent.startswith("program:"):
        raise ProblemError(404, _NO_PLAY)
    detail = await service.search.ask("describe", source=source)
    info = service.agents.info(agent.partition("?")[0]).model_dump()
    return models.AgentDetail.model_validate({**info, **detail, "id": agent})


@router.delete("/agents/{agent}", status_code=204)
async def delete_agent(service: Service, agent: _AgentPath) -> None:
    """Remove an uploaded agent."""
    service.agents.remove_upload(agent)


@router.post("/evaluations")
async def evaluate(service: Service, request: models.NewEvaluation) -> models.Evaluation:
    """The value of each legal move of a position by an agent."""
    (found,) = await _evaluations(service, request.agent, request.position)
    return found


@router.post("/reviews")
async def review(service: Service, request: models.NewReview) -> models.Review:
    """Values of all positions of a game in one answer, by the coach or any other agent."""
    agent = request.agent or COACH.format(rules=request.position.rules)
    found = await _evaluations(service, agent, request.position, request.first)
    return models.Review(agent=agent, evaluations=found)


async def _evaluations(
    service: ServiceState, agent: str, position: models.Position, first: int | None = None
) -> list[models.Evaluation]:
    source = _player(service, agent)
    found = await service.search.ask(
        "evaluate", _PLACES, source=source, first=first, **position.model_dump()
    )
    return [models.Evaluation(agent=agent, **values) for values in found]


@router.post("/records")
async def read_records(service: Service, pasted: models.Pasted) -> models.PastedGames:
    """Games and positions of a text, as people write them and programs save them."""
    found = await service.search.ask("read", {"RecordError": "/text"}, **pasted.model_dump())
    return models.PastedGames.model_validate(found)


@router.post("/plays", status_code=201)
async def begin_play(service: Service, request: models.NewPlay, response: Response) -> models.Play:
    """Begin a game against an agent."""
    source = _player(service, request.agent)
    places = {**_BLAMED, "PositionError": "/board", "RecordError": "/moves"}
    play = await service.human_games.begin(request, source, places)
    response.headers["location"] = f"plays/{play.id}"
    return play


@router.get("/rating")
def get_rating(rules: Rules) -> dict[str, str]:
    """The person's own rating by games on the page and in a terminal, as `text`."""
    return {"text": rating_text(rules)}


@router.get("/plays/{play}")
async def get_play(service: Service, play: _PlayId) -> models.Play:
    """A game, running or over."""
    return service.human_games.get(play)


@router.post("/plays/{play}/moves")
async def make_move(service: Service, play: _PlayId, request: models.PlayMove) -> models.Play:
    """Make a move, take the last one back, or resign; the agent answers."""
    source = service.agents.source(service.human_games.get(play).agent)
    return await service.human_games.move(play, request, source)


@router.get("/plays/{play}/game.ggf", response_class=PlainTextResponse)
async def save_play(service: Service, play: _PlayId) -> PlainTextResponse:
    """The game as a GGF record."""
    text = await service.human_games.record(play)
    headers = {"content-disposition": f'attachment; filename="game-{play}.ggf"'}
    return PlainTextResponse(text, headers=headers)


@router.get("/plays/{play}/game.html", response_class=FileResponse)
async def report_play(service: Service, play: _PlayId) -> FileResponse:
    """The game as a page to send: its board move by move, with the coach's values and words."""
    text = await service.human_games.record(play)
    record = service.folders.new_temporary(".ggf")
    try:
        write_bytes(record, text.encode())
        return await service.downloads.file(["report", str(record)], f"game-{play}.html")
    finally:
        remove(record, missing_ok=True)


def _player(service: ServiceState, agent: str) -> str:
    try:
        source = service.agents.source(agent)
    except ProblemError as error:
        raise ProblemError(error.status, error.detail, [("/agent", error.detail)]) from error
    if agent.startswith("program:"):
        raise ProblemError(422, _NO_PLAY, [("/agent", _NO_PLAY)])
    return source
