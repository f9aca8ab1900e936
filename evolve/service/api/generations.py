"""Generations: their individuals, games and cross tables."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import pyarrow as pa
from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import FileResponse

from evolve.runs.run import Run
from evolve.service import tables
from evolve.service.models.agents import AgentDetail
from evolve.service.models.meta import Page
from evolve.service.models.runs import CrossTable, Game, Lineage, Rows
from evolve.service.responses import Paged, RunId, Text, not_found
from evolve.service.state import Service, ServiceState
from evolve.tables.columns import rows_with

router = APIRouter()
Number = Annotated[int, Path(ge=0, le=10**9)]
_Round = Annotated[str, Path(pattern=r"^([0-9]{1,9}|playoff)$")]
_Individual = Annotated[str, Path(pattern=r"^[0-9]{1,9}-[0-9]{1,9}$")]


def _committed(response: Response, service: Service, run: RunId, generation: Number) -> Run:
    opened = service.index.open(run)
    tables.check_generation(opened, generation)
    # It does not change; but its run may be deleted, and another one made in its place.
    response.headers["cache-control"] = "private, max-age=300, immutable"
    return opened


_Committed = Annotated[Run, Depends(_committed)]
"""A run that has the generation; clients may keep the answer for some minutes."""


class _Generation(NamedTuple):
    run: Run
    generation: int | Literal["playoff"]
    games: pa.Table


def _played(response: Response, service: Service, run: RunId, generation: _Round) -> _Generation:
    if generation == "playoff":
        opened = service.index.open(run)
        return _Generation(opened, "playoff", tables.games_table(opened, "playoff"))
    opened = _committed(response, service, run, int(generation))
    return _Generation(opened, int(generation), tables.games_table(opened, int(generation)))


_Played = Annotated[_Generation, Depends(_played)]
"""A run, and a generation of it with its games; or its play-off."""


@router.get("/runs/{run}/generations/{generation}/individuals")
def get_individuals(opened: _Committed, generation: Number, page: Paged) -> Rows:
    """The individuals of a generation, the best first."""
    return tables.individuals_of(opened, generation, page)


@router.get("/runs/{run}/generations/{generation}/games")
def get_games(
    played: _Played,
    page: Paged,
    individual: Text = None,
    winner: Literal["black", "white", "draw"] | None = None,
    reason: Text = None,
    kind: Text = None,
    sort: Annotated[str, Query(max_length=20)] = "game",
) -> Page[Game]:
    """The games of a generation, or of the play-off."""
    wanted = {"individual": individual, "winner": winner, "reason": reason, "kind": kind}
    prefix = f"{played.generation}:"
    return tables.games_page(played.games, tables.upsets_of(*played), prefix, page, sort, **wanted)


@router.get("/runs/{run}/generations/{generation}/crosstable")
def get_crosstable(played: _Played) -> CrossTable:
    """The cross table of a generation, or of the play-off."""
    games = played.games
    if played.generation != "playoff":
        games = rows_with(games, "kind", "fitness")  # they decide scores, not those of the panel
    return tables.crosstable_of(games)


@router.get("/runs/{run}/generations/{generation}/champion")
async def get_champion(
    service: Service, opened: _Committed, run: RunId, generation: Number
) -> AgentDetail:
    """The best of a generation as an agent."""
    return await _agent(service, run, str(opened.metadata(generation)[0]["best"]))


@router.get("/runs/{run}/individuals/{individual}")
async def get_individual(service: Service, run: RunId, individual: _Individual) -> AgentDetail:
    """An individual as an agent."""
    service.index.open(run)
    return await _agent(service, run, individual)


async def _agent(service: ServiceState, run: str, individual: str) -> AgentDetail:
    name = f"run:{run}:{individual}"
    detail = await service.search.ask("describe", source=service.agents.source(name))
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **detail})


@router.get("/runs/{run}/games/{generation}:{number}")
def get_game(
    played: _Played, run: RunId, number: Annotated[str, Path(pattern=r"^[0-9]{1,9}$")]
) -> Game:
    """A game of a run."""
    opened, generation, games = played
    row = rows_with(games, "game", int(number)).slice(0, 1)
    if len(row) == 0:
        raise not_found(f"game {generation}:{number} in {run}")
    upset = tables.upsets_of(opened, generation, row)[0]
    return tables.game_of({**row.to_pylist()[0], "upset": upset}, f"{generation}:")


@router.get("/runs/{run}/lineage/{individual}")
def get_lineage(
    service: Service,
    run: RunId,
    individual: _Individual,
    depth: Annotated[int, Query(ge=0, le=50)] = 6,
) -> Lineage:
    """The ancestors of an individual, `depth` steps back."""
    return tables.lineage_of(service.index.open(run), individual, depth)


@router.get("/runs/{run}/lineage/{individual}/picture", response_class=FileResponse)
async def get_lineage_picture(
    service: Service, run: RunId, individual: _Individual
) -> FileResponse:
    """The ancestors of an individual as `evolve lineage` draws them."""
    opened = service.index.open(run)
    tables.check_individual(opened, individual)
    words = ["lineage", str(opened.path), individual, "-o", "{to}"]
    picture = await service.downloads.made(words, ".svg")
    return service.downloads.sent(picture, f"{run}-{individual}.svg")
