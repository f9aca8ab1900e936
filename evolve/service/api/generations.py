"""Generations: their individuals, games and cross tables."""

from __future__ import annotations

from typing import Annotated, Literal

import pyarrow as pa
from fastapi import APIRouter, Path, Query

from evolve.runs.run import Run
from evolve.service.models.agents import AgentDetail
from evolve.service.models.runs import CrossTable, Game, Games, Lineage, Rows
from evolve.service.responses import After, Cursor, Limit, RunId, Tagged, Tags, Text, not_found
from evolve.service.state import Inside, ServiceState
from evolve.service.tables import (
    check_generation,
    crosstable_of,
    game_of,
    games_page,
    games_table,
    individuals_of,
    lineage_of,
    of_round_robin,
    upsets_of,
)
from evolve.tables.columns import rows_with

router = APIRouter()
Number = Annotated[int, Path(ge=0, le=10**9)]
Round = Annotated[str, Path(pattern=r"^([0-9]{1,9}|playoff)$")]
Individual = Annotated[str, Path(pattern=r"^[0-9]{1,9}-[0-9]{1,9}$")]


@router.get("/runs/{run}/generations/{generation}/individuals")
def get_individuals(
    tags: Tagged,
    service: Inside,
    run: RunId,
    generation: Number,
    limit: Limit = 100,
    after: After = None,
) -> Rows:
    """The individuals of a generation, the best first."""
    opened = _committed(tags, service, run, generation)
    return individuals_of(opened, generation, Cursor.of(limit, after))


@router.get("/runs/{run}/generations/{generation}/games")
def get_games(
    tags: Tagged,
    service: Inside,
    run: RunId,
    generation: Round,
    limit: Limit = 100,
    after: After = None,
    individual: Text = None,
    winner: Literal["black", "white", "draw"] | None = None,
    reason: Text = None,
    kind: Text = None,
    sort: Annotated[str, Query(max_length=20)] = "game",
) -> Games:
    """The games of a generation, or of the play-off."""
    opened, which, games = _opened(tags, service, run, generation)
    upsets = upsets_of(opened, games, which)
    wanted = {"individual": individual, "winner": winner, "reason": reason, "kind": kind}
    prefix = f"{generation}:"
    return games_page(games, upsets, prefix, Cursor.of(limit, after), sort, **wanted)


@router.get("/runs/{run}/generations/{generation}/crosstable")
def get_crosstable(tags: Tagged, service: Inside, run: RunId, generation: Round) -> CrossTable:
    """The cross table of a generation, or of the play-off."""
    _, which, games = _opened(tags, service, run, generation)
    return crosstable_of(games if which == "playoff" else of_round_robin(games))


@router.get("/runs/{run}/generations/{generation}/champion")
async def get_champion(
    tags: Tagged, service: Inside, run: RunId, generation: Number
) -> AgentDetail:
    """The best of a generation as an agent."""
    opened = _committed(tags, service, run, generation)
    best = str(opened.metadata(generation)[0]["best"])
    return await _agent(service, run, best)


@router.get("/runs/{run}/individuals/{individual}")
async def get_individual(service: Inside, run: RunId, individual: Individual) -> AgentDetail:
    """An individual as an agent."""
    service.index.open(run)
    return await _agent(service, run, individual)


async def _agent(service: ServiceState, run: str, individual: str) -> AgentDetail:
    name = f"run:{run}:{individual}"
    detail = await service.search.ask("describe", source=service.agents.checked_source(name))
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **detail})


@router.get("/runs/{run}/games/{generation}:{number}")
def get_game(
    tags: Tagged,
    service: Inside,
    run: RunId,
    generation: Round,
    number: Annotated[str, Path(pattern=r"^[0-9]{1,9}$")],
) -> Game:
    """A game of a run."""
    opened, which, games = _opened(tags, service, run, generation)
    row = rows_with(games, "game", int(number)).slice(0, 1)
    if len(row) == 0:
        raise not_found(f"game {generation}:{number} in {run}")
    upset = upsets_of(opened, row, which)[0]
    return game_of({**row.to_pylist()[0], "upset": upset}, f"{generation}:")


@router.get("/runs/{run}/lineage/{individual}")
def get_lineage(
    service: Inside,
    run: RunId,
    individual: Individual,
    depth: Annotated[int, Query(ge=0, le=50)] = 6,
) -> Lineage:
    """The ancestors of an individual, `depth` steps back."""
    return lineage_of(service.index.open(run), individual, depth)


def _opened(
    tags: Tags, service: ServiceState, run: str, generation: str
) -> tuple[Run, int | Literal["playoff"], pa.Table]:
    """A run, and a generation of it with its games, tagged; or its play-off."""
    if generation == "playoff":
        opened = service.index.open(run)
        return opened, "playoff", games_table(opened, "playoff")
    which = int(generation)
    opened = _committed(tags, service, run, which)
    return opened, which, games_table(opened, which)


def _committed(tags: Tags, service: ServiceState, run: str, generation: int) -> Run:
    """A run that has that generation; the answer is tagged."""
    opened = service.index.open(run)
    check_generation(opened, generation)
    tags.committed(opened, generation)
    return opened
