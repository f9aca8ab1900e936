"""What the REST API takes and gives, as documents of JSON: the one source of its OpenAPI schema.

Ids name things of this service and nothing else: no path, no command, no URL is ever sent.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from evolve.engine.rules import Rules

Number = int | float
JobState = Literal[
    "queued", "running", "stopping", "done", "stopped", "interrupted", "failed", "cancelled"
]
RunState = Literal["running", "stopped", "done", "damaged"]
Kind = Literal["run", "train", "sweep"]
Command = Literal["run", "train", "sweep", "match", "rate", "resume"]
ENDED: Final = ("done", "stopped", "interrupted", "failed", "cancelled")
"""States of a job that has no process and waits for none."""

RUN_ID: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$"
JOB_ID: Final = r"^[0-9]{8}-[0-9a-f]{8}$"
AGENT_ID: Final = r"^[A-Za-z0-9_:.+-]{1,220}(\?[a-z_]+=[0-9.]{1,20}(&[a-z_]+=[0-9.]{1,20}){0,9})?$"
MOVES: Final = r"^([a-h][1-8]|pass)?( ([a-h][1-8]|pass)){0,127}$"
AgentId = Annotated[str, Field(pattern=AGENT_ID)]
MovesText = Annotated[str, Field(pattern=MOVES, max_length=700)]


class _Given(BaseModel):
    """What a client sends: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Health(BaseModel):
    """What this service is. `boot` changes with every start of the server."""

    status: Literal["ok"] = "ok"
    version: str
    boot: str
    folder: str
    slots: int
    cores: int
    running: int
    queued: int
    learn: bool = Field(description="whether PyTorch is there, for networks")
    programs: list[str] = Field(description="ids of the programs that may be met")


class RunSummary(BaseModel):
    """A run in lists. `done` and `target` are in its `unit`; scores are its champion's."""

    id: str
    command: str | None = Field(description="such as `run`, `train patterns`")
    kind: Kind | None
    noun: str | None
    rules: str | None
    preset: str | None
    seed: int | None
    state: RunState
    date: float = Field(description="when it last grew, in seconds since 1970")
    done: Number | None
    target: Number | None
    unit: str | None
    share: float | None = Field(description="of the way to its end, 0 to 1")
    score: float | None
    score_low: float | None
    score_high: float | None
    champion: str | None = Field(description="the name of its best agent")
    job: str | None = Field(description="the job that is at work on it, or was last")
    problem: str | None = Field(description="what is wrong, of a damaged one")
    curve: list[float] = Field(description="how it rose: 40 points at most")


class Change(BaseModel):
    """A setting that may change when a run goes on."""

    name: str
    type: Literal["int", "float", "bool", "str"]
    help: str


class Download(BaseModel):
    """A file to download; `href` is relative to the API."""

    name: str
    href: str
    about: str


class RunDetail(RunSummary):
    """A run with its settings."""

    settings: dict[str, Any]
    changed: list[str] = Field(description="settings that differ from the defaults")
    versions: dict[str, str]
    tables: list[str]
    changes: list[Change]
    files: list[Download]
    agent: str | None = Field(description="id of its champion as an agent")
    playoff: bool = Field(description="whether there was a play-off")


class ColumnInfo(BaseModel):
    """A column of a table."""

    name: str
    type: Literal["number", "text", "list", "bool"]


class Page(BaseModel):
    """A page of a list; `next` is the cursor of the one after it."""

    next: str | None = None
    total: int


class Runs(Page):
    """A page of runs."""

    items: list[RunSummary]


class Rows(Page):
    """A page of a table's rows."""

    columns: list[ColumnInfo]
    items: list[dict[str, Any]]


class Importances(BaseModel):
    """How much each setting of a sweep matters: its share, and how likely chance gives that."""

    items: list[dict[str, Any]]
    why: str | None


class CrossTable(BaseModel):
    """Scores of a round robin: row against column, 0 to 1; null where they did not meet."""

    individuals: list[str]
    scores: list[list[float | None]]
    totals: list[float]


class AgentInfo(BaseModel):
    """An agent in lists."""

    id: str
    name: str
    kind: str | None
    rules: Rules | None
    origin: Literal["reference", "run", "upload", "program"]
    about: str
    settings: list[str] = Field(default=[], description="what may follow the question mark")


class Agents(Page):
    """A page of agents."""

    items: list[AgentInfo]


class AgentDetail(AgentInfo):
    """An agent described: facts beside its name, remarks, a table, and boards of 64 numbers."""

    facts: list[str]
    lines: list[str]
    columns: list[str]
    rows: list[list[Any]]
    boards: dict[str, list[Number]]
    provenance: dict[str, Any]


class LineageNode(BaseModel):
    """An individual, with the last generation that it lived in."""

    individual: str
    born: int
    generation: int
    origin: str
    score: float
    parents: list[str]


class Lineage(BaseModel):
    """The ancestors of an individual, itself first, each once, to `depth` steps back."""

    items: list[LineageNode]
    complete: bool = Field(description="whether there are none further back")


class Game(BaseModel):
    """A game of a run."""

    id: str = Field(description="generation:number, such as 12:345 or playoff:3")
    generation: int
    kind: str
    game: int
    black: str
    white: str
    opening: str
    moves: str | None
    discs_black: int
    discs_white: int
    winner: str | None
    plies: int
    nodes_black: int | None
    nodes_white: int | None
    reason: str
    upset: float | None = Field(description="score of the loser less that of the winner")


class Games(Page):
    """A page of games."""

    items: list[Game]


class SettingDifference(BaseModel):
    """A setting in which runs differ, its value in each."""

    name: str
    values: list[Any]


