"""Agents, and their evaluations of positions."""

from __future__ import annotations

import hashlib
from pathlib import Path as File
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Response
from pydantic import Base64Bytes, BaseModel, Field

from evolve.agents.registry import COACH
from evolve.engine.board.rules import Rules
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.service.agents import AgentInfo
from evolve.service.folders import AGENT_SUFFIXES
from evolve.service.responses import AGENT_ID, Given, Page, Paged, ProblemError, Text
from evolve.service.state import Service, ServiceState

router = APIRouter()
_AgentPath = Annotated[str, Path(pattern=AGENT_ID)]
_NO_PLAY: Final = "programs play matches and ratings, and nothing else"
BLAMED: Final = {"AgentError": "/agent", "AgentFileError": "/agent", "EngineError": "/agent"}
_PLACES: Final = {**BLAMED, "PositionError": "/position/board", "RecordError": "/position/moves"}
AgentId = Annotated[str, Field(pattern=AGENT_ID)]
MovesText = Annotated[str, Field(max_length=2000)]
BOARDS: Final = (
    "64 cells from a1 on, such as X black, O white, - empty, in a line or in rows, then the side "
    "to move; the start position if not given"
)


class AgentDetail(AgentInfo):
    """An agent in detail: facts beside its name, remarks, a table, and boards of 64 numbers."""

    facts: list[str]
    lines: list[str]
    columns: list[str]
    rows: list[list[Any]]
    boards: dict[str, list[int | float]]
    provenance: dict[str, Any]


class Upload(Given):
    """An agent file."""

    name: str = Field(max_length=200, description="its name, which ends in .json or .npz")
    data: Base64Bytes = Field(max_length=44_739_244, description="its content: 32 MiB at most")


class Position(Given):
    """A position: the moves to it from the start, or from a board."""

    moves: MovesText = Field(
        default="",
        description="such as `f5 d6 c3`, `F5D6C3` or `1. f5 d6 2. c3`; passes may be left out",
    )
    board: str | None = Field(default=None, max_length=2000, description=BOARDS)
    rules: Rules = "standard"


class NewEvaluation(Given):
    """A question about a position."""

    agent: AgentId
    position: Position


class MoveValue(BaseModel):
    """An agent's value of a move; higher is better for the side to move."""

    move: str
    value: float
    text: str
    discs: float | None


class Evaluation(BaseModel):
    """The value of each legal move, the best first.

    `unit` says what the numbers are; null: the agent gives no values. Texts are in discs where
    these are known.
    """

    agent: str
    side: Literal["black", "white"]
    unit: str | None
    depth: int | None
    discs_error: float | None = Field(
        description="standard deviation of the moves' discs; 0: they are exact; null: unknown"
    )
    line: list[str]
    moves: list[MoveValue]
    seconds: float


class NewReview(Given):
    """A question about all positions of a game."""

    agent: AgentId | None = Field(
        default=None, description="null: the coach, the strong pattern agent of the rules"
    )
    position: Position
    first: int = Field(default=0, ge=0, le=128, description="moves ahead of the first position")


class Review(BaseModel):
    """Values of a game's positions: of those after `first` moves, at least of the last one."""

    agent: str
    evaluations: list[Evaluation]


class Pasted(Given):
    """Games or positions as people write them."""

    text: str = Field(
        max_length=50_000,
        description="moves such as `f5d6c3`, GGF, SGF, PGN, or a position of 64 cells",
    )
    rules: Rules = Field("standard", description="of games that do not say theirs")


class PastedGames(BaseModel):
    """The first games of a text; left_out: why the first of the others could not be read.

    games: each with its `moves`, none of a position, `rules`, `black`, `white`, and `start` as OBF,
    null where that is the usual one.
    """

    games: list[dict[str, Any]]
    total: int
    left_out: list[str]


@router.get("/agents")
def list_agents(service: Service, page: Paged, q: Text = None) -> Page[AgentInfo]:
    """Reference agents, champions of runs, uploads, and the programs that may play."""
    names = service.agents.ids(service.index.names())
    if q is not None:
        names = [name for name in names if q.lower() in name.lower()]
    return page.page(names, service.agents.info)


@router.post("/agents", status_code=201)
async def upload_agent(service: Service, upload: Upload, response: Response) -> AgentInfo:
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
    name = hashlib.sha256(upload.data).hexdigest()[:16]
    write_bytes(service.folders.uploads / f"{name}{suffix}", upload.data)
    name = f"upload:{name}"
    response.headers["location"] = f"agents/{name}"
    about = f"{agent['kind']}, {agent['rules'] or 'any rules'}"
    return AgentInfo(id=name, origin="upload", about=about, **agent)


@router.get("/agents/{agent}")
async def get_agent(service: Service, agent: _AgentPath) -> AgentDetail:
    """The description of an agent."""
    return await described(service, agent)


async def described(service: ServiceState, agent: str) -> AgentDetail:
    """An agent as lists have it, with what its engine process says of it."""
    source = service.agents.source(agent)
    if agent.startswith("program:"):
        raise ProblemError(404, _NO_PLAY)
    detail = await service.search.ask("describe", source=source)
    info = service.agents.info(agent.partition("?")[0]).model_dump()
    return AgentDetail.model_validate({**info, **detail, "id": agent})


@router.delete("/agents/{agent}", status_code=204)
async def delete_agent(service: Service, agent: _AgentPath) -> None:
    """Remove an uploaded agent."""
    origin, _, rest = agent.partition(":")
    file = service.folders.upload(rest) if origin == "upload" else None
    if file is None:
        service.agents.source(agent)  # raises where there is none
        raise ProblemError(409, f"{agent} was not uploaded")
    remove(file)


@router.post("/evaluations")
async def evaluate(service: Service, request: NewEvaluation) -> Evaluation:
    """The value of each legal move of a position by an agent."""
    (found,) = await _evaluations(service, request.agent, request.position)
    return found


@router.post("/reviews")
async def review(service: Service, request: NewReview) -> Review:
    """Values of all positions of a game in one answer, by the coach or any other agent."""
    agent = request.agent or COACH.format(rules=request.position.rules)
    found = await _evaluations(service, agent, request.position, request.first)
    return Review(agent=agent, evaluations=found)


async def _evaluations(
    service: ServiceState, agent: str, position: Position, first: int | None = None
) -> list[Evaluation]:
    source = player(service, agent)
    found = await service.search.ask(
        "evaluate", _PLACES, source=source, first=first, **position.model_dump()
    )
    return [Evaluation(agent=agent, **values) for values in found]


@router.post("/records")
async def read_records(service: Service, pasted: Pasted) -> PastedGames:
    """Games and positions of a text, as people write them and programs save them."""
    found = await service.search.ask("read", {"RecordError": "/text"}, **pasted.model_dump())
    return PastedGames.model_validate(found)


def player(service: ServiceState, agent: str) -> str:
    """What names an agent that values and plays moves; ProblemError where there is none."""
    try:
        source = service.agents.source(agent)
    except ProblemError as error:
        raise ProblemError(error.status, error.detail, [("/agent", error.detail)]) from error
    if agent.startswith("program:"):
        raise ProblemError(422, _NO_PLAY, [("/agent", _NO_PLAY)])
    return source
