"""The final of a sweep: its file, its table, and its verdict on the defaults."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve.errors import LinkError, RunError
from evolve.files.folder import FolderPath
from evolve.safe_parsing import parse_json, read_document
from evolve.tables.columns import table_of_rows
from evolve.tables.paths import FINAL_FILE

FINAL_SCHEMA: Final = pa.schema(
    [
        ("trial", pa.string()),
        ("score", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("elo", pa.float64()),
        ("elo_low", pa.float64()),
        ("elo_high", pa.float64()),
        ("games", pa.int64()),
        ("wins", pa.int64()),
        ("draws", pa.int64()),
        ("losses", pa.int64()),
        ("failures", pa.int64()),
        ("lives", pa.int64()),
    ]
)
"""Columns of the table: a final gives Elo and games; rungs give lives and an interval."""


class Against(BaseModel):
    """A score, 0 to 1, with its 95 % interval.

    seeds: after rungs, how many seeds it is the mean of. failures, failures_of_defaults: games that
    were lost because the program failed.
    """

    score: float
    low: float
    high: float
    games: int
    seeds: int | None = None
    failures: int = 0
    failures_of_defaults: int = 0


class FinalDocument(BaseModel):
    """The file of a final.

    trials: how many were finished when the final was played, None before its end. over: whether no
    further trial was to come, even if the sweep allowed more. finalists: the strongest first.
    winner, defaults: numbers of trials. against_defaults: the winner's result in fresh games.
    """

    model_config = ConfigDict(extra="ignore")

    trials: int | None = None
    over: bool = False
    finalists: list[dict[str, Any]] = Field(default=[])
    winner: int | None = None
    defaults: int | None = None
    against_defaults: Against | None = None

    @property
    def verdict(self) -> str:
        """Whether the sweep beats the defaults, in a sentence."""
        if self.defaults is None:
            return "the trial of the defaults is not complete: no comparison with them"
        if self.winner == self.defaults:
            return "the defaults won: nothing better was found"
        found = self.against_defaults
        if found is None:
            return "the winner was not tested with fresh seeds: nothing is known of its settings"
        text = f"{found.score:.3f} [{found.low:.3f}, {found.high:.3f}] in {found.games} fresh games"
        if found.seeds is not None:
            text += f" of {found.seeds} fresh seed{'s' * (found.seeds != 1)}"
        if found.failures or found.failures_of_defaults:
            text += (
                f", {found.failures} of them lost and {found.failures_of_defaults} won because a "
                "program failed"
            )
        if found.low > 0.5:
            return f"trial-{self.winner} beats the agent of the defaults, {text}"
        return f"no better than the defaults for certain: trial-{self.winner} scores {text}"


def read_final(folder: FolderPath) -> FinalDocument | None:
    """The final of a sweep; None before the final, even after a rung.

    RunError where the file is damaged.
    """
    path = folder / FINAL_FILE
    try:
        return FinalDocument.model_validate(parse_json(read_document(path)))
    except FileNotFoundError:
        return None
    except LinkError:
        raise
    except ValidationError as error:
        raise RunError(f"{path} is damaged: {error.errors()[0]['msg']}") from error
    except (OSError, ValueError) as error:
        raise RunError(f"{path} is damaged: {error}") from error


def whole_final(folder: FolderPath) -> FinalDocument | None:
    """The finished final; None where there is none, or it is damaged."""
    try:
        found = read_final(folder)
    except LinkError:
        raise
    except RunError:
        return None
    return None if found is None or found.trials is None else found


def verdict_of(folder: FolderPath) -> str | None:
    """The verdict of the finished final on the defaults; None before that."""
    found = whole_final(folder)
    return None if found is None else found.verdict


def finals_trials(folder: FolderPath) -> int | None:
    """How many trials were finished when the final was played; None before it is finished."""
    found = whole_final(folder)
    return None if found is None else found.trials


def final_table(folder: FolderPath) -> pa.Table:
    """A row for each finalist, the strongest first; empty before the final."""
    found = read_final(folder)
    rows = [] if found is None else found.finalists
    if found is not None and not rows and found.winner is not None:
        rows = [{"trial": f"trial-{found.winner}"}]  # the winner had no opponent
    named = [{"trial": row.get("agent", row.get("candidate")), **row} for row in rows]
    try:
        return table_of_rows(named, FINAL_SCHEMA)
    except (pa.ArrowException, TypeError) as error:
        raise RunError(f"{folder / FINAL_FILE} is damaged: {error}") from error
