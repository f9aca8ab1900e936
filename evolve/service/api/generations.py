"""Generations: their individuals, games and cross tables; tables and games in pages."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc
from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import AfterValidator, BaseModel, Field

from evolve.evolution.tables import ancestors, births_of, elos_at_birth, main_line
from evolve.parsing import json_value
from evolve.runs.run import Run
from evolve.service.api.agents import AgentDetail, described
from evolve.service.responses import Cursor, Page, Paged, RunId, Text, not_found, order_of
from evolve.service.state import Service
from evolve.tables.columns import Column, Columns, Format, array_of, rows_with, scalar_of
from evolve.tables.games import GAMES_COLUMNS, WINNERS, cross_table_of
from evolve.tables.individuals import INDIVIDUALS_COLUMNS
from evolve.tables.paths import generation_file

router = APIRouter()
_Number = Annotated[int, Path(ge=0, le=10**9)]
_Round = Annotated[
    str,
    Path(pattern=r"^([0-9]{1,9}|playoff)$"),
    AfterValidator(lambda text: text.lstrip("0") or "0"),
]
_GENE_HEADS: Final = {"depths": "search depths", "endgame": "exact from, empties"}
GameNumber = Annotated[str, Path(pattern=r"^[0-9]{1,9}$")]
_Individual = Annotated[str, Path(pattern=r"^[0-9]{1,9}-[0-9]{1,9}$")]


class ColumnInfo(BaseModel):
    """A column of a table."""

    name: str
    title: str = Field(description="its name in words")
    type: Literal["number", "text", "list", "bool"]
    format: Format = Field("number", description="of numbers: `percent` are shares, 0 to 1")


class Rows(Page[dict[str, Any]]):
    """A page of a table's rows."""

    columns: list[ColumnInfo]


class CrossTable(BaseModel):
    """Scores of a round robin: row against column, 0 to 1; null where they did not play."""

    individuals: list[str]
    scores: list[list[float | None]]
    totals: list[float]


class LineageNode(BaseModel):
    """An individual and its birth.

    `main`: whether it is on the line that goes from each to the parent that gave it most of its
    numbers. `elo`: in the generation of its birth, by its score and its best's games.
    """

    individual: str
    born: int
    origin: str
    score: float
    parents: list[str]
    main: bool
    elo: float | None


class Lineage(BaseModel):
    """The ancestors of an individual, itself first, each once, up to `depth` steps back."""

    items: list[LineageNode]
    complete: bool = Field(description="whether there are none further back")


class Game(BaseModel):
    """A game of a run."""

    id: str = Field(description="generation:number, such as 12:345 or playoff:3")
    generation: int
    kind: str
    game: int
    black: str
    white: str
    opening: str
    moves: str | None
    discs_black: int
    discs_white: int
    winner: str | None
    plies: int
    nodes_black: int | None
    nodes_white: int | None
    reason: str
    rules: str | None
    start: str | None = Field(description="the board as OBF where it is not the usual one")
    upset: float | None = Field(description="score of the loser less that of the winner")


def _committed(response: Response, service: Service, run: RunId, generation: _Number) -> Run:
    opened = service.index.open(run)
    # `Run` counts them, which takes longer than all the rest where there are thousands.
    there = generation_file(opened.path, generation).exists()
    if not there or opened.kind.table("generations") is None:
        raise not_found(f"generation {generation} of {opened.name}")
    # It does not change; but its run may be deleted, and another one made in its place.
    response.headers["cache-control"] = "private, max-age=300, immutable"
    return opened


_Committed = Annotated[Run, Depends(_committed)]
"""A run that has the generation; clients may keep the answer for some minutes."""


def _games(response: Response, service: Service, run: RunId, generation: _Round) -> pa.Table:
    if generation == "playoff":
        opened = service.index.open(run)
        games = None if opened.kind.table("generations") is None else opened.playoff_table()
        if games is None:
            raise not_found(f"play-off of {opened.name}")
        number = opened.generation_count - 1
    else:
        opened, number = _committed(response, service, run, int(generation)), int(generation)
        games = opened.games_table(number)
    return games.append_column("upset", _upsets_of(opened.individuals_table(number), games))


_Games = Annotated[pa.Table, Depends(_games)]
"""The games of a generation, or of the play-off, with how surprising each was."""


def games_page(
    games: pa.Table, prefix: str, cursor: Cursor, sort: str, **wanted: str | None
) -> Page[Game]:
    """A page of games: those with the wanted individual, winner, reason and kind."""
    for name, value in wanted.items():
        if value is None:
            continue
        if name == "individual":
            black, white = (pc.equal(games[side], scalar_of(value)) for side in ("black", "white"))
            games = games.filter(pc.or_(black, white))
        elif name == "reason":
            games = games.filter(pc.starts_with(games["reason"], value))
        else:
            games = rows_with(games, name, value)
    keys = ("game", "upset", "plies", "nodes_black", "nodes_white")
    key, down = order_of(sort, "games", keys)
    order = pc.sort_indices(
        games, [(key, "descending" if down else "ascending"), ("game", "ascending")]
    )
    games = games.take(order)
    chosen, after = cursor.slice(len(games))
    items = [game_of(row, prefix) for row in games.slice(chosen.start, len(chosen)).to_pylist()]
    return Page(items=items, next=after, total=len(games))


def game_of(row: dict[str, Any], prefix: str) -> Game:
    """A row of a games table as clients get it."""
    values = {name: row.get(name) for name in (*GAMES_COLUMNS.names, "upset")}
    return Game.model_validate({"id": f"{prefix}{row['game']}", **values})


