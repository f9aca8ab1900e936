"""Choices as documents: kinds of runs with their tables, contests, rules."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

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