class Comparison(BaseModel):
    """Runs side by side."""

    runs: list[RunSummary]
    settings: list[SettingDifference]


class Figures(BaseModel):
    """Further figures of runs, by name."""

    items: list[dict[str, Any]]


class NewJob(_Given):
    """Work to be done. `settings` are the fields of the command's settings model; of `train` and
    `sweep` its `kind` as well, such as `patterns`."""

    command: Literal["run", "train", "sweep", "match", "rate"]
    settings: dict[str, Any] = Field(default={}, description="see GET /commands")
    name: str | None = Field(
        default=None,
        pattern=RUN_ID,
        description="of the run's folder; the next that is free if not given",
    )
    threads: int | None = Field(default=None, ge=1, le=1024, description="all cores if not given")


class Changes(_Given):
    """What changes when a run goes on."""

    settings: dict[str, Any] = Field(default={}, description="see `changes` of the run")
    threads: int | None = Field(default=None, ge=1, le=1024)


class JobProgress(BaseModel):
    """How far a job has come: the whole of it, and what is in hand."""

    done: float | None = None
    total: float | None = None
    stage: str | None = None
    stage_done: float | None = None
    stage_total: float | None = None
    left: float | None = Field(default=None, description="seconds that are left, as it looks")


class Job(BaseModel):
    """A job: one process of the command line at a time."""

    id: str
    command: Command
    settings: dict[str, Any]
    state: JobState
    line: str = Field(description="the equal command line")
    run: str | None = Field(description="id of its run, once there is one")
    created: float
    started: float | None
    ended: float | None
    process: int | None
    place: int | None = Field(description="in the queue, from 1")
    progress: JobProgress
    result: dict[str, Any] | None = Field(description="of a match or rating, so far")
    ending: str | None = Field(description="why it ended")
    error: str | None
    notes: list[str]


class Jobs(Page):
    """A page of jobs."""

    items: list[Job]


class FieldInfo(BaseModel):
    """A field of a form."""

    name: str
    type: Literal["int", "float", "bool", "text", "list", "mapping", "choice", "agent", "agents"]
    help: str
    group: str
    default: Any = None
    choices: dict[str, str] | None = Field(default=None, description="each with what it means")
    least: Number | None = None
    most: Number | None = None


class CommandInfo(BaseModel):
    """A form: what a command takes, and its presets."""

    command: str = Field(description="such as `run` or `train patterns`")
    about: str
    available: bool = Field(description="whether what it needs is installed")
    groups: list[str]
    fields: list[FieldInfo]
    presets: dict[str, dict[str, Any]]


class Commands(BaseModel):
    """All forms."""

    items: list[CommandInfo]


class Checked(BaseModel):
    """Settings that are right: complete, with the equal command line."""

    settings: dict[str, Any]
    line: str


class Presets(BaseModel):
    """The presets of each command: what they change of the defaults."""

    items: dict[str, dict[str, dict[str, Any]]]


class SpaceRange(BaseModel):
    """A setting that a sweep searches."""

    name: str
    type: str
    range: str
    default: Any = None
    about: str


class SettingsOnly(_Given):
    """Settings to be checked."""

    settings: dict[str, Any] = {}


class Token(_Given):
    """What the service was told to ask for."""

    token: str = Field(max_length=200)


class Upload(_Given):
    """An agent file."""

    name: str = Field(max_length=200, description="its name, which ends in .json or .npz")
    data: str = Field(max_length=45_000_000, description="its content as base64")


class LogText(BaseModel):
    """What a job has printed, its end."""

    text: str


class Space(BaseModel):
    """What a sweep of a kind searches."""

    kind: str
    items: list[SpaceRange]


class Position(_Given):
    """A position: the moves to it from the start."""

    moves: MovesText = Field(default="", description="such as `f5 d6 c3`; pass where one must")
    rules: Rules = "standard"


class NewEvaluation(_Given):
    """A question about a position."""

    agent: AgentId
    position: Position


class MoveValue(BaseModel):
    """What an agent thinks of a move: the higher the better for the side to move."""

    move: str
    value: float
    text: str
    discs: float | None


class Evaluation(BaseModel):
    """The value of each legal move, the best first. `unit` says what the numbers are; null: the
    agent has no opinion."""

    agent: str
    side: Literal["black", "white"]
    unit: str | None
    depth: int | None
    line: list[str]
    moves: list[MoveValue]
    seconds: float


class NewPlay(_Given):
    """A game of a person against an agent."""

    agent: AgentId
    rules: Rules | None = Field(
        default=None, description="those of the agent if not given, or standard"
    )
    side: Literal["black", "white"] = Field("black", description="of the person")
    moves: MovesText = Field(default="", description="to begin from")


class PlayMove(_Given):
    """A move of a person, or taking the last one back."""

    move: Annotated[str, Field(pattern=r"^([a-h][1-8]|undo)$")]
    ply: int | None = Field(
        default=None, ge=0, le=128, description="moves so far, so that none is made twice"
    )


class Play(BaseModel):
    """A game in hand. `board` has 64 signs from a1 on: X black, O white, - empty."""

    id: str
    agent: str
    name: str
    rules: Rules
    side: Literal["black", "white"]
    moves: list[str]
    board: str
    to_move: Literal["black", "white"] | None = Field(description="null: the game is over")
    legal: list[str]
    discs_black: int
    discs_white: int
    result: Literal["won", "lost", "draw"] | None
    problem: str | None = Field(default=None, description="why the agent did not move")


class FieldError(BaseModel):
    """What is wrong with one field."""

    pointer: str = Field(description="where in the document, as RFC 6901 has it")
    detail: str


class Problem(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []
