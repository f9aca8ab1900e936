"""Evolutions as a kind of run: their tables by name, and their summaries in lists of runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from evolve.errors import RunError, reason_of
from evolve.fitness.statistics import elo_of
from evolve.fitness.trend import curve_of
from evolve.runs.run import Run, joined
from evolve.runs.run_type import RunProgress, RunReading, TableReading
from evolve.runs.summary import summary_of
from evolve.tables.columns import rows_with, table_of_rows
from evolve.tables.games import START
from evolve.tables.individuals import (
    FITNESS,
    GENERATIONS_COLUMNS,
    INDIVIDUALS_COLUMNS,
    OF_LADDER,
    row_genes,
    table_metadata,
)
from evolve.tables.parquet import read_table
from evolve.tables.paths import (
    CHAMPION_FILE,
    committed_generations,
    games_file,
    generation_file,
    playoff_file,
)

if TYPE_CHECKING:
    import pandas as pd

_File = tuple[Path, int, int]  # of a generation: its number, and when it was written
_DEPTHS: Final = "depths"
_METRICS: Final = (
    "best_score", "panel_score", "panel_elo", "rating", "rating_low", "rating_high",
)  # fmt: skip


def written_files(folder: Path) -> list[Path]:
    """The files of an evolution, some of which may not exist, in the order in which it writes them.

    The play-off's file comes last: it marks the champion as its own.
    """
    numbers = range(committed_generations(folder))
    files = [file(folder, number) for number in numbers for file in (games_file, generation_file)]
    return [*files, folder / CHAMPION_FILE, playoff_file(folder)]


def needed_files(folder: Path) -> list[Path]:
    """Those that it goes on from: all but the games before those of the last generation."""
    old = {games_file(folder, number) for number in range(committed_generations(folder) - 1)}
    return [file for file in written_files(folder) if file not in old]


def _generations(run: Run, generation: int | None = None) -> pa.Table:
    """One row for each generation, or for the given one alone.

    Runs with the fixed panel have no columns of the ladder.
    """
    numbers = range(run.generation_count) if generation is None else [generation]
    unused = () if run.config.get("panel") == "ladder" else OF_LADDER
    return _generation_rows(run, numbers).drop_columns([*unused, _DEPTHS])


def _generation_rows(run: Run, numbers: Sequence[int]) -> pa.Table:
    """The rows of some generations, with the depths of the best and its strength as known now."""
    schema = GENERATIONS_COLUMNS.schema.append(pa.field(_DEPTHS, pa.list_(pa.int32())))
    strengths: Mapping[int, Mapping[str, float | None]] = {}
    if run.config.get("panel") == "ladder":
        strengths = _smoothed(tuple(_file(run, number) for number in range(run.generation_count)))
    rows = [{**_row(*_file(run, number)), **strengths.get(number, {})} for number in numbers]
    try:
        return table_of_rows(rows, schema)
    except pa.ArrowException as error:
        raise RunError(f"{run.path}: the row of a generation is damaged: {error}") from error


@lru_cache(64)
def _smoothed(files: Sequence[_File]) -> dict[int, dict[str, float | None]]:
    curve = curve_of(_row(*file) for file in files)
    return {number: elo.columns("rating") for number, elo in curve.smoothed.items()}


@lru_cache(8192)
def _row(path: Path, number: int, changed: int) -> dict[str, Any]:
    """The row of a generation, with the depths of its best."""
    table = read_table(path, only=("individual", _DEPTHS))  # both in one read
    row, _ = table_metadata(table, path)
    if row.get("generation") != number:
        raise RunError(f"{path} is of another generation: {row.get('generation')}")
    if table.num_columns == 2:  # own encodings may have none
        for best in rows_with(table, "individual", str(row.get("best"))).to_pylist():
            row[_DEPTHS] = best[_DEPTHS]
    return row


def _file(run: Run, number: int) -> _File:
    """The file of a generation, and when it was written: the run may replace a deleted one."""
    path = generation_file(run.path, number)
    try:
        return path, number, path.stat().st_mtime_ns
    except OSError as error:
        raise RunError(reason_of(error, path)) from error


def _individuals(run: Run, generation: int | None = None) -> pa.Table:
    numbers = range(run.generation_count) if generation is None else [generation]
    tables = [run.individuals_table(number) for number in numbers]
    return joined(run.path, tables or [INDIVIDUALS_COLUMNS.schema.empty_table()])


def _progress(run: Run) -> RunProgress:
    count = run.generation_count
    row = run.metadata(count - 1)[0] if count else {}
    played_off = playoff_file(run.path).exists()
    return RunProgress(
        done=count,
        target=run.config.get("generations"),
        complete=played_off,
        crowned=played_off,
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
    frame = run.generations
    if frame.empty:
        return {}
    return {
        "best_panel_score": float(frame["panel_score"].max()),
        "games": int(frame["games"].sum()),
        "hours": float(frame["seconds"].sum() / 3600),
    }


LIVED_UNTIL: Final = "lived_until"
"""What a lineage adds to a birth: the last generation with the individual."""
_Birth = Mapping[str, Any]  # the row of an individual in the generation of its birth


def births_of(run: Run) -> Callable[[str], _Birth | None]:
    """A function that finds the birth of an individual by its name, None where there is none."""
    table_of, count = cache(run.individuals_table), run.generation_count

    def birth_of(individual: str) -> _Birth | None:
        born, _, _ = individual.partition("-")
        if not (born.isascii() and born.isdecimal()) or int(born) >= count:
            return None
        rows = rows_with(table_of(int(born)), "individual", individual).to_pylist()
        return rows[0] if rows else None

    return birth_of


def parents_of(birth: _Birth) -> list[str]:
    """The parents that gave an individual its genes: of the mean of several the first, the best."""
    parents = [str(parent) for parent in birth["parents"] or ()]
    return parents[:1] if birth["origin"] == "mean" else parents


def ancestors(
    birth_of: Callable[[str], _Birth | None], individual: str, depth: float = math.inf
) -> tuple[dict[str, tuple[int, _Birth]], bool]:
    """An individual and its ancestors, each with the fewest births between and its own birth.

    The nearest come first; those without a known birth are left out. depth: the most births
    between. The second value says whether there are none further back.
    """
    found: dict[str, tuple[int, _Birth]] = {}
    waiting, seen, complete = [(individual, 0)], {individual}, True
    for name, steps in waiting:  # grows during the loop
        if (birth := birth_of(name)) is None:
            continue
        found[name] = steps, birth
        further = [parent for parent in parents_of(birth) if parent not in seen]
        if steps >= depth:
            complete = complete and not further
        else:
            seen.update(further)
            waiting += [(parent, steps + 1) for parent in further]
    return found, complete


def genes_of(birth: _Birth) -> dict[str, list[int]]:
    """The genes of an individual, in their order."""
    others = (*INDIVIDUALS_COLUMNS.names, FITNESS, LIVED_UNTIL)
    return row_genes(birth, [name for name in birth if name not in others])


def numbers_of(birth: _Birth) -> list[int]:
    """All numbers of its genes."""
    return list(chain.from_iterable(genes_of(birth).values()))


def main_line(births: Mapping[str, _Birth], individual: str) -> list[str]:
    """The individual, the parent that gave it the most of its numbers, and so on back.

    Of parents that gave it equally many it is the first.
    """
    line = [individual]
    while parents := [name for name in parents_of(births[line[-1]]) if name in births]:
        own = np.array(numbers_of(births[line[-1]]))
        line.append(max(parents, key=lambda name: (own == numbers_of(births[name])).sum()))
    return line


def elos_at_birth(run: Run, births: Mapping[str, _Birth]) -> dict[str, float]:
    """The Elo of individuals in the generation of their birth; empty without the ladder.

    Only its best has played the ladder; others are placed below it by the difference of their
    scores there. The champion has its own Elo, which is the run's.
    """
    if run.config.get("panel") != "ladder":
        return {}
    found = {}
    for name, birth in births.items():
        row, score = _row(*_file(run, int(birth["born"]))), birth["score"]
        if None not in (row["panel_elo"], score) and not math.isnan(score):
            found[name] = row["panel_elo"] + _finite_elo(score) - _finite_elo(row["best_score"])
    summary = summary_of(run)
    if summary.champion in found and summary.elo is not None:
        found[summary.champion] = summary.elo
    return found


def _finite_elo(score: float) -> float:
    """The Elo of a score, which counts as 0.02 from 0 and 1 at least: it is finite then."""
    return elo_of(min(max(score, 0.02), 0.98))


def ancestry(run: Run, provenance: Mapping[str, Any], depth: int = 5) -> list[tuple[int, str, str]]:
    """The ancestors of an agent up to `depth` steps back, the nearest first: steps, id, origin."""
    parents = provenance.get("parents")
    own = {
        "origin": provenance.get("origin", "?"),
        "parents": parents if isinstance(parents, list) else [],
    }
    name = str(provenance.get("individual"))
    birth_of = births_of(run)
    found, _ = ancestors(lambda each: own if each == name else birth_of(each), name, depth)
    return [(steps, name, str(birth["origin"])) for name, (steps, birth) in found.items()]


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
