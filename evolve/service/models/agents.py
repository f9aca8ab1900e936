"""Agents, their evaluations of positions, and games against them, as documents."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Base64Bytes, BaseModel, Field

from evolve.engine.board.rules import Rules
from evolve.service.models.meta import AGENT_ID, Given, Number

_AgentId = Annotated[str, Field(pattern=AGENT_ID)]
_MovesText = Annotated[str, Field(max_length=2000)]
BOARDS: Final = (
    "64 cells from a1 on, such as X black, O white, - empty, in a line or in rows, then the side "
    "to move; the start position if not given"
)
STARTS: Final = "where it began, as OBF has it; null: the usual start"


class AgentInfo(BaseModel):
    """An agent in lists."""

    id: str
    name: str
    kind: str | None = None
    rules: Rules | None = None
    origin: Literal["reference", "run", "upload", "program"]
    about: str
    ratings: list[dict[str, Any]] = Field(
        default=[],
        description="of a reference agent under `rules`: `elo` on the ladder, `error`, half of its "
        "95 % interval, `seconds` of a move on one core, `about`, `plays`",
    )
    settings: list[str] = Field(
        default=[], description="what may follow the question mark; empty in lists"
    )


class AgentDetail(AgentInfo):
    """An agent in detail: facts beside its name, remarks, a table, and boards of 64 numbers."""

    facts: list[str]
    lines: list[str]
    columns: list[str]
    rows: list[list[Any]]
    boards: dict[str, list[Number]]
    provenance: dict[str, Any]


class Upload(Given):
    """An agent file."""

    name: str = Field(max_length=200, description="its name, which ends in .json or .npz")
    data: Base64Bytes = Field(max_length=44_739_244, description="its content: 32 MiB at most")


class Position(Given):
    """A position: the moves to it from the start, or from a board."""

    moves: _MovesText = Field(
        default="",
        description="such as `f5 d6 c3`, `F5D6C3` or `1. f5 d6 2. c3`; passes may be left out",
    )
    board: str | None = Field(default=None, max_length=2000, description=BOARDS)
    rules: Rules = "standard"


class NewEvaluation(Given):
    """A question about a position."""

    agent: _AgentId
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

    agent: _AgentId | None = Field(
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


class NewPlay(Given):
    """A game of a person against an agent."""

    agent: _AgentId
    rules: Rules | None = Field(
        default=None, description="those of the agent if not given, or standard"
    )
    side: Literal["black", "white"] = Field("black", description="of the person")
    moves: _MovesText = Field(default="", description="to begin from")
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
    start: str | None = Field(default=None, description=STARTS)
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
