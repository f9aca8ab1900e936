"""What all documents of the API share, and documents about the service itself."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = int | float
RUN_ID: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$"

AGENT_ID: Final = r"^[A-Za-z0-9_:.+-]{1,220}(\?[a-z_]+=[0-9.]{1,20}(&[a-z_]+=[0-9.]{1,20}){0,9})?$"
WRITTEN: Final = {
    RUN_ID: "a name has up to 200 letters, digits and . _ + -, and begins with none of . + -",
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
    learn: bool = Field(description="whether PyTorch is there, for networks")
    programs: list[str] = Field(description="ids of the programs that may be met")


class Page(BaseModel):
    """A page of a list; `next` is the cursor of the one after it."""

    next: str | None = None
    total: int


class Token(Given):
    """The token that lets a client in."""

    token: str = Field(max_length=200, description="as it was printed when the server started")


class LogText(BaseModel):
    """The end of what a job has printed."""

    text: str


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
