"""Choices as documents: forms of the commands, kinds of runs with their tables, contests, rules."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from evolve.service.models.common import RUN_ID, Given, Number
from evolve.tables.columns import Format


class ChartInfo(BaseModel):
    """A chart of all columns of its table that name it."""

    model_config = ConfigDict(from_attributes=True)

    title: str
    least: list[float] = Field(description="values that its axis reaches in any case")
    first: bool = Field(description="whether it comes before those that are not")


class ColumnShown(BaseModel):
    """A column of a table, and how it is shown."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    label: str | None = Field(description="its name in its chart")
    format: Format
    chart: ChartInfo | None


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


class ContestInfo(BaseModel):
    """A command in which agents play each other."""

    name: str
    plural: str


class RulesInfo(BaseModel):
    """Rules, and who wins by them."""

    name: str
    goal: str


class Meta(BaseModel):
    """What clients can choose from."""

    kinds: list[KindInfo]
    contests: list[ContestInfo]
    rules: list[RulesInfo]
    default_rules: str


STUDY: Final = KindInfo(
    name="study",
    noun="a study",
    plural="studies",
    unit="runs",
    event="",
    page="study",
    tables=[],
)
"""A study is listed and opened like a run; its tables are those of its runs."""


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
    """Settings that are right: complete, with the equivalent command line."""

    settings: dict[str, Any]
    line: str


class Presets(BaseModel):
    """The presets of each command, as changes to the defaults."""

    items: dict[str, dict[str, dict[str, Any]]]


class SpaceRange(BaseModel):
    """A setting that a sweep searches."""

    name: str
    type: str
    range: str
    default: Any = None
    about: str


class SettingsOnly(Given):
    """Settings to check."""

    settings: dict[str, Any] = Field(default={})
    name: str | None = Field(default=None, pattern=RUN_ID, description="of the run's folder")


class Space(BaseModel):
    """The settings that a sweep of a kind searches."""

    kind: str
    items: list[SpaceRange]
