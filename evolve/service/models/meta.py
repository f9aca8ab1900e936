"""What all documents share; the service itself and its choices as documents.

Choices are forms of the commands, kinds of runs with their tables, contests and rules.
"""

from __future__ import annotations

from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, computed_field

from evolve.config.base import FormField
from evolve.engine.board.rules import Rules
from evolve.service.folders import NEW_ID, RUN_ID
from evolve.tables.columns import Chart, Format

Number = int | float
T = TypeVar("T")

AGENT_ID: Final = (
    r"^(run:[^\x00-\x1f\x7f/\\?]{1,540}|[A-Za-z0-9_:.+-]{1,220})"
    r"(\?[a-z_]+=[0-9.]{1,20}(&[a-z_]+=[0-9.]{1,20}){0,9})?$"
)
WRITTEN: Final = {
    NEW_ID: "a name has up to 200 letters, digits and . _ + -, and begins with none of . + -",
    RUN_ID: "it is not the name of a run",
    AGENT_ID: "it is not the id of an agent, such as champion-standard or swh?depth=3",
}
"""Error messages for texts that do not match a pattern, by that pattern."""


class Given(BaseModel):
    """A document that a client sends: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Health(BaseModel):
    """The version, limits and load of this service.

    `boot` changes with every start of the server.
    """

    status: Literal["ok"] = "ok"
    version: str
    boot: str
    folder: str
    slots: int
    cores: int
    running: int
    queued: int
    elsewhere: int = Field(description="runs that processes write to which are no jobs of it")
    learn: bool = Field(description="whether PyTorch is installed, for networks")
    programs: list[str] = Field(description="ids of the programs that may be met")


class Items(BaseModel, Generic[T]):
    """A list, or documents by name."""

    items: T


class Page(BaseModel, Generic[T]):
    """A page of a list; `next` is the cursor of the one after it."""

    items: list[T]
    next: str | None = None
    total: int


class Token(Given):
    """The token that lets a client in."""

    token: str = Field(max_length=200, description="as it was printed when the server started")


class FieldError(BaseModel):
    """What is wrong with one field."""

    pointer: str = Field(description="where in the document, as RFC 6901 has it")
    detail: str


class Problem(BaseModel):
    """An error, in the form of RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []


class ColumnShown(BaseModel):
    """A column of a table, and how it is shown."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    label: str | None = Field(description="its name in its chart")
    format: Format
    chart: Chart | None


class TableInfo(BaseModel):
    """A table of a kind of run. The first table of a kind is the one that grows row by row."""

    name: str
    title: str
    key: str | None = Field(description="column that tells rows apart")
    over: list[str] = Field(description="columns that charts are drawn over, the usual one first")
    whole: bool = Field(description="whether `GET /runs/{run}/NAME` has it")
    drawn: bool = Field(description="whether the kind's own page shows it")
    columns: list[ColumnShown] = Field(description="those of which more is known than in the rows")


class KindInfo(BaseModel):
    """A kind of run."""

    name: str
    noun: str
    plural: str
    unit: str = Field(description="what it is counted by")
    event: str = Field(description="name of the event that brings a new row of its first table")
    page: str | None = Field(description="its module on the page; without one, the tables")
    tables: list[TableInfo]


class Meta(BaseModel):
    """What clients can choose from.

    contests: commands in which agents play each other, each with `name` and `plural`. rules: each
    with `name`, `goal`, `discs` (1 where most discs win, −1 where fewest do) and its ladder,
    `rungs`, the weakest first.
    """

    kinds: list[KindInfo]
    contests: list[dict[str, str]]
    rules: list[dict[str, Any]]
    default_rules: str


STUDY: Final = KindInfo(
    name="study", noun="a study", plural="studies", unit="runs", event="", page="study", tables=[]
)
"""A study is listed and opened like a run; its tables are those of its runs."""


class CommandInfo(BaseModel):
    """A form: what a command takes, and its presets."""

    command: str = Field(description="such as `run` or `train patterns`")
    about: str
    needs: str | None = Field(description="what is missing here for it")
    groups: list[str]
    fields: list[FormField]
    presets: dict[str, dict[str, Any]]


class Checked(BaseModel):
    """Settings that are right: complete, with the equivalent command line."""

    settings: dict[str, Any]
    line: str
    runs: int = Field(description="of a study; else 1")


class Offer(BaseModel):
    """A way to begin: a command with settings, or a page."""

    title: str
    about: str
    command: str | None = Field(
        default=None, description="such as `train patterns`; null of a page"
    )
    settings: dict[str, Any] = Field(default={}, description="what differs from the defaults")
    seeds: str | None = Field(default=None, description="of a study of the command")
    grid: dict[str, list[Any]] = Field(default={}, description="of a study of the command")
    page: str | None = Field(default=None, description="the page's own for it, such as `compare`")
    option: str = Field(default="", description="the command as it is typed")
    time: str | None = Field(default=None, description="how long it takes, in words")
    elo: dict[str, int] = Field(default={}, description="measured, of its champions, by rules")
    needs: str | None = Field(default=None, description="what is missing here for it")
    first: bool = Field(default=False, description="whether a first visit shows it")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def name(self) -> str:
        """Tells it apart from all others."""
        return self.title.lower().replace(" ", "-").replace(",", "")


class Goal(BaseModel):
    """What one may want, and the ways to it. `words`: first words of the commands for it."""

    name: str
    title: str
    about: str
    words: list[str]
    offers: list[Offer]


class Goals(BaseModel):
    """All goals; `notes` say how what is missing here can be had."""

    items: list[Goal]
    notes: list[str]


class Demands(Given):
    """What a contest allows for a move; rules: null for the agent's own."""

    rules: Rules | None = None
    seconds: float = Field(default=5.0, ge=0.05, le=60)
    memory: int = Field(default=100, ge=20, le=1 << 16, description="MB")


class HandIn(BaseModel):
    """A file for a contest, and what `evolve hand-in` says of it."""

    good: bool = Field(description="whether it passes the check")
    lines: list[str] = Field(description="what the terminal shows, the verdict last")
    file: str = Field(description="the content of the Python file")


class Design(Given):
    """The settings of a run; of a study where `seeds` or `grid` are given."""

    settings: dict[str, Any] = Field(default={}, description="see GET /commands")
    seeds: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="a run for each of these: 0-9 or 1,4,7-9",
    )
    grid: dict[str, list[Any]] = Field(
        default={}, description="a run for each of these values of a setting, in all combinations"
    )


class NamedDesign(Design):
    """The same, with the name of the folder."""

    name: str | None = Field(
        default=None,
        pattern=NEW_ID,
        description="of the run's folder; the next that is free if not given",
    )
