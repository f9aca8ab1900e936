"""Jobs as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from evolve.config.matches import CONTESTS
from evolve.runs.run_types import RUN_TYPES
from evolve.service.models.common import RUN_ID, Given, Page

_AtWork = Literal["queued", "running", "stopping"]
_Ended = Literal["done", "stopped", "interrupted", "failed", "cancelled", "elsewhere", "damaged"]
JobState = Literal[_AtWork, _Ended]
"""`elsewhere`: this user's service did not ask for it; `damaged`: its file cannot be read."""
if TYPE_CHECKING:
    New: TypeAlias = str  # a type checker does not look into the registries
    Command: TypeAlias = str
else:
    _NEW = (*(kind.name for kind in RUN_TYPES), *CONTESTS)
    New = Literal[_NEW]
    """First word of a command that jobs run."""
    Command = Literal[(*_NEW, "resume")]
ENDED: Final[tuple[str, ...]] = get_args(_Ended)
"""States of a job that has no process and does not wait for one."""
JOB_ID: Final = r"^[0-9]{8}-[0-9a-f]{8}$"


class NewJob(Given):
    """A request for a job.

    `settings` are the fields of the command's settings model; of `train` and `sweep` its `kind` as
    well, such as `patterns`.
    """

    command: New
    settings: dict[str, Any] = Field(default={}, description="see GET /commands")
    name: str | None = Field(
        default=None,
        pattern=RUN_ID,
        description="of the run's folder; the next that is free if not given",
    )
    threads: int | None = Field(default=None, ge=1, le=1024, description="all cores if not given")


class Changes(Given):
    """Settings to change when a run continues."""

    settings: dict[str, Any] = Field(default={}, description="see `changes` of the run")
    threads: int | None = Field(
        default=None,
        ge=1,
        le=1024,
        description="all cores if not given; of a sweep as many as it had, for what is tried "
        "depends on them",
    )


class JobProgress(BaseModel):
    """How far a job is: the whole of it, and its current stage."""

    model_config = ConfigDict(allow_inf_nan=False)

    done: float | None = None
    total: float | None = None
    stage: str | None = None
    stage_done: float | None = None
    stage_total: float | None = None
    left: float | None = Field(default=None, description="seconds that are left, as it looks")


class Job(BaseModel):
    """A job: one process of the command line at a time."""

    id: str
    command: Command | None = Field(description="null of a damaged one")
    settings: dict[str, Any]
    state: JobState
    line: str = Field(description="the equal command line; empty where there is none")
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
