"""Forms of the commands, as documents."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from evolve.service.models.common import RUN_ID, Given, Number


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
