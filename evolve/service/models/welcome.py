"""What a first visit offers, as a document."""

from __future__ import annotations

from pydantic import BaseModel, Field

from evolve.engine.board.rules import Rules
from evolve.service.models.agents import NewPlay
from evolve.service.models.meta import Goal
from evolve.service.models.runs import RunSummary


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
    play: NewPlay = Field(description="a game to begin with")
    goals: list[Goal] = Field(description="each with what starts with one click")
