"""The tables of a sweep: its trials, and its final with the verdict on the defaults.

The trials table is written as a whole from the study after each change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import pyarrow as pa
from pydantic import BaseModel, Field, ValidationError

from evolve.errors import RunError
from evolve.files.atomic import write_text
from evolve.parsing import faults, parse_json, read_document
from evolve.tables.columns import Chart, Column, Columns, table_of_rows
from evolve.tables.parquet import read_table, write_table
from evolve.tables.paths import FINAL_FILE, TRIALS_FILE

TRIALS_COLUMNS: Final = Columns(
    (
        Column("number", pa.int64()),
        Column("state", pa.string()),
        Column("score", pa.float64(), chart=Chart("Score of each trial")),
        Column("score_error", pa.float64()),
        Column("seconds", pa.float64()),
        Column("reports", pa.list_(pa.float64())),
        Column("elo", pa.float64()),
        Column("elo_low", pa.float64()),
        Column("elo_high", pa.float64()),
        Column("defaults_score", pa.float64()),
        Column("defaults_games", pa.int64()),
        Column("origin", pa.string()),
        Column("worker", pa.string()),
        Column("games", pa.int64()),
        Column("agent", pa.string()),
        Column("reason", pa.string()),
    )
)
"""All columns but the parameters, which come between the seconds and the reports.

Where trials play the defaults: `elo` over these by all games of the sweep, with its 95 % interval,
of which `score` is what it predicts; and the score in the games with the defaults alone. Of a
final's winner all are of its fresh games.
"""
CENTRE_COLUMNS: Final = Columns(
    Column(name, pa.float64()) for name in ("centre_elo", "centre_elo_low", "centre_elo_high")
)
"""Of sweeps by SPSA, computed when the table is read: the strength of the search's current point
over the defaults, smoothed over all estimates, with its 95 % interval."""

# Origins of trials, beside the sampler.
DEFAULTS: Final = "defaults"
START: Final = "start"
"""With settings of `start_from`."""
ESTIMATE: Final = "spsa"
"""At the current point of SPSA. They play the defaults, and no step has their games."""
RETEST: Final = "retest"
"""Trainings of a retest: of the winner's settings and of the defaults, in turn."""

FINISHED: Final = ("COMPLETE", "PRUNED")
"""States of the trials that count."""
REPEATED: Final = "the settings of trial"
"""Begins the reason of a finished trial that has the result of an earlier one."""

_TYPES: Final = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
FINAL_SCHEMA: Final = pa.schema(
    [("trial", pa.string())]
    + [(name, pa.float64()) for name in ("score", "low", "high", "elo", "elo_low", "elo_high")]
    + [(name, pa.int64()) for name in ("games", "wins", "draws", "losses", "failures")]
)


def write_trials(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, type],
    file: str = TRIALS_FILE,
) -> None:
    """Replace the table; `parameters` gives the type of each.

    Raises RunError where a row has values of other types.
    """
    fields = [pa.field(name, _TYPES[kind]) for name, kind in parameters.items()]
    position = 1 + TRIALS_COLUMNS.names.index("seconds")
    fixed = list(TRIALS_COLUMNS.schema)
    schema = pa.schema([*fixed[:position], *fields, *fixed[position:]])
    try:
        table = table_of_rows(rows, schema)
    except (pa.ArrowException, TypeError) as error:  # another program wrote the study
        raise RunError(f"a trial of {folder} has what fits no table: {error}") from error
    write_table(folder / file, table)


def read_trials(folder: Path, file: str = TRIALS_FILE) -> pa.Table:
    """The table, empty and without parameters before the first trial; RunError when damaged."""
    path, none = folder / file, TRIALS_COLUMNS.schema.empty_table()
    return read_table(path, TRIALS_COLUMNS) if path.exists() else none