def page_of(rows: pa.Table, known: Columns | None, after: str | None, total: int) -> Rows:
    """A page of a table: its rows, and its columns, their types, and how they are shown."""
    shown_as = {column.name: column for column in known or ()}
    columns = []
    for name, kind in zip(rows.schema.names, rows.schema.types, strict=True):
        shown: Any = "text" if pa.types.is_string(kind) else "number"
        shown = "bool" if pa.types.is_boolean(kind) else shown
        shown = "list" if pa.types.is_nested(kind) else shown
        about = shown_as.get(name, Column(name, kind))
        title = about.head or _GENE_HEADS.get(name) or name.replace("_", " ")
        columns.append(ColumnInfo(name=name, title=title, type=shown, format=about.format))
    items = [json_value(row) for row in rows.to_pylist()]
    return Rows(items=items, next=after, total=total, columns=columns)


def _upsets_of(individuals: pa.Table, games: pa.Table) -> pa.Array:
    """How surprising each game was: the loser's score minus the winner's, None for draws."""
    names = individuals["individual"].to_pylist()
    score = dict(zip(names, individuals["score"].to_pylist(), strict=True))
    columns = [games[name].to_pylist() for name in ("black", "white", "winner")]
    signs = {"black": 1, "white": -1}
    upsets = [
        round((score[white] - score[black]) * signs[winner], 6)
        if {black, white} <= score.keys() and winner in signs
        else None
        for black, white, winner in zip(*columns, strict=True)
    ]
    return array_of(upsets, pa.float64())


@router.get("/runs/{run}/generations/{generation}/individuals")
def get_individuals(opened: _Committed, generation: _Number, page: Paged) -> Rows:
    """The individuals of a generation, the best first."""
    table = opened.individuals_table(generation)
    rank = "fitness" if "fitness" in table.column_names else "score"
    table = table.take(pc.sort_indices(table, [(rank, "descending")]))
    chosen, after = page.slice(len(table))
    rows = table.slice(chosen.start, len(chosen))
    return page_of(rows, INDIVIDUALS_COLUMNS, after, len(table))


@router.get("/runs/{run}/generations/{generation}/games")
def get_games(
    games: _Games,
    generation: _Round,
    page: Paged,
    individual: Text = None,
    winner: Literal["black", "white", "draw"] | None = None,
    reason: Text = None,
    kind: Text = None,
    sort: Annotated[str, Query(max_length=20)] = "game",
) -> Page[Game]:
    """The games of a generation, or of the play-off."""
    wanted = {"individual": individual, "winner": winner, "reason": reason, "kind": kind}
    return games_page(games, f"{generation}:", page, sort, **wanted)


@router.get("/runs/{run}/generations/{generation}/crosstable")
def get_crosstable(games: _Games, generation: _Round) -> CrossTable:
    """The cross table of a generation, or of the play-off."""
    if generation != "playoff":
        games = rows_with(games, "kind", "fitness")  # they decide scores, not those of the panel
    won = pc.is_in(games["winner"], value_set=array_of(WINNERS, pa.string()))
    games = games.filter(won)
    names = sorted({*games["black"].to_pylist(), *games["white"].to_pylist()})
    table = cross_table_of(games, names)
    totals, scores = table.totals.tolist(), table.scores.tolist()
    order = sorted(range(len(names)), key=lambda player: -totals[player])
    return CrossTable(
        individuals=[names[row] for row in order],
        scores=[
            [round(scores[row][other], 4) if table.games[row, other] else None for other in order]
            for row in order
        ],
        totals=[round(totals[row], 4) for row in order],
    )


@router.get("/runs/{run}/generations/{generation}/champion")
async def get_champion(
    service: Service, opened: _Committed, run: RunId, generation: _Number
) -> AgentDetail:
    """The best of a generation as an agent."""
    return await described(service, f"run:{run}:{opened.metadata(generation)[0]['best']}")


@router.get("/runs/{run}/individuals/{individual}")
async def get_individual(service: Service, run: RunId, individual: _Individual) -> AgentDetail:
    """An individual as an agent."""
    return await described(service, f"run:{run}:{individual}")


@router.get("/runs/{run}/games/{generation}:{number}")
def get_game(games: _Games, run: RunId, generation: _Round, number: GameNumber) -> Game:
    """A game of a run."""
    rows = rows_with(games, "game", int(number)).to_pylist()
    if not rows:
        raise not_found(f"game {generation}:{number} in {run}")
    return game_of(rows[0], f"{generation}:")


@router.get("/runs/{run}/lineage/{individual}")
def get_lineage(
    service: Service,
    run: RunId,
    individual: _Individual,
    depth: Annotated[int, Query(ge=0, le=10**6)] = 6,
) -> Lineage:
    """The ancestors of an individual, `depth` steps back."""
    opened = service.index.open(run)
    found, complete = ancestors(births_of(opened), individual, depth)
    if not found:
        raise not_found(f"individual {individual} in {opened.name}")
    births = {name: birth for name, (_, birth) in found.items()}
    line, elos = main_line(births, individual), elos_at_birth(opened, births)
    items = [
        LineageNode(
            **{name: birth[name] for name in ("individual", "born", "origin", "score")},
            parents=birth["parents"] or [],
            main=name in line,
            elo=elos.get(name),
        )
        for name, birth in births.items()
    ]
    return Lineage(items=items, complete=complete)
