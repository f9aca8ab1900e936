"""Evolutions as a kind of run: their tables by name, and their summaries in lists of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from evolve.errors import RunError, reason_of
from evolve.fitness.trend import curve_of
from evolve.runs.run import Run, joined
from evolve.runs.run_type import RunProgress, RunReading, TableReading
from evolve.tables.columns import scalar_of, table_of_rows
from evolve.tables.games import START
from evolve.tables.individuals import (
    GENERATIONS_COLUMNS,
    INDIVIDUALS_COLUMNS,
    OF_LADDER,
    table_metadata,
)
from evolve.tables.parquet import read_metadata, read_table
from evolve.tables.paths import committed_generations, generation_file, playoff_file

if TYPE_CHECKING:
    import pandas as pd

_DEPTHS: Final = "depths"
_METRICS: Final = (
    "best_score", "panel_score", "panel_elo", "rating", "rating_low", "rating_high",
)  # fmt: skip


def _generations(run: Run, generation: int | None = None) -> pa.Table:
    """One row for each generation, or for the given one alone.

    Runs with the fixed panel have no columns of the ladder.
    """
    numbers = range(run.generation_count) if generation is None else [generation]
    strengths, ladder = _strengths(run), run.config.get("panel") == "ladder"
    rows = [{**run.metadata(number)[0], **strengths.get(number, {})} for number in numbers]
    names = [name for name in GENERATIONS_COLUMNS.names if ladder or name not in OF_LADDER]
    try:
        return table_of_rows(rows, GENERATIONS_COLUMNS.schema).select(names)
    except pa.ArrowException as error:
        raise RunError(f"{run.path}: the row of a generation is damaged: {error}") from error


def _generation_rows(run: Run, numbers: Sequence[int]) -> pa.Table:
    """The rows of these generations, with the search depths of the best individual."""
    schema = GENERATIONS_COLUMNS.schema.append(pa.field(_DEPTHS, pa.list_(pa.int32())))
    paths = [generation_file(run.path, number) for number in numbers]
    rows = [_row_with_depths(path, _changed(path)) for path in paths]
    strengths = _strengths(run)
    return table_of_rows([{**row, **strengths.get(row["generation"], {})} for row in rows], schema)


def _strengths(run: Run) -> Mapping[int, Mapping[str, float | None]]:
    """The rating of each generation: the strength as smoothed over the bests of all of them."""
    if run.config.get("panel") != "ladder":
        return {}
    paths = [generation_file(run.path, number) for number in range(run.generation_count)]
    return _smoothed(tuple((path, _changed(path)) for path in paths))


@lru_cache(64)
def _smoothed(files: Sequence[tuple[Path, int]]) -> dict[int, dict[str, float | None]]:
    curve = curve_of(_row(path, changed) for path, changed in files)
    return {number: elo.columns("rating") for number, elo in curve.smoothed.items()}


@lru_cache(8192)
def _row(path: Path, changed: int) -> dict[str, Any]:
    return table_metadata(read_metadata(path), path)[0]


def _changed(path: Path) -> int:
    """When a generation was written: a new run may have the name of a deleted one."""
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise RunError(reason_of(error, path)) from error


@lru_cache(4096)
def _row_with_depths(path: Path, changed: int) -> dict[str, Any]:
    table = read_table(path, only=("individual", _DEPTHS))  # both in one read
    row, _ = table_metadata(table.schema.metadata or {}, path)
    index = table["individual"].index(scalar_of(str(row.get("best")))).as_py()
    if _DEPTHS in table.column_names and index >= 0:
        row[_DEPTHS] = table[_DEPTHS][index].as_py()
    return row


def _individuals(run: Run, generation: int | None = None) -> pa.Table:
    numbers = range(run.generation_count) if generation is None else [generation]
    tables = [run.individuals_table(number) for number in numbers]
    return joined(run.path, tables or [INDIVIDUALS_COLUMNS.schema.empty_table()])


def _progress(run: Run) -> RunProgress:
    """Its progress, and the strength of its last best. The play-off makes it complete."""
    count = run.generation_count
    row = run.metadata(count - 1)[0] if count else {}
    played_off = playoff_file(run.path).exists()
    return RunProgress(
        done=count,
        target=run.config.get("generations"),
        complete=played_off,
        crowned=played_off,
        last=generation_file(run.path, count - 1) if count else None,
        metrics={key: row.get(key) for key in _METRICS},
    )


def _curve(run: Run) -> pd.Series[float]:
    """By generation: with the ladder the smoothed strength, else the Elo on the panel."""
    column = "rating" if run.config.get("panel") == "ladder" else "panel_elo"
    return run.generations.set_index("generation")[column].dropna()


def _curve_at(run: Run, generations: Sequence[int]) -> list[float | None]:
    """What was known of it at some generations, without reading the others."""
    column = "rating" if run.config.get("panel") == "ladder" else "panel_elo"
    return [run.metadata(generation)[0].get(column) for generation in generations]


def _metrics(run: Run) -> dict[str, Any]:
    """The best panel score of all generations, and the run's games and hours."""
    frame = run.generations
    if frame.empty:
        return {}
    return {
        "best_panel_score": float(frame["panel_score"].max()),
        "games": int(frame["games"].sum()),
        "hours": float(frame["seconds"].sum() / 3600),
    }


def ancestry(run: Run, provenance: Mapping[str, Any], depth: int = 5) -> list[tuple[int, str, str]]:
    """List the ancestors of an agent up to `depth` steps back, each once: steps, id, origin.

    For an agent that is the mean of others, only the first of them, the best, is followed.
    """
    births = {
        row["individual"]: row
        for generation in range(run.generation_count)
        for row in run.individuals_table(generation)
        .select(["individual", "origin", "parents"])
        .to_pylist()
    }
    origin, stored = str(provenance.get("origin", "?")), provenance.get("parents")
    parents = list(map(str, stored)) if isinstance(stored, list) else []
    if origin == "mean":
        del parents[1:]
    waiting = [(0, str(provenance.get("individual")), origin, parents)]
    lines: dict[str, tuple[int, str, str]] = {}
    while waiting:
        steps, name, origin, parents = waiting.pop()
        if name not in lines and steps <= depth:
            lines[name] = steps, name, origin
            rows = [births[parent] for parent in reversed(parents) if parent in births]
            waiting += [(steps + 1, r["individual"], r["origin"], r["parents"]) for r in rows]
    return list(lines.values())


READING: Final = RunReading(
    kept=committed_generations,
    progress=_progress,
    compared_by=("rating", "panel_elo"),
    curve=_curve,
    curve_at=_curve_at,
    metrics=_metrics,
    added=("games", "seconds"),
    tables={
        "generations": TableReading(
            _generations,
            GENERATIONS_COLUMNS,
            count=lambda run: run.generation_count,
            rows=_generation_rows,
        ),
        "individuals": TableReading(_individuals),
        # Evolutions leave one column of games empty: they begin at the usual start.
        "games": TableReading(
            lambda run, generation=None: run.all_games_table(generation),
            unused=lambda run: (START,),
            of_games=True,
        ),
    },
)