_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Against(BaseModel):
    """A score, 0 to 1, with its 95 % interval, None where games are too few.

    seeds: of a retest, how many seeds it is the mean of. failures, failures_of_defaults: games that
    were lost because the program failed.
    """

    score: _Share
    low: _Share | None
    high: _Share | None
    games: int = Field(ge=0)
    seeds: int | None = None
    failures: int = 0
    failures_of_defaults: int = 0


class FinalDocument(BaseModel):
    """The file of a final.

    trials: how many were finished when the final was played, None while it is played. over: whether
    no further trial was to come, even if the sweep allowed more. finalists: the strongest first.
    winner, defaults: numbers of trials, None for defaults without an agent. against_defaults: the
    winner's result in fresh games. alike: whether every trial played the moves of the defaults.
    unexplained, words: what strengths leave of the games of a program's trials, as in a rating.
    """

    trials: int | None = None
    over: bool = False
    finalists: list[dict[str, Any]] = Field(default=[])
    winner: int | None = None
    defaults: int | None = None
    against_defaults: Against | None = None
    alike: bool = False
    unexplained: dict[str, Any] | None = None
    words: list[str] = Field(default=[])

    @property
    def verdict(self) -> str:
        """Whether the sweep beats the defaults, in a sentence."""
        if self.defaults is None:
            return "the trial of the defaults is not complete: no comparison with them"
        if self.alike:
            return "all trials played exactly like the defaults: the parameters have no effect"
        if self.winner == self.defaults:
            return "the defaults won: no trial was better"
        against = self.against_defaults
        if against is None:
            return "no training of the retest came to its end: nothing is known of the settings"
        text = f"{against.score:.3f} in {against.games} fresh games"
        if against.low is not None and against.high is not None:
            text = text.replace(" in", f" [{against.low:.3f}, {against.high:.3f}] in")
        if against.seeds is not None:
            text += f" of {against.seeds} fresh seed{'s' * (against.seeds != 1)}"
        if against.failures or against.failures_of_defaults:
            text += (
                f", {against.failures} of them lost and {against.failures_of_defaults} won because "
                "a program failed"
            )
        if against.low is not None and against.low > 0.5:
            return f"trial-{self.winner} beats the defaults, {text}"
        return f"not certainly better than the defaults: trial-{self.winner} scores {text}"


def write_final(folder: Path, final: FinalDocument) -> None:
    """Replace the file of a final."""
    write_text(folder / FINAL_FILE, final.model_dump_json(indent=1, exclude_defaults=True) + "\n")


def read_final(folder: Path) -> FinalDocument:
    """The final of a sweep, of nothing before it has begun; RunError where the file is damaged."""
    path = folder / FINAL_FILE
    try:
        return FinalDocument.model_validate(parse_json(read_document(path)))
    except FileNotFoundError:
        return FinalDocument()
    except ValidationError as error:
        raise RunError(f"{path} is damaged: {faults(error)[0].text}") from error
    except (OSError, ValueError) as error:
        raise RunError(f"{path} is damaged: {error}") from error


def whole_final(folder: Path) -> FinalDocument:
    """The finished final; that of nothing where there is none, or it is damaged."""
    try:
        final = read_final(folder)
    except RunError:
        return FinalDocument()
    return FinalDocument() if final.trials is None else final


def verdict_of(folder: Path) -> str | None:
    """The verdict of the finished final, and how far trials' strengths add up; None before that."""
    final = whole_final(folder)
    if final.trials is None:
        return None
    return "; among the trials ".join([final.verdict, *final.words])


def final_table(folder: Path) -> pa.Table:
    """A row for each finalist, the strongest first; empty before the final."""
    final = read_final(folder)
    rows = final.finalists
    if not rows and final.winner is not None:
        rows = [{"trial": f"trial-{final.winner}"}]  # the winner had no opponent
    with_trial = [{"trial": row.get("agent"), **row} for row in rows]
    try:
        return table_of_rows(with_trial, FINAL_SCHEMA)
    except (pa.ArrowException, TypeError) as error:
        raise RunError(f"{folder / FINAL_FILE} is damaged: {error}") from error
