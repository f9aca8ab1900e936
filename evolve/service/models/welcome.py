"""What a first visit offers, as a document."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from evolve.engine.board.rules import Rules
from evolve.service.models.agents import NewPlay
from evolve.service.models.runs import NewJob, RunSummary


class Offer(BaseModel):
    """Something to start with one click: a game, or a job."""

    name: Literal["play", "evolve", "teach"]
    title: str
    about: str
    time: str = Field(description="how long it takes, in words")
    gets: str = Field(description="what one has then, in a few words")
    play: NewPlay | None = None
    job: NewJob | None = None
    line: str | None = Field(default=None, description="the equal command line of the job")


class GameShown(BaseModel):
    """A game to watch. `discs`: Black's lead as a coach sees it, from the start to the end."""

    rules: Rules
    black: str
    white: str
    moves: str
    discs_black: int
    discs_white: int
    discs: list[float]


class Welcome(BaseModel):
    """The example that comes with evolve, as lists show it; a game of it; what may be started."""

    run: RunSummary
    game: GameShown
    offers: list[Offer]
