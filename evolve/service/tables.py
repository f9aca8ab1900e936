"""Tables of runs in pages: rows as documents, and their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from evolve.parsing import json_value
from evolve.runs.evolutions import ancestors, births_of
from evolve.runs.run import Run
from evolve.service.index import thinned
from evolve.service.models.meta import Page
from evolve.service.models.runs import ColumnInfo, CrossTable, Game, Lineage, LineageNode, Rows
from evolve.service.responses import Cursor, not_found, order_of
from evolve.tables.columns import Columns, array_of, rows_with, scalar_of
from evolve.tables.games import GAMES_COLUMNS, WINNERS, cross_table_of
from evolve.tables.individuals import INDIVIDUALS_COLUMNS
from evolve.tables.paths import generation_file

Generation = int | Literal["playoff"]


def rows_of(run: Run, name: str, cursor: Cursor, points: int | None, since: int) -> Rows:
    """A page of a run's table, from row `since` on.

    With `points`, at most that many rows, evenly spaced from `since` to the end.
    """
    table = run.kind.table(name)
    if table is None or table.generations:
        raise not_found(f"table {name} of {run.name}")
    reading = run.kind.reading.tables[name]
    taken: Callable[[Sequence[int]], pa.Table]
    if reading.rows is not None and reading.count is not None:
        count, taken = reading.count(run), partial(reading.rows, run)
    else:
        whole = reading.read(run)
        count, taken = len(whole), lambda rows: whole.take(array_of(list(rows), pa.int64()))
    chosen: tuple[Sequence[int], str | None] = cursor.slice(count, since)
    if points is not None:
        chosen = [since + number for number in thinned(max(0, count - since), points)], None
    return _page(taken(chosen[0]), reading.columns, chosen[1], count)


def individuals_of(run: Run, generation: int, cursor: Cursor) -> Rows:
    """The individuals of a generation, the best first."""
    table = individuals_table(run, generation)
    rank = "fitness" if "fitness" in table.column_names else "score"
    table = table.take(pc.sort_indices(table, [(rank, "descending")]))
    chosen, after = cursor.slice(len(table))
    rows = table.slice(chosen.start, len(chosen))
    return _page(rows, INDIVIDUALS_COLUMNS, after, len(table))


def individuals_table(run: Run, generation: int) -> pa.Table:
    """The individuals of a generation; ProblemError where there is none."""
    check_generation(run, generation)
    return run.individuals_table(generation)


def check_generation(run: Run, generation: int) -> None:
    """Raise ProblemError unless the run has that generation."""
    # `Run` counts them, which takes longer than all the rest where there are thousands.
    if run.kind.table("generations") is None or not generation_file(run.path, generation).exists():
        raise not_found(f"generation {generation} of {run.name}")


def check_individual(run: Run, individual: str) -> None:
    """Raise ProblemError unless the run has that individual."""
    if run.kind.table("individuals") is None or births_of(run)(individual) is None:
        raise not_found(f"individual {individual[:40]} in {run.name}")


def games_table(run: Run, generation: Generation) -> pa.Table:
    """The games of a generation, or of the play-off; ProblemError where there are none."""
    if generation != "playoff":
        check_generation(run, generation)
        return run.games_table(generation)
    games = None if run.kind.table("generations") is None else run.playoff_table()
    if games is None:
        raise not_found(f"play-off of {run.name}")
    return games


def upsets_of(run: Run, generation: Generation, games: pa.Table) -> list[float | None]:
    """How surprising each game was: the loser's score minus the winner's, None for draws."""
    number = run.generation_count - 1 if generation == "playoff" else generation
    table = individuals_table(run, number)
    names = table["individual"].to_pylist()
    score = dict(zip(names, table["score"].to_pylist(), strict=True))
    columns = [games[name].to_pylist() for name in ("black", "white", "winner")]
    signs = {"black": 1, "white": -1}
    return [
        round((score[white] - score[black]) * signs[winner], 6)
        if {black, white} <= score.keys() and winner in signs
        else None
        for black, white, winner in zip(*columns, strict=True)
    ]


def games_page(
    games: pa.Table,
    upsets: Sequence[float | None],
    prefix: str,
    cursor: Cursor,
    sort: str,
    **wanted: str | None,
) -> Page[Game]:
    """A page of games: those with the wanted individual, winner, reason and kind."""
    games = games.append_column("upset", array_of(upsets, pa.float64()))
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


def crosstable_of(games: pa.Table) -> CrossTable:
    """The cross table of a round robin, the best first."""
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


def lineage_of(run: Run, individual: str, depth: int) -> Lineage:
    """The ancestors of an individual, nearest first."""
    found, complete = ancestors(births_of(run), individual, depth)
    if not found:
        raise not_found(f"individual {individual[:40]} in {run.name}")
    items = [
        LineageNode.model_validate({**birth, "parents": birth["parents"] or []})
        for _, birth in found.values()
    ]
    return Lineage(items=items, complete=complete)


def _page(rows: pa.Table, known: Columns | None, after: str | None, total: int) -> Rows:
    """A page of a table: its rows, and its columns, their types, and how they are shown."""
    formats = {column.name: column.format for column in known or ()}
    columns = []
    for name, kind in zip(rows.schema.names, rows.schema.types, strict=True):
        shown: Any = "text" if pa.types.is_string(kind) else "number"
        shown = "bool" if pa.types.is_boolean(kind) else shown
        shown = "list" if pa.types.is_nested(kind) else shown
        columns.append(ColumnInfo(name=name, type=shown, format=formats.get(name, "number")))
    items = [json_value(row) for row in rows.to_pylist()]
    return Rows(items=items, next=after, total=total, columns=columns)
